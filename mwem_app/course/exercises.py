"""Exercises that are answered by a number, by settings or by a drawn curve. The drawing `exercise` asks and judges."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mwem_app.base import three_digits


class Finding(NamedTuple):
    """What is found of an answer or of a part of it: whether it is right, and a sentence."""

    right: bool
    text: str


@dataclass(frozen=True, eq=False)
class NumberExercise:
    """A question whose answer is a number above 0, within `tolerance` of itself.

    `typical` has a sentence for each typical wrong number. Raises ValueError if one of them counts as right.
    """

    question: str
    unit: str
    right: float
    why: str
    typical: Mapping[float, str]
    key: str
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        for wrong in self.typical:
            if abs(wrong - self.right) <= self.tolerance * self.right:
                raise ValueError(f"a typical wrong number must not count as right, got {wrong:g}")

    @cached_property
    def cases(self) -> list[tuple[float | None, float | None, bool, str]]:
        """Of each case its least and its largest number, None without one, and what is found; the first one counts."""

        def near(number: float) -> tuple[float, float]:
            return number * (1 - self.tolerance), number * (1 + self.tolerance)

        return [
            (*near(self.right), True, self.why),
            *((*near(wrong), False, text) for wrong, text in self.typical.items()),
            (None, 0, False, "The right number is above 0."),
            (None, self.right / 10, False, "This is too small by more than a factor of ten."),
            (None, self.right, False, "The order of magnitude is right, but the number is too small."),
            (None, self.right * 10, False, "The order of magnitude is right, but the number is too large."),
            (None, None, False, "This is too large by more than a factor of ten."),
        ]

    @property
    def data(self) -> dict[str, Any]:
        """What the drawing asks, and the cases by which it judges."""
        return {"kind": "number", "question": self.question, "unit": self.unit, "cases": self.cases}


@dataclass(frozen=True)
class Setting:
    """A slider over positions, each with its text."""

    label: str
    texts: Sequence[str]
    start: int = 0


@dataclass(frozen=True, eq=False)
class Condition:
    """A quantity that is asked to be at most `limit`. `values` has it at all positions of the settings."""

    name: str
    values: np.ndarray
    limit: float
    unit: str = ""

    def finding(self, at: Sequence[int]) -> Finding:
        """Whether the condition holds at a position, and by how much it is missed."""
        value, limit = float(self.values[tuple(at)]), three_digits(self.limit)
        said = f"{self.name} is {three_digits(value)}{self.unit}"
        if value <= self.limit:
            return Finding(True, f"{said}, within the {limit} allowed.")
        return Finding(False, f"{said}, {three_digits(value - self.limit)} more than the {limit} allowed.")


@dataclass(frozen=True, eq=False)
class SettingsExercise:
    """Sliders to set so that all conditions hold; `why` is said once they do. An answer has a position of each slider.

    Raises ValueError if no position is right.
    """

    question: str
    settings: Sequence[Setting]
    conditions: Sequence[Condition]
    why: str
    key: str

    def __post_init__(self) -> None:
        if not self.holds.any():
            raise ValueError("some position must meet all conditions")

    @cached_property
    def holds(self) -> np.ndarray:
        """Whether all conditions hold, at all positions."""
        met = np.ones([len(setting.texts) for setting in self.settings], bool)
        for condition in self.conditions:
            met &= condition.values <= condition.limit
        return met

    @property
    def data(self) -> dict[str, Any]:
        """What the drawing asks, and by number what is found at each position."""
        shape, numbers = self.holds.shape, dict[Finding, int]()  # sentences are the same at many positions
        verdicts = [[numbers.setdefault(found, len(numbers)) for found in self.verdict(at)] for at in np.ndindex(shape)]
        return {
            "kind": "settings",
            "question": self.question,
            "settings": [vars(setting) for setting in self.settings],
            "findings": list(numbers),
            "verdicts": verdicts,
        }

    def verdict(self, answer: Sequence[int]) -> list[Finding]:
        """What is found of each condition, and why the answer is right, or what could be moved."""
        found = [condition.finding(answer) for condition in self.conditions]
        if self.holds[tuple(answer)]:
            return [*found, Finding(True, self.why)]
        last = max(k for k, finding in enumerate(found) if not finding.right)
        found[last] = Finding(False, f"{found[last].text} {self._way(answer)}")
        return found

    def in_words(self, answer: Sequence[int]) -> str:
        """The answer as the teacher's key has it."""
        pairs = zip(self.settings, answer, strict=True)
        return ", ".join(f"{setting.label} = {setting.texts[i]}" for setting, i in pairs)

    def _way(self, at: Sequence[int]) -> str:
        """Which slider alone leads to a right answer."""
        alone = [
            setting.label
            for k, setting in enumerate(self.settings)
            if self.holds[tuple(slice(None) if i == k else at[i] for i in range(len(at)))].any()
        ]
        if not alone:
            return "One slider alone cannot mend this."
        return f"Moving {' alone, or '.join(f'“{label}”' for label in alone)} alone can mend this."


@dataclass(frozen=True)
class Part:
    """Positions `start` to `stop` - 1 of a curve, with what is said of one that is right, too low or too high there."""

    start: int
    stop: int
    right: str
    low: str
    high: str


@dataclass(frozen=True, eq=False)
class CurveExercise:
    """A curve to draw over positions, with heights from 0 to `high`, in steps; right within `tolerance` everywhere.

    `curve` is the right one, and `typical` has wrong ones, each with a sentence: (positions,) each. Raises ValueError
    unless each position is in one of the parts.
    """

    question: str
    x: str
    y: str
    positions: Sequence[str]
    high: float
    step: float
    unit: str
    curve: np.ndarray
    tolerance: float
    parts: Sequence[Part]
    typical: Sequence[tuple[np.ndarray, str]]
    key: str

    def __post_init__(self) -> None:
        if [i for part in self.parts for i in range(part.start, part.stop)] != list(range(len(self.positions))):
            raise ValueError("parts must have all positions, in order")

    @property
    def data(self) -> dict[str, Any]:
        """What the drawing asks, and by what it judges."""
        return {"kind": "curve"} | {name: value for name, value in asdict(self).items() if name != "key"}


DrawnExercise = NumberExercise | SettingsExercise | CurveExercise
