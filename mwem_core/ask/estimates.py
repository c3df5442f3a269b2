"""Estimates of a statistic: from what was measured where that determines it, else by copies, else refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, cycle

import numpy as np

from mwem_core.ask.answers import (
    NORMAL,
    PERHAPS_EMPTY,
    SHIFT,
    TOO_NOISY,
    RestsOn,
    largest_tilt,
    nonlinear,
    not_measured,
    unmeasured_interaction,
)
from mwem_core.ask.conditions import ONE, Feature
from mwem_core.ask.statistic import Block, Reading, Statistic, influences, within_bins
from mwem_core.ask.unshrunk_fits import MAX_CELLS, Fits
from mwem_core.domain import Attrs, Records
from mwem_core.intervals import BinValues, Estimates
from mwem_core.model import align, centre, marginalise

DRAWS = 400  # of the answers with redrawn noise
COPIES, T = 20, 2.093  # and the z of 95% of Student's t, of one degree of freedom fewer
MAX_READ = 2**11  # queries whose noise is read at once


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Values on the statistic's scale, and their standard deviations by noise and by sampling: (p,) each.

    `z` is how many of the first kind an interval is wide on each side. `refused` says why there is no value, or is "".
    """

    values: np.ndarray
    noise: np.ndarray
    sampling: np.ndarray
    z: float
    rests_on: RestsOn
    refused: tuple[str, ...]

    @classmethod
    def none(cls, p: int, reason: str) -> Estimate:
        """A refusal of all."""
        nothing = np.full(p, np.nan)
        return cls(nothing, nothing, nothing, np.nan, "by the model", (reason,) * p)


