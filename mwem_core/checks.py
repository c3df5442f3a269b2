"""Checks of a caller's input, and endings for their error messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import TypeGuard


def repeated(items: Sequence[str]) -> list[str]:
    """The items that equal an earlier item, in order."""
    seen: set[str] = set()
    return [item for item in items if item in seen or seen.add(item)]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def hint(name: str, known: Sequence[str]) -> str:
    """End an error message about an unknown name: list up to three similar known names, or else the first eight."""
    similar = get_close_matches(name, known, n=3) if len(known) <= 1000 else []
    if similar:
        return f"; did you mean {' or '.join(map(repr, similar))}?"
    return f"; there are {', '.join(map(repr, known[:8]))}{' …' if len(known) > 8 else ''}"


def check_positive(**values: float | Fraction) -> None:
    """Raise ValueError, with the parameter's name, for a value that is not a finite number above zero."""
    for name, value in values.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float | Fraction)
            or not math.isfinite(value)
            or value <= 0
        ):
            raise ValueError(f"{name} must be a positive number, got {value!r}")
