"""Answers: a value with its interval and what it rests on, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Of = Literal["population", "table"]
RestsOn = Literal["measured together", "by the model", "bounded"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one question, or why there is none.

    The interval from `low` to `high` holds what was asked with about 95%, by itself: of the `population`, were the
    private table a random sample of it, or of the private `table`. Where `refused` says something, there is no value.
    `note` says what to know about binned numbers and missing values.
    """

    name: str
    of: Of
    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    rests_on: RestsOn | None = None
    refused: str = ""
    note: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """`low` and `high`."""
        return self.low, self.high

    def __str__(self) -> str:
        if self.refused:
            return f"{self.name}: refused. {self.refused}"
        values = f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g}, of the {self.of}, {self.rests_on})"
        return f"{self.name}: {values}{self.note and f'. {self.note}'}"


def refused_by_reason(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The refused answers by their reason."""
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        if answer.refused:
            found.setdefault(answer.refused, []).append(answer)
    return found
