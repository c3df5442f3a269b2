"""What a lesson consists of: blocks of text, drawings, a prediction and exercises, as data.

`lesson_page` puts them on a page of Streamlit, and `site` into files that need no server. A lesson has one prediction.
What answers it is in `Reveal`, in a drawing's `until` and in an exercise's `once`, and not shown before.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mwem_app.course.exercises import DrawnExercise


@dataclass(frozen=True)
class Text:
    """A paragraph, in Markdown."""

    text: str


@dataclass(frozen=True)
class Caption:
    """A remark, in smaller type."""

    text: str


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawing of the lesson's script, by name. `data` may hold NumPy arrays.

    `until` is what fields of `data` are until the prediction is locked in; a mapping given for a list is for the fields
    of each of its items.
    """

    name: str
    data: Mapping[str, Any]
    key: str
    until: Mapping[str, Any] = field(default_factory=dict)

    def data_at(self, predicted: bool) -> dict[str, Any]:
        """The data that the drawing gets, before the prediction or after it.

        >>> Drawing("x", {"a": 1, "b": [{"c": 2, "d": 3}]}, "x", until={"b": {"c": None}}).data_at(False)
        {'a': 1, 'b': [{'c': None, 'd': 3}]}
        """
        return dict(self.data) if predicted else _veil(self.data, self.until)


@dataclass(frozen=True)
class Formula:
    """A formula. `{ε}` in `text` is a symbol, which `symbols` explains, and `^{ε}` is one in an exponent."""

    text: str
    symbols: Mapping[str, str]
    key: str

    @cached_property
    def parts(self) -> list[dict[str, Any]]:
        """The text in parts: of each its text, what it means, if it is a symbol, and whether it is an exponent.

        Raises KeyError for a symbol that is not explained.
        """
        return [
            {"text": symbol or words, "means": self.symbols[symbol] if symbol else None, "raised": bool(raised)}
            for words, raised, symbol in re.findall(r"([^{^]+)|(\^?)\{(.+?)\}", self.text)
        ]


@dataclass(frozen=True)
class PredictChoice:
    """A prediction: one of the options."""

    question: str
    options: Sequence[str]


@dataclass(frozen=True)
class PredictNumber:
    """A prediction: a whole number from `low` to `high`."""

    question: str
    low: int
    high: int

    @property
    def middle(self) -> int:
        """The number that is suggested."""
        return self.low + (self.high - self.low) // 2


@dataclass(frozen=True, eq=False)
class PredictDrawn:
    """A prediction: a curve, of which the drawing sends the heights at `positions` as `drawn`."""

    question: str
    drawing: Drawing
    positions: Sequence[int]


@dataclass(frozen=True)
class Reveal:
    """What is shown once the prediction is locked in, and `before` in its place until then."""

    blocks: Sequence["Block"]
    before: Sequence["Block"] = ()


@dataclass(frozen=True)
class Exercise:
    """A question with a reason for every answer, of which one is right; `once` adds to reasons after the prediction.

    Raises ValueError if `right` is none of the answers.
    """

    question: str
    answers: Mapping[str, str]
    right: str
    once: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.right not in self.answers:
            raise ValueError(f"right must be one of the answers, got {self.right!r}")


@dataclass(frozen=True)
class Columns:
    """Blocks on the left, and others on the right."""

    left: Sequence["Block"]
    right: Sequence["Block"]


@dataclass(frozen=True)
class RunLink:
    """A run on the page Run like the one of the lesson: of a bundled table, by its title, by a system's name."""

    table: str
    family: str
    k: int
    system: str
    epsilon: float
    T: int
    seed: int


Block = (
    Text
    | Caption
    | Heading
    | Drawing
    | Formula
    | PredictChoice
    | PredictNumber
    | PredictDrawn
    | Reveal
    | Exercise
    | DrawnExercise
    | Columns
    | RunLink
)


def _veil(data: Mapping[str, Any], until: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _replacement(value, until[name]) if name in until else value for name, value in data.items()}


def _replacement(value: Any, until: Any) -> Any:
    if isinstance(value, list | tuple) and isinstance(until, Mapping):
        return [_veil(item, until) for item in value]
    return until
