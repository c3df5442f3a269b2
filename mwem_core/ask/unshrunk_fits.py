"""Fits without shrinkage: near what was measured and next to no prior, once or with its noise drawn again.

A fit near a prior makes the errors of tables small. It draws what noise hides towards independence, so it makes
correlations and differences weaker than they are, in the mean over the noise. So these fits have next to no prior. They
read what was released, so they cost no privacy. What was not measured at all is even in them, and not so in the
population: `Fits.tilt` adds interactions as strong as those of typical tables. Copies are rows of such fits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from mwem_core.ask.answers import SHIFT, Of, not_measured
from mwem_core.base import constants
from mwem_core.domain import Attrs, Domain, Records, nonempty_subsets
from mwem_core.intervals import Estimates
from mwem_core.model import LogLinear, Measurement, Prior, align, centre, marginalise, most_probable, replay
from mwem_core.output import round_rows, sample
from mwem_core.prior import tree_for, typical_strength
from mwem_core.weighted import CorrectedModel, Model, Single, WeightedRecords, reweight, rows_for
from mwem_core.workload import Workload, tables_of

MAX_CELLS = 2**15  # of a fitted table
STRENGTH = 1.0  # of the prior that is left, in records
ITERATIONS, TOLERANCE = 3000, 0.02
STEP, SWEEPS = 3.0, 400  # of a replay
MAX_TREE_CELLS, TREE_TOLERANCE = 2**15, 0.0005  # of a tree, where one table would be too large
LEAST_VARIANCE = 1e-6  # of noise, records²
MIN_MISFIT = 1e-9  # of the noise's variance: a fit of weighted rows would otherwise end once it is within the noise
RAKES = 12  # sweeps that give a tilted table its measured marginals back


def without_shrinkage(model: Model, Q: Workload, known: Estimates) -> Model:
    """The model that fits what is known of Q's tables, near this one by a prior of the weight of one record.

    What was not measured stays as the model has it, and so does the average of several models. Weighted rows get new
    weights, and answer by themselves: tables corrected towards a model are what is to be avoided.
    """
    A = model.A if isinstance(model, CorrectedModel) else model
    if isinstance(A, LogLinear):
        held = [
            Measurement(S, value, variance**0.5, centred=True)
            for S, (value, variance) in known.residuals.items()
            if A.covers(S)
        ]
        prior = Prior(STRENGTH, 1.0, A.theta)
        return replay(A, held, step=STEP, sweeps=SWEEPS, tolerance=constants.PLANNED_TOLERANCE, prior=prior)
    if isinstance(A, WeightedRecords):
        sets = dict.fromkeys(R for S in tables_of(Q).sets for R in known.largest_within(S) if R)
        return fitted_rows(A, known, list(sets), np.random.default_rng(1)) if sets else model
    return model


def fitted_rows(
    A: WeightedRecords, known: Estimates, sets: Sequence[Attrs], rng: np.random.Generator
) -> WeightedRecords:
    """The rows with the weights that fit these known tables as they were measured: a cell may be below zero."""
    tables = [
        Measurement(S, value, variance**0.5) for S, (value, variance) in zip(sets, map(known.table, sets), strict=True)
    ]
    redraws = constants.ROWS_REDRAWS if A.draws else 0
    return reweight(A, tables, variance=MIN_MISFIT, tolerance=constants.ROWS_TOLERANCE, redraws=redraws, rng=rng)


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits over U, a few attributes, from what is known of them. Tables are (*shape of U), in shares."""

    known: Estimates
    U: Attrs

    @cached_property
    def measured(self) -> list[Attrs]:
        """The subsets of U whose residuals are known."""
        return [A for A in nonempty_subsets(self.U) if A in self.known.residuals]

    def rng(self) -> np.random.Generator:
        """Draws that are the same for the same measurements, and others for others.

        A spread of 20 draws is off by a sixth: with the same draws for all releases, all intervals would be off alike.
        """
        values = b"".join(self.known.residuals[A][0].tobytes() for A in self.measured)
        return np.random.default_rng(list(blake2b(values, digest_size=16).digest()))

    def table(self, rng: np.random.Generator | None = None) -> tuple[np.ndarray, dict[Attrs, np.ndarray]]:
        """The fit to what was measured, and the residuals that it was to fit, in records.

        With `rng`, all of the noise is drawn once more.
        """
        A_0, measured = self._with_noise(rng)
        fit = most_probable(
            A_0, measured, strength=STRENGTH, unit_variance=1.0, iterations=ITERATIONS, tolerance=TOLERANCE
        )
        residuals = {A: m.value for A, m in zip(self.measured, measured, strict=True)}
        return fit.marginal(tuple(range(len(self.U)))) / fit.total, residuals

    def large(self, rng: np.random.Generator) -> Single:
        """A fit where one table would be too large, near what was measured with its noise drawn again.

        A junction tree of as many of the measured tables as fit; where it has not all, weighted rows that are drawn
        from it and fitted to all. Attributes are numbered from 0, in the order of U.
        """
        A, measured = self._with_noise(rng)
        sets = [m.attrs for m in measured]
        largest = [m for m in measured if not any(set(m.attrs) < set(S) for S in sets)]
        tree, held = tree_for(A, measured, largest, cells=MAX_TREE_CELLS)
        prior = Prior(STRENGTH, 1.0, tree.theta)
        tree = replay(tree, held, step=STEP, sweeps=SWEEPS, tolerance=TREE_TOLERANCE, prior=prior)
        rows = rows_for(len(largest))
        if len(held) == len(measured) or not rows:
            return tree
        domain = self.known.domain.project([self.known.domain.names[a] for a in self.U])
        drawn = Estimates(domain, (A.total, 0.0), {m.attrs: (m.value, m.scale**2) for m in measured}, {})
        return fitted_rows(WeightedRecords.drawn_from(tree, rows, rng), drawn, [m.attrs for m in largest], rng)

    def _with_noise(self, rng: np.random.Generator | None) -> tuple[LogLinear, list[Measurement]]:
        """An even table of U, and the known residuals, both with their noise drawn again if there is an `rng`."""
        n, variance = self.known.total
        n = max(1.0, n + (0.0 if rng is None else variance**0.5 * float(rng.standard_normal())))
        place = {a: i for i, a in enumerate(self.U)}
        measured = []
        for A in self.measured:
            value, variance = self.known.residuals[A]
            if rng is not None:
                value = value + variance**0.5 * centre(rng.standard_normal(value.shape))
            scale = max(variance, LEAST_VARIANCE) ** 0.5
            measured.append(Measurement(tuple(place[a] for a in A), value, scale, centred=True))
        possible = {
            tuple(place[a] for a in S): cells
            for S, cells in self.known.domain.possible.items()
            if set(S) <= set(self.U)
        }
        return LogLinear.uniform(self.known.domain.sizes(self.U), n, possible), measured

    def misfit(self, table: np.ndarray) -> float:
        """How far this table is from what was measured of single attributes, at most, in standard deviations of it."""
        worst = 0.0
        for A in self.measured:
            if len(A) == 1:
                value, variance = self.known.residuals[A]
                off = centre(marginalise(table, self.U, A)) * self.known.total[0] - value
                deviation = (variance * (1 - 1 / off.size)) ** 0.5
                worst = max(worst, float(np.abs(off).max()) / max(deviation, 1e-9))
        return worst

    def unmeasured_sets(self, S: Attrs) -> list[Attrs]:
        """The subsets of S, of two attributes or more, whose residuals are not known."""
        return [A for A in nonempty_subsets(S) if len(A) > 1 and A not in self.known.residuals]

    def tilt(self, table: np.ndarray, missing: Sequence[Attrs], rng: np.random.Generator) -> np.ndarray:
        """The table with random interactions of `missing` sets, and its measured marginals as they were.

        With log-weights of variance cells / λ an interaction carries the information of a typical one, rank / 2λ nats.
        """
        if not missing:
            return table
        n, domain, logs = self.known.total[0], self.known.domain, np.zeros(table.shape)
        for A in missing:
            sizes = domain.sizes(A)
            strength = float(typical_strength(len(A), np.array(math.prod(k - 1.0 for k in sizes)), n))
            interaction = centre(rng.standard_normal(sizes)) * math.sqrt(math.prod(sizes) / strength)
            logs = logs + align(interaction, A, self.U)
        tilted, margins = table * np.exp(logs), self._largest
        for _ in range(RAKES):
            for S in margins:
                now = marginalise(tilted, self.U, S)
                ratio = np.divide(marginalise(table, self.U, S), now, out=np.zeros_like(now), where=now > 0)
                tilted = tilted * align(ratio, S, self.U)
        return tilted

    @cached_property
    def _largest(self) -> list[Attrs]:
        """The largest subsets of U whose tables are known."""
        return [S for S in self.known.largest_within(self.U) if S]


