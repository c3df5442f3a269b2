"""What tables are like before any is seen, and what measurements leave unknown of them, by public numbers alone.

A prior λ KL(A || base), of λ records, makes a coordinate of the residual r_A vary with variance n² / (λ cells) around
the base's: KL is ½ Σ (p - base)² / base to second order, and a cell of A's marginal has the share 1/cells on average.
So λ is n² over that variance and the cells.

The constants are fitted, not derived, and real tables differ: with one-way marginals alone, tables err from half to
three times what is typical. So decisions take the mean error over tables of `INFORMATIONS`.

Marginals of one attribute fewer than the workload's have fewer cells and are fewer, so that they are known with less
noise; what no lower marginal tells stays unknown.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import Spender
from mwem_core.automatic.plan_fit import Planned
from mwem_core.automatic.plans import PlanName
from mwem_core.automatic.sizes import goes_beyond, rows_to_fit
from mwem_core.base import constants
from mwem_core.mwem import MWEM
from mwem_core.prior import MAX_FITTED_CELLS, typical_strength
from mwem_core.workload import Subsets, Workload, lower, subsets_of

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


def lower_name(Q: Workload) -> str:
    """What is measured in place of Q's marginals, for people."""
    orders = [block.sets.shape[1] for block in lower(Q).blocks]
    return f"marginals of {'up to ' if len(orders) > 1 else ''}{max(orders)} attributes"


class LikelyTables(NamedTuple):
    """Tables whose attributes tell so much of each other: their prior, and what errors of the residuals add up to.

    `prior` is the variance of a coordinate of each measured residual, (subsets,). `tv` gives the workload's mean total
    variation for the squared errors of these residuals.
    """

    prior: np.ndarray
    tv: Callable[[np.ndarray], float]


def tables_like(settings: Spender, subsets: Subsets, measured: Subsets, n: float, information: float) -> LikelyTables:
    """Tables of this information, if the settings measure the marginals of `subsets` itself, or lower ones."""
    prior = prior_variances(measured, n, information)
    if measured is subsets:
        return LikelyTables(prior, lambda errors: subsets.mean_tv(errors, n))
    left, places = left_variances(settings, subsets, n, information), subsets.places(measured)

    def tv(errors: np.ndarray) -> float:
        known = left.copy()
        known[places] = errors
        return subsets.mean_tv(known, n)

    return LikelyTables(prior, tv)


def measured_subsets(settings: Spender, subsets: Subsets) -> Subsets:
    """The subsets of the marginals that the settings measure for the workload of `subsets`."""
    measured = settings.measured(subsets.Q)
    return subsets if measured is subsets.Q else subsets_of(measured)


def left_variances(settings: Spender, subsets: Subsets, n: float, information: float) -> np.ndarray:
    """The expected squared error, (subsets,), of a coordinate of each residual, where the settings measure none of it.

    Rounds leave some of the workload's own marginals too, so that both are weighed by the prior alone. Weighted rows
    that fit a plan add what drawing them does: in r rows, the share of a cell varies by 1 / (r cells).
    """
    left, Q = prior_variances(subsets, n, information), settings.measured(subsets.Q)
    if not isinstance(settings, Planned):
        return left
    drawn = n**2 / (rows_to_fit(Q) * subsets.cells) if goes_beyond("residuals", Q) else 0.0
    return constants.LEFT_OF_LOWER * left + drawn


def may_plan_lower(settings: MWEM, plan: PlanName) -> bool:
    """Whether a plan of lower marginals competes: their residuals, with Gaussian noise.

    Whole lower marginals, and residuals under ε, are left out: they are hardly ever expected best, and gain nothing.
    """
    return plan == "residuals" and settings.delta > 0


def may_select_lower(settings: MWEM, Q: Workload) -> bool:
    """Whether a tree of the model's cells can hold as many lower marginals as the rounds select; D needs a tree.

    Weighted rows take over from a full tree, and answer Q's own marginals less exactly. A tree of d - k cliques of
    k + 1 attributes, like those of Q, holds k + 1 + k (d - k - 1) marginals of k attributes. On a D of one table plans
    compete, which err less.
    """
    d, k = len(Q.reads), lower(Q).blocks[-1].sets.shape[1]
    assert isinstance(settings.T, int)
    rounds = settings.T - settings.first_rounds(Q)
    held = rounds <= k + 1 + k * (d - k - 1) and (d - k) * Q.part_cells.mean() <= settings.cell_budget
    return held and Q.domain.cells(Q.reads) > MAX_FITTED_CELLS


def selected_tv(subsets: Subsets, prior: np.ndarray, n: float, *, T: int, variance: float, held: float) -> float:
    """The expected mean total variation once T of the predicates were measured with noise of this variance.

    Each round is expected to select the predicate of the largest expected error. With a normal prior, `prior` for a
    coordinate of each residual, (subsets,), and normal noise, the measurement lowers the variances of all predicates
    that overlap with it: by squares of their covariances with it, over its own variance and the noise's. Of what is not
    selected, the share t = T/|Q| that is largest would have held a share `held` of the roots, and is selected instead.
    """
    covariance = _covariance(subsets, prior)
    errors, selected = np.diag(covariance).copy(), np.zeros(subsets.Q.size, bool)
    learned = np.zeros((T, subsets.Q.size))
    for i in range(T):
        j = int(np.where(selected, -1.0, errors).argmax())
        row = covariance[j] - learned[:i, j] @ learned[:i]
        learned[i] = row / math.sqrt(max(row[j], 0.0) + variance)
        errors = np.maximum(errors - learned[i] ** 2, 0.0)
        selected[j] = True
    roots, t = np.sqrt(errors), T / subsets.Q.size
    total = roots[selected].sum() + (roots[~selected].sum() * (1 - held) / (1 - t) if t < 1 else 0.0)
    return float(math.sqrt(1 / (2 * math.pi)) * total / (n * subsets.Q.size))


def queried_tv(subsets: Subsets, prior: np.ndarray, n: float, *, variance: float) -> float:
    """The expected mean total variation once all predicates were measured together with noise of this variance.

    With a normal prior, of covariance K for the answers, and normal noise, the errors' is K - K (K + variance)⁻¹ K.
    Noise that K's rounding hides counts as large as that, so that the matrix has an inverse.
    """
    K = _covariance(subsets, prior)
    variance = max(variance, len(K) * np.finfo(float).eps * float(K.max()))
    learned = (K * np.linalg.solve(K + variance * np.eye(len(K)), K)).sum(axis=0)
    errors = np.maximum(np.diag(K) - learned, 0.0)
    return float(math.sqrt(1 / (2 * math.pi)) * np.sqrt(errors).mean() / n)


def _covariance(subsets: Subsets, variances: Sequence[float] | np.ndarray) -> np.ndarray:
    """The covariance of the predicates' answers, (|Q|, |Q|), by the variance of residual coordinates, in records²."""
    covariance = np.zeros((subsets.Q.size, subsets.Q.size))
    for variance, read in zip(variances, subsets.read, strict=True):
        covariance[np.ix_(read.predicates, read.predicates)] += variance * (read.vectors @ read.vectors.T)
    return covariance
