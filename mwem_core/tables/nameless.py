"""Columns without a name of their own: numbered if it is another's; those without any are named by their position.

Those without a name that hold nothing or number the rows are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from mwem_core.tables.said import counted, with_said

EMPTY = "Left out: {} without a name and without values."
NUMBERS = "Left out: the first column, which has no name and numbers the rows."
MAX_DIGITS = 18


def with_names(table: pa.Table, names: Sequence[str], *, header: bool) -> pa.Table:
    """The table with these names; a column without one becomes column_3 by its position, or is left out with a word.

    `header` says whether there is a row of names: without it, no column is told to number the rows.
    """
    taken, own, left, said = set(names), list[str](), list[int](), list[str]()
    for i, name in enumerate(names):
        own.append(name or _free(f"column_{i + 1}", taken))
    nameless = [i for i, name in enumerate(names) if not name]
    empty = [i for i in nameless if _is_empty(table.column(i))]
    if len(empty) < len(names) and empty:
        left += empty
        said.append(EMPTY.format(counted(len(empty), "column")))
    if header and nameless[:1] == [0] and len(names) > 1 and 0 not in empty and _numbers_rows(table.column(0)):
        left.append(0)
        said.append(NUMBERS)
    table = pa.table(table.columns, names=own, metadata=table.schema.metadata)  # `rename_columns` drops the metadata
    if header:
        said += _called("no name", [own[i] for i in nameless if i not in left])
    kept = [i for i in range(len(names)) if i not in left]
    return with_said(table.select(kept) if left else table, said)


def numbered_names(names: Sequence[str]) -> list[str]:
    """The names, with a number after each one that is there already.

    >>> numbered_names(["score", "score", "age"])
    ['score', 'score (2)', 'age']
    """
    before, taken, last = set(names), set[str](), dict[str, int]()
    numbered = list[str]()
    for name in names:
        own = name
        while own in taken or (own != name and own in before):
            last[name] = last.get(name, 1) + 1
            own = f"{name} ({last[name]})"
        taken.add(own)
        numbered.append(own)
    return numbered


def with_numbered_names(table: pa.Table, *, said: bool) -> pa.Table:
    """The table with a number after each name that another column has already, with a word on these."""
    names = table.column_names
    own = numbered_names(names)
    new = [each for each, name in zip(own, names, strict=True) if each != name]
    table = pa.table(table.columns, names=own, metadata=table.schema.metadata) if new else table
    return with_said(table, _called("the name of another", new)) if said else table


def _called(what: str, names: Sequence[str]) -> list[str]:
    """A sentence on columns that have got these names; none without any."""
    if not names:
        return []
    listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    verb, called = ("has", "it is called") if len(names) == 1 else ("have", "they are called")
    return [f"{counted(len(names), 'column')} {verb} {what}: {called} {listed}."]


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _is_empty(column: pa.ChunkedArray) -> bool:
    return not any(column.unique().to_pylist())


def _numbers_rows(column: pa.ChunkedArray) -> bool:
    """Whether a column holds a different whole number in every row, as R and pandas write beside the rows."""
    texts = column.unique().to_pylist()
    return len(texts) == len(column) and all(len(t) <= MAX_DIGITS and t.isascii() and t.isdecimal() for t in texts)
