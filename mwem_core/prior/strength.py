"""How strong a prior is: λ of a typical table, and the most probable λ given what was measured.

This reads what was released, so it costs no privacy.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.base import constants
from mwem_core.model import LogLinear, Measurement


def typical_strength(
    order: np.ndarray | int, rank: np.ndarray, n: float, pair_information: float = constants.PAIR_INFORMATION
) -> np.ndarray:
    """λ, in records, for residuals of `rank` coordinates of `order` attributes.

    An interaction carries an information I, in nats, whatever its rank. A prior of λ expects KL = rank / 2λ, so
    λ = rank / 2I. The variance of n records drawn from such a table adds to it: 1/λ is larger by 1/n.
    """
    information = pair_information / constants.DECAY ** (np.maximum(order, 2) - 2.0)
    return 1 / (np.where(np.asarray(order) == 1, 1 / constants.ONE_WAY_STRENGTH, 2 * information / rank) + 1 / n)


LAPLACE_VARIANCE = 2.0  # of noise of scale 1
# What a square of Laplace noise says, beside one of normal noise: of noise of variance v, squares vary by 5v² and 2v².
LAPLACE_EVIDENCE = 2 / 5
STRENGTHS = 80  # tried for each order
MIN_STRENGTH = 0.3
# The five-point Gauss-Hermite rule for a standard normal variable.
NODES = np.array([-2.8569700, -1.3556262, 0.0, 1.3556262, 2.8569700])
NODE_WEIGHTS = np.array([0.0112574, 0.2220759, 0.5333333, 0.2220759, 0.0112574])

Fit = Callable[[LogLinear, Sequence[Measurement], float], LogLinear]  # of residuals near A, by a prior of strength λ
# The variances of a coordinate of each residual around a model, times λ, in shares²: (measured,)
Spreads = Callable[[LogLinear, Sequence[Measurement]], np.ndarray]


def even_spreads(A: LogLinear, measured: Sequence[Measurement]) -> np.ndarray:  # noqa: ARG001
    """The spreads of residuals around an A whose marginals are even: 1 / cells."""
    return 1 / np.array([m.value.size for m in measured], float)


def spreads_around(A: LogLinear, measured: Sequence[Measurement]) -> np.ndarray:
    """The spreads of residuals around A: Π (1 - Σ p²) / (n - 1) over the attributes, of n values with A's shares p.

    That is 1 / cells where shares are even, and less elsewhere. KL is ½ Σ Δ² / p to second order. So around a product
    of marginals p_i, a Δ whose own marginals are 0 has the covariance ⊗ (diag p_i - p_i p_iᵀ) / λ. Its trace is
    Π (1 - Σ p_i²) / λ, in Π (n_i - 1) coordinates. Two values of 7 and 6% vary a seventeenth as much as even ones.
    """
    attrs = sorted({a for m in measured for a in m.attrs})
    spread = {}
    for a, table in zip(attrs, A.marginals([(a,) for a in attrs]), strict=True):
        index = 1 - float(((table / A.total) ** 2).sum())
        spread[a] = max(index, 1 / max(A.total, 1.0)) / max(1, table.size - 1)  # at least that of half a record
    return np.array([math.prod(spread[a] for a in m.attrs) for m in measured])


@dataclass(frozen=True, eq=False)
class Gaps:
    """What was measured less what a model of n records has, as sums of squares that tell of the prior's λ.

    A sum of so many `squares` has the mean numbers · (spread / λ + noise): arrays (sums,), in records².
    """

    n: float
    spread: np.ndarray
    noise: np.ndarray
    numbers: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(
        cls,
        A: LogLinear,
        measured: Sequence[Measurement],
        unit_variance: float,
        numbers: np.ndarray,
        spreads: Spreads = even_spreads,
    ) -> "Gaps":
        """One sum for each table, or residual, of which so many `numbers` were measured.

        Laplace noise has more large draws than normal noise of its variance, so its squares are weaker evidence. Were
        they not, a few large draws would be believed.
        """
        noise = unit_variance * np.array([m.scale for m in measured]) ** 2
        tables = A.marginals([m.attrs for m in measured])
        squares = np.array([(m.residual(table) ** 2).sum() for m, table in zip(measured, tables, strict=True)])
        evidence = LAPLACE_EVIDENCE if unit_variance == LAPLACE_VARIANCE else 1.0
        return cls(A.total, A.total**2 * spreads(A, measured), noise, evidence * numbers, evidence * squares)

    def log_densities(self, strength: np.ndarray | float) -> np.ndarray:
        """The logarithm of the density of each sum, up to a constant: (sums,), or a row for each of the λ."""
        variance = self.spread / strength + self.noise
        return -0.5 * (self.numbers * np.log(variance) + self.squares / variance)

    def most_probable(self, typical: float) -> float:
        """The most probable λ, log-normal around the typical one."""
        tried = np.geomspace(MIN_STRENGTH, max(self.n, 1.0), STRENGTHS)
        likelihood = self.log_densities(tried[:, None]).sum(axis=1)
        return float(tried[(likelihood - 0.5 * (np.log(tried / typical) / constants.UNCERTAINTY) ** 2).argmax()])

    def believed_noise(self, strength: float) -> np.ndarray:
        """The noise variance by which a λ of this strength keeps as much of each gap as is likely: (sums,).

        Each λ is log-normal around this one. A known λ keeps v / (v + noise) of a gap, with v = spread / λ; what is
        likely is the mean over all λ, given the gap. So a residual far beyond the others of its order is believed.
        """
        strengths = strength * np.exp(constants.SPREAD_IN_ORDER * NODES)[:, None]
        logs = np.log(NODE_WEIGHTS)[:, None] + self.log_densities(strengths)
        weights, v = np.exp(logs - logs.max(axis=0)), self.spread / strengths
        kept, lost = (weights * v / (v + self.noise)).sum(axis=0), (weights * self.noise / (v + self.noise)).sum(axis=0)
        return self.spread / strength * lost / kept


def most_probable_strength(
    A: LogLinear, measured: Sequence[Measurement], unit_variance: float, spreads: Spreads = even_spreads
) -> float:
    """The most probable λ of residuals of one order, given by how much the measured ones differ from A's.

    A measured coordinate differs from A's with variance n² spread / λ + noise. λ is log-normal around the typical one.
    """
    rank = _ranks(measured)
    typical = float(typical_strength(len(measured[0].attrs), np.array(rank.mean()), A.total))
    return Gaps.of(A, measured, unit_variance, rank, spreads).most_probable(typical)


def table_strength(A: LogLinear, measured: Sequence[Measurement], unit_variance: float) -> float:
    """The most probable λ of whole tables around A, given by how much the measured ones differ from A's.

    The typical λ is that of residuals of as many attributes as the largest of them have.
    """
    order, cells = max(len(m.attrs) for m in measured), np.array([m.value.size for m in measured], float)
    typical = float(typical_strength(order, np.array(_ranks(measured).mean()), A.total))
    return Gaps.of(A, measured, unit_variance, cells).most_probable(typical)


def query_strength(covariance: np.ndarray, gaps: np.ndarray, noise: float, n: float) -> float:
    """The most probable λ of queries around a uniform table, given by how much the measured ones differ: `gaps`.

    `covariance` is that of the queries' values for one of the table's records. Along its eigenvectors, the gaps are
    independent. Their variance is n² / λ times the eigenvalue, and that of the noise: KL is ½ Σ (p - base)² / base to
    second order. The typical λ is that of one-way marginals, which are farthest from uniform.
    """
    values, vectors = np.linalg.eigh(covariance)
    typical = float(typical_strength(1, np.array(1.0), n))
    spread, squares = n**2 * np.maximum(values, 0.0), (gaps @ vectors) ** 2
    return Gaps(n, spread, np.full(len(gaps), noise), np.ones(len(gaps)), squares).most_probable(typical)


def fit_by_order(
    A: LogLinear,
    measured: Sequence[Measurement],
    unit_variance: float,
    fit: Fit,
    spreads: Spreads = even_spreads,
    *,
    above: int = 0,
) -> Iterator[LogLinear]:
    """Fit the measured residuals of one attribute, then of two, and so on, but only orders `above` this; A after each.

    Residuals of k attributes get a prior towards the fit of those of fewer, of the most probable strength. So an order
    that noise drowns leaves A as the lower orders have it.
    """
    for order in sorted({len(m.attrs) for m in measured if len(m.attrs) > above}):
        strength = most_probable_strength(A, [m for m in measured if len(m.attrs) == order], unit_variance, spreads)
        A = fit(A, [m for m in measured if len(m.attrs) <= order], strength)
        yield A


def with_believed_noise(
    A: LogLinear,
    measured: Sequence[Measurement],
    unit_variance: float,
    strength: float,
    spreads: Spreads = even_spreads,
) -> list[Measurement]:
    """The residuals, where those of the highest order have the noise by which a fit near A trusts each as it should.

    A fit reads λ and a residual's noise by their product alone, so more noise is a stronger prior.

    Residuals of lower orders, and attributes by themselves, stay as they were measured.
    """
    order = max(len(m.attrs) for m in measured)
    if order == 1:
        return list(measured)
    lower, highest = ([m for m in measured if len(m.attrs) in orders] for orders in (range(order), {order}))
    noise = Gaps.of(A, highest, unit_variance, _ranks(highest), spreads).believed_noise(strength)
    scales = np.sqrt(noise / unit_variance).tolist()
    return [*lower, *(replace(m, scale=scale) for m, scale in zip(highest, scales, strict=True))]


def _ranks(measured: Sequence[Measurement]) -> np.ndarray:
    return np.array([math.prod(size - 1 for size in m.value.shape) for m in measured], float)
