"""Checks of what a caller gives, and the ends of error sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeGuard


def repeated(items: Sequence[str]) -> list[str]:
    """Those items that stood before in the list."""
    seen: set[str] = set()
    return [item for item in items if item in seen or seen.add(item)]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is an integer, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def hint(name: str, known: Sequence[str]) -> str:
    """The end of a "not found" sentence: near matches if there are any, else what there is."""
    near = get_close_matches(name, known, n=3) if len(known) <= 1000 else []
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; there are {', '.join(map(repr, known[:8]))}{' …' if len(known) > 8 else ''}"


def check_positive(**values: float) -> None:
    """Refuse what is not a finite number above zero, by name."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise ValueError(f"{name} must be a positive number, got {value!r}")
