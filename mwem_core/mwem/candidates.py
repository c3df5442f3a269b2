"""What a round may choose from: scores against the private data, and which of them the model can afford."""

import numpy as np

from mwem_core.algorithm import Declined
from mwem_core.domain.source import Attrs, Source
from mwem_core.model.loglinear import LogLinear
from mwem_core.mwem.prices import Prices
from mwem_core.workload.closure import closure, overlap
from mwem_core.workload.workload import Workload

Asked = tuple[Attrs, np.ndarray | None, np.ndarray, str]  # attributes, query (None for a table), exact answer and name


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


def one_way(B: Source, Q: Workload) -> list[Asked]:
    """The one-way marginals of all attributes that the workload asks about, to be measured."""
    ones = Candidates(B, closure(Q, most=1), tables=True, repeats=False)
    return [ones.take(j) for j in range(ones.Q.parts)]
