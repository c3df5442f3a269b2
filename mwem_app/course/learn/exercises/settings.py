"""An exercise that is answered by sliders: settings under which conditions hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mwem_app.base import three_digits
from mwem_app.course.learn.exercises.finding import DRAWING, Finding


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
    def held(self) -> dict[str, Any]:
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
