"""Many marginals of one table at once, sharing partial sums."""

from collections.abc import Sequence

import numpy as np

from mwem_core.model.triangulation import Attrs, Clique


def partial_sums(table: np.ndarray, attrs: Clique, sets: Sequence[Attrs]) -> dict[Attrs, np.ndarray]:
    """The marginals of `table`, whose axes are `attrs` in any order, on each of `sets`.

    Walks the attributes once: those sets that lack the next one share the table summed over it.
    """
    found: dict[Attrs, np.ndarray] = {}

    def walk(table: np.ndarray, axis: int, attrs: Clique, sets: Sequence[Attrs]) -> None:
        if len(sets) == 1:
            (S,) = sets
            kept = table.sum(axis=tuple(i for i, a in enumerate(attrs) if a not in S))
            found[S] = kept.transpose(in_order([a for a in attrs if a in S]))
            return
        while axis < len(attrs):
            without = [S for S in sets if attrs[axis] not in S]
            if without:
                walk(table.sum(axis=axis), axis, attrs[:axis] + attrs[axis + 1 :], without)
                sets = [S for S in sets if attrs[axis] in S]
            if not sets:
                return
            axis += 1
        found[sets[0]] = table.transpose(in_order(attrs))

    if sets:
        walk(table, 0, attrs, list(dict.fromkeys(sets)))
    return found


def in_order(attrs: Sequence[int]) -> list[int]:
    """The order of axes that sorts a table's attributes."""
    return sorted(range(len(attrs)), key=attrs.__getitem__)
