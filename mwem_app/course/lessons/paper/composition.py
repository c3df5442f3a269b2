"""The lesson on composition, on paper: plan a purse, and account for many steps."""

from mwem_app.course.lessons.composition import DELTA, EACH, PREDICTED, PRESSES, QUESTIONS
from mwem_app.course.lessons.paper.figures import curves
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.composition import noise_at_once, noise_of_mean, totals
from mwem_app.inputs import load_sample

STEPS = range(5, PREDICTED + 1, 5)  # evenly, so that the sum is a straight line


def sheet(_seed: int) -> Sheet:
    """A purse of ε = 1. Nothing here is drawn."""
    n = load_sample("Class survey").total
    mean, once = noise_of_mean(EACH, PRESSES), noise_at_once(EACH, PRESSES)
    sums, _, zcdp = totals(PREDICTED, EACH, DELTA)
    first = next(T for T in range(1, PREDICTED + 1) if zcdp[T - 1] < sums[T - 1])
    return Sheet(
        question="One purse, four questions: how is it spent best?",
        parts=(
            Data(
                f"Mean size of the noise for a count of {n} students, by what is paid",
                ("ε paid", *(f"{(k + 1) * EACH:.1g}" if k < PRESSES - 1 else "1" for k in range(PRESSES))),
                [
                    (f"mean of answers at {EACH:g}", *(f"{each:.1f}" for each in mean)),
                    ("one answer at once", *(f"{each:.1f}" for each in once)),
                ],
            ),
            Data(
                f"Your plan: what each question gets of ε = {PRESSES * EACH:g}",
                ("question", "ε", "at once, or in how many answers?", "noise"),
                [(question, "", "", "") for question in QUESTIONS],
            ),
            Figure(
                f"The cost of T rounds whose selection and measurement cost ε = {EACH:g} each, by the sum. Draw what a "
                "tighter account may say",
                curves(
                    [f"{T}" for T in STEPS],
                    {"sum": [sums[T - 1] for T in STEPS]},
                    high=10,
                    x="rounds T",
                    y="ε",
                    label="The sum of the costs over the number of rounds, on a grid to draw on",
                    height=230,
                ),
            ),
        ),
        tasks=(
            Task(
                "Write your plan into the second table, so that the largest noise is as small as it can be.",
                f"ε = {PRESSES * EACH / len(QUESTIONS):g} each, at once: noise {len(QUESTIONS) / (PRESSES * EACH):g} "
                "for every question.",
            ),
            Task(
                "Why is one answer better than the mean of several, for the same ε?",
                f"Five at {EACH:g} err by {mean[4]:.1f}, one at {5 * EACH:g} by {once[4]:.1f}: noise of a mean falls "
                "with the root of the number of answers, that of one answer with ε itself.",
            ),
            Task(
                f"What do {PREDICTED} rounds cost by the sum? Mark what you believe zCDP says, with δ = 10⁻⁶.",
                f"{sums[-1]:g} by the sum; zCDP says {zcdp[-1]:.1f}. It is below the sum from T = {first} on.",
            ),
            Task(
                "One release at ε = 1 in May, and one at ε = 0.5 in June of other columns: what does each student pay?",
                "1.5: the same people are in both.",
            ),
        ),
    )
