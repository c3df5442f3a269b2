"""The lesson MWEM, on paper: one round on one table of nine cells, and the purse of a run."""

import numpy as np

from mwem_app.base import percent
from mwem_app.course.lessons.paper.figures import bars
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.choosing import law
from mwem_app.inputs import load_sample
from mwem_core.model import LogLinear, Measurement, update
from mwem_core.privacy import Seeded, mechanisms
from mwem_core.relatives import STEP
from mwem_core.workload import parse_workload

EPSILON, T = 8.0, 8
PAIR = 0, 1


def sheet(seed: int) -> Sheet:
    """The first round of a run that asks for the cells of one table, with draws of its own."""
    survey = load_sample("Class survey")
    names = [survey.domain.names[a] for a in PAIR]
    small = survey.project(names)
    n, each = small.total, EPSILON / (2 * T)
    Q = parse_workload("marginals:2", small.domain)
    A, exact = LogLinear.uniform(small.domain.shape, n), Q.answers(small)
    gaps = np.abs(A.answers(Q) - exact)
    chances, noise = law(gaps, epsilon=each), Seeded(seed)
    j = mechanisms.exponential(gaps, epsilon=each, sensitivity=1, noise=noise)
    attrs, q, _ = Q.query(j)
    m = float(mechanisms.laplace(np.asarray(exact[j]), epsilon=each, sensitivity=1, noise=noise)[0])
    after = update(A, Measurement(attrs, np.asarray(m), 1 / each, q), STEP).answers(Q)
    rows, columns = (small.domain.attributes[a].labels for a in (0, 1))
    cells = [(row, column) for row in rows for column in columns]
    label, worst = ", ".join(cells[j]), ", ".join(cells[int(gaps.argmax())])
    other = next(value for i, value in enumerate(after) if i != j)
    return Sheet(
        question="Where does the budget of a run go, and which step reads the private table?",
        parts=(
            Data(
                f"{n} students by {names[0]} and {names[1]}. A₀ is uniform; B is private",
                ("cell", "A₀", "B", "gap", "A₁"),
                [
                    (f"{row}, {column}", f"{a:.1f}", f"{b:.0f}", "", "")
                    for (row, column), a, b in zip(cells, A.answers(Q), exact, strict=True)
                ],
            ),
            Figure(
                "The same: A₀ beside B. What reads B is made from private data: do not publish",
                bars(
                    [f"{row}\n{column}" for row, column in cells],
                    {"A₀": A.answers(Q), "B": exact},
                    label="Counts of nine cells in the model and in the private table",
                    height=190,
                ),
            ),
        ),
        tasks=(
            Task(
                f"A run has ε = {EPSILON:g} and T = {T} rounds; half selects, half measures. What does one selection "
                "cost, and what is the mean size of the noise of a measurement?",
                f"ε/2T = {each:g}, and 2T/ε = {1 / each:g} students.",
            ),
            Task(
                "Write the gaps. Which cell is the most probable choice, and how many times as probable is it as one "
                "whose gap is 10 smaller?",
                f"“{worst}”, with {percent(float(chances.max()))}; e^(10ε/4T) = {np.exp(10 * each / 2):.1f} times.",
            ),
            Task(
                f"“{label}” was chosen, and m = {m:.1f} was measured. Write A₁: multiply this cell by "
                f"e^((m − q(A))/2n), and scale all nine to {n}.",
                f"Factor {np.exp((m - n / len(cells)) / (2 * n)):.4f}: {after[j]:.2f}, and {other:.2f} in all others.",
                lines=2,
            ),
            Task(
                "Underline what reads B: computing gaps, selecting, measuring, the factor, scaling, drawing rows of A.",
                "Gaps, selecting and measuring. The gaps stay inside the selection, and nothing else costs anything.",
            ),
        ),
    )
