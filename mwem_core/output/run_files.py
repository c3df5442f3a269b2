"""A run's tables as files: rows and answers as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mwem_core.algorithm import AnswerSource
from mwem_core.domain import Domain, Records
from mwem_core.encoding import rows_of_values
from mwem_core.forms import POINT, SIGN_SWAP, as_cell, is_number
from mwem_core.intervals import Intervals
from mwem_core.output.packages import is_plain, plain_values
from mwem_core.output.synthesis import decode
from mwem_core.workload import Workload

if TYPE_CHECKING:
    import pandas as pd

NO_FORMS: Mapping[str, str] = {}


def data_frame(records: Records, rng: np.random.Generator, *, like: Any = None) -> Any:
    """The records as a DataFrame in the user's own values; `rng` draws a value inside each bin.

    It has the columns' types of `like`, a DataFrame of pandas or Polars or an Arrow table, and is one itself, as
    `frame_like` says; without it, a pandas DataFrame of numbers and texts.
    """
    if like is not None:
        from mwem_core.output.frames import frame_like

        return frame_like(decode(records, rng), like)
    import pandas as pd  # imported only when used: it takes half a second

    return pd.DataFrame(decode(records, rng))


def rows_csv(records: Records, rng: np.random.Generator, *, decimal: str = POINT, plain: bool = False) -> bytes:
    """The records as CSV in UTF-8, with a header. A decimal comma has semicolons between cells, as it has elsewhere.

    Texts that a spreadsheet would run have an apostrophe before them. The file is `plain` for other programs: it has no
    apostrophes, a point before decimals, and `plain_values` of numbers, dates and times.
    """
    if plain:
        return _csv(_plain_frame(records, rng), write=str)
    forms = {a.name: a.form for a in records.domain.attributes if a.numeric}
    return _csv(data_frame(records, rng), decimal, forms)


def copies_csv(copies: Iterable[Records], rng: np.random.Generator) -> bytes:
    """Several tables in one CSV for other programs, with apostrophes, and a first column that numbers them from 1.

    The column is named `copy`, with a _ for each time that an attribute has that name.
    """
    parts = []
    for number, records in enumerate(copies, start=1):
        frame = _plain_frame(records, rng)
        frame.insert(0, copy_column(records.domain), number)
        parts.append(_csv(frame, header=number == 1))
    return b"".join(parts)


def _plain_frame(records: Records, rng: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    values = decode(records, rng)
    numbers = rows_of_values(records, values).numbers
    attributes = {each.name: each for each in records.domain.attributes}
    return pd.DataFrame({n: plain_values(each, values[n], numbers.get(n)) for n, each in attributes.items()})


def copy_column(domain: Domain) -> str:
    """The name of the column that numbers copies."""
    name = "copy"
    while name in domain.names:
        name += "_"
    return name


def has_plain_rows(domain: Domain, decimal: str) -> bool:
    """Whether plain rows differ from those that are written as the table is, by the schema alone."""
    return decimal != POINT or bool(guarded_texts(domain)) or not all(map(is_plain, domain.attributes))


def guarded_texts(domain: Domain) -> list[str]:
    """The texts of a schema that `rows_csv` puts an apostrophe before, as a spreadsheet would run them."""
    texts = [*domain.names]
    for attribute in domain.attributes:
        texts += [*getattr(attribute.value_set, "texts", ()), *attribute.special, attribute.missing or ""]
    return [text for text in dict.fromkeys(texts) if as_cell(text) != text]


def guard_in_words(texts: Sequence[str], plain: str) -> str:
    """What the apostrophe before these texts is for; `plain` says how to have a file without it."""
    first = ", ".join(f"{as_cell(text)} for {text}" for text in texts[:2])
    return f"A text that a spreadsheet would run as a formula has an apostrophe before it ({first}): {plain}"


def answers_csv(workload: Workload, released: AnswerSource) -> bytes:
    """Each query's name and its answer, in records, as CSV."""
    import pandas as pd

    names = [workload.query(j)[2] for j in range(workload.size)]
    return _csv(pd.DataFrame({"query": names, "answer": released.answers(workload)}))


def intervals_csv(workload: Workload, released: AnswerSource, found: Intervals) -> bytes:
    """Each query's name, its answer to a tenth of a record, and its interval with the share of runs in which it holds.

    The ends are whole numbers, so an answer that is inside its interval stays inside when it is rounded.
    """
    import pandas as pd

    frame = {
        "query": [workload.query(j)[2] for j in range(workload.size)],
        "answer": released.answers(workload).round(1) + 0.0,  # no -0.0
        "low": found.low.astype(np.int64),
        "high": found.high.astype(np.int64),
        "holds": np.where(found.measured, "95%", "at least 95%"),
    }
    return _csv(pd.DataFrame(frame))


def _csv(
    table: pd.DataFrame,
    decimal: str = POINT,
    forms: Mapping[str, str] = NO_FORMS,
    write: Callable[[str], str] = as_cell,
    *,
    header: bool = True,
) -> bytes:
    """The table as CSV; `write` makes cells of texts, also of its header's. `forms` are those of numbers, by column."""
    cells = table.copy(deep=False)
    for i, column in enumerate(table.columns):
        if table.dtypes.iloc[i].kind == "O":
            written = {text: write(text) for text in table[column].unique()}
            if column in forms:
                numbers = [text for text in written if is_number(text, forms[column])]
                written |= {text: text if decimal == POINT else text.translate(SIGN_SWAP) for text in numbers}
            cells[column] = table[column].map(written.__getitem__)
    separator = "," if decimal == POINT else ";"
    cells = cells.rename(columns=write)
    return cells.to_csv(index=False, header=header, sep=separator, decimal=decimal, lineterminator="\n").encode()
