"""Propose a first schema for a table, for its owner to correct. It reads the data: use it on public data only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from mwem_core.domain import Attribute
from mwem_core.encoding import part_of, parts_among
from mwem_core.forms import MISSING_TEXTS, POINT, decimal_of, from_cell
from mwem_core.schemas.examples import drawn_cells, fault_of, own_cells
from mwem_core.schemas.proposed_dates import DateColumn, found_dates
from mwem_core.schemas.proposed_numbers import MAX_MARKS, Numbers, durations, found_numbers, marks_among, value_set_of
from mwem_core.schemas.proposed_texts import (
    CODE,
    FREQUENT,
    MAX_LISTED,
    MAX_PROPOSED_VALUES,
    MIN_ROWS_EACH,
    cause_of,
    groups_of,
    in_order,
    most_frequent,
)
from mwem_core.values import Values, ValueSet

if TYPE_CHECKING:
    import pyarrow as pa

    from mwem_core.tables import TableLike

MAX_DIGITS = 15  # of a whole number that float64 holds
MIN_GROUPS, MAX_GROUP_ROWS = 20, 10  # of an identifier of groups: its texts, and rows of each on average
MIN_NUMBERS = 3  # different ones of a column with texts that are no numbers
MIN_COUNTED = 100  # different whole numbers that do not begin with 1, and may still count rows
MIN_ROWS = 20  # of a table whose column of different values is an identifier
MIN_SINGLES = 6  # texts that occur once, for a column to tell rows apart by them
DISTINCT_SHARE = 0.95  # of the rows of an identifier of numbers, so named, that have a number of their own
MAX_NAMED = 20  # different numbers of a column that its name calls an identifier
SPARSE = 10  # times as far from the lowest to the highest number as there are different ones
LAST_WORDS = {"no", "num", "number", "code", "key"}  # of the name of an identifier
MIN_WIDTH = 5  # digits of numbers that may be identifiers, if all have the same number of digits
MAX_SHOWN = 3  # texts that a sentence names
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
IDENTIFIERS = {"id", "ids", "uid", "uuid", "guid", "identifier", "nr", "rownames", "seqn", "serial", "ssn", "pid"}
CODES = {"zip", "zipcode", "postcode", "postal", "plz", "code", "codes", "fips", "naics", "sic", "isic", "nace", "isco"}
CODES |= {"icd", "icd9", "icd10", "cpt", "atc", "iso", "areacode", "puma", "postleitzahl", "pincode", "insee", "ndc"}
CODES |= {"industry", "occupation", "soc", "sku"}
DAY_FIRST, MONTH_FIRST = "Day first", "Month first"
OWN, AS_MISSING, AS_CODES, AS_NUMBERS, LEAVE_OUT = "Own categories", "Missing", "Codes", "Numbers", "Leave out"
COARSE, AS_READ, EACH = "By the coarsest", "As it was read", "Each by itself"

Parts = tuple[Attribute, ...]
Columns = Mapping[str, tuple[Sequence[str], np.ndarray]]  # distinct texts, and for each row the index of its text


@dataclass(frozen=True)
class Suggestion:
    """What is proposed for a column: an attribute, or None to leave it out.

    `says` is what a person should know of it, after the column's name; `choices` are what else it may be, by their
    names, the proposed one among them. `of_file` are three cells of the column, whose numbers have the mark `decimal`.
    """

    attribute: Attribute | None
    says: str = ""
    choices: Mapping[str, Attribute | Parts | None] = field(default_factory=dict)
    of_file: tuple[str, ...] = ()
    decimal: str = POINT
    parts: Parts = ()

    @property
    def attributes(self) -> Parts:
        """The attribute, or those that parts of the column become; none if it is left out."""
        return self.parts or ((self.attribute,) if self.attribute else ())

    def taken(self, choice: str) -> Suggestion:
        """The suggestion with another of its choices."""
        chosen = self.choices[choice]
        parts = chosen if isinstance(chosen, tuple) else ()
        return replace(self, attribute=None if isinstance(chosen, tuple) else chosen, parts=parts)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Three cells that rows may hold, if the column is in the schema."""
        return drawn_cells(self.attribute, self.decimal) if self.attribute else ()

    @property
    def becomes(self) -> str:
        """What the column becomes: "21 bins of numbers, 17 to 90, or 'refused', missing"."""
        if self.parts:
            return f"{len(self.parts)} attributes, {self.parts[0].name!r} to {self.parts[-1].name!r}"
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
    def is_identifier(self) -> bool:
        """Whether its name says that it names something."""
        *first, last = [word.lower() for word in WORD.findall(self.name)] or [""]
        return last in IDENTIFIERS or (bool(first) and last in LAST_WORDS)

    @property
    def filled(self) -> int:
        """The rows with a text that is not missing."""
        return int(self.rows.sum())

    @property
    def singles(self) -> int:
        """How many texts occur once."""
        return int((self.rows == 1).sum())

    @property
    def names_rows(self) -> bool:
        """Whether its texts would tell rows apart: a text has fewer than two rows on average, or most have just one."""
        mostly_singles = 2 * self.singles > len(self.texts) and self.singles >= MIN_SINGLES
        return self.of >= MIN_ROWS and (2 * len(self.texts) > self.filled or mostly_singles)

    def values(self, numbers: Numbers) -> ValueSet:
        """A value set for numbers, which lists none of them where these would tell rows apart."""
        return value_set_of(numbers, listed=not self.names_rows)

    def attribute(self, value_set: ValueSet, special: Sequence[str] = (), missing: Sequence[str] = ()) -> Attribute:
        """An attribute with the column's missing texts, and others."""
        marks = [*self.missing, *missing]
        return Attribute(self.name, value_set, marks[0] if marks else None, False, tuple(special), tuple(marks[1:]))

    def left_out(self, choices: Mapping[str, Attribute], cause: str = "") -> Suggestion:
        """Propose to leave the column out, for this or the likeliest cause, unless one of the choices is taken."""
        says = f"has {len(self.texts):,} different text{'s' * (len(self.texts) > 1)} in {self.filled:,} rows"
        says += f", {self.singles:,} of them once" if 0 < self.singles < len(self.texts) else ""
        return Suggestion(None, f"{says}: {cause or cause_of(self.texts)}", {LEAVE_OUT: None, **choices})

    @property
    def listed(self) -> dict[str, Attribute]:
        """The column as the category of all its texts, and of those of several rows, as choices."""
        choices, several = {}, self.rows > 1
        if len(self.texts) <= MAX_LISTED:
            choices[f"All {len(self.texts):,}"] = self.attribute(Values(in_order(map(from_cell, self.texts))))
        most = 2 * self.rows[several].sum() >= self.filled
        if several.sum() > 1 and most and (self.names_rows or len(self.texts) > MAX_PROPOSED_VALUES):
            number = min(FREQUENT, int(several.sum()))
            frequent = self.attribute(most_frequent(self.rows_of(self.texts)))
            choices[f"The {number} most frequent"] = replace(frequent, other=True)
        return choices

    def rows_of(self, texts: Sequence[str]) -> dict[str, int]:
        """How many rows each of some texts fills."""
        wanted = set(texts)
        return {t: int(n) for t, n in zip(self.texts, self.rows, strict=True) if t in wanted}


