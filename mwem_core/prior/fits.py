"""Fits of measured residuals near a prior: order by order, attribute by attribute, on a tree of what fits, and the last
fit of rounds that selected marginals.

They read what was released, so they cost no privacy.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Attrs
from mwem_core.model import LogLinear, Measurement, Prior, most_probable, pool_residuals, replay
from mwem_core.prior.strength import (
    even_spreads,
    fit_by_order,
    most_probable_strength,
    spreads_around,
    with_believed_noise,
)

MAX_FITTED_CELLS = 2**17  # of a fitted model; weighted records fit larger ones
MAX_FUNCTIONS = 500  # of an attribute: those of 1,000 values take .2 s, of 4,000 15 s


def fitted_by_order(
    A: LogLinear,
    measured: Sequence[Measurement],
    *,
    variance: float,
    sweeping: dict[str, Any],
    by_sweeps: bool,
    above: int = 0,
) -> Iterator[LogLinear]:
    """A after fitting residuals of each order above this (`fit_by_order`), for noise of this variance at scale 1.

    By sweeps, or by the dual, where residuals vary as `spreads_around` says.
    """
    spreads = even_spreads if by_sweeps else spreads_around

    def fit(base: LogLinear, measured: Sequence[Measurement], strength: float) -> LogLinear:
        known = with_believed_noise(base, measured, variance, strength, spreads)
        if by_sweeps:
            return replay(base, known, prior=Prior(strength, variance, base.theta), **sweeping)
        closeness = {"iterations": sweeping["sweeps"], "tolerance": sweeping["tolerance"]}
        return most_probable(base, known, strength=strength, unit_variance=variance, **closeness)

    return fit_by_order(A, measured, variance, fit, spreads, above=above)


def fitted_by_attribute(
    A: LogLinear, measured: Sequence[Measurement], attrs: Attrs, variance: float, sweeping: dict[str, Any]
) -> Iterator[tuple[int, LogLinear]]:
    """Fit the residuals of these attributes one after another, by one prior; yields each attribute and A after it.

    Those measured farthest from A come first, those not measured last. Attributes that are independent in A move alone,
    so the last A is that of `fitted_by_order`.
    """
    ones = {a: m for m in measured for a in m.attrs if len(m.attrs) == 1}
    strength = most_probable_strength(A, list(ones.values()), variance)
    prior, fitted, gaps = Prior(strength, variance, A.theta), list[Measurement](), {a: _gap(A, ones[a]) for a in ones}
    for a in sorted(attrs, key=lambda a: -gaps.get(a, 0.0)):
        own = [ones[a]] if a in ones else []
        fitted += own
        A = replay(A, fitted, news=own, prior=prior, **sweeping)
        yield a, A


def tree_for(
    A: LogLinear, measured: Sequence[Measurement], tables: Sequence[Measurement], *, cells: int
) -> tuple[LogLinear, list[Measurement]]:
    """A on a junction tree with as many of the tables as fit, and the residuals that it holds.

    First come the tables that are farthest from A, by what was measured; this reads released values only.
    """
    tree = A
    gaps = [_gap(A, m) for m in tables]
    for i in np.argsort(gaps, kind="stable")[::-1]:
        S = tables[i].attrs
        if tree.cells_with(S, cells) <= cells:
            tree = tree.covering([S])
    return tree, [m for m in measured if tree.covers(m.attrs)]


def _gap(A: LogLinear, m: Measurement) -> float:
    """How far A is from what was measured, summed over the cells, in records."""
    return float(np.abs(m.residual(A.marginal(m.attrs))).sum())


STEP, TOLERANCE = 3.0, 0.003


def refit(A: LogLinear, A_0: LogLinear, measurements: Sequence[Measurement], unit_variance: float) -> LogLinear:
    """The most probable distribution near A_0, given these; A was fitted to all but the last, without a prior.

    Rounds fit what they measured closely, because what they left unfitted would be selected again. Once the budget is
    spent, what a noisy marginal tells of its attributes together is drawn to what they tell apart, and what several
    tell of one attribute is averaged.

    `unit_variance` is that of noise of scale 1, in records². The fit of the last order starts from A, unless some cell
    of A has vanished, or noise outweighs the prior: unless the noise of some residual has a larger variance than its
    prior, n² / (λ cells).
    """
    known, vanished = pool_residuals(measurements), any(component.vanishes for component in A.components)

    def fit(base: LogLinear, residuals: Sequence[Measurement], strength: float) -> LogLinear:
        prior = Prior(constants.REFIT_STRENGTH * strength, unit_variance, base.theta)
        outweighed = any(prior.ridge(m, A.total) * m.value.size > 1 for m in residuals)
        start = base if vanished or outweighed or len(residuals) < len(known) else A.in_residuals()
        return replay(start, residuals, prior=prior, step=STEP, sweeps=constants.REFIT_SWEEPS, tolerance=TOLERANCE)

    *_, fitted = fit_by_order(A_0, known, unit_variance, fit)
    return fitted
