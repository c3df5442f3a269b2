"""Plans: what round 0 measures once and without selection, and how precisely it then knows every residual.

Every marginal is a sum of orthogonal residuals (`matrix.residuals`). Whatever a plan measures, residuals are fitted:
white noise on a table is independent white noise on each of the table's residuals, so nothing is lost. A plan is made
before the data is seen: it reads the workload and the budget.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from mwem_core.domain import Attrs, Table, nonempty_subsets
from mwem_core.model import Measurement, centre, pool_residuals
from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import Subsets, tables_of, weights_of_tables

REWEIGHTINGS = 20  # of a mixed workload's parts: the shares then move by less than a thousandth

PlanName = Literal["one-way", "residuals", "marginals", "cells"]


class Plan(Protocol):
    """What is measured, at which noise."""

    @property
    def precisions(self) -> np.ndarray:
        """1 / variance, in records⁻², of a coordinate of each subset's measured residual; 0 if it is not measured."""
        ...

    @property
    def total_precision(self) -> float:
        """1 / variance, in records⁻², of what the plan says of the number of records. Residuals say nothing: 0."""
        return 0.0

    def measure(self, B: Table, account: Accountant) -> list[Measurement]:
        """Spend the plan's budget; the measured residuals, or whole tables."""
        ...


@dataclass(frozen=True, eq=False)
class ResidualPlan(Plan):
    """Measure the residuals of up to `max_order` attributes, each once, with planned shares of the budget.

    What is measured is whole numbers. Along A's two-valued attributes they are signed sums: each pair of cells becomes
    one number, with half of its square in each.
    Pure: along the other attributes they are counts. A record moves one number by 1, so Laplace noise of b on each
    costs 1/b, and the noise along a unit vector is b / √2^signs.
    zCDP: along an attribute of more than two values they are n times a count less the sum of all n, which is n times
    the residual. A record moves one of the n by n - 1 and the others by 1: n(n - 1) in squared length, and 1 along a
    two-valued attribute. So it moves r_A itself by p = Π (1 - 1/n) = rank/cells, and noise of σ on r_A costs p/2σ².

    Shares: a coordinate of r_A counts cells · cover in the sum of all squared errors, with cover = Σ 1/q over the
    workload's parts, of q queries, that read r_A. Their sum Σ rank · cells · cover · σ² is least, for the budget, at
    shares ∝ rank √cover under zCDP (`planner.plan`), and ∝ ∛(rank · cells · cover / 2^signs) under ε (Lagrange).

    The terms of a mixed workload have errors of different size: a third of ε takes marginals off by a tenth, and a
    count by a thousandth. So the error of each is measured in what it would be by itself with all of the budget, and
    the shares make the mean of these ratios least, by the weights w. Terms that read nothing in common have the ratio
    1/s at a share s of ε: Σ w/s is least at shares ∝ √w, so equal weights get equal shares (under ρ, ∝ w^(2/3)). What
    several terms read is measured once for all of them, so that no such mean is above that of such plans by themselves
    with these shares. The mean is Σ a √E, with E a part's squared error and a its weight (`Subsets.per_part`).
    √E <= (E / √E₀ + √E₀) / 2, with equality at E₀: so each step finds the shares of the least Σ a E / √E₀ as above,
    from the E₀ of those before, and never raises the mean. This is public: it reads the workload, its weights and the
    budget's unit.
    """

    subsets: Subsets
    budget: Budget
    max_order: int

    @cached_property
    def shares(self) -> np.ndarray:
        """Of the budget, (subsets,), summing to 1."""
        s = self.relative
        shares = self._least_squares(s.cover)
        for _ in range(REWEIGHTINGS if s.Q.terms else 0):
            squares = np.where(s.order <= self.max_order, self._scales_at(shares) ** 2, 0.0)
            errors = s.part_errors(squares)
            counted = s.per_part * np.sqrt(s.Q.query_counts / np.where(errors > 0, errors, np.inf))
            shares = self._least_squares(s.cover_by(counted))
        return shares

    @property
    def relative(self) -> Subsets:
        """The subsets, with the errors of a mixed workload's terms in units of those by themselves.

        Neither this nor a term's scales are cached: `shares` needs them, and threads would wait for each other's locks.
        """
        if not self.subsets.Q.terms:
            return self.subsets
        return replace(self.subsets, units=tuple(map(self._noise_error, self.subsets.of_terms)))

    def _noise_error(self, of_term: Subsets) -> float:
        """The mean error of a term by itself with all of the budget, by noise alone and up to a constant factor."""
        alone = ResidualPlan(of_term, self.budget, self.max_order)
        squares = np.where(of_term.order <= self.max_order, alone._scales_at(alone.shares) ** 2, 0.0)
        return of_term.mean_error(of_term.part_errors(squares), 1.0)

    def _least_squares(self, cover: np.ndarray) -> np.ndarray:
        """The shares of the least sum of squared errors, each residual's counted by its cover: (subsets,)."""
        s = self.subsets
        if self.budget.unit == "ε":
            shares = np.cbrt(s.rank * s.cells * cover / 2**s.signs)
        else:
            shares = s.rank * np.sqrt(cover)
        shares = np.where(s.order <= self.max_order, shares, 0.0)
        return shares / shares.sum()

    @cached_property
    def scales(self) -> np.ndarray:
        """Of the noise along a unit vector of each residual: (subsets,), inf where it is not measured."""
        return self._scales_at(self.shares)

    def _scales_at(self, shares: np.ndarray) -> np.ndarray:
        s = self.subsets
        with np.errstate(divide="ignore"):
            if self.budget.unit == "ε":
                return self.budget.scale / shares / np.sqrt(2**s.signs)
            return self.budget.scale * np.sqrt(s.rank / s.cells / shares)

    @property
    def precisions(self) -> np.ndarray:
        """See `Plan`."""
        return 1 / (self.budget.variance_at(1) * self.scales**2)

    def measure(self, B: Table, account: Accountant) -> list[Measurement]:
        """See `Plan`."""
        measured = np.flatnonzero(self.shares)
        sets = [self.subsets.sets[i] for i in measured]
        times = self.budget.unit == "ρ"
        whole = [whole_residual(table, times=times) for table in B.marginals(sets)]
        shapes = [self.subsets.Q.domain.sizes(A) for A in sets]
        moves = [math.prod(n * (n - 1) for n in shape if n > 2) if times else 1 for shape in shapes]
        noisy = account.measure_each(whole, cost=self.budget, shares=self.shares[measured], sensitivities=moves)
        return [
            Measurement(A, residual_of(values, shape, times=times), scale, centred=True)
            for A, values, shape, scale in zip(sets, noisy, shapes, self.scales[measured].tolist(), strict=True)
        ]


