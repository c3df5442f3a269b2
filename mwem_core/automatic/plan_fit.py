"""Runs whose plan measures everything at once, or nothing: the rounds fit what was measured, order by order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeVar

import numpy as np

from mwem_core.algorithm import Private, Round
from mwem_core.automatic.correction import corrected_tables
from mwem_core.automatic.plans import PlanName, make_plan, residuals_of, total_of
from mwem_core.automatic.public_model import PublicStart
from mwem_core.automatic.sizes import (
    are_rows,
    check_plan,
    goes_beyond,
    rounds_beyond,
    rounds_of_plan,
    rows_to_fit,
)
from mwem_core.base import constants
from mwem_core.domain import OfTotal, Table
from mwem_core.model import LogLinear, Measurement, check_rules
from mwem_core.mwem import UniformStart
from mwem_core.prior import MAX_FITTED_CELLS, MAX_FUNCTIONS, fitted_by_attribute, fitted_by_order, tree_for
from mwem_core.privacy import Accountant, Ledger
from mwem_core.weighted import CorrectedModel, Model, Single, WeightedRecords, reweight
from mwem_core.workload import Subsets, Workload, lower, rows_hold, subsets_of, tables_of

SWEEPS: dict[str, Any] = {"step": 3.0, "sweeps": 400, "in_order": False}

FittedModel = Single | CorrectedModel  # what a round of a plan releases
ModelType = TypeVar("ModelType", bound=FittedModel)


@dataclass(frozen=True, kw_only=True)
class Planned(Private):
    """Measure everything once, as a plan says, and fit it near a prior: nothing is selected.

    (ε, δ)-differential privacy under adding or removing one record; the total n is taken as public. The plan is made of
    public numbers, before the data is seen. Raises ValueError for settings out of range.
    """

    plan: PlanName = "marginals"
    within: Literal["workload", "lower"] = "workload"  # or the marginals of one attribute fewer
    tolerance: float = constants.PLANNED_TOLERANCE  # of the fit: the relative change below which it stops
    start: UniformStart | PublicStart = UniformStart()

    def __post_init__(self):
        super().__post_init__()
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and less than 1, got {self.tolerance!r}")

    def measured(self, workload: Workload) -> Workload:
        """The workload that the plan is for."""
        return lower(workload) if self.within == "lower" else workload

    def planned_rounds(self, n: float, workload: Workload) -> int:
        """One for each order of residuals, or as `rounds_of_plan` says."""
        return rounds_of_plan(self.plan, self.measured(workload), self.guarantee.budget, n)

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a workload that the plan cannot serve."""
        check_rules(workload.domain)
        self.start.check(workload, MAX_FITTED_CELLS)
        check_plan(self.plan, self.measured(workload), self.guarantee.budget)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[Model]]:
        """Round 0, then the rounds that fit what was measured."""
        start = self.start.begin(B, Q, account, MAX_FITTED_CELLS)
        yield start
        yield from plan_rounds(self.plan, B, self.measured(Q), account, start, tolerance=self.tolerance)


def plan_rounds(
    plan: PlanName,
    B: Table,
    Q: Workload,
    account: Accountant,
    start: Round[LogLinear],
    *,
    share: Fraction = Fraction(1),
    tolerance: float,
) -> Iterator[Round[Single | CorrectedModel]]:
    """Measure by the plan, for this share of what round 0 left. Each round fits more of what was measured.

    Everything is measured, and the share spent, before round 1. Round i fits all residuals of up to i attributes; where
    D is too large for one table, see `beyond_one_table`. Of cells whose noise is next to nothing, those with records
    are the weighted records (`are_rows`). Attributes of more than `MAX_FUNCTIONS` values are fitted by sweeps: their
    orthonormal functions would take n³ operations.

    Whole tables say how many records there are, too. Where n is noisy, the model has the mean of both numbers, weighted
    by precision, and the first round releases that of the tables with the residuals.
    """
    budget, subsets = account.left.part(share), subsets_of(Q)
    noisy, counts = make_plan(plan, subsets, budget).measure(B, account), are_rows(plan, Q, budget, start.model.total)
    total = tuple[Measurement, ...]()
    if isinstance(B, OfTotal) and B.scale and noisy[0].whole:
        total = (total_of(noisy),)
        n = total_of([Measurement((), np.array(float(B.total)), B.scale), *total])
        start = replace(start, model=replace(start.model, total=float(max(1, round(float(n.value))))))
    residuals, variance = residuals_of(noisy, subsets), budget.variance_at(1)
    cells = noisy[0].value if counts else None
    sweeping = SWEEPS | {"tolerance": tolerance}
    entries = _fit_rounds(plan, Q, cells, residuals, variance, start, account.ledger, sweeping)
    first = next(entries)
    yield replace(first, planned=(*total, *first.planned), tables=tuple(noisy) if noisy[0].whole else ())
    yield from entries


