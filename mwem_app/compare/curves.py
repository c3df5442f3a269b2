"""Error over ε and over T by the metrics of trials; where a curve crosses a level, and the best T."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from mwem_core.judge import LEAST_ERROR, Interval, Result, geometric_mean, title_of, verdict
from mwem_core.systems import SYSTEMS


@dataclass(frozen=True)
class Metric:
    """A number of a result, of which less is better; with a noun for sentences and a unit for axes.

    `unit_above_1` replaces the unit on an axis with values above 1, which only answers that are no distribution have.
    """

    name: str
    noun: str
    unit: str
    value: Callable[[Result], float | None]
    unit_above_1: str = ""

    def values(self, results: Iterable[Result]) -> list[float]:
        """The values of the results that have one. Empty if any is infinite: it can be neither drawn nor averaged."""
        values = [value for result in results if (value := self.value(result)) is not None]
        return values if all(map(math.isfinite, values)) else []

    def unit_of(self, values: Iterable[float]) -> str:
        """The unit for an axis that holds these values."""
        return self.unit_above_1 or self.unit if max(values, default=0) > 1 else self.unit


def _of_answers(name: str) -> Callable[[Result], float | None]:
    return lambda result: counted_error(getattr(result.answers, name), result) if result.answers else None


def counted_error(share: float | None, result: Result) -> float | None:
    """An error in shares of n, at least `LEAST_ERROR`."""
    return None if share is None else max(share, LEAST_ERROR / result.n)


def _records_off(result: Result) -> float | None:
    return max(result.answers.mean_error * result.n, LEAST_ERROR) if result.answers else None


def _squared_error(result: Result) -> float | None:
    return max(result.answers.mean_squared_error, LEAST_ERROR**2) if result.answers else None


METRICS = {
    metric.name: metric
    for metric in (
        Metric("Records off per count", "records off per count", "records off per count", _records_off),
        Metric(
            "Mean TV",
            "mean total variation of a marginal",
            "mean total variation, 0 to 1",
            _of_answers("mean_tv"),
            unit_above_1="mean total variation; noisy answers can exceed 1",
        ),
        Metric("Max error", "largest error of an answer", "largest error, share of n", _of_answers("max_error")),
        Metric("Squared error", "mean squared error", "records² per query", _squared_error),
        Metric(
            "Relative entropy", "relative entropy", "relative entropy, nats", lambda result: result.relative_entropy
        ),
    )
}


def metric_names(tabular: bool) -> list[str]:
    """The metrics of a workload. Total variation needs whole marginals, as `tabular` workloads have."""
    return [name for name in METRICS if tabular or name != "Mean TV"]


def rows_error(result: Result) -> float | None:
    """The error of the synthetic rows: their mean total variation where there are marginals, else records off."""
    errors = result.rows
    if errors is None:
        return None
    if errors.mean_tv is None:
        return max(errors.mean_error * result.n, LEAST_ERROR)
    return counted_error(errors.mean_tv, result)


@dataclass(frozen=True)
class Point:
    """The errors of all seeds at one ε or one T. `T` is None where the system chose it by its own rule.

    `ran` says what the system did, where it is known.
    """

    x: float
    values: tuple[float, ...]
    T: int | None = None
    ran: str = ""

    @property
    def mean(self) -> Interval:
        """The geometric mean over seeds, with its interval."""
        return geometric_mean(self.values)


@dataclass(frozen=True)
class Curve:
    """A system's error over ε, or over T."""

    name: str
    points: tuple[Point, ...]

    @property
    def title(self) -> str:
        """The system's name on screen, with what it did where that is the same at every point."""
        return title_of(self.name, [point.ran for point in self.points])

    @property
    def stages(self) -> list[tuple[Point, Point, str]]:
        """First and last of neighbouring points at which the system does the same, with what it does in words.

        More or fewer rounds are the same. Empty where no point says what ran.
        """
        groups = groupby(filter(lambda point: point.ran, self.points), key=lambda point: _before_rounds(point.ran))
        return [_stage(list(points), before) for before, points in groups]


ROUNDS = re.compile(r"([\d,]+) rounds?$")


def _before_rounds(ran: str) -> tuple[str, bool]:
    """What ran, without the number of rounds that ends it; and whether there is one."""
    return ROUNDS.sub("", ran), bool(ROUNDS.search(ran))


def _stage(points: Sequence[Point], kind: tuple[str, bool]) -> tuple[Point, Point, str]:
    first, last = points[0], points[-1]
    before, of_rounds = kind
    if not of_rounds or first.ran == last.ran:
        return first, last, last.ran
    few, many = (ROUNDS.findall(point.ran)[0] for point in (first, last))
    return first, last, f"{before}{few} to {many} rounds"


def over_epsilon(results: Iterable[Result], metric: Metric, T: int | None) -> list[Curve]:
    """One curve per system over ε, at this T for the systems that take one."""
    at_T = [r for r in results if r.trial.T == (T if SYSTEMS[r.trial.system].takes_T else None)]
    return _curves(at_T, metric, lambda result: (result.trial.epsilon, None))


def over_T(results: Iterable[Result], metric: Metric, epsilon: float) -> list[Curve]:
    """One curve per system that takes a T, at this ε. A point whose T is None stands at the median rounds it ran."""
    at_epsilon = [r for r in results if r.trial.epsilon == epsilon and SYSTEMS[r.trial.system].takes_T]
    rounds_by_rule = {
        name: median(r.rounds for r in at_epsilon if r.trial.system == name and not r.problem and r.trial.T is None)
        for name in {r.trial.system for r in at_epsilon if not r.problem and r.trial.T is None}
    }
    return _curves(at_epsilon, metric, lambda r: (r.trial.T or rounds_by_rule.get(r.trial.system, 0), r.trial.T))


def _curves(
    results: Sequence[Result], metric: Metric, position: Callable[[Result], tuple[float, int | None]]
) -> list[Curve]:
    """Curves in the order of `SYSTEMS`; `position` gives the x and the T of the point a result belongs to."""
    grouped: dict[str, dict[tuple[float, int | None], list[Result]]] = {}
    for result in results:
        if not result.problem:
            grouped.setdefault(result.trial.system, {}).setdefault(position(result), []).append(result)
    curves = []
    for name in SYSTEMS:
        points = [
            Point(x, values, T, results_there[0].ran)
            for (x, T), results_there in sorted(grouped.get(name, {}).items(), key=lambda item: item[0][0])
            if (values := tuple(metric.values(results_there)))
        ]
        if points:
            curves.append(Curve(name, tuple(points)))
    return curves


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """The smallest x from which y stays at or below `level`, by linear interpolation of log y over log x.

    0 if y never exceeds the level, infinity if its last value does.
    """
    above = [i for i, value in enumerate(y) if value > level]
    if not above:
        return 0.0
    i = above[-1]
    if i == len(y) - 1:
        return math.inf
    if y[i + 1] <= 0 or not math.isfinite(y[i]):
        return x[i + 1]
    part = math.log(y[i] / level) / math.log(y[i] / y[i + 1])
    return math.exp(math.log(x[i]) + part * math.log(x[i + 1] / x[i]))


def best_T(curve: Curve) -> str:
    """The T with the smallest error, and the T that are tied with it; in Markdown."""
    ranking = verdict(
        {f"T = {point.T}" if point.T else f"the rule's T = {point.x:g}": point.values for point in curve.points}
    )
    return f"**{ranking.leader}**" + (f", tied with {', '.join(ranking.tied)}" if ranking.tied else "")
