"""The lesson Reweighting, on paper: two updates of eight cells, by hand."""

import math

from mwem_app.course.lessons.eight import COLUMNS, QUESTIONS, ROWS
from mwem_app.course.lessons.paper.figures import bars
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.eight import counted_cells, eight_cells, six_questions
from mwem_app.course.numbers.reweighting import by_hand, least_fall
from mwem_app.inputs import load_sample

PICKS = 0, 1  # coffee, then first year


def sheet(_seed: int) -> Sheet:
    """The eight cells of the class. Nothing here is drawn."""
    B, Q = eight_cells(load_sample("Class survey")), six_questions()
    states, exact, masks, n = by_hand(B, Q, PICKS), Q.answers(B), counted_cells(Q), B.total
    names = [f"{row}, {column}" for row in ROWS for column in COLUMNS]
    short = [f"{row}\n{column.split(', ')[0]}\n{column.split(', ')[1]}" for row in ROWS for column in COLUMNS]
    factors = [math.exp((exact[j] - state.answers[j]) / (2 * n)) for j, state in zip(PICKS, states[:-1], strict=True)]
    first, second = (QUESTIONS[j] for j in PICKS)

    def cells(k: int) -> str:
        return ", ".join(f"{value:.1f}" for value in states[k].cells)

    return Sheet(
        question="How should a table change when one hears one number about the truth?",
        parts=(
            Data(
                f"A class of {n} in eight cells: our table A, and which cells each question counts (●)",
                ("cell", "A₀", *QUESTIONS, "A₁", "A₂"),
                [
                    (name, f"{states[0].cells[x]:g}", *("●" if mask[x] else "" for mask in masks), "", "")
                    for x, name in enumerate(names)
                ]
                + [("measured", f"{n}", *(f"{value:.0f}" for value in exact), f"{n}", f"{n}")],
            ),
            Figure(
                "The class B, which A does not know, beside A₀",
                bars(
                    short,
                    {"B": B.marginal((0, 1, 2)).ravel(), "A₀": states[0].cells},
                    label="Counts of eight cells in B and in the uniform table",
                    height=200,
                ),
            ),
        ),
        tasks=(
            Task(
                f"Update A₀ by “{first}”: m = {exact[PICKS[0]]:.0f}. Multiply the cells that it counts by e^((m − q(A))"
                f"/2n), then scale all to {n}. Write A₁.",
                f"Factor {factors[0]:.4f}; A₁ = {cells(1)}.",
                lines=2,
            ),
            Task(
                f"Update A₁ by “{second}”, m = {exact[PICKS[1]]:.0f}, and write A₂.",
                f"Factor {factors[1]:.4f}; A₂ = {cells(2)}.",
                lines=2,
            ),
            Task(
                f"Is “{first}” nearer to its measured answer in A₂ than in A₀?",
                f"Yes: {states[0].answers[0]:.1f}, then {states[1].answers[0]:.1f} and {states[2].answers[0]:.1f}, "
                f"for {exact[0]:.0f}. The step is short, so it does not arrive.",
            ),
            Task(
                "By how much does the first update lower Ψ at least? Ψ starts at "
                f"{states[0].potential:.3f}: how many updates as good as this can there be?",
                f"By {least_fall(abs(states[1].error), n):.4f}, so at most "
                f"{states[0].potential // least_fall(abs(states[1].error), n):.0f}.",
            ),
        ),
    )
