"""Which system the command line asks for, and its settings: its paper's, but for those set by name."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mwem_core.algorithm import Algorithm
from mwem_core.cli.given import number, whole
from mwem_core.mwem.mwem import Rounds
from mwem_core.mwem.presets import PRESETS
from mwem_core.systems import System, system
from mwem_core.workload.workload import Workload


def chosen(given: argparse.Namespace, workload: Workload, n: float) -> tuple[System, Algorithm]:
    """The system asked for and its settings. Raises ValueError for what does not exist or does not fit it."""
    found = _system(given.algorithm, given.preset)
    if given.rounds is not None and not found.takes_T:
        raise ValueError(f"{found.name} has no rounds to be counted: leave --rounds out")
    epsilon, delta = number(given.epsilon, "epsilon"), number(given.delta, "delta")
    settings = found.settings(workload, n=n, epsilon=epsilon, delta=delta, T=_rounds(given.rounds))
    return found, changed(settings, given.set, of=found.name)


def changed(settings: Any, pairs: Sequence[str], *, of: str) -> Any:
    """With what pairs KEY=VALUE say, each VALUE read as its field's type. Raises ValueError where that cannot be."""
    hints = get_type_hints(type(settings))
    known = [field.name for field in fields(settings) if field.init]
    new = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"--set takes KEY=VALUE, got {pair!r}")
        if name not in known:
            raise ValueError(f"{of} has no setting {name!r}: it has {', '.join(known) or 'none'}")
        new[name] = _read(text, hints[name], name)
    return replace(settings, **new)


def _system(name: str, preset: str) -> System:
    if preset not in PRESETS:
        raise ValueError(f"there is no preset {preset!r}: choose {' or '.join(PRESETS)}")
    if preset == "default":
        return system(name)
    if name != "mwem":
        raise ValueError(f"presets are MWEM's: leave --preset out with {name}")
    return system("mwem-paper")


def _rounds(text: str | None) -> Rounds | None:
    if text is None or text == "theorem" or text == "adaptive":
        return text
    return whole(text, "rounds")


READERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    NoneType: ("none", {"none": None}.__getitem__),
    bool: ("true or false", {"true": True, "false": False}.__getitem__),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("a text", str),
}


def _read(text: str, hint: Any, name: str) -> Any:
    """The text as the first of what a field may hold that it can be."""
    readers = dict(_readers(hint, name))
    for reader in readers.values():
        try:
            return reader(text)
        except (KeyError, ValueError):
            continue
    raise ValueError(f"{name} must be {' or '.join(readers)}, got {text!r}")


def _readers(hint: Any, name: str) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """What a type hint allows, in words, and how each is read."""
    if get_origin(hint) is Literal:
        yield from ((word, {word: word}.__getitem__) for word in get_args(hint))
    elif get_origin(hint) in (Union, UnionType):
        for each in get_args(hint):
            yield from _readers(each, name)
    elif hint in READERS:
        yield READERS[hint]
    else:
        raise ValueError(f"{name} is neither a number nor a word: it cannot be set on the command line")
