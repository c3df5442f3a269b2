"""Errors against the truth, of answers and by round. NOT PRIVATE: they are computed from the private data."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mwem_core.algorithm import AnswerSource, Round
from mwem_core.domain import Records
from mwem_core.workload import Workload

# Records: where errors are compared or drawn, smaller ones count as this one. True answers are whole numbers, so that
# no one tells such an answer from the exact one; and exact ones have no place on a logarithmic axis.
LEAST_ERROR = 0.1
ROUNDING = 1e-12  # of n: what sums of floating-point weights leave of an exact answer


@dataclass(frozen=True)
class Errors:
    """Errors of a workload's answers, in shares of n except for the squared error.

    The total variation of a marginal is half the L1 norm of its error in shares. `mean_tv` and `max_tv` are over the
    workload's marginals, and None for workloads that are not of whole marginals. 95% of the answers err by at most
    `error_95`. The error of a cuboid is the mean |error| of its cells, in records; `mean_cuboid_error` and
    `max_cuboid_error` are over the marginals (Ding et al. 2011). A file without a column for a number has None for it.
    """

    max_error: float
    mean_error: float
    mean_squared_error: float  # records², per query
    mean_tv: float | None
    max_tv: float | None
    error_95: float | None = None
    mean_cuboid_error: float | None = None
    max_cuboid_error: float | None = None


def errors(
    workload: Workload, answers: np.ndarray, truth: np.ndarray, n: float, *, total: float | None = None
) -> Errors:
    """Compare answers, (|Q|,), with the true answers, (|Q|,), both in records.

    The true answers are divided by n and the others by their own `total` (n by default); the squared error compares
    records. An error below `ROUNDING` is 0.
    """
    gap = _unless_rounding(answers / (total or n) - truth / n, ROUNDING)
    tv = workload.sum_by_part(gap) / 2 if workload.tabular else None
    cuboid_errors = None if tv is None else 2 * n * tv / workload.part_cells
    return Errors(
        max_error=float(gap.max()),
        mean_error=float(gap.mean()),
        mean_squared_error=float(np.mean(_unless_rounding(answers - truth, ROUNDING * n) ** 2)),
        mean_tv=None if tv is None else float(tv.mean()),
        max_tv=None if tv is None else float(tv.max()),
        error_95=float(np.quantile(gap, 0.95, method="inverted_cdf")),
        mean_cuboid_error=None if cuboid_errors is None else float(cuboid_errors.mean()),
        max_cuboid_error=None if cuboid_errors is None else float(cuboid_errors.max()),
    )


def _unless_rounding(gap: np.ndarray, rounding: float) -> np.ndarray:
    gap = np.abs(gap)
    return np.where(gap < rounding, 0.0, gap)


@dataclass(frozen=True)
class TermError:
    """The error of one term of a mixed workload: its mean total variation (`tabular`), or mean |error| in shares."""

    spec: str  # with the weight
    name: str
    tabular: bool
    error: float

    @property
    def metric(self) -> str:
        """What its error is, in words."""
        return "mean total variation" if self.tabular else "mean error, share of n"


def errors_by_term(
    workload: Workload, answers: np.ndarray, truth: np.ndarray, n: float, *, total: float | None = None
) -> list[TermError]:
    """The error of each term of a mixed workload, in the unit that it has by itself; none of another workload."""
    found = []
    for term, queries in zip(workload.terms, workload.term_queries, strict=True):
        own = errors(term.workload, answers[queries], truth[queries], n, total=total)
        error = own.mean_error if own.mean_tv is None else own.mean_tv
        found.append(TermError(term.spec, term.name, term.workload.tabular, error))
    return found


class Density(Protocol):
    """A distribution that can be evaluated at single cells."""

    def probability(self, codes: tuple[np.ndarray, ...]) -> np.ndarray:
        """The shares of m cells, given as one (m,) array of codes per attribute: (m,)."""
        ...


def relative_entropy(records: Records, model: Density) -> float:
    """Relative entropy of the records to the model in nats: Σ (B/n) ln((B/n) / (A/n)), over cells with records.

    It is infinite if the model has probability 0 in a cell with records.
    """
    B = records.distinct()
    weights = np.ones(len(B.codes[0])) if B.weights is None else B.weights
    p, q = weights / B.total, model.probability(B.codes)
    p, q = p[p > 0], q[p > 0]
    with np.errstate(divide="ignore"):
        return max(0.0, float((p * (np.log(p) - np.log(q))).sum()))  # rounded, that of an exact model may be below


def least_fall(error: float, n: float, *, noise: float = 0.0) -> float:
    """By how much one update lowers Ψ at least: (error / 2n)² - (noise / 2n)². Below 0, Ψ may rise by as much."""
    return (error / (2 * n)) ** 2 - (noise / (2 * n)) ** 2


@dataclass(frozen=True)
class Update:
    """Ψ after an update, by how much the update lowered it, and the promised `least_fall`; in nats. NOT PRIVATE."""

    potential: float
    fall: float
    promise: float


def updates(rounds: Iterable[Round[AnswerSource]], B: Records) -> Iterator[Update]:
    """The updates of A_0, A_1, .. by one measurement each, from round 0 on: Figure 1, or the loop without noise."""
    A, before = None, 0.0
    for entry in rounds:
        assert entry.A is not None
        after = relative_entropy(B, entry.A)
        if A is not None and (m := entry.measurement):
            exact = m.answer(B.marginal(m.attrs))
            error, noise = float(m.answer(A.marginal(m.attrs)) - exact), float(m.value - exact)
            yield Update(after, before - after, least_fall(error, B.total, noise=noise))
        A, before = entry.A, after