def suggestions(data: TableLike | Columns, decimal: str = "") -> dict[str, Suggestion]:
    """What to propose for each column, by its name: of a table, or of texts as `tables.distinct_texts` gives them.

    A column that fails is left out, and no other with it. `decimal` is the mark of numbers; by default that of the
    table, or a point.
    """
    if isinstance(data, Mapping):
        return {name: _suggested(name, texts, text_of, decimal or POINT) for name, (texts, text_of) in data.items()}
    from mwem_core.tables import as_table  # the proposer itself needs no Arrow

    table = as_table(data)
    return {name: _of_table(table[name], name, decimal or decimal_of(table)) for name in table.column_names}


def _of_table(data: pa.ChunkedArray, name: str, decimal: str) -> Suggestion:
    from mwem_core.tables import TableProblem, distinct_texts

    try:
        texts, text_of = distinct_texts(data, name)
    except TableProblem:
        return Suggestion(None, "holds lists or objects: give each of their values a column of its own")
    return _suggested(name, texts, text_of, decimal)


def _suggested(name: str, texts: Sequence[str], text_of: np.ndarray, decimal: str) -> Suggestion:
    rows = np.bincount(text_of, minlength=len(texts))
    try:
        suggestion = _suggest(name, texts, text_of, rows, decimal)
    except ValueError as problem:
        suggestion = Suggestion(None, str(problem).removeprefix(f"attribute {name!r}: "))
    if suggestion.attribute is None or isinstance(suggestion.attribute.value_set, Values):
        suggestion = _with_parts(suggestion, name, texts, text_of, decimal)
    return with_proof(suggestion, texts, rows, decimal)


