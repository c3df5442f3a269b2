"""What theory promises: Theorem 2.3 of Hardt, Ligett & McSherry (2012), and the rounds that are best for it."""

import math
from collections.abc import Callable

from mwem_core.budget import Budget
from mwem_core.mechanisms import check_positive


def theorem_bound(*, n: float, domain_size: int, queries: int, rounds: int, epsilon: float) -> float:
    """Max error, in records, that MWEM with average output exceeds with probability at most 2T/|Q| (Theorem 2.3).

    2n √(ln|D| / T) + 10 T ln|Q| / ε. It never reads the data, so it may leave the room.
    """
    check_positive(n=n, rounds=rounds, epsilon=epsilon)
    return 2 * n * math.sqrt(math.log(domain_size) / rounds) + 10 * rounds * math.log(queries) / epsilon


def best_rounds(*, n: float, domain_size: int, queries: int, epsilon: float) -> int:
    """The T that makes the theorem's bound least: (ε n √ln|D| / (10 ln|Q|))^(2/3), at least 1 (Corollary 2.5)."""
    check_positive(n=n, epsilon=epsilon)
    if queries == 1:
        return 1
    ideal = (epsilon * n * math.sqrt(math.log(domain_size)) / (10 * math.log(queries))) ** (2 / 3)
    near = [max(1, math.floor(ideal)), max(1, math.ceil(ideal))]
    return min(
        near, key=lambda T: theorem_bound(n=n, domain_size=domain_size, queries=queries, rounds=T, epsilon=epsilon)
    )


def direct_error(*, n: float, queries: int, sensitivity: float, budget: Budget) -> tuple[float, float]:
    """Expected mean and max |error|, as shares of n, of asking every query at once with Laplace or Gaussian noise.

    `sensitivity` is what one record adds up to over all the answers; as every query is 0, 1 or ±1 on a record, it is
    the square of their L2 sensitivity too. The max is that of independent draws. Reads no data: the baseline to beat.
    """
    if budget.unit == "ε":
        times, below = sensitivity, lambda x: -math.expm1(-x)
    else:
        times, below = math.sqrt(sensitivity), lambda x: math.erf(x / math.sqrt(2))
    return times * budget.mean_noise / n, times * budget.scale * _mean_largest(below, queries) / n


def _mean_largest(below: Callable[[float], float], draws: int) -> float:
    """Mean of the largest of some draws, each below x >= 0 with probability below(x): ∫ 1 - below(x)^draws dx."""
    step = 1 / 64
    return step * sum(1 - below((i + 0.5) * step) ** draws for i in range(64 * 60))
