"""What a round may choose from: scores against the private data, and which of them the model can afford."""

import math
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from mwem_core.model.component import tree_taking
from mwem_core.model.loglinear import LogLinear, share_a_component
from mwem_core.operators import Cells
from mwem_core.source import Attrs, Source
from mwem_core.workload import Block, Workload

MOST_LOOKS = 10_000  # parts that are priced one by one in a round
Asked = tuple[Attrs, np.ndarray | None, np.ndarray, str]  # attributes, query (None for a table), exact answer and name


@dataclass(frozen=True)
class Declined:
    """Candidates not offered in a round, as the model would have outgrown the cells it may hold by then.

    A public matter: it depends on past outputs only. `example` is one that would take the least, `price` what the
    model would have held with it, when last looked at.
    """

    count: int
    held: int
    allowed: int
    example: str = ""
    price: int = 0

    @property
    def reason(self) -> str:
        """In a sentence; empty where none was declined."""
        if not self.count:
            return ""
        return (
            f"{self.count:,} not offered: the model holds {self.held:,} cells of the {self.allowed:,} it may hold by "
            f"now, and {self.example} would make it {self.price:,}"
        )


class Candidates:
    """The queries of a workload, or its parts where whole tables are measured: the one place where a run holds B.

    `closed` offers all tables within the workload's sets, and weighs each one's score by its overlap with them. Tables
    of more than `most` cells, which no model of the run could hold, are not counted. Only what a round offers is
    scored, and anew only where the model's components are other objects than when it was last scored.
    """

    def __init__(
        self, B: Source, Q: Workload, *, tables: bool, repeats: bool, closed: bool = False, most: float = np.inf
    ):
        self.Q, self.tables, self.repeats = closure(Q) if closed else Q, tables, repeats
        self.weights = overlap(Q, self.Q) if closed else None
        self.counted = self.Q.part_cells <= most if tables else np.ones(self.Q.parts, bool)
        self.truth = self.Q.answers(B, self.counted)
        self.open = np.ones(self.Q.parts if tables else self.Q.size, bool)
        self.prices = Prices(self.Q)
        self._off = np.zeros(self.open.shape)  # how far the model was, when last scored
        self._scored = np.zeros(self.Q.parts, bool)  # parts scored against this very model
        self._model: LogLinear | None = None

    def scores(self, A: LogLinear, cells: int, penalty: float = 0.0) -> tuple[np.ndarray, Declined]:
        """|q(B) - q(A)| for each candidate, -inf where it is not offered as A could not hold it within `cells`.

        Of a table, their sum over its cells less `penalty` for each, times its weight. See `sensitivity`.
        """
        fits, declined = self.prices.fitting(A, cells, self.open if self.tables else None)
        self._score(A, fits & self.open if self.tables else fits)
        scores = self._off - penalty * self.Q.part_cells if self.tables else self._off
        if self.weights is not None:
            scores = self.weights * scores
        if not declined.count:
            return np.where(self.open, scores, -np.inf), declined
        return np.where(self.open & (fits if self.tables else self.Q.per_query(fits)), scores, -np.inf), declined

    def sensitivity(self, scores: np.ndarray) -> float:
        """The most that one record moves any of the scores offered: 1, or their largest weight.

        It moves a query by at most 1, and one cell of a table by at most 1. What is offered is a public matter.
        """
        return 1.0 if self.weights is None else float(self.weights[scores > -np.inf].max())

    def take(self, j: int) -> Asked:
        """Candidate j, to be measured; closed, unless it may repeat."""
        self.open[j] = self.repeats
        if not self.tables:
            attrs, q, label = self.Q.query(j)
            return attrs, q, self.truth[j], label
        attrs, low = self.Q.attrs(j), int(self.Q.counts[:j][self.counted[:j]].sum())
        exact = self.truth[low : low + int(self.Q.counts[j])]
        return attrs, None, exact.reshape(self.Q.domain.sizes(attrs)), self.Q.domain.label(attrs)

    def _score(self, A: LogLinear, parts: np.ndarray) -> None:
        """Bring `_off` up to A for the parts of this mask: those whose components it knew already keep theirs."""
        if self._model is not None:
            self._scored &= ~self.Q.reading(A.differs(self._model))
        self._model = A
        asked = parts & ~self._scored
        self._scored |= asked
        if not asked.any():
            return
        if asked.all():
            gaps = np.abs(self.Q.answers(A) - self.truth)
            self._off = self.Q.by_part(gaps) if self.tables else gaps
            return
        where = np.repeat(asked[self.counted], self.Q.counts[self.counted])
        gaps = np.abs(self.Q.answers(A, asked) - self.truth[where])
        if self.tables:
            self._off[asked] = np.add.reduceat(gaps, np.cumsum(self.Q.counts[asked]) - self.Q.counts[asked])
        else:
            self._off[where] = gaps


def closure(Q: Workload, *, most: int | None = None) -> Workload:
    """All marginals over subsets of the workload's sets, of 1 to `most` attributes: its downward closure."""
    largest = max(block.sets.shape[1] for block in Q.blocks)
    blocks = []
    for order in range(1, (most or largest) + 1):
        within = [block.sets[:, S] for block in Q.blocks for S in combinations(range(block.sets.shape[1]), order)]
        sets = np.concatenate(within)
        blocks.append(Block(np.unique(sets)[:, None] if order == 1 else np.unique(sets, axis=0), Cells()))
    return Workload(Q.domain, "marginals", f"within:{Q.spec}", f"marginals within {Q.name}", tuple(blocks))


def one_way(B: Source, Q: Workload) -> list[Asked]:
    """The one-way marginals of all attributes that the workload asks about, to be measured."""
    ones = Candidates(B, closure(Q, most=1), tables=True, repeats=False)
    return [ones.take(j) for j in range(ones.Q.parts)]


def overlap(Q: Workload, tables: Workload) -> np.ndarray:
    """Σ_W |S ∩ W| over the workload's sets W, for the set S of each of `tables`: (parts,).

    Each attribute of S counts once for every W that holds it.
    """
    held = np.bincount(np.concatenate([block.sets.ravel() for block in Q.blocks]), minlength=len(Q.domain))
    return np.concatenate([held[block.sets].sum(axis=1) for block in tables.blocks]).astype(float)


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
        within = sum(held[A.place[a]] for a in columns)
        return np.where(share_a_component(A, sets), within * product / largest, 0.0) + product


def with_set(A: LogLinear, S: Attrs, limit: float) -> int:
    """Cells that A on trees which also cover S would hold: exact where over `limit`, else possibly an upper bound."""
    if A.covers(S):
        return A.cells
    parts = A.apart(S)
    joint = math.prod(A.sizes[a] for a in S) if len(parts) > 1 else 0
    wide = A.cells + joint + sum(component.widened(part) for component, part in parts)
    if wide <= limit:
        return wide
    merged = [component for component, _ in parts]
    anew = sum(math.prod(A.sizes[a] for a in clique) for clique in tree_taking(merged, S).cliques)
    return A.cells - sum(component.cells for component in merged) + anew
