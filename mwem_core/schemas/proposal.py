"""Propose a first schema for a table, for its owner to correct. It reads the data: use it on public data only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import MISSING_TEXTS, POINT, decimal_of, from_cell
from mwem_core.schemas.examples import drawn_cells, fault_of, own_cells
from mwem_core.schemas.proposed_dates import (
    date_marks,
    is_date_like,
    order_question,
    other_order,
    proposed_dates,
    years_note,
    zones_note,
)
from mwem_core.schemas.proposed_numbers import MAX_MARKS, Numbers, durations, found_numbers, marks_among, value_set_of
from mwem_core.schemas.proposed_texts import (
    CODE,
    FREQUENT,
    MAX_LISTED,
    MAX_PROPOSED_VALUES,
    MIN_ROWS_EACH,
    groups_of,
    in_order,
    most_frequent,
)
from mwem_core.tables import TableLike, as_table, count_of, distinct_texts
from mwem_core.values import Values, ValueSet

MAX_DIGITS = 15  # of a whole number that float64 holds
MIN_GROUPS, MAX_GROUP_ROWS = 20, 10  # of an identifier of groups: its texts, and rows of each on average
MIN_NUMBERS = 3  # different ones of a column with texts that are no numbers
MIN_COUNTED = 100  # different whole numbers that do not begin with 1, and may still count rows
MIN_ROWS = 20  # of a table whose column of different values is an identifier
DISTINCT_SHARE = 0.95  # of the rows of an identifier of numbers, so named, that have a number of their own
SAMPLE = 100  # texts of a column
MAX_SHOWN = 3  # texts that a sentence names
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
IDENTIFIERS = {"id", "ids", "uid", "uuid", "guid", "identifier", "nr", "rownames", "seqn", "serial", "ssn", "pid"}
CODES = {"zip", "zipcode", "postcode", "postal", "plz", "code", "codes", "fips", "naics", "sic", "isic", "nace", "isco"}
CODES |= {"icd", "icd9", "icd10", "cpt", "atc", "iso", "areacode", "puma", "postleitzahl", "pincode", "insee", "ndc"}
CODES |= {"industry", "occupation", "soc", "sku"}
DAY_FIRST, MONTH_FIRST = "Day first", "Month first"
OWN, AS_MISSING, AS_CODES, AS_NUMBERS, LEAVE_OUT = "Own categories", "Missing", "Codes", "Numbers", "Leave out"
AS_READ = "As it was read"


@dataclass(frozen=True)
class Suggestion:
    """What is proposed for a column: an attribute, or None to leave it out.

    `says` is what a person should know of it, after the column's name; `choices` are what else it may be, by their
    names, the proposed one among them. `of_file` are three cells of the column, whose numbers have the mark `decimal`.
    """

    attribute: Attribute | None
    says: str = ""
    choices: Mapping[str, Attribute | None] = field(default_factory=dict)
    of_file: tuple[str, ...] = ()
    decimal: str = POINT

    @property
    def drawn(self) -> tuple[str, ...]:
        """Three cells that rows may hold, if the column is in the schema."""
        return drawn_cells(self.attribute, self.decimal) if self.attribute else ()

    @property
    def becomes(self) -> str:
        """What the column becomes: "21 bins of numbers, 17 to 90, or 'refused', missing"."""
        return self.attribute.summary if self.attribute else "left out"

    @property
    def asks(self) -> bool:
        """Whether there is a choice to make."""
        return len(self.choices) > 1


@dataclass(frozen=True, repr=False)
class _Column:
    """The different texts of a column that fill rows, (k,), in how many rows each, (k,), and which are missing ones.

    `of` is the number of rows of the table.
    """

    name: str
    texts: tuple[str, ...]
    rows: np.ndarray
    missing: tuple[str, ...]
    of: int

    @property
    def words(self) -> set[str]:
        """The words of its name."""
        return {word.lower() for word in WORD.findall(self.name)}

    @property
    def filled(self) -> int:
        """The rows with a text that is not missing."""
        return int(self.rows.sum())

    @property
    def names_rows(self) -> bool:
        """Whether its texts would tell rows apart: a text has fewer than two rows on average."""
        return self.of >= MIN_ROWS and 2 * len(self.texts) > self.filled

    def values(self, numbers: Numbers) -> ValueSet:
        """A value set for numbers, which lists none of them where these would tell rows apart."""
        return value_set_of(numbers, listed=not self.names_rows)

    def attribute(self, value_set: ValueSet, special: Sequence[str] = (), missing: Sequence[str] = ()) -> Attribute:
        """An attribute with the column's missing texts, and others."""
        marks = [*self.missing, *missing]
        return Attribute(self.name, value_set, marks[0] if marks else None, False, tuple(special), tuple(marks[1:]))

    def left_out(self, choices: Mapping[str, Attribute], why: str = "") -> Suggestion:
        """Propose to leave the column out, unless one of the choices is taken."""
        says = f"has {count_of(len(self.texts), 'different text')} in {count_of(self.filled, 'row')}"
        says += f"{why}: an identifier or free text"
        return Suggestion(None, says, {LEAVE_OUT: None, **choices})

    def rows_of(self, texts: Sequence[str]) -> dict[str, int]:
        """How many rows each of some texts fills."""
        wanted = set(texts)
        return {t: int(n) for t, n in zip(self.texts, self.rows, strict=True) if t in wanted}


