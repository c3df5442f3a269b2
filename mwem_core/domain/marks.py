"""Marks on the cells of a schema that were read off the data: they are private until somebody says that they are not.

A cell is the value set of an attribute ("values", whichever key declares them), its special values, its missing texts
or its catch-all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mwem_core.domain.attribute import Attribute
from mwem_core.values import Dates, Edges, Range, ValueSet

CELLS = ("values", "special", "missing", "other")
Marks = Mapping[str, frozenset[str]]  # by attribute; one without marks may be absent
MAX_NAMED = 3  # attributes, in a sentence


def cells(attribute: Attribute) -> dict[str, Any]:
    """What the cells of an attribute say; those that say nothing are left out."""
    beside = {"special": attribute.special, "missing": attribute.missing_texts, "other": attribute.other}
    return {"values": _said(attribute.value_set), **{cell: said for cell, said in beside.items() if said}}


def _said(value_set: ValueSet) -> object:
    """What a value set says of the data: not how its numbers or dates are written."""
    if isinstance(value_set, Dates):
        return value_set.dates, value_set.by
    return replace(value_set, inside=None) if isinstance(value_set, Edges | Range) else value_set


def all_marked(attributes: Iterable[Attribute]) -> Marks:
    """Marks on every cell."""
    return {attribute.name: frozenset(cells(attribute)) for attribute in attributes}


def still_marked(attributes: Iterable[Attribute], marks: Marks, before: Iterable[Attribute]) -> Marks:
    """The marks on cells that say what they said `before`: an edited cell is the user's own."""
    said = {attribute.name: cells(attribute) for attribute in before}
    left = {
        a.name: frozenset(c for c, value in cells(a).items() if c in marks[a.name] and said[a.name].get(c) == value)
        for a in attributes
        if a.name in marks and a.name in said
    }
    return {name: marked for name, marked in left.items() if marked}


def in_words(marks: Marks) -> str:
    """The marked cells: "age (values), sex (values, missing) and 3 more attributes"."""
    named = [f"{name} ({', '.join(cell for cell in CELLS if cell in marked)})" for name, marked in marks.items()]
    more = len(named) - MAX_NAMED
    return ", ".join(named[:MAX_NAMED]) + (f" and {more} more attribute{'s' * (more > 1)}" if more > 0 else "")


def check_confirmed(marks: Marks) -> None:
    """Raise ValueError if any cell is marked: a release must not publish it."""
    if marks:
        raise ValueError(
            f"the schema says that these were read off the data: {in_words(marks)}; compare them with a public source,"
            " such as a code book, and take them out of from_data"
        )
