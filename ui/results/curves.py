"""Error over ε, and over T, as trials found it; the ε that reaches an error, and the T that served best."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from mwem_core.evaluation.trials import Result
from mwem_core.evaluation.verdict import Interval, geometric_mean, verdict
from mwem_core.systems import SYSTEMS
from ui.results.metrics import Metric
from ui.words.numbers import three_digits


@dataclass(frozen=True)
class Point:
    """One ε, or one T: what the error is there, and the seeds behind it."""

    x: float
    values: tuple[float, ...]
    T: int | None = None

    @property
    def typical(self) -> Interval:
        """The geometric mean over seeds, with its interval."""
        return geometric_mean(self.values)


@dataclass(frozen=True)
class Curve:
    """A system's error over ε, or over T."""

    name: str
    points: tuple[Point, ...]

    @property
    def title(self) -> str:
        """What the system is called on screen."""
        return SYSTEMS[self.name].title


def over_epsilon(results: Iterable[Result], metric: Metric, T: int | None) -> list[Curve]:
    """A curve a system, at this T where it takes one and otherwise as it is."""
    wanted = [r for r in results if r.trial.T == (T if SYSTEMS[r.trial.system].takes_T else None)]
    return _curves(wanted, metric, lambda result: (result.trial.epsilon, None))


def over_T(results: Iterable[Result], metric: Metric, epsilon: float) -> list[Curve]:
    """A curve a system that takes a T, at this ε; where T went by rule, x is how many rounds that came to."""
    wanted = [r for r in results if r.trial.epsilon == epsilon and SYSTEMS[r.trial.system].takes_T]
    rule = {
        name: median(r.rounds for r in wanted if r.trial.system == name and not r.problem and r.trial.T is None)
        for name in {r.trial.system for r in wanted if not r.problem and r.trial.T is None}
    }
    return _curves(wanted, metric, lambda r: (r.trial.T or rule.get(r.trial.system, 0), r.trial.T))


def _curves(results: Sequence[Result], metric: Metric, place) -> list[Curve]:
    found: dict[str, dict[tuple[float, int | None], list[Result]]] = {}
    for result in results:
        if not result.problem:
            found.setdefault(result.trial.system, {}).setdefault(place(result), []).append(result)
    curves = []
    for name in SYSTEMS:
        points = [
            Point(x, values, T)
            for (x, T), some in sorted(found.get(name, {}).items(), key=lambda item: item[0][0])
            if (values := tuple(metric.values(some)))
        ]
        if points:
            curves.append(Curve(name, tuple(points)))
    return curves


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """The least x from which on y is at most `level`, straight between points of both logarithms.

    0 where y is so from the first, infinity where not even at the last.
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


def smallest_epsilon(curve: Curve, level: float) -> str:
    """The ε that reaches an error, in words, with the interval that the seeds leave open; within what was swept."""
    x = [point.x for point in curve.points]
    middle, low, high = (
        crossing(x, [getattr(point.typical, end) for point in curve.points], level) for end in ("middle", "low", "high")
    )
    if middle == 0:
        return f"{x[0]:g} or less"
    if middle == math.inf:
        return f"more than {x[-1]:g}"
    ends = (f"under {x[0]:g}" if low == 0 else three_digits(low), f"over {x[-1]:g}" if high == math.inf else three_digits(high))
    return f"**{three_digits(middle)}** ({ends[0]} to {ends[1]})"


def best_T(curve: Curve) -> str:
    """Which T has the least error, in words, and which cannot be told apart from it."""
    by_name = {_T(point): point.values for point in curve.points}
    found = verdict(by_name)
    said = f"**{found.leader}**"
    if found.tied:
        said += f", which cannot be told apart from {', '.join(found.tied)}"
    return said


def _T(point: Point) -> str:
    return f"T = {point.T}" if point.T else f"the rule's T = {point.x:g}"