def copy_records(
    known: Estimates, attributes: Sequence[str], m: int, of: Of, *, rows: int, rng: np.random.Generator
) -> Iterator[Records]:
    """m tables of so many rows of these attributes, each of a fit to redrawn noise, one after another.

    Where the attributes' table is small enough and is fitted, each has random interactions of what was not measured.
    Else what was not measured is as a model of the measured tables has it (`Fits.large`). Raises ValueError for an
    attribute of which nothing was measured.
    """
    U = known.domain.attrs(*attributes)
    fits, own = Fits(known, U), known.domain.project([known.domain.names[a] for a in U])
    if unknown := [(a,) for a in U if (a,) not in known.residuals]:
        raise ValueError(not_measured(known.domain, unknown))
    make = sample if of == "population" else round_rows
    small = known.domain.cells(U) <= MAX_CELLS and fits.misfit(fits.table()[0]) <= SHIFT
    missing = fits.unmeasured_sets(U) if small else []
    for _ in range(m):
        if small:
            yield _records(own, fits.tilt(fits.table(rng)[0], missing, rng), rows, of, rng)
        else:
            yield make(own, fits.large(rng), rows, rng)


def _records(domain: Domain, table: np.ndarray, rows: int, of: Of, rng: np.random.Generator) -> Records:
    """So many rows of a table in shares: a random sample, or each cell as often as expected to within one."""
    shares = np.maximum(table.ravel(), 0.0) / np.maximum(table, 0.0).sum()
    if of == "population":
        counts = rng.multinomial(rows, shares)
    else:
        ends = np.floor(np.cumsum(shares) * rows + rng.random())
        ends[-1] = rows
        counts = np.diff(np.minimum(ends, rows), prepend=0.0).astype(int)
    codes = np.unravel_index(rng.permutation(np.repeat(np.arange(table.size), counts)), table.shape)
    sizes = [np.min_scalar_type(size - 1) for size in domain.shape]
    return Records(domain, tuple(code.astype(size) for code, size in zip(codes, sizes, strict=True)))
