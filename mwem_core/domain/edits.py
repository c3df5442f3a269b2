"""Records that break a rule are changed as little as possible before they are counted (Fellegi & Holt 1976).

A model that keeps the rules cannot have such records, and fits to them would not settle. So each counts as the possible
record that differs in the fewest attributes. That is a public function of the record alone: tables that differ in one
record still do, n stays as it is, and no sensitivity changes.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from mwem_core.domain.rules import are_possible
from mwem_core.domain.source import Attrs


def made_possible(
    codes: Sequence[np.ndarray], sizes: Sequence[int], possible: Mapping[Attrs, np.ndarray]
) -> tuple[np.ndarray, ...]:
    """The records, one (m,) array of codes for each attribute, with those that break a rule changed.

    Of several changes of as few attributes, those late in the schema are made, to the values nearest in its order.
    Raises ValueError if the rules leave no possible record.
    """
    wrong = np.flatnonzero(~are_possible(codes, possible))
    if not len(wrong):
        return tuple(codes)
    linked = sorted({a for S in possible for a in S})
    distinct, place = np.unique(np.array([codes[a][wrong] for a in linked]), axis=1, return_inverse=True)
    changed = np.array([_nearest(row, linked, sizes, possible) for row in distinct.T.tolist()]).T[:, place.ravel()]
    corrected = list(codes)
    for a, column in zip(linked, changed, strict=True):
        corrected[a] = codes[a].copy()
        corrected[a][wrong] = column
    return tuple(corrected)


def _nearest(
    row: Sequence[int], linked: Sequence[int], sizes: Sequence[int], possible: Mapping[Attrs, np.ndarray]
) -> list[int]:
    """The codes of the linked attributes in the nearest possible record."""
    number = {a: i for i, a in enumerate(linked)}
    rules = [([number[a] for a in S], table) for S, table in possible.items()]
    closing = [[(places, table) for places, table in rules if max(places) == i] for i in range(len(linked))]
    values = [sorted(range(sizes[a]), key=lambda x, own=own: abs(x - own)) for a, own in zip(linked, row, strict=True)]

    def search(chosen: list[int], changes: int) -> list[int] | None:
        i = len(chosen)
        if i == len(row):
            return chosen
        for x in values[i] if changes else [row[i]]:
            longer = [*chosen, x]
            if all(table[tuple(longer[j] for j in places)] for places, table in closing[i]):
                found = search(longer, changes - (x != row[i]))
                if found:
                    return found
        return None

    for changes in range(1, len(row) + 1):
        if found := search([], changes):
            return found
    raise ValueError("the rules of the schema leave no possible record: remove one of them")
