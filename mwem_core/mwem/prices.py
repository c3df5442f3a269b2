"""What each candidate would cost the model, in cells."""

import math
from functools import reduce

import numpy as np

from mwem_core.algorithm import Declined
from mwem_core.domain.source import Attrs
from mwem_core.model.component import product_tree
from mwem_core.model.loglinear import LogLinear, share_a_component
from mwem_core.workload.workload import Workload

MOST_LOOKS = 10_000  # parts that are priced one by one in a round


class Prices:
    """How many cells the model would hold with each part of a workload measured.

    Ever closer looks, each dearer than the one before: a bound for all parts in one number, then for each; widening
    the cliques between a part's attributes; triangulating anew. More measurements never make a part cheaper, so what
    was found too large is not looked at again until that much is allowed. Of very many the bounds alone decide.
    """

    def __init__(self, Q: Workload):
        self.Q = Q
        self.known = np.zeros(Q.parts)  # what a part was found to cost, where that was too much

    def fitting(self, A: LogLinear, cells: int, wanted: np.ndarray | None = None) -> tuple[np.ndarray, Declined]:
        """Which parts A can take within `cells`, and why not the others; of `wanted` alone, where given."""
        held = A.cells
        if held + self._most(A) <= cells:
            return np.ones(self.Q.parts, bool), Declined(0, held, cells)
        fits = np.concatenate([self._bound(A, block.sets) for block in self.Q.blocks]) + held <= cells
        doubtful = np.flatnonzero((~fits if wanted is None else ~fits & wanted) & (self.known <= cells))
        for part in doubtful if len(doubtful) <= MOST_LOOKS else ():
            price = with_set(A, self.Q.attrs(int(part)), cells)
            fits[part] = price <= cells
            self.known[part] = 0 if fits[part] else price
        out = np.flatnonzero(~fits if wanted is None else ~fits & wanted)
        if not len(out):
            return fits, Declined(0, held, cells)
        prices = np.where(self.known > cells, self.known, np.inf)
        least = int(out[prices[out].argmin()])
        name = self.Q.domain.label(self.Q.attrs(least))
        price = int(self.known[least]) or with_set(A, self.Q.attrs(least), cells)
        return fits, Declined(len(out), held, cells, name, price)

    def _most(self, A: LogLinear) -> float:
        """The largest that `_bound` can be for any part."""
        k, product = max(block.sets.shape[1] for block in self.Q.blocks), self.Q.part_cells.max()
        return (k * max(component.cells for component in A.components) / min(A.sizes) + 1) * product

    def _bound(self, A: LogLinear, sets: np.ndarray) -> np.ndarray:
        """At most this many cells more, for each of the (m, k) attribute sets: (m,).

        Attributes of different components meet in one new clique. Those of one component are held together if every
        clique there takes them in, all but the largest.
        """
        if sets.shape[1] == 1:
            return np.zeros(len(sets))
        sizes, held = np.array(A.sizes, float), np.array([component.cells for component in A.components], float)
        columns = sets.T
        product, largest = math.prod(sizes[a] for a in columns), reduce(np.maximum, (sizes[a] for a in columns))
        within = sum(held[A.component_of[a]] for a in columns)
        return np.where(share_a_component(A, sets), within * product / largest, 0.0) + product


def with_set(A: LogLinear, S: Attrs, limit: float) -> int:
    """Cells that A on trees which also cover S would hold: exact where over `limit`, else possibly an upper bound."""
    if A.covers(S):
        return A.cells
    parts = A.split(S)
    joint = math.prod(A.sizes[a] for a in S) if len(parts) > 1 else 0
    wide = A.cells + joint + sum(component.widening_cells(part) for component, part in parts)
    if wide <= limit:
        return wide
    merged = [component for component, _ in parts]
    anew = sum(math.prod(A.sizes[a] for a in clique) for clique in product_tree(merged, S).cliques)
    return A.cells - sum(component.cells for component in merged) + anew
