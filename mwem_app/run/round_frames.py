"""Rounds in the form the player shows: texts, shares of n, and the model's marginal of one or two attributes."""

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mwem_app.base import count, records, rounds_badge
from mwem_app.run.inside_round import measured_cells, measured_once, method, selection_fields
from mwem_app.run.picture import Picture, measured_picture
from mwem_app.session import Plan, Step
from mwem_app.stage import NO_LESSONS, Frame, Lines, Status, View, rounds_message
from mwem_core.algorithm import Round
from mwem_core.mwem import MWEM, is_figure_1, theorem_bound
from mwem_core.privacy import Ledger
from mwem_core.relatives import direct_error
from mwem_core.values import Edges
from mwem_core.weighted import WeightedRecords

CHART_HEIGHT = 300  # pixels
ROUNDS_AHEAD = 10  # room on the round axis while T is not known
Estimate = tuple[Picture, np.ndarray]  # a marginal, and the model's share of n in each of its cells


def direct(plan: Plan) -> tuple[float, float]:
    """Expected mean and max |error|, in shares of n, of measuring all queries of the plan with its whole budget."""
    Q, budget = plan.workload, plan.guarantee.budget
    return direct_error(n=plan.records.total, queries=Q.size, sensitivity=Q.sensitivity, budget=budget)


def direct_squared(plan: Plan) -> float:
    """Expected squared error of the same, in records²: 2m² for Laplace noise of mean size m, m²π/2 for Gaussian."""
    mean = direct(plan)[0] * plan.records.total
    return mean**2 * (2 if plan.guarantee.budget.unit == "ε" else math.pi / 2)


def frames(plan: Plan, steps: Sequence[Step], estimates: Sequence[Estimate] | None, *, show_truth: bool) -> list[Frame]:
    """Return the steps as frames; without `show_truth`, nothing in them is made from the private data."""
    none: Sequence[Estimate | None] = [None] * len(steps)
    return [_frame(plan, step, estimate, show_truth) for step, estimate in zip(steps, estimates or none, strict=True)]


def _frame(plan: Plan, step: Step, estimate: Estimate | None, show_truth: bool) -> Frame:
    round_, n, m = step.round, plan.records.total, step.round.measurement
    fields: dict[str, Any] = {"begun": bins_in_words(plan, round_)}
    if m is not None:
        cells, tables = int(np.size(m.value)), m.q is None
        noise = round_.expected_noise
        fields = measured_cells(plan, step, show_truth=show_truth) | {
            "residual": round_.residual / n,
            "noise": noise / n,
            "chosen": plan.workload.domain.label(m.attrs),
            "planned": round_.chosen is None,
            "cell": None if tables else round_.label,
            "measured": count(cells, "cell") if tables else records(float(m.value)),
            "noise_text": f"{records(noise / cells)}{' each' if tables else ''}",
            "moved": round_.moved / n / (2 if tables else 1),
            "selection_epsilon": step.selection_epsilon,
        }
    elif round_.planned:
        once = measured_once(plan) or None
        fields = {
            "residual": round_.residual / n,
            "noise": round_.expected_noise / n,
            "chosen": round_.label,
            "planned": True,
            "once": once,
            "measured": None if once else count(len(round_.planned), round_.planned_unit),
            "moved": round_.moved / n / 2,
        }
    if isinstance(round_.A, WeightedRecords):
        fields["rows"] = round_.A.rows
    if show_truth:
        fields |= {"max": step.errors.max_error, "mean": step.errors.mean_error} | selection_fields(step)
    if estimate is not None:
        fields |= {"view": estimate[0].title, "estimate": estimate[1]}
    return Frame(round=round_.index, spent=_spent(round_.ledger), **fields)


def _spent(ledger: Ledger) -> tuple[float, float, float]:
    return ledger.select, ledger.measure, ledger.start


def bins_in_words(plan: Plan, start: Round) -> str | None:
    """The bins that a run has measured before its first round, for the player; None if it has measured none."""
    if start.index or start.domain is None or plan.declared is None:
        return None
    names = (plan.declared.names[a] for a in plan.declared.unbinned)
    edges = {a.name: a.value_set.edges for a in start.domain.attributes if isinstance(a.value_set, Edges)}
    lists = (f"{name} {' · '.join(f'{edge:,}' for edge in edges[name])}" for name in names)
    return f"The bins were measured first: {'; '.join(lists)}."