def _fit_rounds(
    plan: PlanName,
    Q: Workload,
    cells: np.ndarray | None,
    measured: Sequence[Measurement],
    variance: float,
    start: Round[LogLinear],
    ledger: Ledger,
    sweeping: dict[str, Any],
) -> Iterator[Round[FittedModel]]:
    """The rounds that fit the residuals measured; noisy `cells` are not fitted, but taken as rows."""
    if cells is not None:
        tables = measured_tables(subsets_of(tables_of(Q)), measured, start.model.total)
        A = counted_rows(start.model, cells, tables, variance)
        yield fitted_round(start.index + 1, ledger, start.model, A, "the cells with records", tuple(measured))
        return
    if goes_beyond(plan, Q):
        yield from beyond_one_table(Q, measured, variance, start, ledger, sweeping)
        return
    by_sweeps = max(max(m.value.shape) for m in measured) > MAX_FUNCTIONS
    models = fitted_by_order(start.model, measured, variance=variance, sweeping=sweeping, by_sweeps=by_sweeps)
    yield from rounds_by_order(start, ledger, models, measured)


def beyond_one_table(
    Q: Workload,
    measured: Sequence[Measurement],
    variance: float,
    start: Round[LogLinear],
    ledger: Ledger,
    sweeping: dict[str, Any],
) -> Iterator[Round[FittedModel]]:
    """Fit attribute after attribute, then a junction tree of the residuals that say most, then weighted records.

    Weighted records are drawn from the tree and fitted to the tables expected then. These tables answer
    (`correction`), and the records answer what no table holds. The tree is fitted by sweeps: with many cells
    that noise decides, the dual's optimum takes longer to reach.
    """
    entry, n = start, start.model.total
    for a, A in fitted_by_attribute(start.model, measured, Q.reads, variance, sweeping):
        own = tuple(m for m in measured if m.attrs == (a,))
        entry = fitted_round(entry.index + 1, ledger, entry.model, A, Q.domain.label((a,)), own)
        yield entry
    tables = measured_tables(subsets_of(tables_of(Q)), measured, n)
    by_attribute, (tree, held) = entry, tree_for(entry.model, measured, tables, cells=MAX_FITTED_CELLS)
    models = fitted_by_order(tree, held, variance=variance, sweeping=sweeping, by_sweeps=True, above=1)
    for entry in rounds_by_order(by_attribute, ledger, models, held, above=1):
        yield entry
    queries = [term.workload for term in Q.terms if not term.workload.tabular]  # a plan knows their tables better
    read_alone = {S for part in queries for S in tables_of(part).sets}
    known = corrected_tables(entry.model, tables_of(Q), tables, variance, alone=read_alone)
    redraws = constants.FEW_ROWS_REDRAWS if Q.tabular and not rows_hold(Q) else constants.ROWS_REDRAWS
    rows = rows_with(entry.model, known, rows_to_fit(Q), redraws)
    inside = {m.attrs for m in held}
    rest = tuple(m for m in measured if m.attrs not in inside)
    index = start.index + rounds_beyond(Q)
    fitted_rows = fitted_round(index, ledger, entry.model, rows, "all together, by records with weights", rest)
    yield replace(fitted_rows, model=CorrectedModel(rows, {m.attrs: m.value for m in known}))


