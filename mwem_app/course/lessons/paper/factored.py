"""The lesson Why a factored model, on paper: count the cells of models, and write two tables as one."""

import math
from itertools import pairwise

import numpy as np

from mwem_app.course.lessons.factored import people
from mwem_app.course.lessons.paper.figures import ring
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.factored import PUZZLE_CELLS, PUZZLE_PAIRS, Structure, ring as of_prediction

CHAIN = ("workclass", "race", "sex", "relationship")
SOLUTION = (
    ("workclass", "race"),
    ("workclass", "sex"),
    ("race", "sex"),
    ("sex", "native-country"),
    ("education", "relationship"),
    ("marital-status", "occupation"),
)
AB, BC = np.array([[30, 10], [5, 15]]), np.array([[20, 15], [5, 20]])


def sheet(_seed: int) -> Sheet:
    """Adult's eight attributes. Nothing here is drawn."""
    adult = people()
    names, sizes = adult.domain.names, adult.domain.shape
    attrs = [names.index(name) for name in CHAIN]
    pairs = list(pairwise(attrs))
    chain = Structure.of([tuple(sorted(pair)) for pair in pairs], sizes, sorted(attrs))
    closed = Structure.of([*chain.pairs, tuple(sorted((attrs[0], attrs[-1])))], sizes, sorted(attrs))
    solved = Structure.of([tuple(sorted(map(names.index, pair))) for pair in SOLUTION], sizes)
    diagonal = " × ".join(names[a] for a in closed.added[0])
    loop_of_four = of_prediction(adult)
    joint = AB[:, :, None] * BC[None] / BC.sum(axis=1)[None, :, None]
    loop = ", ".join((*CHAIN, CHAIN[0]))
    return Sheet(
        question="How can a few small tables stand for one that no computer could hold?",
        parts=(
            Data("Eight attributes of a census, and how many values each has", names, [[f"{size}" for size in sizes]]),
            Figure(
                "Draw a line for each pair that is measured",
                ring(
                    [f"{name}: {size}" for name, size in zip(names, sizes, strict=True)],
                    [],
                    label="Eight attributes on a ring, with their numbers of values",
                ),
            ),
            Data(
                "The four pairs of the prediction, and their cells",
                [" × ".join(names[a] for a in pair) for pair in loop_of_four.pairs],
                [[f"{math.prod(sizes[a] for a in pair)}" for pair in loop_of_four.pairs]],
            ),
            Data(
                "Two tables that agree about b",
                ("a, b", "b = 0", "b = 1", "b, c", "c = 0", "c = 1"),
                [(f"a = {i}", *(f"{v}" for v in AB[i]), f"b = {i}", *(f"{v}" for v in BC[i])) for i in range(len(AB))],
            ),
        ),
        tasks=(
            Task("How many cells has one table of all eight attributes?", f"{math.prod(sizes):,}, the product of all."),
            Task(
                f"The pairs of the chain {', '.join(CHAIN)} were measured. How many cells hold the model?",
                f"{chain.cells}, the sum of its three pairs.",
            ),
            Task(
                f"Now the loop {loop}. Which diagonal cuts it into the smaller triangles, and how many cells are that?",
                f"{diagonal}: {closed.cells} cells in two triangles.",
            ),
            Task(
                "Given b, a and c are independent. Compute the model's count for a = 0, b = 0, c = 0 from the two "
                "tables, and for a = 1, b = 1, c = 1.",
                f"{AB[0, 0]} · {BC[0, 0]} / {BC[0].sum()} = {joint[0, 0, 0]:.1f}, and {AB[1, 1]} · {BC[1, 1]} / "
                f"{BC[1].sum()} = {joint[1, 1, 1]:.1f}.",
            ),
            Task(
                f"Puzzle: {PUZZLE_PAIRS} pairs that reach all eight attributes, close a loop, and hold at most "
                f"{PUZZLE_CELLS} cells.",
                f"For example {', '.join(' × '.join(pair) for pair in SOLUTION)}: {solved.cells} cells. Loops "
                "among small attributes are cheap.",
                lines=2,
            ),
        ),
    )
