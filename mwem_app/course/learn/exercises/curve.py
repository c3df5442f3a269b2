"""An exercise that is answered by a drawn curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mwem_app.course.learn.exercises.finding import DRAWING, Finding


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
    def held(self) -> dict[str, Any]:
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