@dataclass(frozen=True, eq=False, repr=False)
class Estimator:
    """What estimates read: what is `known`, by Laplace noise or else Gaussian, and the synthetic rows."""

    known: Estimates
    laplace: bool
    rows: Records
    bins: Mapping[int, BinValues] = field(default_factory=dict)

    def estimate(self, statistic: Statistic) -> Estimate:
        """By measurements alone, if they determine the statistic; else by copies, if pairs are known; else refused."""
        refusal = self._perhaps_empty(replace(ONE, name="all are counted"))
        found = Estimate.none(len(statistic.names), refusal) if refusal else self._estimate(statistic)
        refused = [
            next(filter(None, map(self._perhaps_empty, needs)), why) if why == TOO_NOISY else why
            for needs, why in zip(cycle(statistic.needs or [()]), found.refused, strict=False)
        ]
        return replace(found, refused=tuple(refused))

    def _perhaps_empty(self, group: Feature) -> str:
        """That a group may have no records; empty if it has some, or is not known by itself."""
        value, variance = self.known.answer(group.S, group.table) or (math.inf, 0.0)
        off = NORMAL * variance**0.5
        few = value <= off and (off < self.known.total[0] or not group.S)
        return PERHAPS_EMPTY.format(most=max(value, 0.0) + off, name=group.name) if few else ""

    def _estimate(self, statistic: Statistic) -> Estimate:
        p, K = len(statistic.names), sum(len(block.q) for block in statistic.blocks)
        if K <= MAX_READ:
            reading = Reading.of(self.known, statistic.blocks)
            if not reading.missing:
                return self._by_measurements(statistic, reading)
        small = dict.fromkeys(A for k in (1, 2) for block in statistic.blocks for A in combinations(block.S, k))
        unknown = [A for A in small if A not in self.known.residuals]
        if unknown:
            return Estimate.none(p, not_measured(self.known.domain, unknown))
        return self._by_copies(statistic)

    def _by_measurements(self, statistic: Statistic, reading: Reading) -> Estimate:
        n, answers = self.known.total[0], reading.values
        with np.errstate(all="ignore"):
            values = statistic.function(answers)
            J = statistic.derivatives(answers, n)
            draws = statistic.function(reading.redrawn(DRAWS, np.random.default_rng(0)))
            linear = np.sqrt(reading.variance(J))
            refused = nonlinear(values, linear, draws)
            within, drawn = within_bins(self.known.domain, self.bins, statistic, answers, J, self._marginal)
            sampling = np.hypot(self._sampling(statistic, J), drawn)
        # Of Laplace noise a single draw reaches 2.12 deviations with 5%, and a sum of many 1.96
        z = (NORMAL + math.log(20) / math.sqrt(2)) / 2 if self.laplace else NORMAL
        return Estimate(values, np.hypot(linear, within), sampling, z, "measured together", refused)

    def _by_copies(self, statistic: Statistic) -> Estimate:
        p, U, domain = len(statistic.names), statistic.attrs, self.known.domain
        if domain.cells(U) > MAX_CELLS:
            return Estimate.none(
                p,
                f"The table of {domain.label(U)} has {domain.cells(U):,} cells, and at most {MAX_CELLS:,} are fitted:"
                " ask about fewer attributes.",
            )
        fits, n = Fits(self.known, U), self.known.total[0]
        rng = fits.rng()
        missing = list(dict.fromkeys(A for block in statistic.blocks for A in fits.unmeasured_sets(block.S)))

        def answers(table: np.ndarray) -> np.ndarray:
            return statistic.answers(lambda S: n * marginalise(table, U, S))

        center, residuals = fits.table()
        with np.errstate(all="ignore"):
            J = statistic.derivatives(answers(center), n)
            own = influences(domain, statistic, J)
            reading = Reading.of(self.known, [Block(S, table) for S, table in own])

            def lost(table: np.ndarray, residuals: Mapping[Attrs, np.ndarray]) -> np.ndarray:
                """What the fit has lost of the residuals, as no table without negative cells may have them: (p,)."""
                found = np.zeros(p)
                for A, weights in reading.weights.items():
                    if A in residuals:
                        off = residuals[A] - centre(marginalise(n * table, U, A))
                        found += (weights @ off.ravel()).reshape(-1, p).sum(axis=0)
                return found

            middle = statistic.function(answers(center)) + lost(center, residuals)
            values, moved = [], []
            for _ in range(COPIES):
                table, residuals = fits.table(rng)
                given_back = lost(table, residuals)
                values.append(statistic.function(answers(table)) + given_back)
                moved.append(statistic.function(answers(fits.tilt(table, missing, rng))) + given_back)
            marginal = partial(marginalise, n * center, U)
            within, drawn = within_bins(domain, self.bins, statistic, answers(center), J, marginal)
            sampling = np.hypot(_sampling_of_table(own, n * center, U), drawn)
            values, moved = np.array(values), np.array(moved)
            by_noise, by_tilt = values.var(axis=0, ddof=1), ((moved - values) ** 2).mean(axis=0)
            noise, tilt = np.sqrt(by_noise + by_tilt), np.sqrt(by_tilt / by_noise)
            # How far copies are off: what drawing the noise once more does to the middle, beyond chance
            off = np.abs(values.mean(axis=0) - middle) - 2 * np.sqrt(by_noise / COPIES)
            shift = np.maximum(off, 0.0) / noise
        if statistic.of_records:  # copies are of n records, which has noise too
            noise = np.hypot(noise, np.abs(middle) / n * self.known.total[1] ** 0.5)
        refused = tuple(
            TOO_NOISY
            if not (np.isfinite(deviation) and off <= SHIFT)
            else unmeasured_interaction(domain, missing)
            if moves > largest_tilt()
            else ""
            for deviation, off, moves in zip(noise + sampling, shift, tilt, strict=True)
        )
        return Estimate(middle, np.hypot(noise, within), sampling, T, "by the model", refused)

    def _marginal(self, S: Attrs) -> np.ndarray:
        """The marginal over S in records, as measured; else as the rows have it."""
        if self.known.knows(S):
            return self.known.table(S)[0]
        return self.rows.marginal(S) * (self.known.total[0] / max(self.rows.total, 1))

    def _sampling(self, statistic: Statistic, J: np.ndarray) -> np.ndarray:
        """The standard deviation of the values, (p,), over random samples of so many records.

        By the measured table where it has all attributes of the queries, else by the synthetic rows.
        """
        U, own = statistic.attrs, influences(self.known.domain, statistic, J)
        if self.known.domain.cells(U) <= MAX_CELLS and self.known.knows(U):
            return _sampling_of_table(own, self.known.table(U)[0], U)
        influence = np.zeros((len(J), len(self.rows.codes[0])))
        for S, table in own:
            cells = np.ravel_multi_index([self.rows.codes[a] for a in S], table.shape[1:]) if S else 0
            influence += table.reshape(len(J), -1)[:, cells] if S else table.reshape(len(J), 1)
        return np.sqrt(self.known.total[0]) * influence.std(axis=1)


def _sampling_of_table(influences: Sequence[tuple[Attrs, np.ndarray]], table: np.ndarray, U: Attrs) -> np.ndarray:
    """The standard deviation of the values, (p,), over random samples from a table over U, in records."""
    influence = np.zeros((len(influences[0][1]), *table.shape))
    for S, of_block in influences:
        influence += np.array([align(each, S, U) for each in of_block])
    shares, influence = table.ravel() / table.sum(), influence.reshape(len(influence), -1)
    mean = influence @ shares
    return np.sqrt(np.maximum((influence**2) @ shares - mean**2, 0.0) * table.sum())
