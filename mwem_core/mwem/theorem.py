"""Theorem 2.3 of Hardt, Ligett & McSherry (2012), and the number of rounds that makes its bound least."""

import math

from mwem_core.checks import check_positive


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