def rounds_by_order(
    before: Round[LogLinear],
    ledger: Ledger,
    models: Iterable[LogLinear],
    measured: Sequence[Measurement],
    *,
    above: int = 0,
) -> Iterator[Round[LogLinear]]:
    """A round for each model: each fits the residuals of one order more, the first those of order `above` + 1."""
    for order, A in enumerate(models, start=above + 1):
        label = "one attribute at a time" if order == 1 else f"{order} attributes at a time"
        of_order = tuple(m for m in measured if len(m.attrs) == order)
        before = fitted_round(before.index + 1, ledger, before.model, A, label, of_order)
        yield before


def rows_with(A: LogLinear, known: Sequence[Measurement], rows: int, redraws: int) -> WeightedRecords:
    """So many weighted rows, drawn from A and fitted to tables, as far as these are known and rows can have them."""
    drawn, rng = WeightedRecords.drawn_from(A, rows, np.random.default_rng(0)), np.random.default_rng(1)
    return reweight(drawn, known, variance=1.0, tolerance=constants.ROWS_TOLERANCE, redraws=redraws, rng=rng)


def counted_rows(A: LogLinear, cells: np.ndarray, tables: Sequence[Measurement], variance: float) -> WeightedRecords:
    """The cells with records as weighted rows, fitted to the tables that all cells add up to.

    Cells that noise took below zero cannot be rows, so what it added elsewhere no longer cancels; the fit takes it out.
    """
    rows = WeightedRecords.of_counts(A, cells)
    rng = np.random.default_rng(1)
    return reweight(rows, tables, variance=variance, tolerance=constants.ROWS_TOLERANCE, redraws=0, rng=rng)


def measured_tables(subsets: Subsets, measured: Sequence[Measurement], n: float) -> list[Measurement]:
    """The workload's tables that have the measured residuals: consistent with each other, and with the total n.

    A table's scale is the root of the mean variance of its cells, in units of noise of scale 1.
    """
    value, squares = {m.attrs: m.value for m in measured}, {m.attrs: m.scale**2 for m in measured}
    tables, place = [np.full((1,), n)], iter(subsets.sets)
    for sets, shape in zip(subsets.residuals.sets[1:], subsets.residuals.shapes[1:], strict=True):
        tables.append(np.array([value[next(place)] for _ in sets]).reshape(-1, *shape))
    answers = subsets.residuals.reconstruct(tables)
    errors = subsets.part_errors(np.array([squares[A] for A in subsets.sets]))
    return [
        Measurement(S, cells.reshape(subsets.Q.domain.sizes(S)), float(np.sqrt(error / cells.size)))
        for S, cells, error in zip(subsets.Q.sets, np.split(answers, subsets.Q.offsets[1:-1]), errors, strict=True)
    ]


def fitted_round(
    index: int, ledger: Ledger, before: FittedModel, model: ModelType, label: str, fitted: tuple[Measurement, ...]
) -> Round[ModelType]:
    """The round that fitted some of what was measured, and so moved `before` to `model`."""
    sets, residual, moved = [m.attrs for m in fitted], 0.0, 0.0
    for m, then, now in zip(fitted, before.marginals(sets), model.marginals(sets), strict=True):
        residual += float(np.abs(m.residual(then)).sum())
        moved += float(np.abs(m.answer(now) - m.answer(then)).sum())
    A = model.A if isinstance(model, CorrectedModel) else model
    return Round(index, ledger, model, A, label=label, residual=residual, moved=moved, planned=fitted)


@dataclass(frozen=True, kw_only=True)
class Nothing(Private):
    """Measure nothing: the model stays as it starts. ε and δ are what a run might have spent."""

    start: UniformStart | PublicStart = UniformStart()

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """No rounds."""
        return 0

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a public table under another schema."""
        check_rules(workload.domain)
        self.start.check(workload, MAX_FITTED_CELLS)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[LogLinear]]:
        """Round 0 alone."""
        yield self.start.begin(B, Q, account, MAX_FITTED_CELLS)
