"""Estimates of a statistic: from what was measured where that determines it, else by copies, else refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from mwem_core.asking.answers import RestsOn
from mwem_core.asking.fits import MAX_CELLS, Fits
from mwem_core.asking.measured import Block, Reading
from mwem_core.asking.statistic import Statistic
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs
from mwem_core.fitted import UNCERTAINTY
from mwem_core.intervals.known import Known
from mwem_core.model.prior.strength import NODE_WEIGHTS, NODES
from mwem_core.model.sums import align, centred, marginalise

LEAST_COVERAGE = 0.93  # that an answer must be expected to have, of intervals of nominal 95%
NORMAL = 1.959964  # z of 95%
DRAWS = 400  # of the answers with redrawn noise
COPIES, T = 20, 2.093  # and the z of 95% of Student's t, of one degree of freedom fewer
SHIFT = 0.4  # standard deviations off, at which an interval of 95% holds 93%
MAX_READ = 2**12  # queries whose noise is read at once


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class Estimator:
    """What estimates read: what is `known`, by Laplace noise or else Gaussian, and the synthetic rows."""

    known: Known
    laplace: bool
    rows: Records

    def estimate(self, statistic: Statistic) -> Estimate:
        """By measurements alone, if they determine the statistic; else by copies, if pairs are known; else refused."""
        p, K = len(statistic.names), sum(len(block.q) for block in statistic.blocks)
        if K <= MAX_READ:
            reading = Reading.of(self.known, statistic.blocks)
            if not reading.missing:
                return self._by_measurements(statistic, reading)
        unknown = [A for A in _small_subsets(statistic.blocks) if A not in self.known.residuals]
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
            sampling = self._sampling(statistic.blocks, J)
            refused = _nonlinear(values, linear, draws)
        # Of Laplace noise a single draw reaches 2.12 deviations with 5%, and a sum of many 1.96
        z = (NORMAL + math.log(20) / math.sqrt(2)) / 2 if self.laplace else NORMAL
        return Estimate(values, linear, sampling, z, "measured together", refused)

    def _by_copies(self, statistic: Statistic) -> Estimate:
        p, U, domain = len(statistic.names), statistic.attrs, self.known.domain
        if domain.cells(U) > MAX_CELLS:
            return Estimate.none(
                p,
                f"The table of {domain.label(U)} has {domain.cells(U):,} cells, and at most {MAX_CELLS:,} are fitted:"
                " ask about fewer attributes.",
            )
        fits, rng, n = Fits(self.known, U), np.random.default_rng(0), self.known.total[0]
        missing = list(dict.fromkeys(A for block in statistic.blocks for A in fits.unmeasured(block.S)))
        of = self._answers_of(statistic.blocks, U)
        center, _ = fits.table()
        with np.errstate(all="ignore"):
            J = statistic.derivatives(of(center), n)
            known = Linear.of(self.known, influences(domain, statistic.blocks, J), U)
            values, moved = [], []
            for _ in range(COPIES):
                table, residuals = fits.table(rng)
                lost = known.of_residuals(residuals) - known.of_table(n * table)
                values.append(statistic.function(of(table)) + lost)
                moved.append(statistic.function(of(fits.tilted(table, missing, rng))) + lost)
            sampling = self._sampling_of_table(statistic.blocks, J, n * center, U)
        mean, noise, widening = combined(np.array(values), np.array(moved))
        refused = tuple(
            TOO_NOISY
            if not np.isfinite(deviation)
            else unmeasured_interaction(domain, missing)
            if wide > widest()
            else ""
            for deviation, wide in zip(noise + sampling, widening, strict=True)
        )
        return Estimate(mean, noise, sampling, T, "by the model", refused)

    def _answers_of(self, blocks: Sequence[Block], U: Attrs) -> Callable[[np.ndarray], np.ndarray]:
        """The queries' answers from a table over U in shares, in records."""
        n = self.known.total[0]

        def answers(table: np.ndarray) -> np.ndarray:
            found = []
            for block in blocks:
                others = tuple(i for i, a in enumerate(U) if a not in block.S)
                found.append(block.q.reshape(len(block.q), -1) @ (n * table.sum(axis=others)).ravel())
            return np.concatenate(found)

        return answers

    def _sampling(self, blocks: Sequence[Block], J: np.ndarray) -> np.ndarray:
        """The standard deviation of the values, (p,), over random samples of so many records.

        By the measured table where it has all attributes of the queries, else by the synthetic rows.
        """
        U = tuple(sorted({a for block in blocks for a in block.S}))
        if self.known.domain.cells(U) <= MAX_CELLS and self.known.knows(U):
            return self._sampling_of_table(blocks, J, self.known.table(U)[0], U)
        influence = np.zeros((len(J), len(self.rows.codes[0])))
        for S, table in influences(self.known.domain, blocks, J):
            cells = np.ravel_multi_index([self.rows.codes[a] for a in S], table.shape[1:]) if S else 0
            influence += table.reshape(len(J), -1)[:, cells] if S else table.reshape(len(J), 1)
        return np.sqrt(self.known.total[0]) * influence.std(axis=1)

    def _sampling_of_table(self, blocks: Sequence[Block], J: np.ndarray, table: np.ndarray, U: Attrs) -> np.ndarray:
        influence = np.zeros((len(J), *table.shape))
        for S, of_block in influences(self.known.domain, blocks, J):
            influence += np.array([align(each, S, U) for each in of_block])
        shares, influence = table.ravel() / table.sum(), influence.reshape(len(J), -1)
        mean = influence @ shares
        return np.sqrt(np.maximum((influence**2) @ shares - mean**2, 0.0) * self.known.total[0])


