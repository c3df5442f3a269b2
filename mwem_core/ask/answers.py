"""Answers: a value with its interval and what it rests on, or a refusal with its reason and a remedy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.base import constants
from mwem_core.domain import Attrs, Domain

Of = Literal["population", "table"]
RestsOn = Literal["measured together", "by the model", "bounded"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one question, or why there is none.

    The interval from `low` to `high` holds what was asked with about 95%, by itself: of the `population`, were the
    private table a random sample of it, or of the private `table`. Where `refused` says something, there is no value.
    `note` says what to know about binned numbers and missing values. `group` has a label for each attribute or
    condition that the question is asked by.
    """

    name: str
    of: Of
    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    rests_on: RestsOn | None = None
    refused: str = ""
    note: str = ""
    group: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float]:
        """`low` and `high`."""
        return self.low, self.high

    def __str__(self) -> str:
        if self.refused:
            return f"{self.name}: refused. {self.refused}"
        value, low, high = map(in_digits, (self.value, *self.interval))
        values = f"{value} ({low} to {high}, of the {self.of}, {self.rests_on})"
        return f"{self.name}: {values}{self.note and f'. {self.note}'}"


def in_digits(x: float) -> str:
    """A number with four digits, or whole from 1,000 up."""
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.4g}"


def refused_by_reason(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The refused answers by their reason."""
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        if answer.refused:
            found.setdefault(answer.refused, []).append(answer)
    return found


LEAST_COVERAGE = 0.93  # that an answer must be expected to have, of intervals of nominal 95%
NORMAL = 1.959964  # z of 95%
NORMAL_LEAST = 1.811911  # z of 93%
STRONG = 3.0  # standard deviations above the typical strength
SHIFT = 0.4  # standard deviations off, at which an interval of 95% holds 93%
MAX_SPREAD = 1.25  # times the spread to first order, that of draws may be, or one over it
ROUNDING = 1e-7  # of a value: a deviation below this is no noise
TOO_NOISY = "The noise is too large beside what is asked: measure with more of the budget, or ask about larger groups."
PERHAPS_EMPTY = "There are at most {most:,.0f} records where {name}, and perhaps none: ask about larger groups."


def not_measured(domain: Domain, sets: Sequence[Attrs]) -> str:
    """Say that these were not measured, and what to measure."""
    names = [domain.label(A) for A in sets]
    some = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    return (
        f"{some} {'was' if len(names) == 1 else 'were'} not measured, so a model alone would answer:"
        " declare the question in a release's --for, or measure every table by --algorithm tables."
    )


def unmeasured_interaction(domain: Domain, sets: Sequence[Attrs]) -> str:
    """Say that an interaction of these might change the answer, and what to measure."""
    largest = domain.label(max(sets, key=len)) if sets else ""
    return f"An interaction of {largest} was not measured, and a strong one would change the answer: measure {largest}."


def largest_tilt() -> float:
    """How far typical interactions may move a value, in standard deviations of its noise, for it not to be refused.

    Interactions differ: the logarithm of their information is normal around the typical one, with `UNCERTAINTY`, and
    nobody who reads the release alone can see a strong one. So an interval, as wide as typical ones make it, is to hold
    `LEAST_COVERAGE` where they are stronger by `STRONG` standard deviations. With x the square of what is returned, F
    how much stronger they are, and z what is exceeded with a chance of 1 - `LEAST_COVERAGE`, the interval of 1.96
    times √(1 + x) holds errors of deviation √(1 + F x): x is where 1.96² (1 + x) = z² (1 + F x).
    """
    stronger = math.exp(STRONG * constants.UNCERTAINTY)
    return math.sqrt((NORMAL**2 - NORMAL_LEAST**2) / (NORMAL_LEAST**2 * stronger - NORMAL**2))


def nonlinear(values: np.ndarray, linear: np.ndarray, draws: np.ndarray) -> tuple[str, ...]:
    """A refusal of each value whose draws with redrawn noise are not about it, as far as derivatives say: (p,).

    Were the noise drawn again about what it has made of the truth, the middle of the draws would be as far from the
    value as the value is from the truth by curvature.
    """
    undefined = np.isnan(draws).mean(axis=0)
    low, middle, high = np.nanpercentile(np.where(undefined < 1, draws, 0.0), [2.5, 50, 97.5], axis=0)
    spread = (high - low) / (2 * NORMAL)
    good = np.isfinite(values) & np.isfinite(linear) & (undefined <= 1 - LEAST_COVERAGE)
    good &= (
        (np.abs(middle - values) <= SHIFT * linear) & (spread <= MAX_SPREAD * linear) & (linear <= MAX_SPREAD * spread)
    )
    certain = (linear <= ROUNDING * np.maximum(np.abs(values), 1.0)) & np.isfinite(values)
    return tuple("" if ok else TOO_NOISY for ok in good | certain)
