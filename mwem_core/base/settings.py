"""Settings as frozen dataclasses: made by a preset, and changed by the names of their fields."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from inspect import signature
from typing import Any, TypeVar, get_args, get_type_hints

Settings = TypeVar("Settings")


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
