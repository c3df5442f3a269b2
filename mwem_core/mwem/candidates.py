"""The candidates of a selection: their scores against the private data, and which of them the model can take."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from mwem_core.algorithm import Selection
from mwem_core.base import check_choices
from mwem_core.domain import Attrs, Source
from mwem_core.model import Capacity, LogLinear, Omissions
from mwem_core.privacy import Budget, on_grid
from mwem_core.weighted import Single, WeightedRecords, beyond_tree
from mwem_core.workload import Workload, closure, lower, parities

PenaltyName = Literal["none", "cells", "noise"]
SCORED_TOGETHER = 2**14  # queries: what is computed of them fits a core's own cache


@dataclass(frozen=True, kw_only=True)
class Queries:
    """The candidates are single queries (Figure 1)."""

    one_way_first: bool = False  # measure what the workload reads of each attribute before any selection
    penalty: ClassVar[PenaltyName] = "none"
    within: ClassVar = "workload"
    by_cells: ClassVar = False

    def measured(self, workload: Workload) -> Workload:
        """The workload whose queries are the candidates: itself."""
        return workload


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The candidates are whole marginals (section 3.3), and the single queries of a mixed workload's other terms."""

    penalty: PenaltyName = "none"  # subtracted from a table's score: its number of cells, or their expected noise
    within: Literal["workload", "lower", "closure"] = "workload"  # or tables within the workload's own
    by_cells: bool = False  # whether tables of more cells get more of the budget (`workload.Costs`)
    one_way_first: bool = False  # measure the one-way marginals of the workload before any selection
    __post_init__ = check_choices

    def measured(self, workload: Workload) -> Workload:
        """The workload whose tables are the candidates."""
        if self.within == "closure":
            return closure(workload)
        return lower(workload) if self.within == "lower" else workload


Penalty = float | np.ndarray  # subtracted from a table's score for each of its cells, in records: one, or (parts,)


def penalty_of(name: PenaltyName, measuring: Budget, shares: np.ndarray | None = None) -> Penalty:
    """The penalty by its name, if `measuring` is the budget of a measurement: 0, 1, or the mean noise of a cell.

    `shares`, (parts,), say what measuring each part gets of this budget; without them all get the same.
    """
    if name != "noise":
        return float(name == "cells")
    return measuring.mean_noise / measuring.scale * measuring.scale_at(1.0 if shares is None else shares)


class Candidate(NamedTuple):
    """A query, or a whole marginal, that is about to be measured. `exact` is private; the rest is public."""

    attrs: Attrs
    values: np.ndarray | None  # the query's values on the marginal's cells; None for the whole marginal
    exact: np.ndarray  # its true answer, in records
    label: str
    number: int | None = None  # among the candidates; None if it was not selected
    declined: Omissions | None = None  # what was not on offer beside it
    selection: Selection | None = None


class Offer(NamedTuple):
    """What a round may choose from: the scores of all candidates, -inf for those not on offer, and what is public."""

    A: Single  # the model that the scores are of
    scores: np.ndarray
    sensitivity: float  # Δ of the scores
    declined: Omissions
    penalty: Penalty

    @property
    def is_empty(self) -> bool:
        """Whether everything that can be counted has been measured."""
        return bool(self.scores.max() == -np.inf)


