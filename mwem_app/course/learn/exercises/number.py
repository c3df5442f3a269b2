"""An exercise that is answered by a number."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from mwem_app.course.learn.exercises.finding import DRAWING, Finding

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
    def held(self) -> dict[str, Any]:
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
