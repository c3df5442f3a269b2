"""A column as a code book describes it, in the keys of a schema."""

from __future__ import annotations

from typing import Any

from mwem_core.domain import Attribute
from mwem_core.schemas.proposal import MAX_PROPOSED_VALUES
from mwem_core.tables import text_of
from mwem_core.values import (
    MAX_EXACT_FLOAT64,
    SECONDS,
    Codes,
    Edges,
    Range,
    Steps,
    Unbinned,
    Values,
    equal_edges,
    parse_dates,
    unit_of,
)

Described = dict[str, Any]  # keys of a schema's attribute, but its name
DAYS = {"day": 1, "month": 31}  # at most
NO_VALUES = "has neither a list of values nor a smallest and a largest one"


def entries(value: Any, what: str) -> list[Any]:
    """The entries of a list, which may be absent. Raises ValueError if it is none."""
    if value is not None and not isinstance(value, list):
        raise ValueError(f"has {what} that are no list")
    return value or []


def listed(values: list[Any]) -> Described:
    """The declaration of listed values. Raises ValueError unless they are texts and numbers."""
    if any(isinstance(value, list | dict) for value in values):
        raise ValueError("lists values that are neither texts nor numbers")
    return {"values": list(dict.fromkeys(text_of(value) for value in values if value is not None))}


def between(low: Any, high: Any, *, whole: bool) -> Described:
    """The declaration of numbers from the lowest to the highest: each by itself if they are whole and few.

    Raises ValueError where one of them is missing.
    """
    ends = [low, high]
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        raise ValueError(NO_VALUES)
    if not (-MAX_EXACT_FLOAT64 <= low < high <= MAX_EXACT_FLOAT64):
        raise ValueError("goes from a lowest to a highest number that leave nothing to bin")
    if whole:
        low, high = round(low), round(high)
        if high - low < MAX_PROPOSED_VALUES:
            return {"range": [low, high]}
    edges = [low, *(edge for edge in equal_edges(low, high) if low < edge < high), high]
    return {"edges": edges, **({"decimals": 0} if whole else {})}


def days_between(first: Any, last: Any, form: str) -> Described:
    """The declaration of dates, in the finest calendar periods of which there are at most a hundred.

    Raises ValueError where one of them is missing or is no date.
    """
    if not isinstance(first, str) or not isinstance(last, str):
        raise ValueError(NO_VALUES)
    low, high = parse_dates([first, last], form) / SECONDS["day"]
    if not low < high:
        raise ValueError(f"goes from {first!r} to {last!r}, which are no two dates in order")
    few = (by for by, days in DAYS.items() if (high - low) / days < MAX_PROPOSED_VALUES)
    by = next((by for by in few if (by, unit_of(form)) != ("day", "month")), "year")
    return {"dates": [first, last], "by": by, "form": form}


def texts_of(attribute: Attribute) -> list[str] | None:
    """The texts that an attribute lists, also special ones; None for another, and for one with a catch-all."""
    value_set = attribute.value_set
    if attribute.other or not isinstance(value_set, Values | Codes):
        return None
    return [*value_set.texts, *attribute.special]


def bounds(attribute: Attribute) -> tuple[str, float, float] | None:
    """The type, the lowest and the highest number of an attribute; None if it has other values too."""
    value_set = attribute.value_set.grid if isinstance(attribute.value_set, Unbinned) else attribute.value_set
    if attribute.other or attribute.special or not isinstance(value_set, Edges | Range | Steps):
        return None
    edges = value_set.edges if isinstance(value_set, Edges) else (value_set.low, value_set.high)
    whole = all(isinstance(edge, int) for edge in edges) and not (value_set.inside and value_set.inside.decimals)
    return "integer" if whole else "number", edges[0], edges[-1]