def whole_residual(table: np.ndarray, *, times: bool) -> np.ndarray:
    """What `ResidualPlan` measures of a table: signed sums along two values, else counts, or n `times` the residual."""
    for axis, n in enumerate(table.shape):
        if n == 2:
            table = -np.diff(table, axis=axis)
        elif times:
            table = n * table - table.sum(axis=axis, keepdims=True)
    return table


def residual_of(whole: np.ndarray, shape: Sequence[int], *, times: bool) -> np.ndarray:
    """The residual, of this shape, whose whole numbers were measured; noise outside of its space is left out."""
    for axis, n in enumerate(shape):
        if n == 2:
            whole = np.concatenate([whole, -whole], axis=axis) / 2
        elif times:
            whole = whole / n
    return centre(whole)


@dataclass(frozen=True, eq=False)
class TablePlan:
    """Measure whole tables, each once: the workload's own, or the one table of all cells of D.

    A table's marginal on A knows r_A with the variance of a cell's noise times the cells summed. Cells are whole
    numbers of records, so under ε their noise is whole too (the geometric mechanism). For one table that matters: at
    ε = 3 its variance is half of Laplace noise's, and at ε = 10 one cell in 11,000 has any.
    """

    subsets: Subsets
    budget: Budget
    tables: Sequence[Attrs]

    @cached_property
    def shares(self) -> np.ndarray:
        """Of the budget, (tables,), summing to 1; see `weights_of_tables`."""
        weights = weights_of_tables(self._table_cells, self.budget.unit)
        return weights / weights.sum()

    @cached_property
    def _table_cells(self) -> np.ndarray:
        return np.array([self.subsets.Q.domain.cells(S) for S in self.tables], float)

    @cached_property
    def _scales(self) -> np.ndarray:
        return np.array([self.budget.part(share).scale_of_counts for share in self.shares.tolist()])

    @cached_property
    def _precisions(self) -> np.ndarray:
        """1 / scale², summed over the tables with each subset: (subsets,)."""
        precisions = np.zeros(len(self.subsets.sets))
        number = {A: i for i, A in enumerate(self.subsets.sets)}
        for S, cells, scale in zip(self.tables, self._table_cells, self._scales, strict=True):
            for A in subsets_of_table(S, self.tables, self.subsets):
                precisions[number[A]] += self.subsets.cells[number[A]] / (cells * scale**2)
        return precisions

    @property
    def precisions(self) -> np.ndarray:
        """See `Plan`."""
        return self._precisions / self.budget.variance_at(1)

    @property
    def total_precision(self) -> float:
        """See `Plan`: each table's cells add up to the number of records."""
        return float((1 / (self._table_cells * self._scales**2)).sum() / self.budget.variance_at(1))

    def measure(self, B: Table, account: Accountant) -> list[Measurement]:
        """See `Plan`."""
        marginals, ones = B.marginals(self.tables), [1] * len(self.tables)
        noisy = account.measure_each(marginals, cost=self.budget, shares=self.shares, sensitivities=ones, counts=True)
        return list(map(Measurement, self.tables, noisy, self._scales.tolist()))


def subsets_of_table(S: Attrs, tables: Sequence[Attrs], subsets: Subsets) -> Sequence[Attrs]:
    """The subsets within S, one of these tables; a single table has them all."""
    return subsets.sets if len(tables) == 1 else nonempty_subsets(S)


def total_of(measured: Sequence[Measurement]) -> Measurement:
    """The number of records that whole tables add up to, as a measurement: their mean, weighted by precision."""
    precisions = np.array([1 / (m.value.size * m.scale**2) for m in measured])
    sums = np.array([m.value.sum() for m in measured])
    return Measurement((), np.array(precisions @ sums / precisions.sum()), float(precisions.sum() ** -0.5))


def residuals_of(measured: Sequence[Measurement], subsets: Subsets) -> list[Measurement]:
    """The residuals that a plan measured, in the order of `subsets`; those of whole tables are pooled."""
    if measured[0].centred:
        return list(measured)
    tables = [m.attrs for m in measured]
    known = {m.attrs: m for m in pool_residuals(measured, lambda S: subsets_of_table(S, tables, subsets))}
    return [known[A] for A in subsets.sets]


def make_plan(name: PlanName, subsets: Subsets, budget: Budget) -> Plan:
    """The plan of this name for the workload of `subsets`."""
    if name == "cells":
        return TablePlan(subsets, budget, [subsets.Q.reads])
    if name == "marginals":
        return TablePlan(subsets, budget, tables_of(subsets.Q).sets)
    return ResidualPlan(subsets, budget, 1 if name == "one-way" else int(subsets.order.max()))
