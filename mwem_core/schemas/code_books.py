"""Code books: public descriptions of a table's columns, as a schema.

They are a schema in TOML, or the value labels in a file of SPSS or Stata, whose records are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from mwem_core.domain import (
    Attribute,
    Domain,
    Marks,
    all_marked,
    read_attribute,
    read_marks,
)
from mwem_core.encoding import COUNTS, column_of, count_column
from mwem_core.schemas.proposal import Suggestion, suggestions
from mwem_core.tables import TableLike, as_table, declared_labels, distinct_texts, is_statistics_file, labels_of, unpack

MAX_BYTES = 200 * 10**6  # also of a file of SPSS or Stata, which holds records too
MAX_TEXT_BYTES = 5 * 10**6  # of a schema as text


@dataclass(frozen=True)
class CodeBook:
    """What a code book declares: attributes and rules, with marks.

    `left_out` gives the reason for each column that became no attribute, `suggestions` what was seen of a table's.
    """

    attributes: tuple[Attribute, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    marks: Marks = field(default_factory=dict)
    never: tuple[str, ...] = ()
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict)

    @property
    def domain(self) -> Domain:
        """The schema; raises ValueError if there is no attribute."""
        if not self.attributes:
            reasons = ", ".join(f"{name!r} {reason}" for name, reason in list(self.left_out.items())[:3])
            raise ValueError(f"the code book declares no values of any column ({reasons}); add them, or write a schema")
        return Domain(self.attributes, self.never)

    def of_columns(self, columns: Iterable[str]) -> CodeBook:
        """What it declares of these columns."""
        own = {*columns}
        names = [attribute.name for attribute in self.attributes if column_of(attribute.name, own)]
        if not names:
            return NO_BOOK
        domain = self.domain.project(names)
        return CodeBook(
            domain.attributes, {}, {name: self.marks[name] for name in names if name in self.marks}, domain.never
        )


NO_BOOK = CodeBook(())
NO_CHOICES: Mapping[str, str] = {}


def read_code_book(source: Path | bytes, name: str = "") -> CodeBook:
    """Read a code book or a schema; errors call it `name`. Raises ValueError if it is none."""
    name = name or (source.name if isinstance(source, Path) else "the schema")
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
    except OSError as problem:
        raise ValueError(f"the schema {str(source)!r} cannot be read: {problem.strerror}") from None
    data, name = unpack(data, name, MAX_BYTES)
    if is_statistics_file(data):
        return _of_labels(labels_of(data, name))
    if len(data) > MAX_TEXT_BYTES:
        raise ValueError(
            f"the schema {name} has {len(data) / 1e6:,.1f} MB, over the limit of {MAX_TEXT_BYTES / 1e6:,.0f} MB;"
            " declare fewer values or columns"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"the schema {name} is not UTF-8 text: save it as UTF-8") from None
    domain = Domain.from_toml(text)
    return CodeBook(domain.attributes, {}, read_marks(text), domain.never)


def first_schema(
    data: TableLike,
    book: CodeBook = NO_BOOK,
    choices: Mapping[str, str] = NO_CHOICES,
    *,
    count: str | None = None,
) -> CodeBook:
    """A schema of a table: what the book declares of its columns, and a proposal for the others, with marks.

    The column `count`, if there is one, holds the number of records of each row, and is left out. A file of SPSS or
    Stata declares its labels itself. `choices` names what columns are, of what is suggested for them. The proposal
    depends on the data, so it leaks private data. Raises ValueError if no column becomes an attribute, or for a choice
    that is none.
    """
    table = as_table(data)
    counts = {} if count is None else {count: COUNTS}
    if count is not None:
        count_column(table.column_names, (), count)
        table = table.drop_columns(count)
    names = table.column_names
    labelled, book = _labelled(table), book.of_columns(names)
    known = {attribute.name: attribute for attribute in (*labelled, *book.attributes)}
    declared, own = {name: list[Attribute]() for name in names}, {*names}
    for attribute in known.values():
        declared[column_of(attribute.name, own)].append(attribute)
    seen = suggestions(table.select([name for name in names if not declared[name]]))
    seen |= {name: _chosen(seen.get(name), name, choice) for name, choice in choices.items()}
    proposed = tuple(attribute for each in seen.values() for attribute in each.attributes)
    if not known and not proposed:
        reasons = ", ".join(f"{name!r} {each.says}" for name, each in list(seen.items())[:3])
        raise ValueError(f"no column can be proposed as an attribute ({reasons}); write the schema by hand")
    attributes = tuple(each for name in names for each in declared[name] or seen[name].attributes)
    missing = {a.name: frozenset({"missing"}) for a in labelled if a == known[a.name] and a.missing is not None}
    left_out = counts | {name: each.says for name, each in seen.items() if not each.attributes}
    marks = {**all_marked(proposed), **missing, **book.marks}
    return CodeBook(attributes, left_out, marks, book.never, seen)


def propose(data: TableLike) -> Domain:
    """Propose a schema to edit and confirm, as `first_schema` does. It depends on the data, so it leaks private data.

    Numbers become bits, a short range, categories, or bins with round edges between the lowest and the highest; they
    come back in the form and with the decimals that the data has. Dates become calendar periods, texts categories, and
    many short codes their groups. `suggestions` also gives the columns left out. Raises ValueError if no column has an
    attribute.
    """
    return first_schema(data).domain


def _chosen(seen: Suggestion | None, name: str, choice: str) -> Suggestion:
    """The suggestion with another of its choices. Raises ValueError for a choice that is none."""
    if seen is None:
        raise ValueError(f"no column {name!r} is proposed, so it cannot be taken as {choice!r}")
    if choice not in seen.choices:
        known = " or ".join(map(repr, seen.choices))
        among = f"choose {known}" if known else "it has no choices"
        raise ValueError(f"the column {name!r} cannot be taken as {choice!r}: {among}")
    return seen.taken(choice)


def _labelled(table: pa.Table) -> list[Attribute]:
    """Attributes of the columns whose labels the file itself declares, if all of their values have one.

    Whether some are missing is read off the data.
    """
    attributes = []
    for attribute in _of_labels(declared_labels(table)).attributes:
        texts, text_of = distinct_texts(table[attribute.name], attribute.name)
        used = {texts[i] for i in np.unique(text_of)}
        if used <= {"", *attribute.labels[: attribute.value_set.size]} and attribute.value_set.size > 1:
            missing = "" if "" in used else None
            attributes.append(Attribute(attribute.name, attribute.value_set, missing))
    return attributes


def _of_labels(labels: dict[str, list[str]]) -> CodeBook:
    """Attributes of labelled variables: any may be empty, and may have codes without a label."""
    attributes, reasons = [], dict[str, str]()
    for name, texts in labels.items():
        block = {"name": name, "values": [text for text in texts if text], "missing": "", "other": True}
        try:
            if not texts:
                raise ValueError("has no value labels")
            attributes.append(read_attribute(block, name))
        except ValueError as problem:
            reasons[name] = str(problem).removeprefix(f"attribute {name!r}: ")
    return CodeBook(tuple(attributes), reasons)
