"""What each candidate would cost the model, in cells."""

import math
from functools import reduce

import numpy as np

from mwem_core.algorithm import Declined
from mwem_core.model import LogLinear, share_a_component
from mwem_core.workload import Workload

MAX_PRICED_PARTS = 10_000  # parts that are priced one by one in a round; beyond, their bounds decide


class Prices:
    """How many cells the model would hold with each part of a workload measured.

    The estimates get sharper and dearer in turn: one bound for all parts; a bound for each part; widening the cliques
    between a part's attributes; a new triangulation. More measurements never make a part cheaper, so a part that was
    too large is not priced again until its price is allowed.
    """

    def __init__(self, Q: Workload):
        self.Q = Q
        self.known = np.zeros(Q.parts)  # the last price of a part that was too large, else 0

    def fitting(self, A: LogLinear, cells: int, wanted: np.ndarray | None = None) -> tuple[np.ndarray, Declined]:
        """Which parts A can take within `cells`, and why not the others; only `wanted` parts are judged, if given."""
        held = A.cells
        if held + self._largest_bound(A) <= cells:
            return np.ones(self.Q.parts, bool), Declined(0, held, cells)
        fits = np.concatenate([self._bound(A, block.sets) for block in self.Q.blocks]) + held <= cells
        doubtful = np.flatnonzero((~fits if wanted is None else ~fits & wanted) & (self.known <= cells))
        for part in doubtful if len(doubtful) <= MAX_PRICED_PARTS else ():
            price = A.cells_with(self.Q.attrs(int(part)), cells)
            fits[part] = price <= cells
            self.known[part] = 0 if fits[part] else price
        declined = np.flatnonzero(~fits if wanted is None else ~fits & wanted)
        if not len(declined):
            return fits, Declined(0, held, cells)
        prices = np.where(self.known > cells, self.known, np.inf)
        cheapest = int(declined[prices[declined].argmin()])
        name = self.Q.domain.label(self.Q.attrs(cheapest))
        price = int(self.known[cheapest]) or A.cells_with(self.Q.attrs(cheapest), cells)
        return fits, Declined(len(declined), held, cells, name, price)

    def _largest_bound(self, A: LogLinear) -> float:
        """The largest that `_bound` can be for any part."""
        k, product = max(block.sets.shape[1] for block in self.Q.blocks), self.Q.part_cells.max()
        return (k * max(component.cells for component in A.components) / min(A.sizes) + 1) * product

    def _bound(self, A: LogLinear, sets: np.ndarray) -> np.ndarray:
        """An upper bound on the additional cells, for each of the (m, k) attribute sets: (m,).

        Attributes of different components meet in one new clique. Attributes of one component are held together if
        every clique of it takes in all of them but the largest.
        """
        if sets.shape[1] == 1:
            return np.zeros(len(sets))
        sizes, held = np.array(A.sizes, float), np.array([component.cells for component in A.components], float)
        columns = sets.T
        product, largest = math.prod(sizes[a] for a in columns), reduce(np.maximum, (sizes[a] for a in columns))
        within = sum(held[A.component_of[a]] for a in columns)
        return np.where(share_a_component(A, sets), within * product / largest, 0.0) + product
