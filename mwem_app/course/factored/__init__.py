"""The lesson Why a factored model: what a model of a wide table must hold, and why it may hold so little."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.blocks import (
    Block,
    Caption,
    Columns,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictChoice,
    Reveal,
    RunLink,
    Text,
)
from mwem_app.course.factored import factored_numbers as numbers
from mwem_app.course.factored.factored_numbers import PUZZLE_CELLS, PUZZLE_PAIRS, Structure
from mwem_app.course.sheet import Data, Figure, Task, ring_figure
from mwem_app.inputs import SAMPLE, load_sample
from mwem_core.domain import Records
from mwem_core.privacy import Seeded


def picture(structure: Structure) -> dict[str, Any]:
    """The pairs, the cliques with what each shares with its parent, parents first, and what three models would hold.

    Attributes are numbered among the structure's own, in order.
    """
    tree, number = structure.tree, {a: i for i, a in enumerate(structure.attrs)}
    largest = max(range(len(tree.cliques)), key=structure.clique_cells.__getitem__)

    def places(attrs: tuple[int, ...]) -> list[int]:
        return [number[a] for a in attrs]

    return {
        "pairs": [places(pair) for pair in structure.pairs],
        "added": [places(pair) for pair in structure.added_pairs],
        "cliques": [
            {
                "attrs": places(tree.cliques[k]),
                "shared": places(tree.separator[k]),
                "depth": tree.depth[k],
                "cells": structure.clique_cells[k],
                "largest": k == largest,
            }
            for k in tree.order
        ],
        "cells": structure.cells,
        "components": structure.component_cells,
        "dense": structure.dense_cells,
    }


def people() -> Records:
    """Adult, with eight attributes."""
    return load_sample("Adult").project(SAMPLE["Adult"].attributes)


@st.cache_data(max_entries=8, show_spinner=False)
def growth(seed: int) -> tuple[int, list[dict]]:
    """The steps of a run, and the first at which every attribute is connected to every other."""
    steps = numbers.growth_steps(people(), Seeded(seed))
    connected = [i for i, step in enumerate(steps) if len(step.structure.components) == 1]
    shown = [{"pair": step.pair, "error": step.error, "structure": picture(step.structure)} for step in steps]
    return connected[0] if connected else len(steps) - 1, shown


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    adult = people()
    sizes, names = adult.domain.shape, adult.domain.names
    attributes = [{"name": name, "size": size} for name, size in zip(names, sizes, strict=True)]

    yield Text(
        f"Adult's eight attributes have **{adult.domain.size:,} cells**: too many to hold and to update. MWEM "
        "measures one pair of attributes a round. Its model keeps small tables only, the **cliques** of a tree, and "
        "each measured pair lies in one of them. **Drag** through a run on Adult: a line is a measured pair, the "
        "shaded area is the largest clique."
    )
    start, steps = growth(seed)
    yield Drawing(
        "factored", {"scene": "growth", "attributes": attributes, "steps": steps, "start": start}, key="growth"
    )

    yield RunLink("Adult", "Marginals", 2, "mwem", numbers.EPSILON, numbers.ROUNDS, seed)

    yield Heading("A loop costs more than its pairs")
    ring = numbers.ring(adult)
    diagonal = " × ".join(names[a] for a in ring.added_pairs[0])
    right, pair, one_table = ring.largest, max(sizes[a] * sizes[b] for a, b in ring.pairs), ring.dense_cells
    other = numbers.cut_the_other_way(ring).largest
    whole = picture(ring)
    widest = next(clique["attrs"] for clique in whole["cliques"] if clique["largest"])
    factors = " × ".join(f"{sizes[ring.attrs[a]]}" for a in sorted(widest))
    drawn = Drawing(
        "factored",
        {"scene": "ring", "attributes": [attributes[a] for a in ring.attrs], "structure": whole},
        key="ring",
        until={"structure": {"pairs": whole["pairs"], "added": [], "cliques": []}},
    )
    asked = PredictChoice(
        "MWEM measured only these four pairs, which close a loop; the numbers are their cells. How many cells does the "
        "largest clique of the tree hold?",
        [f"{cells:,}" for cells in sorted([pair, right, other, one_table])],
    )
    answer = Text(
        f"It holds **{right:,}**, {factors}. The tables of a loop can contradict one another. So the tree cuts the "
        f"loop into triangles by a diagonal (dashed), and each triangle is one table. The diagonal is {diagonal}; the "
        f"other would make a table of {other:,}. One table of all four has {one_table:,} cells. Without a loop, no "
        f"table would be larger than the largest pair: {pair:,}."
    )
    yield Columns([drawn], [asked, Reveal([answer])])
    yield Formula(
        "{A}({x}) = {∏}{Aₖ}({x}) / {∏}{Aₛ}({x})",
        {
            "A": "the model: how many of the n records it puts in a cell of the whole domain.",
            "x": "a cell: one value for each attribute.",
            "∏": "the product, above over the cliques k of the tree, below over its separators s.",
            "Aₖ": "the table of clique k: the model's counts for the attributes of k alone.",
            "Aₛ": "the table of separator s: the attributes that two neighbouring cliques share. Both agree on it.",
        },
        key="factors",
    )
    yield Text(
        "This is exact, because each update multiplies A by a factor of one measured pair. The loops among the "
        "measured pairs decide how large the tables must be, not the number of attributes."
    )

    yield Heading("Puzzle: six pairs on a budget")
    yield Text(
        f"Choose {PUZZLE_PAIRS} pairs that reach every attribute, close a loop, and hold at most {PUZZLE_CELLS} cells. "
        "Tap two attributes to measure their pair, and again to take it back."
    )
    puzzle = Drawing(
        "factored",
        {"scene": "puzzle", "attributes": attributes, "asked": PUZZLE_PAIRS, "budget": PUZZLE_CELLS},
        key="puzzle",
    )
    closed = Caption("The puzzle counts the cells of every loop, so it opens once your prediction is locked in.")
    yield Reveal([puzzle], before=[closed])

    star = numbers.star(adult)
    sex = names.index("sex")
    others = " + ".join(f"{size}" for name, size in zip(names, sizes, strict=True) if name != "sex")
    yield Exercise(
        f"Sex ({sizes[sex]} values) is measured with each of the other seven attributes: seven pairs, which "
        "connect all eight. How many cells does the model hold?",
        {
            f"{star.cells:,}": f"A star has no loop, so each pair is a clique: {sizes[sex]} × ({others}).",
            f"{star.largest:,}": "That is the largest clique, sex × native-country. The model holds all seven.",
            f"{star.component_cells:,}": "That is one table over everything that is connected. The tree needs no such "
            "table: a star has no loop, so each pair is a clique.",
        },
        right=f"{star.cells:,}",
    )


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


def sheet(_seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: Adult's eight attributes. Nothing here is drawn."""
    adult = people()
    names, sizes = adult.domain.names, adult.domain.shape
    attrs = [names.index(name) for name in CHAIN]
    pairs = list(pairwise(attrs))
    chain = Structure.of([tuple(sorted(pair)) for pair in pairs], sizes, sorted(attrs))
    closed = Structure.of([*chain.pairs, tuple(sorted((attrs[0], attrs[-1])))], sizes, sorted(attrs))
    solved = Structure.of([tuple(sorted(map(names.index, pair))) for pair in SOLUTION], sizes)
    diagonal = " × ".join(names[a] for a in closed.added_pairs[0])
    loop_of_four = numbers.ring(adult)
    joint = AB[:, :, None] * BC[None] / BC.sum(axis=1)[None, :, None]
    loop = ", ".join((*CHAIN, CHAIN[0]))
    yield Data("Eight attributes of a census, and how many values each has", names, [[f"{size}" for size in sizes]])
    yield Figure(
        "Draw a line for each pair that is measured",
        ring_figure(
            [f"{name}: {size}" for name, size in zip(names, sizes, strict=True)],
            label="Eight attributes on a ring, with their numbers of values",
        ),
    )
    yield Data(
        "The four pairs of the prediction, and their cells",
        [" × ".join(names[a] for a in pair) for pair in loop_of_four.pairs],
        [[f"{math.prod(sizes[a] for a in pair)}" for pair in loop_of_four.pairs]],
    )
    yield Data(
        "Two tables that agree about b",
        ("a, b", "b = 0", "b = 1", "b, c", "c = 0", "c = 1"),
        [(f"a = {i}", *(f"{v}" for v in AB[i]), f"b = {i}", *(f"{v}" for v in BC[i])) for i in range(len(AB))],
    )
    yield Task("How many cells has one table of all eight attributes?", f"{math.prod(sizes):,}, the product of all.")
    yield Task(
        f"The pairs of the chain {', '.join(CHAIN)} were measured. How many cells hold the model?",
        f"{chain.cells}, the sum of its three pairs.",
    )
    yield Task(
        f"Now the loop {loop}. Which diagonal cuts it into the smaller triangles, and how many cells are that?",
        f"{diagonal}: {closed.cells} cells in two triangles.",
    )
    yield Task(
        "Given b, a and c are independent. Compute the model's count for a = 0, b = 0, c = 0 from the two "
        "tables, and for a = 1, b = 1, c = 1.",
        f"{AB[0, 0]} · {BC[0, 0]} / {BC[0].sum()} = {joint[0, 0, 0]:.1f}, and {AB[1, 1]} · {BC[1, 1]} / "
        f"{BC[1].sum()} = {joint[1, 1, 1]:.1f}.",
    )
    yield Task(
        f"Puzzle: {PUZZLE_PAIRS} pairs that reach all eight attributes, close a loop, and hold at most "
        f"{PUZZLE_CELLS} cells.",
        f"For example {', '.join(' × '.join(pair) for pair in SOLUTION)}: {solved.cells} cells. Loops "
        "among small attributes are cheap.",
        lines=2,
    )