def _with_parts(
    suggestion: Suggestion, name: str, texts: Sequence[str], text_of: np.ndarray, decimal: str
) -> Suggestion:
    """The suggestion; where cells hold several values, with the choice to take each by itself."""
    used: list[int] = np.unique(text_of).tolist()
    parts = list[Attribute]()
    for part in parts_among(name, [texts[i] for i in used if texts[i] not in MISSING_TEXTS]):
        cells = [part_of(text, part) for text in texts]
        place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
        own = _suggested(part, list(place), np.array([place[cell] for cell in cells])[text_of], decimal)
        parts += own.attributes
    if not parts:
        return suggestion
    says = suggestion.says or "holds several values in a cell"
    choices = suggestion.choices or {
        f"All {suggestion.attribute.size:,}" if suggestion.attribute else LEAVE_OUT: suggestion.attribute
    }
    return replace(suggestion, says=says, choices={**choices, EACH: tuple(parts)})


def with_proof(suggestion: Suggestion, texts: Sequence[str], rows: np.ndarray, decimal: str) -> Suggestion:
    """The suggestion with cells of the column. One that would not come back is left out, and can be taken."""
    shown = replace(suggestion, of_file=own_cells(texts, rows), decimal=decimal)
    attribute = shown.attribute
    if attribute is None or not (fault := fault_of(attribute, texts, rows, decimal)):
        return shown
    choices = {LEAVE_OUT: None, **(shown.choices or {AS_READ: attribute})}
    return replace(shown, attribute=None, says="; ".join(filter(None, (shown.says, fault))), choices=choices)


def _suggest(name: str, texts: Sequence[str], text_of: np.ndarray, rows: np.ndarray, decimal: str) -> Suggestion:
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
    try:
        found = found_dates(column.texts, bare=not column.words & (CODES | IDENTIFIERS))
    except ValueError as problem:
        return column.left_out(column.listed, str(problem))
    if found and (dates := _of_dates(column, found)):
        return dates
    numbers, cause = None, ""
    try:
        numbers = found_numbers(column.texts, column.rows, decimal)
    except ValueError as problem:
        cause = str(problem)
    if codes := _of_codes(column, numbers):
        return codes
    if numbers and (suggestion := _of_numbers(column, numbers)):
        return suggestion
    return _of_texts(column, cause)


def _of_dates(column: _Column, found: DateColumn) -> Suggestion | None:
    """What to propose for a column of dates, of which a few texts may be none; None if too many are none."""
    odd, periods = column.rows_of(found.odd), found.periods(found.form)
    rest = {text: rows for text, rows in odd.items() if text not in found.marks}
    if not periods or not _few(rest, len(column.texts) - len(odd), column.filled - sum(odd.values())):
        return None
    odd = dict(sorted(odd.items(), key=lambda item: (item[0] not in found.marks, -item[1])))
    special, dates = tuple(odd), f"has dates of {found.coarse}" if found.coarse else "has dates"
    sentences = [f"{dates}, but for {_shown(odd)}" if odd else dates]
    sentences += filter(None, (found.question, *found.notes))
    choices = (
        {OWN: column.attribute(periods, special), AS_MISSING: column.attribute(periods, (), special)} if odd else {}
    )
    other = found.periods(found.other) if found.other else None
    if other:
        first, second = (MONTH_FIRST, DAY_FIRST) if found.form.startswith("M") else (DAY_FIRST, MONTH_FIRST)
        choices = {first: column.attribute(periods, special), second: column.attribute(other, special)}
    if found.coarse:
        choices = {COARSE: column.attribute(periods, special), LEAVE_OUT: None}
    attribute = next(iter(choices.values()), column.attribute(periods))
    return Suggestion(attribute, "; ".join(sentences) if odd or found.coarse or len(sentences) > 1 else "", choices)