def reference_lines(plan: Plan, steps: Sequence[Step], *, show_truth: bool) -> Lines:
    """Return the levels to compare errors with: the uniform table, plain Laplace noise on every query, and theory."""
    if not show_truth or not steps:
        return Lines()
    laplace_mean, laplace_max = direct(plan)
    bound, note = _bound(plan)
    start = steps[0].baseline
    return Lines(
        uniform_max=start.max_error,
        uniform_mean=start.mean_error,
        laplace_max=laplace_max,
        laplace_mean=laplace_mean,
        bound=bound,
        note=note,
    )


def _bound(plan: Plan) -> tuple[float | None, str | None]:
    """Theorem 2.3's bound as a share of n, or why it has no line; neither where the theorem is not about the run."""
    workload, n, T, settings = plan.workload, plan.records.total, plan.planned_rounds, plan.settings
    if T is None or not isinstance(settings, MWEM) or not is_figure_1(settings):
        return None, None
    cells = workload.domain.size
    if cells > settings.cell_budget:
        held = f"{settings.cell_budget:,}"
        return None, f"Theorem 2.3 has no line: it is about models of all {cells:,} cells, and this one holds {held}"
    bound = theorem_bound(n=n, domain_size=cells, queries=workload.size, rounds=T, epsilon=settings.epsilon) / n
    if bound >= 1:
        return None, f"Theorem 2.3 has no line: its bound, {bound:.2g}, is above 1, where it says nothing"
    return bound, None


def total_rounds(plan: Plan, finished: int, *, active: bool) -> int:
    """Return how many rounds the chart leaves room for: those run, those planned, or a guess if T is not known."""
    if plan.planned_rounds == 0:
        return 0
    if not active:
        return max(1, finished)
    return plan.planned_rounds or ROUNDS_AHEAD * (finished // ROUNDS_AHEAD + 1)


def message_of(
    plan: Plan,
    rounds: Sequence[Frame],
    *,
    run: str,
    status: Status,
    total: int,
    views: Mapping[str, View],
    lines: Lines,
    look: str,
    first: int = 0,
    lessons: Mapping[str, str] = NO_LESSONS,
) -> dict[str, Any]:
    """Return the player's message with the rounds of a run of this plan from round `first` on (`rounds_message`).

    `views` are by the names that rounds have for them.
    """
    budget = plan.guarantee.budget
    return rounds_message(
        run=run,
        status=status,
        total=total,
        n=plan.records.total,
        rounds=rounds,
        first=first,
        budget=budget.amount,
        budget_unit=budget.unit,
        lines=lines,
        method=method(plan),
        views=[views[name] for name in {frame.view: None for frame in rounds if frame.view}],
        look=look,
        height=CHART_HEIGHT,
        badge=rounds_badge(seeded=plan.seed is not None, epsilon=plan.guarantee.epsilon).text,
        lessons=lessons,
    )


class Look:
    """The frames of a run's steps and the views that they name. Each is made once, for all who look at it so."""

    def __init__(self, plan: Plan, picture: Picture, *, follow: bool, show_truth: bool):
        self._plan, self._picture, self._follow, self._show_truth = plan, picture, follow, show_truth
        self._lock = threading.Lock()
        self._frames: list[Frame] = []
        self._views: dict[str, View] = {}

    def until(self, steps: Sequence[Step]) -> tuple[list[Frame], dict[str, View]]:
        """A frame for each of the run's first steps, and the views by the names that frames have for them."""
        with self._lock:
            for step in steps[len(self._frames) :]:
                self._add(step)
            return self._frames[: len(steps)], dict(self._views)

    def _add(self, step: Step) -> None:
        plan, model, sets = self._plan, step.round.model, {m.attrs for m in step.round.measurements}
        drawn = self._picture
        if self._follow and len(sets) == 1:
            drawn = measured_picture(plan.workload.domain, *sets) or drawn
        if drawn.title not in self._views:
            truth = drawn.shares(plan.records, plan.records.total) if self._show_truth else None
            self._views[drawn.title] = drawn.view(truth)
        estimate = drawn, drawn.shares(model, model.total)
        self._frames += frames(plan, [step], [estimate], show_truth=self._show_truth)
