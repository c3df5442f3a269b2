"""New weights for rows: a replay of all measurements, with new rows where cells lack; and raking to given sums."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Attrs
from mwem_core.model import Measurement
from mwem_core.privacy import Ledger
from mwem_core.weighted.resampling import redrawn, with_planted_rows
from mwem_core.weighted.row_counts import CountedBatch, batches, in_groups
from mwem_core.weighted.weighted_records import WeightedRecords

MAX_MOMENTUM = 5.0  # of a row's log-weight in one sweep
MIN_WEIGHT = 1e-12  # of a row, relative to the mean: a row that noise drove to nothing can grow again
SWEEPS = 5  # at most, of rows that are not redrawn
REDRAW_SWEEPS = 10  # at most, before a redraw: with 20 the rows' total variation on five settings is the same to 1%
LAST_SWEEPS = 200  # at most, on the last rows: 60 leave 4 times the max error on 21 pairs of 10^8 cells at ε = 10
# Rows, and cells of the batches' tables, in all of the last sweeps: .3 to .7 s.
MAX_SWEPT = 10**8
COOLED_SWEEPS = 10  # of shrinking steps, at the end
MAX_REDRAWS = 3  # on that table five gain another 4% of the total variation and take a fifth longer
FITTED_SQUARES = (
    0.6  # of the noise: a squared residual that asks for no better rows, as a fit takes up some of the noise
)
MAX_DEVIATIONS = (
    5.0  # standard deviations of its noise: how far above its mean a measurement's squared residual may end
)
MIN_GAIN = 0.1  # of the squared residual, by a redraw after which there is another


def reweight(
    A: WeightedRecords,
    measurements: Sequence[Measurement],
    *,
    variance: float,
    tolerance: float,
    redraws: int = MAX_REDRAWS,
    sweeps: int = SWEEPS,
    cooled: int = COOLED_SWEEPS,
    rng: np.random.Generator,
) -> WeightedRecords:
    """Sweep A(x) ∝ A(x) exp(step · w · q(x) · (m - q(A))) over all measurements, x one of A's rows; redraw poor rows.

    The update is that of `replay`, with w = (least scale / scale)². Its step is that of Newton's method for a single
    cell, damped: 1/(q(A) + `DAMPING` · least scale), so that cells of few records move as fast as large ones, and cells
    within the noise do not. Momentum speeds up the sweeps (Nesterov 1983); it starts anew where the squared residual
    rises. Noisy measurements contradict each other, so at the end the step shrinks, as 1/(1 + i/2).

    The rows lack cells that the truth has where the squared residual stays above `FITTED_SQUARES` of the noise that the
    truth would leave: `variance` squared scales for each cell measured. They are then redrawn from the log-linear model
    that they stand for, as long as that gains, at most `redraws` times; rows that fit worse are not taken. A closer fit
    asks no better rows: it would fit noise. Reads only its arguments, so it costs no privacy.
    """
    A = with_planted_rows(A, measurements, rng)
    weights = Weights.of(A, measurements, variance)
    squares = weights.swept(REDRAW_SWEEPS, tolerance) if redraws else 0.0
    for _ in range(redraws):
        if squares <= FITTED_SQUARES * weights.noise.sum():
            break
        rows = with_planted_rows(redrawn(weights.records(A), rng), measurements, rng)
        others, last = Weights.of(rows, measurements, variance), squares
        squares = others.swept(REDRAW_SWEEPS, tolerance)
        if squares < last:
            A, weights = rows, others
        if squares > (1 - MIN_GAIN) * last:
            break
    # Momentum swings, so a shorter patience would end too early.
    weights.swept(weights.last_sweeps if redraws else sweeps, tolerance / 10)
    for i in range(cooled):
        weights.sweep(1 / (1 + i / 2))
    return weights.records(A)


def update_rows(
    A: WeightedRecords, measurements: Sequence[Measurement], ledger: Ledger, *, tolerance: float
) -> WeightedRecords:
    """Replay all measurements of a run on the rows.

    A selection needs no close fit, so few sweeps are made until the budget is spent. Then the rows are redrawn, and
    fitted well.
    """
    variance, rng = ledger.budget.variance_at(1.0), np.random.default_rng(len(measurements))
    fit = partial(reweight, A, measurements, variance=variance, tolerance=tolerance, rng=rng)
    if ledger.is_spent:
        return fit(redraws=MAX_REDRAWS)
    return fit(redraws=0, sweeps=constants.SWEEPS_BETWEEN, cooled=constants.SWEEPS_BETWEEN)


@dataclass(eq=False)
class Weights:
    """The rows' shares p, (rows,), and the log-weights added to the rows' theta, both changed by sweeps.

    `noise` is each measurement's squared residual, in shares, that the truth itself would leave: Σ w E noise² over the
    c coordinates measured, (measurements,). `most` is at which the fit may end: `MAX_DEVIATIONS` standard deviations,
    of √(2/c) times that were the noise normal, above it.
    """

    batches: list[CountedBatch]
    noise: np.ndarray
    most: np.ndarray
    p: np.ndarray
    theta: dict[Attrs, np.ndarray]

    @classmethod
    def of(cls, A: WeightedRecords, measurements: Sequence[Measurement], variance: float) -> "Weights":
        """Count A's rows into the cells of every measured marginal."""
        groups = in_groups(measurements, A.sizes)
        measurements = [m for _, together in groups for m in together]
        least = min(m.scale for m in measurements)
        coordinates = np.array([math.prod(size - m.centred for size in m.value.shape) for m in measurements])
        noise = variance * coordinates * (least / A.total) ** 2
        most = noise * (1 + MAX_DEVIATIONS * np.sqrt(2 / np.maximum(1, coordinates)))
        theta = {m.attrs: np.zeros([A.sizes[a] for a in m.attrs]) for m in measurements}
        return cls(list(batches(A, groups)), noise, most, A.weights / A.total, theta)

    @property
    def last_sweeps(self) -> int:
        """How many sweeps the last rows may take: `LAST_SWEEPS`, or as many as `MAX_SWEPT` allows."""
        return min(LAST_SWEEPS, max(REDRAW_SWEEPS, MAX_SWEPT // sum(batch.work for batch in self.batches)))

    def records(self, A: WeightedRecords) -> WeightedRecords:
        """A with these weights and log-weights."""
        theta = {**A.theta, **{S: A.theta.get(S, 0.0) + change for S, change in self.theta.items()}}
        return replace(A, weights=self.p * (A.total / self.p.sum()), theta=theta)

    def sweep(self, step: float) -> np.ndarray:
        """Update by every measurement once; the squared residuals met on the way, (measurements,)."""
        squares = np.concatenate([batch.update(self.p, self.theta, step) for batch in self.batches])
        np.maximum(self.p, MIN_WEIGHT / len(self.p), out=self.p)
        return squares

    def swept(self, sweeps: int, tolerance: float) -> float:
        """Sweep with momentum; returns the sum of the last sweep's squared residuals.

        Ends at `FITTED_SQUARES` of the noise, with no measurement above its `most`, or where two sweeps gain no more
        than `tolerance` of the misfit: the sum of the squares, each in units of its noise. In the plain sum, tables of
        many cells would hide those of few, whose cells hold the most records and err the most.
        """
        pace, last, misfits = 0, np.inf, [np.inf, np.inf]
        p, theta = self.p.copy(), dict(self.theta)
        for _ in range(sweeps):
            by_measurement = self.sweep(1.0)
            squares = float(by_measurement.sum())
            if squares <= FITTED_SQUARES * self.noise.sum() and (by_measurement <= self.most).all():
                break
            misfits.append(float((by_measurement / np.maximum(self.noise, np.finfo(float).tiny)).sum()))
            if misfits[-3] - misfits[-1] <= tolerance * misfits[-1] and squares <= last:
                break
            pace = pace + 1 if squares <= last else 0
            last = squares
            p, theta = self._carry_on(p, theta, pace / (pace + 3))
        return squares

    def _carry_on(
        self, p: np.ndarray, theta: Mapping[Attrs, np.ndarray], momentum: float
    ) -> tuple[np.ndarray, dict[Attrs, np.ndarray]]:
        """Move on from an earlier state through the present by this share of the way; returns the present."""
        present, present_theta = self.p.copy(), dict(self.theta)
        self.p *= np.exp(np.clip(momentum * np.log(self.p / p), -MAX_MOMENTUM, MAX_MOMENTUM))
        self.p /= self.p.sum()
        self.theta = {S: table + momentum * (table - theta[S]) for S, table in present_theta.items()}
        return present, present_theta


RAKING_SWEEPS = 400  # at most
Margin = tuple[np.ndarray, np.ndarray]  # the number of the group that each weight is in, and the sum of each group


def rake(weights: np.ndarray, margins: Sequence[Margin], *, tolerance: float) -> np.ndarray:
    """The weights nearest to these, in KL, with the sums of every margin: (weights,).

    If margins contradict each other, the last one is met. A group without weight stays empty, and the sums of the other
    groups are scaled to the total of the weights. Stops after a sweep in which no sum was off by more than `tolerance`,
    in the weights' unit, or after `RAKING_SWEEPS`.
    """
    total, reachable = weights.sum(), []
    for group, wanted in margins:
        wanted = np.where(np.bincount(group, weights, minlength=len(wanted)) > 0, wanted, 0.0)
        if wanted.sum() > 0:
            reachable.append((group, wanted * (total / wanted.sum())))
    for _ in range(RAKING_SWEEPS):
        off = 0.0
        for group, wanted in reachable:
            own = np.bincount(group, weights, minlength=len(wanted))
            off = max(off, float(np.abs(own - wanted).max()))
            weights = weights * np.divide(wanted, own, out=np.zeros_like(own), where=own > 0)[group]
        if off <= tolerance:
            break
    return weights