def _of_numbers(column: _Column, numbers: Numbers) -> Suggestion | None:
    """What to propose for a column with numbers; None if too many of its texts are none."""
    odd = column.rows_of(sorted({*column.texts} - {*numbers.texts}))
    plain = not odd and not numbers.form and numbers.whole
    rows, different = int(numbers.rows.sum()), len(numbers.texts)
    is_distinct = rows >= MIN_ROWS and different >= DISTINCT_SHARE * rows
    if plain and is_distinct and (column.words & IDENTIFIERS or _counts(numbers) or _fills_width(numbers)):
        choices = {LEAVE_OUT: None, AS_NUMBERS: column.attribute(column.values(numbers))}
        each = "every row" if different == rows else "nearly every row"
        return Suggestion(None, f"has a different whole number in {each}: an identifier", choices)
    if not _few(odd, different, rows):
        return None
    if plain and different > MAX_NAMED and (column.is_identifier or _are_sparse(numbers)):
        choices = {LEAVE_OUT: None, AS_NUMBERS: column.attribute(column.values(numbers)), **column.listed}
        why = "as its name says" if column.is_identifier else "as they are far apart and have as many digits each"
        each = f"has {different:,} different whole numbers, {rows / different:,.0f} rows each on average"
        return Suggestion(None, f"{each}: an identifier, {why}", choices)
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


def _are_sparse(numbers: Numbers) -> bool:
    """Whether whole numbers all have as many digits, fill several rows each and lie far apart, as those of stations."""
    width, different = len(numbers.texts[0]), len(numbers.texts)
    if width < MIN_WIDTH - 1 or any(len(text) != width for text in numbers.texts) or numbers.low < 0:
        return False
    steps = np.gcd.reduce(np.diff(np.sort(numbers.parsed)).astype(np.int64))
    return steps == 1 and numbers.rows.sum() >= 3 * different and numbers.high - numbers.low >= SPARSE * different


def _counts(numbers: Numbers) -> bool:
    """Whether different whole numbers are as dense as those that count rows: from 1, or more of them than ages have."""
    low, high, different = numbers.low, numbers.high, len(numbers.texts)
    return high - low == different - 1 if low in (0, 1) else different >= MIN_COUNTED and high - low < 2 * different


def _fills_width(numbers: Numbers) -> bool:
    """Whether whole numbers all have as many digits, five or more, and reach over all that these can write."""
    width = len(numbers.texts[0])
    if width < MIN_WIDTH or any(len(text) != width for text in numbers.texts):
        return False
    return width > MAX_DIGITS or (numbers.low < 1.3 * 10 ** (width - 1) and numbers.high > 9.5 * 10 ** (width - 1))


def _of_codes(column: _Column, numbers: Numbers | None) -> Suggestion | None:
    """Digits that are codes, by the column's name or their leading zeros: never another code than those that occur."""
    named, own = bool(column.words & CODES), sorted(column.texts)
    zeros = any(text[:1] == "0" and text != "0" for text in own)
    if not named and not (len(own) > 2 and zeros and all(map(str.isdecimal, own))):
        return None
    if not all(CODE.fullmatch(text) for text in own):
        return None
    every, groups = Values(tuple(own)), groups_of(own)
    kept = every if len(own) <= MAX_PROPOSED_VALUES else groups
    choices = {} if kept is None else {AS_CODES: column.attribute(kept)}
    if numbers and len(numbers.texts) == len(own):
        choices[AS_NUMBERS] = column.attribute(column.values(numbers))
    if column.names_rows:
        return column.left_out(choices, "an identifier, or codes that mostly occur once")
    why = "as its name says" if named else "as their leading zeros say"
    first = next(iter(choices.values()), None)
    return Suggestion(first, f"holds codes, {why}: synthetic rows have only codes that occur", choices)


def _of_texts(column: _Column, cause: str) -> Suggestion:
    """What to propose for a column of texts, which is left out for this cause, if there is one."""
    number, listed = len(column.texts), column.listed
    if column.names_rows:
        return column.left_out(listed, cause)
    if number <= MAX_PROPOSED_VALUES:
        return Suggestion(next(iter(listed.values())))
    groups = groups_of(column.texts) if all(map(CODE.fullmatch, column.texts)) else None
    choices = {**({f"{groups.size} groups": column.attribute(groups)} if groups else {}), **listed}
    if column.filled < MIN_ROWS_EACH * number or (number > MAX_LISTED and not groups):
        return column.left_out(
            choices, f"{cause or cause_of(column.texts)}, over the {MAX_PROPOSED_VALUES} of a category"
        )
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
    if not all(any(map(str.isdigit, text)) for text in own) or (numbers and len(numbers.texts) == len(own)):
        return False
    try:
        return not found_dates(own, bare=False)
    except ValueError:  # dates in two forms
        return False
