"""The column that says how many records each row stands for, as in a table of frequencies: never taken by its name.

A column called `count` may as well be a person's own number. So the user names it, or says that there is none; then
each row is a record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from mwem_core.base import hint
from mwem_core.tables import TableProblem

WEIGHTS = ("weight", "weights", "wt")  # names that may be of such a column, and mostly are not
LIKELY = ("count", "counts", "freq", "freqs", "frequency", "frequencies", "n")  # the names that tables give it
COUNTS = "holds the number of records of each row"  # why a proposal leaves the column out
NONE = "none"  # on the command line: each row is a record
WHOLE = re.compile(r"0*(\d{1,100})(\.0*)?", re.ASCII)  # pandas writes whole numbers beside gaps as 3.0


class Unsaid(Enum):
    """What it means that the user has named no column of counts, and has not said that there is none."""

    REFUSED = "a column with a likely name that is no attribute is refused, until the user has said what it is"


Count = str | None | Unsaid  # the name of the column; None where each row is a record


def count_column(columns: Sequence[str], attributes: Sequence[str], count: Count) -> str | None:
    """The column that holds the number of records of each row; None where each row is a record.

    Raises TableProblem for a name that the table does not have or that is an attribute too, and where it has to be said
    what a column is.
    """
    if isinstance(count, Unsaid):
        if name := likely_count(columns, attributes):
            ask = f"the table has a column {name!r} that is no attribute: say whether it holds the number of records of"
            ask += f" each row (--count {name}; in Python count={name!r}) or not (--count {NONE}; in Python count=None)"
            raise TableProblem(ask, public=ask)
        return None
    if count is not None and count not in columns:
        absent = f"the table has no column {count!r} that holds the number of records of each row"
        raise TableProblem(absent + hint(count, columns), public=absent)
    if count is not None and count in attributes:
        both = f"column {count!r} is an attribute of the schema and cannot also be the number of records of each row"
        remedy = f"{both}: take it out of the schema, or do not name it as that number"
        raise TableProblem(remedy, public=remedy)
    return count


def where_there(columns: Sequence[str], count: Count) -> Count:
    """`count` for another table of the same schema: each row is a record where it lacks the column."""
    return None if isinstance(count, str) and count not in columns else count


def likely_count(columns: Sequence[str], attributes: Sequence[str]) -> str | None:
    """The first column that is called like a number of records and is no attribute. Only names are read."""
    return next((name for name in columns if name.lower() in LIKELY and name not in attributes), None)


def records_of(text: str) -> int | None:
    """The number of records that a cell says: a whole number from 0 up, also as 3.0; None for any other text."""
    whole = WHOLE.fullmatch(text)
    return int(whole[1]) if whole else None


def count_in_words(count: str) -> str:
    """What a column of counts means for who reads the files, and for what is protected."""
    return (
        f"Each row of the table stands for as many records as its column {count!r} says. One record is protected, not"
        " one row."
    )
