"""Checks of a caller's input, the words of error messages, and settings that are changed by the names of their fields.

Settings are frozen dataclasses, made by a preset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from inspect import signature
from numbers import Number, Real
from typing import Any, TypeGuard, TypeVar, get_args, get_type_hints

Settings = TypeVar("Settings")


def find_duplicates(items: Sequence[str]) -> list[str]:
    """The items that equal an earlier item, in order."""
    seen: set[str] = set()
    return [item for item in items if item in seen or seen.add(item)]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def hint(name: str, known: Sequence[str]) -> str:
    """End an error message about an unknown name: list up to three similar known names, or else the first eight."""
    similar = [text for text in known if text.casefold() == name.casefold()]
    similar = similar or (get_close_matches(name, known, n=3) if len(known) <= 1000 else [])
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


def join_names(names: Sequence[str], separator: str = ", ") -> str:
    """Names in a sentence.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"


def settings_from(preset: Callable[..., Settings], *, T: Any = None, **arguments: Any) -> Settings:
    """Call a preset, or a class of settings, with those arguments that its signature names.

    T is left out if it is None: the preset's default holds then. So every system takes the same arguments (workload, n,
    epsilon, delta, T), and the signature of its preset says which of them it reads.

    >>> settings_from(lambda *, epsilon: epsilon, epsilon=1.0, n=10)
    1.0
    """
    if T is not None:
        arguments["T"] = T
    names = signature(preset).parameters
    return preset(**{name: value for name, value in arguments.items() if name in names})


def change(settings: Any, changes: Mapping[str, Any]) -> Any:
    """The settings with new values in the fields that are named: "split", or "update.step" for a field of a field.

    A word may name the class of a field's new value: {"start": "histogram", "start.share": 0.5} is a `HistogramStart`.
    Raises ValueError for a name that the settings do not have.
    """
    words = {name: value for name, value in changes.items() if "." not in name}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        if "." in name:
            field, within = name.split(".", 1)
            inner.setdefault(field, {})[within] = value
    values, classes = dict(words), classes_of(type(settings))
    if unknown := [name for name in {**words, **inner} if name not in classes]:
        raise ValueError(f"there is no setting {unknown[0]!r}: there are {', '.join(classes) or 'none'}")
    for name in {**words, **inner}:
        if (word := words.get(name)) in classes[name]:
            values[name] = _of_class(classes[name][word], f"{name}={word}", inner.get(name, {}))
        elif name in inner:
            values[name] = change(values.get(name, getattr(settings, name)), inner[name])
    return replace(settings, **values)


def _of_class(settings: type, name: str, values: Mapping[str, Any]) -> Any:
    """A setting of this class. Raises ValueError for a value that it needs and lacks, or does not have."""
    assert is_dataclass(settings)
    own = [field for field in fields(settings) if field.init]
    needed = [field.name for field in own if field.default is MISSING and field.name not in values]
    if needed:
        raise ValueError(f"{name} needs {needed[0]!r}: set {name.split('=')[0]}.{needed[0]} with it")
    if unknown := [value for value in values if value not in {field.name for field in own}]:
        raise ValueError(f"{name} has no setting {unknown[0]!r}: it has {', '.join(f.name for f in own) or 'none'}")
    return settings(**values)


def classes_of(settings: type) -> dict[str, dict[str, type]]:
    """For each setting the classes of settings that it may hold, by the words for them: "tables" for `Tables`."""
    hints = get_type_hints(settings)
    return {
        field.name: {
            member.__name__.lower().removesuffix("start"): member
            for member in (hints[field.name], *get_args(hints[field.name]))
            if isinstance(member, type) and is_dataclass(member)
        }
        for field in fields(settings)
        if field.init
    }
