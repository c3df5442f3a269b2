"""The extra on the net mechanism, on paper: score two tables, and weigh one good table against many bad ones."""

import math

import numpy as np

from mwem_app.inputs.samples import load_sample
from mwem_app.lessons.eight import COLUMNS, QUESTIONS, ROWS
from mwem_app.lessons.paper.figures import bars
from mwem_app.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_core.lessons.eight import counted_cells, eight_cells, six_questions

RECORDS = 8  # of a table of the net
EVEN, NEAR = (1,) * RECORDS, (0, 1, 1, 1, 0, 2, 0, 3)
EPSILON = 0.1


def sheet(_seed: int) -> Sheet:
    """Two of the net's tables. Nothing here is drawn."""
    B, Q = eight_cells(load_sample("Class survey")), six_questions()
    masks, exact, n = counted_cells(Q), Q.answers(B), B.total
    tables = [np.array(table) * n / RECORDS for table in (EVEN, NEAR)]
    answers = [masks @ table for table in tables]
    errors = [float(np.abs(answer - exact).max()) for answer in answers]
    ratio = math.exp(EPSILON * (errors[0] - errors[1]) / 2)
    size = math.comb(RECORDS + len(EVEN) - 1, RECORDS)
    names = [f"{row}\n{column.split(', ')[0]}\n{column.split(', ')[1]}" for row in ROWS for column in COLUMNS]
    return Sheet(
        question="Could one choose a whole table at once, from a list of all tables?",
        parts=(
            Figure(
                f"Two tables of the list, scaled to {n} students, beside the class B",
                bars(
                    names,
                    {"first": tables[0], "second": tables[1], "B": B.marginal((0, 1, 2)).ravel()},
                    label="Counts of eight cells in two tables and in the class",
                    height=230,
                ),
            ),
            Data(
                "Answers of both tables and of the class",
                ("question", *QUESTIONS),
                [
                    ("B", *(f"{value:.0f}" for value in exact)),
                    ("first", *(f"{value:.0f}" for value in answers[0])),
                    ("second", *(f"{value:.0f}" for value in answers[1])),
                ],
            ),
        ),
        tasks=(
            Task(
                "The score of a table is minus its largest error. Give both scores.",
                f"−{errors[0]:.0f} and −{errors[1]:.0f}.",
            ),
            Task(
                f"How many times as probable as the first is the second at ε = {EPSILON:g}, with Δ = 1?",
                f"e^(ε ({errors[0]:.0f} − {errors[1]:.0f})/2) = {ratio:.1f} times.",
            ),
            Task(
                f"The list has {size:,} tables. If one were as good as the second and all others as bad as the first, "
                "how probable would the good one be?",
                f"{ratio:.1f} / ({ratio:.1f} + {size - 1:,}) = {ratio / (ratio + size - 1):.2%}.",
            ),
            Task(
                "Each attribute more doubles the number of cells. How does the length of the list grow with the "
                "records of a table, and what does MWEM do in place of a list?",
                "As a power of the number of cells, with the number of records as exponent. MWEM changes one table, "
                "round by round.",
                lines=2,
            ),
        ),
    )