def propose(data: TableLike) -> Domain:
    """Propose a schema to edit and confirm. It depends on the data, so it leaks private data.

    Numbers become bits, a short range, categories, or bins with round edges between the lowest and the highest; they
    come back in the form and with the decimals that the data has. Dates become calendar periods, texts categories, and
    many short codes their groups. `suggestions` also gives the columns left out. Raises ValueError if no column has an
    attribute.
    """
    suggested = suggestions(data)
    attributes = tuple(each.attribute for each in suggested.values() if each.attribute)
    if not attributes:
        raise ValueError(nothing_proposed(suggested))
    return Domain(attributes)


def nothing_proposed(suggested: Mapping[str, Suggestion]) -> str:
    """The error message for a table without a proposal."""
    reasons = ", ".join(f"{name!r} {each.says}" for name, each in list(suggested.items())[:3])
    return f"no column can be proposed as an attribute ({reasons}); write the schema by hand"


def suggestions(data: TableLike) -> dict[str, Suggestion]:
    """What to propose for each column, by its name. A column that fails is left out, and no other with it."""
    table = as_table(data)
    decimal = decimal_of(table)
    return {name: _suggested(table[name], name, decimal) for name in table.column_names}


def _suggested(data: pa.ChunkedArray, name: str, decimal: str) -> Suggestion:
    if not pa.types.is_dictionary(data.type):
        return Suggestion(None, f"holds {data.type}")
    texts, text_of = distinct_texts(data, name)
    rows = np.bincount(text_of, minlength=len(texts))
    try:
        suggestion = _suggest(texts, text_of, rows, name, decimal)
    except ValueError as problem:
        suggestion = Suggestion(None, str(problem).removeprefix(f"attribute {name!r}: "))
    return with_proof(suggestion, texts, rows, decimal)


def with_proof(suggestion: Suggestion, texts: Sequence[str], rows: np.ndarray, decimal: str) -> Suggestion:
    """The suggestion with cells of the column; it is to leave out what could not come back, and can be taken still."""
    shown = replace(suggestion, of_file=own_cells(texts, rows), decimal=decimal)
    attribute = shown.attribute
    if attribute is None or not (fault := fault_of(attribute, texts, rows, decimal)):
        return shown
    choices = {LEAVE_OUT: None, **(shown.choices or {AS_READ: attribute})}
    return replace(shown, attribute=None, says="; ".join(filter(None, (shown.says, fault))), choices=choices)


