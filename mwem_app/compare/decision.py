"""Which ε reaches a target: each system's, and the answer in a sentence."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mwem_app.compare.curves import Curve, crossing
from mwem_app.compare.targets import Unit
from mwem_core.judge import Interval
from mwem_core.systems import SYSTEMS


@dataclass(frozen=True)
class Need:
    """The smallest ε at which a system reaches the target: 0 if every ε that ran does, infinite if none does.

    Its interval is 0 to infinity where only one seed ran. `smallest_error` is (ε, error) of the nearest point.
    """

    name: str
    epsilon: Interval
    swept: tuple[float, float]  # the smallest and the largest ε that ran
    smallest_error: tuple[float, float]
    seeds: int

    @property
    def title(self) -> str:
        """The system's name on screen."""
        return SYSTEMS[self.name].title

    @property
    def reached(self) -> bool:
        """Whether some ε that ran reaches the target."""
        return self.epsilon.middle < math.inf

    @property
    def bracket(self) -> str:
        """The 95% interval as " (0.9 to 1.5)"; empty where there is none."""
        low, high = self.epsilon.low, self.epsilon.high
        if self.seeds < 2 or not 0 < self.epsilon.middle < math.inf:
            return ""
        low_end = f"under {self.swept[0]:g}" if low == 0 else f"{low:.2g}"
        return f" ({low_end} to {f'over {self.swept[1]:g}' if high == math.inf else f'{high:.2g}'})"

    @property
    def words(self) -> str:
        """The ε in a few words, in Markdown."""
        if self.epsilon.middle == 0:
            return f"ε ≤ {self.swept[0]:g} is enough"
        return f"ε ≈ {self.epsilon.middle:.2g}{self.bracket}" if self.reached else f"not up to ε = {self.swept[1]:g}"


def spends(name: str) -> bool:
    """Whether a system spends privacy budget."""
    return SYSTEMS[name].privacy not in ("none", "no data")


def needs(curves: Iterable[Curve], target: float) -> list[Need]:
    """What each private system needs, the smallest ε first; those that do not reach the target by their error."""
    found = [_need(curve, target) for curve in curves if spends(curve.name)]
    return sorted(found, key=lambda need: (need.epsilon.middle, need.smallest_error[1]))


def _need(curve: Curve, target: float) -> Need:
    x = [point.x for point in curve.points]
    middle, low, high = (
        crossing(x, [getattr(point.mean, end) for point in curve.points], target) for end in ("middle", "low", "high")
    )
    nearest = min(curve.points, key=lambda point: point.mean.middle)
    return Need(
        curve.name,
        Interval(middle, low, high),
        (x[0], x[-1]),
        (nearest.x, nearest.mean.middle),
        min(len(point.values) for point in curve.points),
    )


def answer(curves: Sequence[Curve], found: Sequence[Need], target: float, unit: Unit) -> tuple[str, list[Need]]:
    """The answer in Markdown, and the needs that it does not mention. `found`, as from `needs`, must not be empty."""
    wanted, best, rest = f"{target:,.10g}", found[0], list(found[1:])
    for curve in curves:
        if SYSTEMS[curve.name].privacy == "no data" and max(p.mean.middle for p in curve.points) <= target:
            already = f"{curve.title}, which reads no data, already reaches {unit.reach.format(wanted)}"
            return f"{already}: **no ε is needed**.", list(found)
    goal = unit.goal.format(wanted)
    if not best.reached:
        epsilon, error = best.smallest_error
        nearest = f"{best.title} comes nearest: {unit.reach.format(unit.digits(error))} at ε = {epsilon:g}"
        return f"{goal}, **no ε up to {best.swept[1]:g} is enough**. {nearest}.", rest
    if best.epsilon.middle == 0:
        return f"{goal}, **ε ≤ {best.swept[0]:g} is enough** with {best.title}.", rest
    sentence = f"{goal} you need **ε ≈ {best.epsilon.middle:.2g}** with {best.title}{best.bracket}"
    if rest and rest[0].reached:
        second = rest.pop(0)
        sentence += f"; {second.title} needs {second.epsilon.middle:.2g}"
    return f"{sentence}.", rest
