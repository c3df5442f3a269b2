"""What tables are like before any is seen: how far residuals are from zero, and the strength of a prior that says so.

A prior λ KL(A || base), of λ records, makes a coordinate of the residual r_A vary with variance n² / (λ cells) around
the base's: KL is ½ Σ (p - base)² / base to second order, and a cell of A's marginal has the share 1/cells on average.
So λ is n² over that variance and the cells.

The constants are fitted, not derived: round numbers near the strengths that fits of three small tables of bits found
at a large ε (Czech, Rochdale, mildew). That information does not grow with the tables was seen on three more tables.
Real tables differ: with one-way marginals alone, tables err from half to three times what is typical. So decisions
take the mean error over tables of `INFORMATIONS`. On the fourteen tables of `benchmarks/FRONTIER.md` that constants may
be fitted on, the logarithm of the information behind the mean total variation of pairs from independence has a
standard deviation of 1.06 from table to table (0.94 to 1.10 with one table left out). That of one table's pairs has
1.7 in the median; by what the largest quarter of the pairs hold, it is 1.35. `benchmarks/FRONTIER.md` judges the
constants on tables to which nothing was fitted.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.mwem.subsets import Subsets

ONE_WAY_STRENGTH = 8.0  # records: one-way marginals are that far from uniform
PAIR_INFORMATION = 0.0125  # nats that two attributes tell of each other
DECAY = 10.0  # divides it for each further attribute
SPREAD = 1.0  # standard deviation of the logarithm of that information, from table to table
UNCERTAINTY = 1.5  # standard deviation of the logarithm of a strength, within a table too
# The three-point Gauss-Hermite rule: means over log-normal informations of mean logarithm ln PAIR_INFORMATION.
INFORMATIONS = tuple(PAIR_INFORMATION * math.exp(SPREAD * x) for x in (-math.sqrt(3), 0.0, math.sqrt(3)))
WEIGHTS = (1 / 6, 2 / 3, 1 / 6)
LAPLACE_VARIANCE = 2.0  # of noise of scale 1
# What a square of Laplace noise says, beside one of normal noise: of noise of variance v, squares vary by 5v² and 2v².
LAPLACE_EVIDENCE = 2 / 5
STRENGTHS = 80  # tried for each order
MIN_STRENGTH = 0.3

Fit = Callable[[LogLinear, Sequence[Measurement], float], LogLinear]  # of residuals near A, by a prior of strength λ


def typical_strength(
    order: np.ndarray | int, rank: np.ndarray, n: float, pair_information: float = PAIR_INFORMATION
) -> np.ndarray:
    """λ, in records, for residuals of `rank` coordinates of `order` attributes.

    An interaction carries an information I, in nats, whatever its rank. A prior of λ expects KL = rank / 2λ, so
    λ = rank / 2I. The variance of n records drawn from such a table adds to it: 1/λ is larger by 1/n.
    """
    information = pair_information / DECAY ** (np.maximum(order, 2) - 2.0)
    return 1 / (np.where(np.asarray(order) == 1, 1 / ONE_WAY_STRENGTH, 2 * information / rank) + 1 / n)


def prior_variances(subsets: Subsets, n: float, pair_information: float = PAIR_INFORMATION) -> np.ndarray:
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


def most_probable_strength(A: LogLinear, measured: Sequence[Measurement], unit_variance: float) -> float:
    """The most probable λ of residuals of one order, given by how much the measured ones differ from A's.

    A measured coordinate differs from A's with variance n² / (λ cells) + noise. λ is log-normal around the typical one.
    """
    rank = _ranks(measured)
    typical = float(typical_strength(len(measured[0].attrs), np.array(rank.mean()), A.total))
    return _strength_of_tables(A, measured, unit_variance, rank, typical)


def table_strength(A: LogLinear, measured: Sequence[Measurement], unit_variance: float) -> float:
    """The most probable λ of whole tables around A, given by how much the measured ones differ from A's.

    The typical λ is that of residuals of as many attributes as the largest of them have.
    """
    order, cells = max(len(m.attrs) for m in measured), np.array([m.value.size for m in measured], float)
    typical = float(typical_strength(order, np.array(_ranks(measured).mean()), A.total))
    return _strength_of_tables(A, measured, unit_variance, cells, typical)


def _ranks(measured: Sequence[Measurement]) -> np.ndarray:
    return np.array([np.prod([size - 1 for size in m.value.shape]) for m in measured], float)


def _strength_of_tables(
    A: LogLinear, measured: Sequence[Measurement], unit_variance: float, numbers: np.ndarray, typical: float
) -> float:
    """The most probable λ of tables of which so many `numbers` were measured: (measured,).

    Laplace noise has more large draws than normal noise of its variance, so its squares are weaker evidence. Were they
    not, a few large draws would be believed: pairs of six bits, with 70 records at ε = .1, would err by 8% more. In 80
    settings of ten tables the error changed by -7 to +2%.
    """
    cells = np.array([m.value.size for m in measured], float)
    noise = unit_variance * np.array([m.scale for m in measured]) ** 2
    tables = A.marginals([m.attrs for m in measured])
    squares = np.array([(m.residual(table) ** 2).sum() for m, table in zip(measured, tables, strict=True)])
    evidence = LAPLACE_EVIDENCE if unit_variance == LAPLACE_VARIANCE else 1.0
    spread = A.total**2 / cells
    return _most_probable(spread, noise, evidence * numbers, evidence * squares, typical=typical, n=A.total)


def query_strength(covariance: np.ndarray, gaps: np.ndarray, noise: float, n: float) -> float:
    """The most probable λ of queries around a uniform table, given by how much the measured ones differ: `gaps`.

    `covariance` is that of the queries' values for one of the table's records. Along its eigenvectors, the gaps are
    independent. Their variance is n² / λ times the eigenvalue, and that of the noise: KL is ½ Σ (p - base)² / base to
    second order. The typical λ is that of one-way marginals, which are farthest from uniform.
    """
    values, vectors = np.linalg.eigh(covariance)
    typical = float(typical_strength(1, np.array(1.0), n))
    spread, squares = n**2 * np.maximum(values, 0.0), (gaps @ vectors) ** 2
    return _most_probable(spread, np.full(len(gaps), noise), np.ones(len(gaps)), squares, typical=typical, n=n)


def _most_probable(
    spread: np.ndarray, noise: np.ndarray, numbers: np.ndarray, squares: np.ndarray, *, typical: float, n: float
) -> float:
    """The most probable λ, if sums of so many `squares` have the mean numbers · (spread / λ + noise): arrays (sums,).

    λ is log-normal around the typical one.
    """
    strengths = np.geomspace(MIN_STRENGTH, max(n, 1.0), STRENGTHS)
    likelihood = [
        -0.5 * (numbers * np.log(variance) + squares / variance).sum()
        for variance in (spread / strength + noise for strength in strengths)
    ]
    return float(strengths[(likelihood - 0.5 * (np.log(strengths / typical) / UNCERTAINTY) ** 2).argmax()])


def fit_by_order(A: LogLinear, measured: Sequence[Measurement], unit_variance: float, fit: Fit) -> Iterator[LogLinear]:
    """Fit the measured residuals of one attribute, then of two, and so on; A after each.

    Residuals of k attributes get a prior towards the fit of those of fewer, of the most probable strength. So an order
    that noise drowns leaves A as the lower orders have it.
    """
    for order in sorted({len(m.attrs) for m in measured}):
        strength = most_probable_strength(A, [m for m in measured if len(m.attrs) == order], unit_variance)
        A = fit(A, [m for m in measured if len(m.attrs) <= order], strength)
        yield A
