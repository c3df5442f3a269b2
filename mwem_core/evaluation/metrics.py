"""Errors against the truth. All of them are computed on the private data: NOT private, for exploring only."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mwem_core.data.records import Records
from mwem_core.workload.workload import Workload


@dataclass(frozen=True)
class Errors:
    """How far answers are from the truth, in shares of n but for the squared error.

    The total variation of a marginal is half the L1 norm of the difference in its shares; `mean_tv` and `max_tv`, over
    the workload's marginals, are None where it does not ask for whole marginals.
    """

    max_error: float
    mean_error: float
    mean_squared_error: float  # records², per query
    mean_tv: float | None
    max_tv: float | None


def errors(
    workload: Workload, answers: np.ndarray, truth: np.ndarray, n: float, *, total: float | None = None
) -> Errors:
    """Compare (|Q|,) answers with the true ones, both in records; `total` is what the answers' own records sum to.

    Each side is taken as a share of its own total, n and by default n; the squared error is in records as answered.
    """
    gap = np.abs(answers / (total or n) - truth / n)
    tv = workload.sum_by_part(gap) / 2 if workload.tabular else None
    return Errors(
        max_error=float(gap.max()),
        mean_error=float(gap.mean()),
        mean_squared_error=float(np.mean((answers - truth) ** 2)),
        mean_tv=None if tv is None else float(tv.mean()),
        max_tv=None if tv is None else float(tv.max()),
    )


class Density(Protocol):
    """A distribution that knows its share at a record."""

    def probability(self, codes: tuple[np.ndarray, ...]) -> np.ndarray:
        """One (m,) array of codes an attribute -> (m,) shares."""
        ...


def relative_entropy(records: Records, model: Density) -> float:
    """Σ (B/n) ln((B/n) / (A/n)) in nats, over the cells with records; infinite where A has none of what B has."""
    B = records.distinct()
    weights = np.ones(len(B.codes[0])) if B.weights is None else B.weights
    p, q = weights / B.total, model.probability(B.codes)
    p, q = p[p > 0], q[p > 0]
    with np.errstate(divide="ignore"):
        return float((p * (np.log(p) - np.log(q))).sum())