@dataclass(frozen=True, eq=False)
class Linear:
    """What p linear functions of a table over U read of its known residuals: `weights`, (p, cells of A) by A.

    No table without negative cells may have the residuals as measured. What a fit has lost of them is given back to a
    statistic to first order.
    """

    U: Attrs
    weights: dict[Attrs, np.ndarray]

    @classmethod
    def of(cls, known: Known, influences: Sequence[tuple[Attrs, np.ndarray]], U: Attrs) -> Linear:
        """That of the sum of these functions, each of a marginal: (p, *shape)."""
        weights: dict[Attrs, np.ndarray] = {}
        for S, table in influences:
            for A, read in Reading.of(known, [Block(S, table)]).weights.items():
                if A in known.residuals:
                    weights[A] = weights.get(A, 0.0) + read
        return cls(U, weights)

    def of_residuals(self, residuals: Mapping[Attrs, np.ndarray]) -> np.ndarray:
        """Their values where these are the residuals, in records: (p,)."""
        return sum((weights @ residuals[A].ravel() for A, weights in self.weights.items()), np.zeros(()))

    def of_table(self, table: np.ndarray) -> np.ndarray:
        """Their values of a table over U, in records: (p,)."""
        return self.of_residuals({A: centred(marginalise(table, self.U, A)) for A in self.weights})


TOO_NOISY = "The noise is too large beside what is asked: measure with more of the budget, or ask about larger groups."


def combined(values: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of copies, its standard deviation, and how many times wider tilts make that: (m, p) twice -> (p,) each.

    `values` are those of m copies, and `moved` those of the same copies with random unmeasured interactions. The mean
    errs as the noise that is in the release does, and by a mean of m more (Rubin 1987; Raghunathan et al. 2003).
    """
    with np.errstate(all="ignore"):
        by_noise, by_tilt = values.var(axis=0, ddof=1), ((moved - values) ** 2).mean(axis=0)
        widening = np.sqrt(1 + by_tilt / by_noise)
    return values.mean(axis=0), np.sqrt((1 + 1 / len(values)) * (by_noise + by_tilt)), widening


def not_fitted(label: str, off: float) -> str:
    """That no table was found that fits."""
    return (
        f"No table was found that fits what was measured of {label}: the nearest is off by {off:.1f} standard"
        " deviations of the noise. Measure with more of the budget, or ask about fewer attributes."
    )


def not_measured(domain: Domain, sets: Sequence[Attrs]) -> str:
    """That these were not measured, and what to measure."""
    names = [domain.label(A) for A in sets]
    some = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    return (
        f"{some} {'was' if len(names) == 1 else 'were'} not measured, so a model alone would answer:"
        f" measure {'it' if len(names) == 1 else 'them'}."
    )


def unmeasured_interaction(domain: Domain, sets: Sequence[Attrs]) -> str:
    """That an interaction of these might change the answer, and what to measure."""
    largest = domain.label(max(sets, key=len)) if sets else ""
    return (
        f"An interaction of {largest} was not measured, and a typical one would change the answer: measure {largest}."
    )


@cache
def widest() -> float:
    """How many times wider typical interactions may make an interval, for an answer not to be refused.

    Interactions differ: the logarithm of their information is normal around the typical one, with `UNCERTAINTY`. An
    interval as wide as typical ones make it holds 95% in their mean, less where they are stronger. This is the largest
    widening at which it holds at least `LEAST_COVERAGE` over all of them.
    """
    low, high = 1.0, 3.0
    for _ in range(40):
        r = (low + high) / 2
        low, high = (r, high) if _coverage(r) >= LEAST_COVERAGE else (low, r)
    return low


def _coverage(r: float) -> float:
    """That of an interval widened r times by typical interactions, over all."""
    spread = np.sqrt(1 + (r**2 - 1) * np.exp(UNCERTAINTY * NODES))
    return float(sum(w * math.erf(NORMAL * r / s / math.sqrt(2)) for w, s in zip(NODE_WEIGHTS, spread, strict=True)))


def _nonlinear(values: np.ndarray, linear: np.ndarray, draws: np.ndarray) -> tuple[str, ...]:
    """A refusal of each value whose draws with redrawn noise are not about it, as far as derivatives say: (p,).

    Were the noise drawn again about what it has made of the truth, the middle of the draws would be as far from the
    value as the value is from the truth by curvature.
    """
    low, middle, high = np.nanpercentile(draws, [2.5, 50, 97.5], axis=0)
    spread, undefined = (high - low) / (2 * NORMAL), np.isnan(draws).mean(axis=0)
    good = np.isfinite(values) & np.isfinite(linear) & (undefined <= 1 - LEAST_COVERAGE)
    good &= (np.abs(middle - values) <= SHIFT * linear) & (spread <= 1.25 * linear) & (linear <= 1.25 * spread)
    return tuple("" if ok else TOO_NOISY for ok in good | (linear == 0) & np.isfinite(values))


def _small_subsets(blocks: Sequence[Block]) -> list[Attrs]:
    """The attributes and the pairs of attributes of each block."""
    ones = [(a,) for block in blocks for a in block.S]
    pairs = [(a, b) for block in blocks for i, a in enumerate(block.S) for b in block.S[i + 1 :]]
    return list(dict.fromkeys([*ones, *pairs]))


def influences(domain: Domain, blocks: Sequence[Block], J: np.ndarray) -> list[tuple[Attrs, np.ndarray]]:
    """What a record in each cell of each block's marginal moves the values by, to first order: (p, *shape)."""
    found, first = [], 0
    for block in blocks:
        k = len(block.q)
        moved = J[:, first : first + k] @ block.q.reshape(k, -1)
        found.append((block.S, moved.reshape(len(J), *domain.sizes(block.S))))
        first += k
    return found
