"""A run that measures every predicate itself, once and together, and fits weighted rows to the noisy counts."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Private, Round
from mwem_core.automatic.plan_fit import fitted_round
from mwem_core.automatic.public_model import PublicStart
from mwem_core.base import constants
from mwem_core.domain import Table
from mwem_core.model import LogLinear, Measurement, check_rules
from mwem_core.mwem import UniformStart
from mwem_core.prior import MAX_FITTED_CELLS, query_strength
from mwem_core.privacy import Accountant, Budget
from mwem_core.weighted import Query, Single, Tilt, WeightedRecords, drawn_rows, every_cell
from mwem_core.workload import Workload

MAX_ROWS = 2**14  # that are fitted; a domain of no more cells has them all
MAX_VALUES = 2 * 10**6  # rows times predicates: 16 MB
ROWS_PER_QUERY = 10  # at least
MIN_EFFECTIVE, EFFECTIVE_PER_QUERY = 100.0, 1.5  # rows in effect, at least, or rows are drawn again
MAX_REDRAWS = 12
NOISE_RATIO = 4.0  # between two fits in turn, the ratio of the variances that they take the noise to have
ROUGH_TOLERANCE = 0.1  # tolerance of all fits but the last


def noisy_counts(B: Table, Q: Workload, n: float, account: Accountant) -> tuple[np.ndarray, float]:
    """Spend what is left on all predicates at once: their noisy counts, (|Q|,), and the scale of the noise.

    Each is measured as the number of records in it minus the number of those outside of it. A record moves each of
    these by 1 or -1, so all together by |Q| in L1: as much as the counts of a record that is in all predicates. With n
    known, the count is half of n plus this, and has half of the noise.
    """
    records = float(B.marginal(Q.attrs(0)).sum())  # which a declared n need not be
    signed, scale = account.measure_together(2 * Q.answers(B) - records, Q.size)
    return (signed + n) / 2, scale / 2


def count_variance(Q: Workload, budget: Budget) -> float:
    """The variance of a noisy count, in records², if this budget measures all predicates."""
    return budget.variance_at(budget.part(1 / Q.size).scale / 2)


@dataclass(frozen=True, kw_only=True)
class Counts(Private):
    """Measure every predicate itself, once and together, and fit weighted rows to the noisy counts.

    (ε, δ)-differential privacy under adding or removing one record; the total n is taken as public.
    """

    start: UniformStart | PublicStart = UniformStart()

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """One."""
        return 1

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload other than of predicates, or one of too many."""
        check_rules(workload.domain)
        self.start.check(workload, MAX_FITTED_CELLS)
        if workload.family != "predicates":
            raise ValueError(f"only predicates are counted one by one, not {workload.families}: choose another system")
        if not rows_to_tilt(workload):
            raise ValueError(f"{workload.size:,} predicates are too many to fit together: ask fewer, or choose MWEM")

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Single]]:
        """Round 0, then one round that measures all predicates and fits all of them near A_0."""
        start = self.start.begin(B, Q, account, MAX_FITTED_CELLS)
        yield start
        budget, A_0 = account.left, start.model
        counts, scale = noisy_counts(B, Q, A_0.total, account)
        queries, variance = [Q.query(j)[:2] for j in range(Q.size)], budget.variance_at(scale)
        A = fitted_rows(A_0, queries, counts, variance, draws=rows_to_tilt(Q), tolerance=constants.PLANNED_TOLERANCE)
        measured = [Measurement(S, np.asarray(m), scale, q) for (S, q), m in zip(queries, counts.tolist(), strict=True)]
        yield fitted_round(1, account.ledger, A_0, A, "all predicates together", tuple(measured))


def fitted_rows(
    A_0: LogLinear, queries: Sequence[Query], counts: np.ndarray, variance: float, *, draws: int, tolerance: float
) -> WeightedRecords:
    """The most probable rows near A_0, given noisy counts: all cells of D, or where it has more, so many draws.

    Draws of A_0 may lack what was measured, so that a few of them would get all the weight. The first fit takes the
    noise to be so loud that it hardly moves A_0, and each fit takes it to be less loud. Where too few rows stay in
    effect, they are drawn again by the last fit, as in the cross-entropy method (Rubinstein 1999). They still stand for
    A_0. Where this does not reach the noise as it is, the last fit makes do with few rows in effect. Reads no private
    data.
    """
    n, rng, every = A_0.total, np.random.default_rng(0), math.prod(A_0.sizes) <= draws
    enough = 0.0 if every else max(MIN_EFFECTIVE, EFFECTIVE_PER_QUERY * len(queries))
    tilt = Tilt.of(every_cell(A_0) if every else drawn_rows(A_0, A_0, queries, counts / n, draws, rng), queries, counts)
    strength, theta, like = query_strength(tilt.covariance(), tilt.gaps, variance, n), tilt.untilted, tilt.rows
    louder = 1.0 if every else max(1.0, n**2 / (strength * variance))
    for _ in range(1 + MAX_REDRAWS):
        while (
            found := tilt.most_probable(
                strength=strength,
                variance=louder * variance,
                tolerance=tolerance if louder == 1 else ROUGH_TOLERANCE,
                start=theta,
                rows=enough,
            )
        ) is not None:
            if louder == 1:
                return tilt.tilted(found)
            theta, louder = found, max(1.0, louder / NOISE_RATIO)
        like, louder = tilt.tilted(theta), louder * math.sqrt(NOISE_RATIO)
        tilt = Tilt.of(drawn_rows(A_0, like, queries, counts / n, draws, rng), queries, counts)
    last = tilt.most_probable(strength=strength, variance=variance, tolerance=tolerance, start=theta, rows=0.0)
    return like if last is None else tilt.tilted(last)


def rows_to_tilt(Q: Workload) -> int:
    """The number of weighted rows that are fitted to the predicates, or none where there are too many predicates."""
    rows = min(MAX_ROWS, MAX_VALUES // Q.size)
    return rows if rows >= ROWS_PER_QUERY * Q.size else 0
