"""Exercises that are answered by a number, by settings or by a drawn curve, and what is found of an answer.

The drawing `exercise` asks what is in `data`. In a file, `exercise_answers`
finds the same as `verdict`, from `solution`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mwem_app.base import three_digits

DRAWING = "exercise"  # which asks, and shows what is found


class Finding(NamedTuple):
    """What is found of an answer or of a part of it: whether it is right, and a sentence."""

    right: bool
    text: str


LARGEST = 1e300  # number that is taken for an answer


@dataclass(frozen=True, eq=False)
class NumberExercise:
    """A question whose answer is a number above 0, within `tolerance` of itself.

    `typical` has a sentence for each typical wrong number. Raises ValueError if one of them counts as right.
    """

    name: ClassVar[str] = DRAWING
    start: ClassVar[None] = None  # the answer at first

    question: str
    unit: str
    right: float
    why: str
    typical: Mapping[float, str]
    key: str
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        for wrong in self.typical:
            if self.verdict(wrong)[0].right:
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
        """What the drawing asks."""
        return {"kind": "number", "question": self.question, "unit": self.unit}

    @property
    def solution(self) -> dict[str, Any]:
        """From what a file finds the same as `verdict`."""
        return {"cases": self.cases}

    def fits(self, answer: Any) -> bool:
        """Whether this is an answer: a number."""
        return type(answer) in (int, float) and abs(answer) < LARGEST  # NaN is below nothing

    def verdict(self, answer: float) -> list[Finding]:
        """What is found of a number."""
        return next(
            [Finding(right, text)]
            for low, high, right, text in self.cases
            if (low is None or low <= answer) and (high is None or answer <= high)
        )

    def in_words(self, answer: float) -> str:
        """The answer as an export has it."""
        return f"{answer:g}"


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

    name: ClassVar[str] = DRAWING
    start: ClassVar[None] = None  # the answer at first

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
        """What the drawing asks."""
        settings = [vars(setting) for setting in self.settings]
        return {"kind": "settings", "question": self.question, "settings": settings}

    @property
    def solution(self) -> dict[str, Any]:
        """From what a file finds the same as `verdict`."""
        shape, numbers = self.holds.shape, dict[Finding, int]()  # sentences are the same at many positions
        verdicts = [[numbers.setdefault(found, len(numbers)) for found in self.verdict(at)] for at in np.ndindex(shape)]
        return {"shape": shape, "findings": list(numbers), "verdicts": verdicts}

    def fits(self, answer: Any) -> bool:
        """Whether this is an answer: a position of each slider."""
        return (
            isinstance(answer, list)
            and len(answer) == len(self.settings)
            and all(type(i) is int and 0 <= i < n for i, n in zip(answer, self.holds.shape, strict=True))
        )

    def verdict(self, answer: Sequence[int]) -> list[Finding]:
        """What is found of each condition, and why the answer is right, or what could be moved."""
        found = [condition.finding(answer) for condition in self.conditions]
        if self.holds[tuple(answer)]:
            return [*found, Finding(True, self.why)]
        last = max(k for k, finding in enumerate(found) if not finding.right)
        found[last] = Finding(False, f"{found[last].text} {self._way(answer)}")
        return found

    def in_words(self, answer: Sequence[int]) -> str:
        """The answer as an export has it."""
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

    def finding(self, differences: np.ndarray, tolerance: float) -> Finding:
        """What is found of a curve from how much higher it is than the right one, (positions,): the most counts."""
        own = differences[self.start : self.stop]
        most = own[np.abs(own).argmax()]
        if abs(most) <= tolerance:
            return Finding(True, self.right)
        return Finding(False, self.low if most < 0 else self.high)


@dataclass(frozen=True, eq=False)
class CurveExercise:
    """A curve to draw over positions, with heights from 0 to `high`, in steps; right within `tolerance` everywhere.

    `curve` is the right one, and `typical` has wrong ones, each with a sentence: (positions,) each. Raises ValueError
    unless each position is in one of the parts.
    """

    name: ClassVar[str] = DRAWING
    start: ClassVar[None] = None  # the answer at first

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
        """What the drawing asks."""
        names = "question", "x", "y", "positions", "high", "step", "unit"
        return {"kind": "curve"} | {name: getattr(self, name) for name in names}

    @property
    def solution(self) -> dict[str, Any]:
        """From what a file finds the same as `verdict`."""
        parts = [vars(part) for part in self.parts]
        return {"curve": self.curve, "tolerance": self.tolerance, "parts": parts, "typical": self.typical}

    def fits(self, answer: Any) -> bool:
        """Whether this is an answer: a height for each position."""
        return (
            isinstance(answer, list)
            and len(answer) == len(self.positions)
            and all(type(value) in (int, float) and 0 <= value <= self.high for value in answer)
        )

    def verdict(self, answer: Sequence[float]) -> list[Finding]:
        """What is found of each part of a curve; of one that is typical and wrong, only what it is."""
        drawn = np.asarray(answer, float)
        found = [part.finding(drawn - self.curve, self.tolerance) for part in self.parts]
        if all(finding.right for finding in found):
            return found
        near = (text for curve, text in self.typical if np.abs(drawn - curve).max() <= self.tolerance)
        text = next(near, None)
        return found if text is None else [Finding(False, text)]

    def in_words(self, answer: Sequence[float]) -> str:
        """The answer as an export has it."""
        return ", ".join(f"{value:g}{self.unit}" for value in answer)


DrawnExercise = NumberExercise | SettingsExercise | CurveExercise


def message(exercise: DrawnExercise, answer: Any) -> dict[str, Any]:
    """What the drawing gets before an answer was checked, None, or after it: then also the right curve."""
    if answer is None:
        return exercise.data | {"answer": None, "verdict": None}
    curve = {"curve": exercise.curve} if isinstance(exercise, CurveExercise) else {}
    return exercise.data | curve | {"answer": answer, "verdict": exercise.verdict(answer)}
