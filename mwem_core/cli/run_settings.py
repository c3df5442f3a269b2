"""The settings that the command line asks for: a system's own, with those changed that --set names."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mwem_core.algorithm import Algorithm
from mwem_core.base import change, classes_of
from mwem_core.cli.arguments import count_from, number, unit_from, whole_number
from mwem_core.encoding import read_public_table
from mwem_core.mwem import Start
from mwem_core.privacy import Guarantee
from mwem_core.systems import MeasuredBins, System, system
from mwem_core.workload import Workload


def settings_from_arguments(arguments: argparse.Namespace, workload: Workload, n: float) -> tuple[System, Algorithm]:
    """The system of --algorithm, and its settings. Raises ValueError for arguments that do not fit it.

    Without --algorithm it is Automatic, or MWEM where --rounds asks for a number of rounds.
    """
    rounds = arguments.rounds
    chosen = system(arguments.algorithm or ("automatic" if rounds is None else "mwem"))
    if rounds is not None and not chosen.takes_T:
        raise ValueError(f"{chosen.name} takes no number of rounds: leave --rounds out")
    T = rounds if rounds in (None, "theorem", "adaptive") else whole_number(rounds, "rounds")
    start = arguments.public_start and read_public_table(
        arguments.public_start, workload.domain, count=count_from(arguments)
    )

    def choose(epsilon: float, delta: float) -> Algorithm:
        settings = chosen.settings(workload, n=n, epsilon=epsilon, delta=delta, T=T, public=start)
        return change_settings(settings, arguments.set, system_name=chosen.name)

    epsilon, delta = number(arguments.epsilon, "epsilon"), number(arguments.delta, "delta")
    if (unit := unit_from(arguments)).records > 1:
        epsilon = Guarantee(epsilon, chosen.delta_of(delta), unit).of_a_record.epsilon
    if not workload.domain.unbinned:
        return chosen, choose(epsilon, delta)
    share = number(arguments.bins_share, "bins-share")
    return chosen, MeasuredBins.of(choose, epsilon=epsilon, delta=delta, share=share)


def change_settings(settings: Any, pairs: Sequence[str], *, system_name: str) -> Any:
    """The settings with the fields that the pairs KEY=VALUE name replaced, each VALUE read as its field's type.

    A KEY may be a field of a field, as update.step. Raises ValueError for an unknown KEY, and for a VALUE that is not
    of the field's type.
    """
    changes: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"--set takes KEY=VALUE, got {pair!r}")
        changes[name] = _parse(text, _hint(settings, name, changes, system_name), name)
    return change(settings, changes)


def _hint(settings: Any, name: str, changes: Mapping[str, Any], system_name: str) -> Any:
    """The type hint of a setting, or of a field of it: of the class that it holds, or that the changes so far name."""
    own, dot, within = name.partition(".")
    known = classes_of(type(settings))
    if own not in known:
        raise ValueError(f"{system_name} has no setting {own!r}: it has {', '.join(known) or 'none'}")
    if not dot:
        return get_type_hints(type(settings))[own]
    held = known[own].get(changes.get(own, ""), type(getattr(settings, own)))
    hints = get_type_hints(held) if is_dataclass(held) else {}
    if within not in hints:
        raise ValueError(f"{own} has no setting {within!r}: it has {', '.join(hints) or 'none'}")
    return hints[within]


# For each type of a field: what its values are called, and how a text is read as one.
READERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    NoneType: ("none", {"none": None}.__getitem__),
    bool: ("true or false", {"true": True, "false": False}.__getitem__),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("a text", str),
}


def _parse(text: str, hint: Any, name: str) -> Any:
    """The text as a value of the first type in the hint that accepts it."""
    readers = dict(_readers(hint, name))
    for reader in readers.values():
        try:
            return reader(text)
        except (KeyError, ValueError):
            continue
    raise ValueError(f"{name} must be {' or '.join(readers)}, got {text!r}")


def _readers(hint: Any, name: str) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """What a type hint accepts, in words, and the functions that read it."""
    if get_origin(hint) is Literal:
        yield from ((word, {word: word}.__getitem__) for word in get_args(hint))
    elif get_origin(hint) in (Union, UnionType):
        for member in get_args(hint):
            yield from _readers(member, name)
    elif hint is Start:  # --public-start sets one from a table
        return
    elif isinstance(hint, type) and is_dataclass(hint):
        word = hint.__name__.lower().removesuffix("start")
        yield word, {word: word}.__getitem__
    elif hint in READERS:
        yield READERS[hint]
    else:
        raise ValueError(f"{name} is neither a number nor a word: it cannot be set on the command line")
