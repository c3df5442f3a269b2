"""A junction tree as the drawing of the factored model reads it."""

from typing import Any

from mwem_app.course.numbers.factored import Structure


def picture(structure: Structure) -> dict[str, Any]:
    """The pairs, the cliques with what each shares with its parent, parents first, and what three models would hold.

    Attributes are numbered among the structure's own, in order.
    """
    tree, number = structure.tree, {a: i for i, a in enumerate(structure.attrs)}
    largest = max(range(len(tree.cliques)), key=structure.clique_cells.__getitem__)

    def numbers(attrs: tuple[int, ...]) -> list[int]:
        return [number[a] for a in attrs]

    return {
        "pairs": [numbers(pair) for pair in structure.pairs],
        "added": [numbers(pair) for pair in structure.added],
        "cliques": [
            {
                "attrs": numbers(tree.cliques[k]),
                "shared": numbers(tree.separator[k]),
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
