"""What tables are like before any is seen: how far residuals are from zero, and the strength of a prior that says so.

A prior λ KL(A || base), of λ records, makes a coordinate of the residual r_A vary with variance n² / (λ cells) around
the base's: KL is ½ Σ (p - base)² / base to second order, and a cell of A's marginal has the share 1/cells on average.
So λ is n² over that variance and the cells.

The constants are fitted, not derived, and real tables differ: with one-way marginals alone, tables err from half to
three times what is typical. So decisions take the mean error over tables of `INFORMATIONS`.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from mwem_core.base import constants
from mwem_core.prior import typical_strength
from mwem_core.workload import Subsets

# The three-point Gauss-Hermite rule: means over log-normal informations of mean logarithm ln PAIR_INFORMATION.
INFORMATIONS = tuple(
    constants.PAIR_INFORMATION * math.exp(constants.SPREAD * x) for x in (-math.sqrt(3), 0.0, math.sqrt(3))
)
WEIGHTS = (1 / 6, 2 / 3, 1 / 6)


def prior_variances(subsets: Subsets, n: float, pair_information: float = constants.PAIR_INFORMATION) -> np.ndarray:
    """The variance of a coordinate of each residual before it is measured, in records²: (subsets,)."""
    return n**2 / (typical_strength(subsets.order, subsets.rank, n, pair_information) * subsets.cells)


def expected_errors(
    subsets: Subsets, prior: np.ndarray, n: float, posterior: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The expected squared errors, if `posterior` gives them for variances before measuring: (subsets,) -> (subsets,).

    Residuals vary around a base by the variances `prior`. A base of marginals or predicates is taken as known: the
    errors of lower orders are a part of a marginal's error, and the larger one. Parities have no such part, so that
    their base counts.
    Bits of ±1 have moments, the parities, that are sums over partitions of products of cumulants. Let these be
    independent, of variance v_j for j bits: a product's variance is Π v_j. Let v_j - e_j of v_j be known: then
    E (Π x - Π x')² = Π v_j - Π (v_j - e_j). All subsets of an order are measured alike.
    """
    errors = posterior(prior)
    if subsets.Q.family != "parities":
        return errors
    unit = n**2 / subsets.cells
    v, known = [], []  # of the cumulants of 1, 2, .. bits, in shares
    for k in range(1, subsets.order.max() + 1):
        first = int((subsets.order == k).argmax())
        base = [sum(math.comb(k - 1, j) * x[j] * _moment(x, k - 1 - j) for j in range(k - 1)) for x in (v, known)]
        v.append(float((prior / unit)[first]))
        prior = np.where(subsets.order == k, prior + (base[0] - base[1]) * unit, prior)
        errors = posterior(prior)
        known.append(max(0.0, v[-1] - float((errors / unit)[first])))
    return errors


def _moment(cumulants: Sequence[float], k: int) -> float:
    """Σ over the partitions of k bits of their blocks' cumulants: that of the first bit's block, then the rest's."""
    return sum(math.comb(k - 1, j) * cumulants[j] * _moment(cumulants, k - 1 - j) for j in range(k)) if k else 1.0