class Candidates:
    """The queries of a workload, or its whole marginals (`tables`): the one place where a run holds B.

    Of a mixed workload, `tables` are its whole marginals and the single queries of its other terms, numbered part by
    part. `weights`, (parts,), whole numbers, multiply the scores; without them each score has weight 1. A round scores
    only what it offers, and again only if a component of the model has changed. Tables that no model of the run could
    hold are not even counted.
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
        self.Q, self.tables, self.repeats = Q, tables, repeats
        self.whole = Q.whole if tables else np.zeros(Q.parts, bool)
        self.weights = None if weights is None else self._of_candidates(weights)
        self.counted = ~self.whole | (self.Q.part_cells <= max(cell_budget, A_0.cells))
        self.truth = self.Q.answers(B, self.counted)
        self.open = np.ones(candidate_count(Q, tables=tables), bool)
        self.capacity = Capacity(Q.domain, [block.sets for block in Q.blocks], A_0, cell_budget)
        self._scores = np.zeros(self.open.shape)  # when last scored
        self._scored = np.zeros(self.Q.parts, bool)  # parts whose score is that of the present model and penalty
        self._penalty: Penalty = 0.0
        self._model: Single | None = None

    def offer(self, A: Single, *, share: float, penalty: Penalty = 0.0, rows_from: float | None = None) -> Offer:
        """What a round may choose from that spends this share of the budget; all that A can take, if nothing fits.

        Beyond the share `rows_from`, weighted records go on where a tree declines a candidate (`weighted.beyond_tree`).
        """
        offer = self._offer(A, share, penalty)
        if rows_from is not None:
            taken = int(np.count_nonzero(offer.scores > -np.inf))
            after = beyond_tree(A, sets=self.Q.parts, taken=taken, left=self.left, early=share > rows_from)
            offer = offer if after is A else self._offer(after, share, penalty)
        return offer

    def _offer(self, A: Single, share: float, penalty: Penalty) -> Offer:
        """The scores within the cells allowed once this share of the budget is spent; of all cells, if none fits."""
        scores, declined = self.scores(A, self.capacity.cells_allowed(share), penalty)
        if scores.max() == -np.inf:
            scores, declined = self.scores(A, self.capacity.cell_budget, penalty)
        return Offer(A, scores, self.sensitivity(scores), declined, penalty)

    def scores(self, A: Single, cells: int, penalty: Penalty = 0.0) -> tuple[np.ndarray, Omissions]:
        """|q(B) - q(A)| of each candidate; -inf if it is not offered, as A with it would exceed `cells`.

        A table's score is the sum over its cells, each less its `penalty`, times its weight. See `sensitivity`.
        """
        if isinstance(A, WeightedRecords):  # they take any table that was counted
            fits, declined = self.counted, Omissions(int(np.count_nonzero(~self.counted)), A.cells, A.cells)
        else:
            fits, declined = self.capacity.takes(A, cells, self._open_parts if self.tables else None)
        self._update_scores(A, penalty, fits & self._open_parts if self.tables else fits)
        scores = self._scores if self.weights is None else self.weights * self._scores
        if not declined.count:
            return np.where(self.open, scores, -np.inf), declined
        return np.where(self.open & self._of_candidates(fits), scores, -np.inf), declined

    @property
    def left(self) -> int:
        """The number of open candidates that some model could hold."""
        return int(np.count_nonzero(self.open & self._of_candidates(self.counted)))

    def sensitivity(self, scores: np.ndarray) -> float:
        """The most that one record moves any score on offer: 1, or the largest weight on offer.

        The score of candidate c is w_c (‖q_c(B) - q_c(A)‖₁ - cost_c). One record moves q_c(B) by at most 1 in L1: a
        single query, whose values lie in [-1, 1], by at most 1, and a table in one of its cells by 1. So by the reverse
        triangle inequality it moves the score by at most w_c, and every score on offer by at most Δ = max w_c over the
        candidates on offer, whatever their families: with Pr ∝ exp(ε s / 2Δ) the choice is ε-DP. A and a cost read the
        released model, and which candidates are on offer is public. The bound holds to the last digit, as q(A) and
        costs are rounded to the grid (`privacy.grid`) and weights are whole. What was chosen is then measured with its
        own sensitivity, which is 1 for each kind: the weight is not a part of the measurement.
        """
        on_offer = scores > -np.inf
        return 1.0 if self.weights is None or not on_offer.any() else float(self.weights[on_offer].max())

    def selection(self, offer: Offer, spent: Budget) -> Selection:
        """What is public about a selection from this offer that spent so much."""
        epsilon, packed = float(spent.selection_epsilon), np.packbits(offer.scores > -np.inf)
        return Selection(offer.A, offer.penalty, epsilon, offer.sensitivity, self.weights, packed)

    def take(self, j: int) -> Candidate:
        """Candidate j. It is not offered again, unless repeats are allowed."""
        self.open[j] = self.repeats
        part, within = self.Q.candidate(j, tables=self.tables)
        first = int(self.Q.query_counts[:part][self.counted[:part]].sum()) + within
        if not self.whole[part]:
            attrs, q, label = self.Q.query(int(self.Q.offsets[part]) + within)
            return Candidate(attrs, q, self.truth[first], label, j)
        attrs, exact = self.Q.attrs(part), self.truth[first : first + int(self.Q.query_counts[part])]
        return Candidate(attrs, None, exact.reshape(self.Q.domain.sizes(attrs)), self.Q.domain.label(attrs), j)

    @property
    def _counts(self) -> np.ndarray:
        """The number of each part's candidates: (parts,)."""
        return self.Q.candidate_counts if self.tables else self.Q.query_counts

    @property
    def _open_parts(self) -> np.ndarray:
        """Which parts have a candidate that is open: (parts,) booleans."""
        if self.whole.all():
            return self.open
        return np.logical_or.reduceat(self.open, np.cumsum(self._counts) - self._counts)

    def _of_candidates(self, per_part: np.ndarray) -> np.ndarray:
        """Give each candidate the value of its part: (parts,) -> (candidates,)."""
        if not self.whole.any():
            return self.Q.repeat_per_query(per_part)
        return per_part if self.whole.all() else np.repeat(per_part, self._counts)

    def _update_scores(self, A: Single, penalty: Penalty, parts: np.ndarray) -> None:
        """Bring the scores of these parts, a (parts,) mask, up to A, where a component that they read has changed."""
        if not np.array_equal(penalty, self._penalty):
            self._scored[:] = False
        self._penalty = penalty
        if self._model is not None:
            self._scored &= ~self.Q.parts_reading(A.changed_since(self._model))
        self._model = A
        stale = parts & ~self._scored
        self._scored |= stale
        if stale.any():
            errors = self._errors(A, penalty, stale)
            scores = self.Q.sum_by_candidate(errors, stale) if self.tables else errors
            self._scores[self._of_candidates(stale)] = scores

    def _errors(self, A: Single, penalty: Penalty, parts: np.ndarray) -> np.ndarray:
        """|q(B) - q(A)| less its penalty for each query of these parts, a (parts,) mask, end to end, on the grid."""
        if parts.all():
            answers, truth = self.Q.answers(A), self.truth
        else:
            where = np.repeat(parts[self.counted], self.Q.query_counts[self.counted])
            answers, truth = self.Q.answers(A, parts), self.truth[where]
        scores, costs = np.empty(len(answers)), on_grid(np.asarray(penalty))
        if costs.ndim:
            costs = np.repeat(costs[parts], self.Q.query_counts[parts])
        costs = np.broadcast_to(costs, scores.shape)
        for first in range(0, len(answers), SCORED_TOGETHER):
            here = slice(first, first + SCORED_TOGETHER)
            scores[here] = np.abs(on_grid(answers[here]) - truth[here]) - costs[here]
        return scores


def candidate_count(workload: Workload, *, tables: bool) -> int:
    """The number of candidates: whole tables, with the single queries of a mixed workload's other terms, or queries."""
    return int(workload.candidate_counts.sum()) if tables else workload.size


def one_way(B: Source, Q: Workload) -> list[Candidate]:
    """What is measured without selection: for each attribute that Q reads its marginal, or its parity if Q has them."""
    ones = parities(Q.domain, 1) if Q.family == "parities" else closure(Q, max_order=1)
    if ones.tabular:
        tables = zip(ones.sets, B.marginals(ones.sets), strict=True)
        return [Candidate(S, None, table, Q.domain.label(S)) for S, table in tables]
    queries = (ones.query(j) for j in range(ones.size))
    return [Candidate(S, q, exact, label) for (S, q, label), exact in zip(queries, ones.answers(B), strict=True)]
