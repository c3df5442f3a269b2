"""The lesson How many rounds?, on paper: draw the error against T before it is shown."""

from mwem_app.base import percent
from mwem_app.course.lessons.paper.figures import curves
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.lessons.rounds import START
from mwem_app.course.numbers import rounds
from mwem_app.course.numbers.rounds import COPIES, ROUNDS
from mwem_app.inputs import load_sample
from mwem_core.mwem import theorem_bound
from mwem_core.workload import parse_workload

SMALL, HIGH = 0.01, 0.25


def sheet(_seed: int) -> Sheet:
    """A university with the answers of the class. Nothing here is drawn."""
    survey = load_sample("Class survey")
    B, Q = rounds.copies(survey, COPIES), parse_workload("marginals:2", survey.domain)
    noise, uniform = rounds.noise(START), rounds.uniform_error(B, Q)
    within = [T for T, each in zip(ROUNDS, rounds.noise(SMALL), strict=True) if each < uniform * B.total]
    public = {"n": B.total, "domain_size": Q.domain.size, "queries": Q.size, "epsilon": 1.0}
    bounds = {T: theorem_bound(rounds=T, **public) / B.total for T in (4, 16)}
    return Sheet(
        question="A budget can buy few clear answers or many unclear ones. How many are best?",
        parts=(
            Data(
                f"{B.total:,} students, {Q.size} cells, ε = {START:g}. Mean size of the noise of one measurement",
                ("rounds T", *(f"{T}" for T in ROUNDS)),
                [
                    ("noise, in students", *(f"{each:.0f}" for each in noise)),
                    ("in % of all", *[""] * len(ROUNDS)),
                    ("cells not asked", *[""] * len(ROUNDS)),
                ],
            ),
            Figure(
                "Draw your curve: the largest error after T rounds",
                curves(
                    [f"{T}" for T in ROUNDS],
                    {"uniform table, no rounds": [100 * uniform] * len(ROUNDS)},
                    high=100 * HIGH,
                    x="rounds T",
                    y="largest error, in % of the students",
                    label="A grid for a curve, with the error of the uniform table as a line",
                    height=300,
                ),
            ),
        ),
        tasks=(
            Task(
                "Fill in the two empty rows of the table.",
                f"{', '.join(f'{100 * each / B.total:.2g}' for each in noise)}; and "
                f"{', '.join(f'{Q.size - T}' for T in ROUNDS)}.",
            ),
            Task(
                f"At ε = {SMALL:g} all noise is {START / SMALL:g} times as large. Up to which of these T is it "
                f"smaller than the error of the uniform table, {percent(uniform)}?",
                f"Up to T = {within[-1]}.",
            ),
            Task(
                "Draw your curve into the figure. At which T is it lowest, and why?",
                "See the prediction above.",
            ),
            Task(
                f"The theorem's bound at ε = 1 is {percent(bounds[4])} of all students at T = 4 and "
                f"{percent(bounds[16])} at T = 16. What does each say?",
                "The bound holds for every table. Above 100% it says nothing; below, it promises that no answer is off "
                "by more, with the theorem's probability.",
            ),
        ),
    )