def _suggest(texts: Sequence[str], text_of: np.ndarray, rows: np.ndarray, name: str, decimal: str) -> Suggestion:
    """What to propose for a column. Raises ValueError with the reason to leave it out."""
    if not name:
        raise ValueError("has no name")
    used = np.flatnonzero(rows).tolist()
    own = [i for i in used if texts[i] not in MISSING_TEXTS]
    if len(used) < 2 or not own:
        raise ValueError("has the same value in every row")
    missing = sorted((i for i in used if texts[i] in MISSING_TEXTS), key=lambda i: -rows[i])
    column = _Column(name, tuple(texts[i] for i in own), rows[own], tuple(texts[i] for i in missing), len(text_of))
    if _names_groups(column.texts, text_of):
        raise ValueError(
            "names groups of a few rows each, such as households: an identifier, which may be the unit of a release"
        )
    if timed := durations(column.texts, column.rows):
        return Suggestion(column.attribute(column.values(timed)))
    if dates := _of_dates(column):
        return dates
    numbers = found_numbers(column.texts, column.rows, decimal)
    if codes := _of_codes(column, numbers):
        return codes
    if numbers and (suggestion := _of_numbers(column, numbers)):
        return suggestion
    return _of_texts(column)


def _of_dates(column: _Column) -> Suggestion | None:
    """What to propose for a column of dates, of which a few texts may be none; None for another column."""
    if not any(map(is_date_like, column.texts[:SAMPLE])):  # of a column of dates at least every other text is one
        return None
    dated = [text for text in column.texts if is_date_like(text)]
    if len(dated) < MIN_NUMBERS and len(dated) < len(column.texts):
        return None
    marks, rest = date_marks(column.texts, column.rows.tolist()), sorted({*column.texts} - {*dated})
    own = [text for text in dated if text not in marks]
    if not own or not _few(column.rows_of(rest), len(own), sum(column.rows_of(own).values())):
        return None
    found, odd = proposed_dates(own), column.rows_of([*marks, *rest])
    if found is None:
        return None
    other = other_order(own, found)
    sentences = [f"has dates, but for {_shown(odd)}" if odd else "has dates"]
    sentences += filter(None, (order_question(own, found), zones_note(own, found), years_note(found)))
    special = tuple(odd)
    choices = {OWN: column.attribute(found, special), AS_MISSING: column.attribute(found, (), special)} if odd else {}
    if other:
        first, second = (MONTH_FIRST, DAY_FIRST) if found.form.startswith("M") else (DAY_FIRST, MONTH_FIRST)
        choices = {first: column.attribute(found, special), second: column.attribute(other, special)}
    attribute = next(iter(choices.values()), column.attribute(found))
    return Suggestion(attribute, "; ".join(sentences) if odd or len(sentences) > 1 else "", choices)


def _of_numbers(column: _Column, numbers: Numbers) -> Suggestion | None:
    """What to propose for a column with numbers; None if too many of its texts are none."""
    odd = column.rows_of(sorted({*column.texts} - {*numbers.texts}))
    plain = not odd and not numbers.form and numbers.whole
    rows, different = int(numbers.rows.sum()), len(numbers.texts)
    is_distinct = rows >= MIN_ROWS and different >= DISTINCT_SHARE * rows
    if plain and is_distinct and (column.words & IDENTIFIERS or _counts(numbers)):
        choices = {LEAVE_OUT: None, AS_NUMBERS: column.attribute(column.values(numbers))}
        each = "every row" if different == rows else "nearly every row"
        return Suggestion(None, f"has a different whole number in {each}: an identifier", choices)
    if not _few(odd, different, rows):
        return None
    far = [] if odd else marks_among(numbers)
    odd |= column.rows_of(far)
    odd = {text: odd[text] for text in in_order(odd)}
    if not odd:
        return Suggestion(column.attribute(column.values(numbers)))
    value_set = column.values(numbers.without(far))
    special = tuple(odd)
    choices = {OWN: column.attribute(value_set, special), AS_MISSING: column.attribute(value_set, (), special)}
    if far:
        choices[AS_NUMBERS] = column.attribute(column.values(numbers))
    return Suggestion(choices[OWN], f"has numbers, but for {_shown(odd)}", choices)


def _few(odd: Mapping[str, int], different: int, rows: int) -> bool:
    """Whether a column of so many different values, in so many rows, has only a few texts that are none."""
    return not odd or (
        len(odd) <= MAX_MARKS and different >= max(MIN_NUMBERS, 2 * len(odd)) and rows >= sum(odd.values())
    )


