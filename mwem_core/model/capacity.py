"""What a junction tree can take: how many cells it would hold with more attribute sets measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from mwem_core.domain import Attrs, Domain
from mwem_core.model.loglinear import LogLinear, share_a_component

MAX_PRICED_SETS = 10_000  # attribute sets that are priced one by one in a round; beyond, their bounds decide


@dataclass(frozen=True)
class Omissions:
    """Candidates that a round did not offer, because measuring them would make the model too large.

    This is public: it depends on past outputs only. `count` candidates were declined; the model holds `held` cells and
    may hold `allowed`. `example` is the declined candidate that needs the fewest cells, `price` the model's size with
    it, as last computed.
    """

    count: int
    held: int
    allowed: int
    example: str = ""
    price: int = 0

    @property
    def reason(self) -> str:
        """One sentence, or empty if no candidate was declined."""
        if not self.count:
            return ""
        return (
            f"{self.count:,} not offered: the model holds {self.held:,} cells of the {self.allowed:,} it may hold by "
            f"now, and {self.example} would make it {self.price:,}"
        )


class Capacity:
    """Which attribute sets a tree can take within a budget of cells: the rows of these (m, k) `blocks`, set by set.

    The estimates of a set's price get sharper and dearer in turn: one bound for all sets; a bound for each set;
    widening the cliques between its attributes; a new triangulation. More measurements never make a set cheaper, so
    one that was too large is not priced again until its price is allowed.
    """

    def __init__(self, domain: Domain, blocks: Sequence[np.ndarray], A_0: LogLinear, cell_budget: int):
        self.domain, self.blocks, self.A_0, self.cell_budget = domain, blocks, A_0, cell_budget
        self.prices = np.zeros(sum(map(len, blocks)))  # the last price of a set that was too large, else 0

    def cells_allowed(self, share: float) -> int:
        """The cells the model may hold once this share of the budget is spent: it grows linearly from A_0's cells.

        A large table taken early would leave no room for later ones. A domain that fits is not held back.
        """
        share = 1.0 if math.prod(self.A_0.sizes) <= self.cell_budget else share
        return round(self.A_0.cells + share * max(0, self.cell_budget - self.A_0.cells))

    def takes(self, A: LogLinear, cells: int, wanted: np.ndarray | None = None) -> tuple[np.ndarray, Omissions]:
        """Which sets A can take within `cells`, and why not the others; only `wanted` sets are judged, if given."""
        held = A.cells
        if held + self._largest_bound(A) <= cells:
            return np.ones(len(self.prices), bool), Omissions(0, held, cells)
        fits = np.concatenate([_bound(A, sets) for sets in self.blocks]) + held <= cells
        doubtful = np.flatnonzero((~fits if wanted is None else ~fits & wanted) & (self.prices <= cells))
        for j in doubtful if len(doubtful) <= MAX_PRICED_SETS else ():
            price = A.cells_with(self._attrs(int(j)), cells)
            fits[j] = price <= cells
            self.prices[j] = 0 if fits[j] else price
        declined = np.flatnonzero(~fits if wanted is None else ~fits & wanted)
        if not len(declined):
            return fits, Omissions(0, held, cells)
        prices = np.where(self.prices > cells, self.prices, np.inf)
        cheapest = int(declined[prices[declined].argmin()])
        attrs = self._attrs(cheapest)
        price = int(self.prices[cheapest]) or A.cells_with(attrs, cells)
        return fits, Omissions(len(declined), held, cells, self.domain.label(attrs), price)

    def _attrs(self, j: int) -> Attrs:
        """Set number j."""
        for sets in self.blocks:
            if j < len(sets):
                return tuple(sets[j].tolist())
            j -= len(sets)
        raise IndexError(j)

    def _largest_bound(self, A: LogLinear) -> float:
        """The largest that `_bound` can be for any set."""
        sizes, k = np.array(A.sizes, float), max(sets.shape[1] for sets in self.blocks)
        product = max(float(sizes[sets].prod(axis=1).max()) for sets in self.blocks)
        return (k * max(component.cells for component in A.components) / min(A.sizes) + 1) * product


def _bound(A: LogLinear, sets: np.ndarray) -> np.ndarray:
    """An upper bound on the additional cells, for each of the (m, k) attribute sets: (m,).

    Attributes of different components meet in one new clique. Attributes of one component are held together if every
    clique of it takes in all of them but the largest.
    """
    if sets.shape[1] == 1:
        return np.zeros(len(sets))
    sizes, held = np.array(A.sizes, float), np.array([component.cells for component in A.components], float)
    columns = sets.T
    product, largest = math.prod(sizes[a] for a in columns), reduce(np.maximum, (sizes[a] for a in columns))
    within = sum(held[A.component_of[a]] for a in columns)
    return np.where(share_a_component(A, sets), within * product / largest, 0.0) + product
