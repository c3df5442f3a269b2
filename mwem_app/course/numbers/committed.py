"""Trials of a lesson in a file that is committed, as they take minutes to run."""

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, TypeVar, get_type_hints

from mwem_core.values import csv_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Trial = TypeVar("Trial", bound=DataclassInstance)
else:
    Trial = TypeVar("Trial")


def to_csv(trials: Sequence[Trial]) -> str:
    """Trials of one dataclass as a table, a column for each of its fields; `from_csv` reads it."""
    rows = (tuple(f"{value:.6g}" if isinstance(value, float) else value for value in astuple(t)) for t in trials)
    return csv_text([field.name for field in fields(trials[0])], rows)


def from_csv(text: str, kind: type[Trial]) -> list[Trial]:
    """The trials that `to_csv` wrote, of a dataclass of numbers and truth values."""
    types = get_type_hints(kind)
    return [
        kind(**{name: value == "True" if types[name] is bool else types[name](value) for name, value in row.items()})
        for row in csv.DictReader(io.StringIO(text))
    ]