def _counts(numbers: Numbers) -> bool:
    """Whether different whole numbers are as dense as those that count rows: from 1, or more of them than ages have."""
    low, high, different = numbers.low, numbers.high, len(numbers.texts)
    return high - low == different - 1 if low in (0, 1) else different >= MIN_COUNTED and high - low < 2 * different


def _of_codes(column: _Column, numbers: Numbers | None) -> Suggestion | None:
    """Digits that are codes, by the column's name or their leading zeros: never another code than those that occur."""
    named = bool(column.words & CODES)
    if not named and not _has_leading_zeros(column.texts):
        return None
    own = sorted(column.texts)
    if not all(CODE.fullmatch(text) for text in own):
        return None
    every, groups = Values(tuple(own)), groups_of(own)
    kept = every if len(own) <= MAX_PROPOSED_VALUES else groups
    choices = {} if kept is None else {AS_CODES: column.attribute(kept)}
    if numbers and len(numbers.texts) == len(own):
        choices[AS_NUMBERS] = column.attribute(column.values(numbers))
    if column.names_rows:
        return column.left_out(choices)
    why = "as its name says" if named else "as their leading zeros say"
    first = next(iter(choices.values()), None)
    return Suggestion(first, f"holds codes, {why}: synthetic rows have only codes that occur", choices)


def _has_leading_zeros(texts: Sequence[str]) -> bool:
    """Whether texts are digits, and some begin with a zero."""
    return len(texts) > 2 and any(text[:1] == "0" and text != "0" for text in texts) and all(map(str.isdecimal, texts))


def _of_texts(column: _Column) -> Suggestion:
    """What to propose for a column of texts."""
    texts, number = column.texts, len(column.texts)
    every = (
        {f"All {number:,}": column.attribute(Values(in_order(map(from_cell, texts))))} if number <= MAX_LISTED else {}
    )
    if column.names_rows:
        return column.left_out(every)
    if number <= MAX_PROPOSED_VALUES:
        return Suggestion(next(iter(every.values())))
    groups = groups_of(texts) if all(map(CODE.fullmatch, texts)) else None
    grouped = {f"{groups.size} groups": column.attribute(groups)} if groups else {}
    frequent = column.attribute(most_frequent(column.rows_of(texts)))
    choices = {**grouped, **every, f"The {FREQUENT} most frequent": replace(frequent, other=True)}
    if not groups and (number > MAX_LISTED or column.filled < MIN_ROWS_EACH * number):
        return column.left_out(choices, f", over the {MAX_PROPOSED_VALUES} of a category")
    each = f"{column.filled / number:,.0f} rows each on average"
    says = f"has {number:,} values, {each}: noise hides values with few rows"
    return Suggestion(next(iter(choices.values())), says, {**choices, LEAVE_OUT: None})


def _shown(rows_of: Mapping[str, int]) -> str:
    """'refused' (12 rows), '<5' (3) and 2 more."""
    named = [f"{text!r} ({n:,}{' rows' if not i else ''})" for i, (text, n) in enumerate(rows_of.items())]
    named = [text.replace("(1 rows)", "(1 row)") for text in named]
    more = len(named) - MAX_SHOWN
    return ", ".join(named[:MAX_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _names_groups(own: Sequence[str], text_of: np.ndarray) -> bool:
    """Whether texts with a digit stand in rows next to each other, a few rows each; if they are numbers, densely."""
    blocks = 1 + int(np.count_nonzero(np.diff(text_of)))
    if blocks != len(own) or len(own) < MIN_GROUPS or not len(own) < len(text_of) < MAX_GROUP_ROWS * len(own):
        return False
    if all(text.isdecimal() and len(text) <= MAX_DIGITS for text in own):
        whole = [int(text) for text in own]
        return len(own) > MAX_PROPOSED_VALUES and max(whole) - min(whole) < 2 * len(own)
    numbers = found_numbers(own, np.ones(len(own)), ".")
    return (
        all(any(char.isdigit() for char in text) for text in own)
        and not proposed_dates(own)
        and not (numbers and len(numbers.texts) == len(own))
    )
