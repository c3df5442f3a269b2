"""Theorem 2.3 of Hardt, Ligett & McSherry (2012) at a stated probability, and the T that makes its bound least."""

import math
from bisect import bisect_left

from mwem_core.base import check_positive

BETA = 0.05  # the chance of a larger error than the bound, wherever it is shown
NAME = f"Theorem 2.3, {1 - BETA:.0%}"
MAX_ROUNDS = 2**53  # more rounds than these are not told apart in floating point


def theorem_bound(
    *, n: float, domain_size: int, queries: int, rounds: int, epsilon: float, beta: float = BETA
) -> float:
    """Max error, in records, that MWEM (Figure 1) exceeds with probability at most `beta`, a chance below 1.

    2n √(ln|D| / T) + (2T/ε) (2 ln|Q| + 3 ln(2T/β)). It never reads the data, so it may leave the room. The theorem is
    printed for β = 2T/|Q|, where the second term is 10 T ln|Q| / ε; with c = ln(2T/β) / ln|Q| it is the paper's
    version for 2T/|Q|^c, at every number of rounds and of queries.

    Proof (appendix A), for queries with values from -1 to 1. In each round, the chosen query errs by less than the
    worst one less r = (4T/ε) ln(2T|Q|/β) with probability at most |Q| exp(-εr/4T) = β/2T. The Laplace noise exceeds
    s = (2T/ε) ln(2T/β) with probability exp(-εs/2T) = β/2T. So with probability 1 - β neither happens in any round.
    A round lowers the potential, which falls by at most ln|D| in all, by at least (error / 2n)² - (s / 2n)², where
    error is the chosen query's. So by Cauchy-Schwarz the mean of these errors is at most √(4n² ln|D| / T + s²). The max
    error of the average is at most the mean of the worst errors: r more, and at most 2n √(ln|D| / T) + s + r.
    """
    check_positive(n=n, rounds=rounds, epsilon=epsilon, beta=beta)
    if beta >= 1:
        raise ValueError(f"beta must be a probability below 1, got {beta:g}: a bound that may always fail says nothing")
    unlikely = 2 * math.log(queries) + 3 * math.log(2 * rounds / beta)
    return 2 * n * math.sqrt(math.log(domain_size) / rounds) + 2 * rounds * unlikely / epsilon


def best_rounds(*, n: float, domain_size: int, queries: int, epsilon: float) -> int:
    """The T that makes the bound least. It grows with (εn)^(2/3), but for logarithms (Corollary 2.5)."""

    def rises(T: int) -> bool:
        now, then = (
            theorem_bound(n=n, domain_size=domain_size, queries=queries, rounds=rounds, epsilon=epsilon)
            for rounds in (T, T + 1)
        )
        return then >= now

    return 1 + bisect_left(range(1, MAX_ROUNDS), True, key=rises)  # the bound falls, and then rises
