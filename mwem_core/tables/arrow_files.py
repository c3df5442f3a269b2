"""Files of Arrow (Feather, arrow) and of ORC, read in a process of their own."""

from __future__ import annotations

import sys

import pyarrow as pa

from mwem_core.tables.delimited import check_width
from mwem_core.tables.limited_process import read_apart, write_apart
from mwem_core.tables.texts import MAX_VALUES, NESTED, TEXT_TYPE, text_column

ARROW, STREAM, FEATHER, ORC = b"ARROW1\0\0", b"\xff\xff\xff\xff", b"FEA1", b"ORC"
MAX_CELLS = 10 * MAX_VALUES  # a column of equal cells takes no room in the file


def is_arrow_file(data: bytes) -> bool:
    """Whether the data are a file or a stream of Arrow, Feather of version 1, or ORC."""
    return data.startswith((ARROW, FEATHER)) or _is_stream(data) or (data.startswith(ORC) and data[-4:-1] == ORC)


def _is_stream(data: bytes) -> bool:
    return data.startswith(STREAM) and 0 < int.from_bytes(data[4:8], "little") < len(data)


def read_arrow_file(data: bytes, name: str) -> pa.Table:
    """The columns as text; one of lists or structs has no cells. Raises ValueError where the file is damaged."""
    table = read_apart(__name__, data, name)
    if table is None:
        raise ValueError(f"{name} is a damaged file of Arrow or ORC, or too large; write it again, or export it as CSV")
    return table


def _read(data: bytes, name: str) -> pa.Table:
    table = _whole(data)
    check_width(table.num_columns, name)
    if table.num_rows * table.num_columns > MAX_CELLS:
        raise ValueError(f"{name} has more than {MAX_CELLS:,} cells; drop unneeded columns, or save it as Parquet")
    table.validate(full=True)
    columns = []
    for column in table.columns:
        texts = text_column(column)
        is_text = pa.types.is_dictionary(texts.type) and texts.type.value_type == pa.string()
        columns.append(texts.cast(TEXT_TYPE) if is_text else pa.nulls(table.num_rows, NESTED))
    return pa.table(columns, names=[own.strip() for own in table.column_names])


def _whole(data: bytes) -> pa.Table:
    source = pa.BufferReader(data)
    if data.startswith(ORC):
        from pyarrow import orc

        return orc.ORCFile(source).read()
    if data.startswith(FEATHER):
        from pyarrow import feather

        return feather.read_table(source)
    return (pa.ipc.open_stream if _is_stream(data) else pa.ipc.open_file)(source).read_all()


def main() -> None:
    """Read a file from standard input; the argument is its name."""
    write_apart(lambda data: _read(data, sys.argv[1]))


if __name__ == "__main__":
    main()
