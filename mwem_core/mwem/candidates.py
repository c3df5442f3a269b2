"""The candidates of a selection: their scores against the private data, and which of them the model can take."""

import math
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import Declined
from mwem_core.domain.source import Attrs, Source
from mwem_core.model.average import Single
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.weighted_records import WeightedRecords
from mwem_core.mwem.penalty import Penalty, PerCell
from mwem_core.mwem.prices import Prices
from mwem_core.privacy.grid import on_grid
from mwem_core.workload.closure import closure
from mwem_core.workload.families import parities
from mwem_core.workload.workload import Workload

NO_PENALTY = PerCell(0.0)


class Candidate(NamedTuple):
    """A query, or a whole marginal, that is about to be measured. `exact` is private; the rest is public."""

    attrs: Attrs
    values: np.ndarray | None  # the query's values on the marginal's cells; None for the whole marginal
    exact: np.ndarray  # its true answer, in records
    label: str


class Candidates:
    """The queries of a workload, or its whole marginals (`tables`): the one place where a run holds B.

    `weights`, (parts,), whole numbers, multiply the scores of tables; without them each score has weight 1. A round
    scores only what it offers, and again only if a component of the model has changed. Tables that no model of the run
    could hold are not even counted.
    """

    def __init__(
        self,
        B: Source,
        Q: Workload,
        *,
        A_0: LogLinear,
        cell_budget: int,
        tables: bool,
        repeats: bool,
        weights: np.ndarray | None = None,
    ):
        self.Q, self.tables, self.repeats, self.weights = Q, tables, repeats, weights
        self.A_0, self.cell_budget = A_0, cell_budget
        holdable = max(cell_budget, A_0.cells)
        self.counted = self.Q.part_cells <= holdable if tables else np.ones(self.Q.parts, bool)
        self.truth = self.Q.answers(B, self.counted)
        self.open = np.ones(self.Q.parts if tables else self.Q.size, bool)
        self.prices = Prices(self.Q)
        self._scores = np.zeros(self.open.shape)  # when last scored
        self._scored = np.zeros(self.Q.parts, bool)  # parts whose score is that of the present model and penalty
        self._penalty: Penalty = NO_PENALTY
        self._model: Single | None = None

    def offer(self, A: Single, *, share: float, penalty: Penalty = NO_PENALTY) -> tuple[np.ndarray, Declined]:
        """`scores` within the cells allowed once this share of the budget is spent; all the budget's, if none fits."""
        scores, declined = self.scores(A, self.cells_allowed(share), penalty)
        if scores.max() == -np.inf:
            scores, declined = self.scores(A, self.cell_budget, penalty)
        return scores, declined

    def cells_allowed(self, share: float) -> int:
        """The cells the model may hold once this share of the budget is spent: it grows linearly from A_0's cells.

        A large table taken early would leave no room for later ones. A domain that fits is not held back.
        """
        share = 1.0 if math.prod(self.A_0.sizes) <= self.cell_budget else share
        return round(self.A_0.cells + share * max(0, self.cell_budget - self.A_0.cells))

    def scores(self, A: Single, cells: int, penalty: Penalty = NO_PENALTY) -> tuple[np.ndarray, Declined]:
        """|q(B) - q(A)| of each candidate; -inf if it is not offered, as A with it would exceed `cells`.

        A table's score is the sum over its cells, each less its `penalty`, times its weight. See `sensitivity`.
        """
        if isinstance(A, WeightedRecords):  # they take any table that was counted
            fits, declined = self.counted, Declined(int(np.count_nonzero(~self.counted)), A.cells, A.cells)
        else:
            fits, declined = self.prices.fitting(A, cells, self.open if self.tables else None)
        self._update_scores(A, penalty, fits & self.open if self.tables else fits)
        scores = self._scores if self.weights is None else self.weights * self._scores
        if not declined.count:
            return np.where(self.open, scores, -np.inf), declined
        return np.where(self.open & (fits if self.tables else self.Q.repeat_per_query(fits)), scores, -np.inf), declined

    @property
    def left(self) -> bool:
        """Whether a candidate is open that some model could hold."""
        return bool((self.open & self.counted if self.tables else self.open).any())

    def sensitivity(self, scores: np.ndarray) -> float:
        """The most that one record moves any score on offer: 1, or the largest weight on offer.

        One record moves a query by at most 1, and one cell of a table by at most 1. q(A) and a penalty read the
        released model, and which candidates are on offer is public. The bound holds to the last digit, as q(A) and
        penalties are rounded to the grid (`privacy.grid`) and weights are whole.
        """
        return 1.0 if self.weights is None else float(self.weights[scores > -np.inf].max())

    def take(self, j: int) -> Candidate:
        """Candidate j. It is not offered again, unless repeats are allowed."""
        self.open[j] = self.repeats
        if not self.tables:
            attrs, q, label = self.Q.query(j)
            return Candidate(attrs, q, self.truth[j], label)
        attrs, first = self.Q.attrs(j), int(self.Q.query_counts[:j][self.counted[:j]].sum())
        exact = self.truth[first : first + int(self.Q.query_counts[j])]
        return Candidate(attrs, None, exact.reshape(self.Q.domain.sizes(attrs)), self.Q.domain.label(attrs))

    def _update_scores(self, A: Single, penalty: Penalty, parts: np.ndarray) -> None:
        """Bring the scores of these parts, a (parts,) mask, up to A, where a component that they read has changed."""
        if penalty != self._penalty:
            self._scored[:] = False
        self._penalty = penalty
        if self._model is not None:
            self._scored &= ~self.Q.parts_reading(A.changed_since(self._model))
        self._model = A
        stale = parts & ~self._scored
        self._scored |= stale
        if not stale.any():
            return
        if stale.all():
            answers = on_grid(self.Q.answers(A))
            scores = np.abs(answers - self.truth) - on_grid(penalty(answers))
            self._scores = self.Q.sum_by_part(scores) if self.tables else scores
            return
        where = np.repeat(stale[self.counted], self.Q.query_counts[self.counted])
        answers = on_grid(self.Q.answers(A, stale))
        scores = np.abs(answers - self.truth[where]) - on_grid(penalty(answers))
        if self.tables:
            counts = self.Q.query_counts[stale]
            self._scores[stale] = np.add.reduceat(scores, np.cumsum(counts) - counts)
        else:
            self._scores[where] = scores


def one_way(B: Source, Q: Workload) -> list[Candidate]:
    """What is measured without selection: for each attribute that Q reads its marginal, or its parity if Q has them."""
    ones = parities(Q.domain, 1) if Q.family == "parities" else closure(Q, max_order=1)
    if ones.tabular:
        tables = zip(ones.sets, B.marginals(ones.sets), strict=True)
        return [Candidate(S, None, table, Q.domain.label(S)) for S, table in tables]
    queries = (ones.query(j) for j in range(ones.size))
    return [Candidate(S, q, exact, label) for (S, q, label), exact in zip(queries, ones.answers(B), strict=True)]
