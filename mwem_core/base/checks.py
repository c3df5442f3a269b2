"""Checks of a caller's input, and endings for their error messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import is_dataclass
from difflib import get_close_matches
from fractions import Fraction
from numbers import Number, Real
from typing import TypeGuard, get_args, get_type_hints


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
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
            raise ValueError(f"{name} must be a positive number, {got(value)}")


def check_kind(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Raise ValueError, with what is needed, for a value of another kind, such as a first mistake passes."""
    if isinstance(value, type) or not isinstance(value, kind):
        raise ValueError(f"{what}, {got(value)}")


def check_choices(settings: object) -> None:
    """Raise ValueError for a field of settings whose type lists words and classes, and whose value is none of them."""
    for name, hint in get_type_hints(type(settings)).items():
        choices, value = get_args(hint) or (hint,), getattr(settings, name)
        classes = tuple(each for each in choices if isinstance(each, type) and is_dataclass(each))
        listed = all(isinstance(each, str) or each in classes for each in choices)
        if listed and not isinstance(value, classes) and not (isinstance(value, str) and value in choices):
            names = ", ".join(getattr(each, "__name__", each) for each in choices)
            raise ValueError(f"{name} must be one of {names}, {got(value)}")


def got(value: object) -> str:
    """End an error message by what was given instead: a text or a number; of all else, which may be data, the kind."""
    if isinstance(value, Number | None):
        return f"got {value}"
    return f"got {value!r:.60}" if isinstance(value, str) else f"got a {type(value).__name__}"
