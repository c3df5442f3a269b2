"""A schema column by column: cells of the file, cells that rows may hold, what a column becomes, and may be instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from mwem_app.inputs.schema_rows import Row, domain_of, marks_of, rows_of
from mwem_app.inputs.upload import Upload
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.domain import Attribute, Domain, all_marked
from mwem_core.encoding import column_of
from mwem_core.schemas import Suggestion, suggestions

IN_SIGHT = 10  # columns; the others are behind a click
MAX_CELL = 60  # characters
SHARES = 64, 36  # of the width: the cells, and what a column becomes or the choice
HEADINGS = '<div class="schema-row names"><b>Column</b><b>In the file</b><b>Rows may hold</b><b>Becomes</b></div>'


def show_columns(upload: Upload) -> None:
    """A row for each column: first those with a choice, then those that are left out without one."""
    rows: list[_ColumnRow] = state.remember("columns", (upload.id, upload.version), lambda: _column_rows(upload))
    with st.container(gap=None, key="schema_columns"):
        st.html(HEADINGS)
        _show(upload, rows[:IN_SIGHT])
    if more := rows[IN_SIGHT:]:
        with st.expander(f"{len(more)} more columns"), st.container(gap=None, key="schema_columns_more"):
            _show(upload, more)
    if upload.never:
        st.caption(f"Never: {plain('; '.join(upload.never))}.")


def _show(upload: Upload, rows: list[_ColumnRow]) -> None:
    for row in rows:
        if row.asks:
            cells, choice = st.columns(SHARES, gap=None)
            cells.html(row.html)
            with choice:
                _choose(upload, row.name)
    if rest := [row.html for row in rows if not row.asks]:
        st.html("".join(rest))


def _column_rows(upload: Upload) -> list[_ColumnRow]:
    found, columns, parts = [], upload.table.column_names, dict[str, list[Attribute]]()
    for row in upload.edited_rows or upload.rows:
        name, why = row["name"], row["why"]
        column = column_of(name, columns)
        seen = upload.suggestions.get(column) or suggestions(upload.table.select([column]))[column]
        try:
            attribute = domain_of([row]).attributes[0] if row["use"] else None
        except ValueError as error:
            attribute, why = None, str(error)
        if name != column and attribute:
            parts.setdefault(column, []).append(attribute)
        asks = name in upload.suggestions and seen.asks
        says = why or (seen.says if name == column else "")
        found.append(_ColumnRow(name, replace(seen, attribute=attribute), says, asks))
    for i, row in enumerate(found):
        if own := parts.get(row.name):
            found[i] = replace(row, seen=replace(row.seen, parts=tuple(own)), says="")
    return sorted(found, key=lambda row: (not row.asks, row.seen.attribute is not None))


@dataclass(frozen=True)
class _ColumnRow:
    """The row of a column: what was seen of it, with the attribute that it is now, and what to say of that."""

    name: str
    seen: Suggestion
    says: str
    asks: bool

    @property
    def html(self) -> str:
        """Its name, cells of the file, cells that rows may hold, and a sentence."""
        parts = filter(None, (self.seen.becomes, self.says))
        cells = [f"<div>{''.join(map(_cell, each))}</div>" for each in (self.seen.of_file, self.seen.drawn)]
        return (
            f'<div class="schema-row{" asked" * self.asks}"><b>{escape(self.name) or "(no name)"}</b>{"".join(cells)}'
            f"<p>{escape((': ' if self.seen.attribute is None else '; ').join(parts))}</p></div>"
        )


def _cell(text: str) -> str:
    return f"<bdi>{escape(text[:MAX_CELL]) or '<i>empty</i>'}</bdi>"


def _choose(upload: Upload, name: str) -> None:
    """What a column may be; the proposed choice is made at first."""
    seen = upload.suggestions[name]
    key = f"_schema_seen {upload.id} {name}"
    first = next(label for label, attribute in seen.choices.items() if attribute == seen.attribute)
    st.segmented_control(
        f"{name} is",
        list(seen.choices),
        default=upload.choices.get(name, first),
        required=True,
        key=key,
        on_change=_take,
        args=(upload, name, key),
        label_visibility="collapsed",
        width="content",
    )


def _take(upload: Upload, name: str, key: str) -> None:
    """Put the chosen attribute in place of the column's row. Edits of other rows stay."""
    upload.choices[name] = st.session_state[key]
    attributes = upload.suggestions[name].taken(st.session_state[key]).attributes
    keep_edits(upload)
    columns, rows = upload.table.column_names, list[Row]()
    for row in upload.rows:
        if row["name"] == name:
            own = [each for each in attributes if each.name == name]
            rows += [
                _row(own[0] if own else None, row),
                *(_row(each, row | {"why": ""}) for each in attributes if each not in own),
            ]
        elif column_of(row["name"], columns) != name:  # the parts of the column go, or come again
            rows.append(row)
    upload.rows = rows


def keep_edits(upload: Upload) -> None:
    """Take the rows and rules as the user has edited them as the first ones of a new editor."""
    upload.clear_problem()
    if upload.edited_rows:
        marks = marks_of(upload.edited_rows, upload.rows)
        upload.rows = [row | {"from_data": sorted(marks.get(row["name"], ()))} for row in upload.edited_rows]
        upload.never = upload.edited_never
    upload.edited_rows = []
    upload.version += 1


def _row(attribute: Attribute | None, row: Row) -> Row:
    """The row of an attribute, or the column's row out of use."""
    if attribute is None:
        return row | {"use": False, "from_data": []}
    (proposed,) = rows_of(Domain((attribute,)), {}, all_marked([attribute]))
    return proposed | {"why": row["why"]}
