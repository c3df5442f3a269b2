"""Raw files to text columns: CSV and its kin, and Parquet, by content rather than by file name.

A table is a `pyarrow.Table` whose columns are dictionaries of distinct texts, without surrounding blanks, so that
Python touches each distinct value once however many rows there are. Whole numbers print as "39", also when stored
as floats; booleans as "1" and "0", so that `bits = true` reads them; nulls as "", like an empty cell; NaN and
infinities as "nan", "inf" and "-inf". A column of lists or structs stays as it is: a schema cannot name it.
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections import Counter
from pathlib import Path

import charset_normalizer
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

TEXT = pa.dictionary(pa.int32(), pa.string())
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# Tried in this order where UTF-8 fails and several fit the bytes equally well.
LEGACY = ["cp1252", "cp1250", "cp1251", "koi8_r", "cp932", "gb18030", "euc_kr", "big5"]
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
FOREIGN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3": "a SQLite database",
}
SAMPLE = 1 << 20  # bytes looked at to tell the delimiter; a header must fit in them
TELLING = 1 << 14  # bytes looked at, all from lines beyond ASCII, to tell an encoding
CONTROL = [bytes([byte]) for byte in range(9)]  # what no text table holds
COUNT = "count"  # a column of this name that the schema does not declare holds the number of records in each row


def read_table(source: Path | str | bytes, *, name: str = "", max_bytes: int | None = None) -> pa.Table:
    """Read a file, or its bytes, as columns of text.

    `name` is what errors call it. Raises ValueError, one sentence with what, where and what to do, if the source is
    over `max_bytes`, is no table, has ragged rows, undecodable bytes, two columns of one name, or no rows.
    """
    name = name or ("the table" if isinstance(source, bytes) else Path(source).name)
    data = source if isinstance(source, bytes) else _load(Path(source), name, max_bytes)
    _check_size(len(data), name, max_bytes)
    for magic, kind in FOREIGN.items():
        if data.startswith(magic):
            raise ValueError(f"{name} is {kind}, not a table; export it as CSV or Parquet")
    table = _read_parquet(data, name) if data.startswith(b"PAR1") else _read_delimited(data, name)
    if twice := [column for column, times in Counter(table.column_names).items() if times > 1]:
        raise ValueError(f"{name} has two columns named {twice[0]!r}; rename one")
    if not table.num_rows:
        raise ValueError(f"{name} has a header but no rows; it needs at least one")
    return table


def _load(path: Path, name: str, max_bytes: int | None) -> bytes:
    if path.is_dir():
        raise ValueError(f"{name} is a directory; choose a file in it")
    try:
        _check_size(path.stat().st_size, name, max_bytes)
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{name} cannot be opened: {error.strerror}; check the path") from None


def _check_size(size: int, name: str, max_bytes: int | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise ValueError(
            f"{name} has {size / 1e6:,.1f} MB, over the limit of {max_bytes / 1e6:,.1f} MB;"
            " drop unneeded columns, save it as Parquet, or work on your own machine"
        )


def _read_parquet(data: bytes, name: str) -> pa.Table:
    try:
        table = pq.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError):
        raise ValueError(f"{name} is a damaged Parquet file; write it again or export it as CSV") from None
    columns = [as_text(column) for column in table.columns]
    return pa.table(columns, names=[column.strip() for column in table.column_names])


def _read_delimited(data: bytes, name: str) -> pa.Table:
    data, encoding = _as_utf8(data, name)
    delimiter, header = sniff(data)
    if not data.endswith(b"\n"):
        data += b"\n"  # Arrow calls a header without one an empty file
    quotes = data.count(b'"')
    try:
        table = pyarrow.csv.read_csv(
            pa.py_buffer(data),
            read_options=pyarrow.csv.ReadOptions(block_size=1 << 23),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=quotes > 0),
            convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, TEXT)),
        )
    except pa.ArrowException:
        problem = _bad_row(data, delimiter, name) or f"{name} cannot be cut into rows of cells; export it again as CSV"
        raise ValueError(problem) from None
    # Arrow lets a quote that never closes swallow the rest of the file: look closer if they do not pair up.
    if quotes % 2 and (problem := _bad_row(data, delimiter, name)):
        raise ValueError(problem)
    columns = [as_text(column) for column in table.columns]
    found = {"encoding": encoding, "delimiter": DELIMITERS[delimiter]}  # a guess the screen can show
    return pa.table(columns, names=[column.strip() for column in table.column_names], metadata=found)


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as a dictionary of distinct stripped texts; what has no text, such as lists, as it is."""
    try:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        array = pa.chunked_array(encoded.unify_dictionaries().chunks, encoded.type).combine_chunks()
        texts, indices = array.dictionary, array.indices.cast(pa.int32())
        if pa.types.is_boolean(texts.type):
            texts = texts.cast(pa.int8())
        texts = pc.call_function("utf8_trim_whitespace", [texts.cast(pa.string())])
    except pa.ArrowException:
        return column
    if array.null_count or texts.null_count or len(texts.unique()) < len(texts):
        return pa.chunked_array([pc.fill_null(texts.take(indices), "").dictionary_encode()])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, texts)])


def _as_utf8(data: bytes, name: str) -> tuple[bytes, str]:
    """The same text in UTF-8, and the encoding it came in."""
    encoding = next((found for mark, found in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        text, encoding = _decode_legacy(data, name, error)
    if not text.strip():
        raise ValueError(f"{name} is empty; it needs a header and at least one row")
    data = data if encoding == "utf-8" else text.encode()
    if any(byte in data for byte in CONTROL):
        raise ValueError(f"{name} is not a table of text: it holds binary data; export it as CSV or Parquet")
    return data, encoding.removesuffix("-sig")


def _decode_legacy(data: bytes, name: str, error: UnicodeDecodeError) -> tuple[str, str]:
    """Text in a single- or double-byte encoding told from the lines that are not plain ASCII."""
    line = data.count(b"\n", 0, error.start) + 1
    problem = f"{name} line {line}: byte 0x{data[error.start]:02x} is not {error.encoding} text; save the file as UTF-8"
    start = data.rfind(b"\n", 0, error.start) + 1
    beyond_ascii = (line for line in data[start : start + SAMPLE].splitlines() if not line.isascii())
    telling = b"\n".join(beyond_ascii)[:TELLING]
    match = charset_normalizer.from_bytes(telling, cp_isolation=LEGACY).best()
    if match is None or error.encoding != "utf-8":
        raise ValueError(problem)
    encoding = next((known for known in LEGACY if known in match.could_be_from_charset), match.encoding)
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        raise ValueError(problem) from None


def sniff(data: bytes) -> tuple[str, list[str]]:
    """The delimiter that cuts the first rows most evenly into more than one cell, and the header it gives."""
    sample = data[:SAMPLE].decode(errors="ignore")

    def first_rows(delimiter: str) -> list[list[str]]:
        rows: list[list[str]] = []
        with contextlib.suppress(csv.Error):  # a cell beyond reason: `_bad_row` will name its line
            rows.extend(row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row)
        return (rows[:-1] if len(data) > SAMPLE else rows) or [[""]]  # the sample may cut its last row short

    def evenness(delimiter: str) -> tuple[bool, float, int]:
        rows = first_rows(delimiter)
        width = len(rows[0])
        return width > 1, sum(len(row) == width for row in rows) / len(rows), width

    delimiter = max(DELIMITERS, key=evenness)
    return delimiter, first_rows(delimiter)[0]


def _bad_row(data: bytes, delimiter: str, name: str) -> str:
    """The sentence for the first row that is ragged or has a stray quote; empty if there is none."""
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True)
    width, line = 0, 1
    try:
        for row in rows:
            width = width or len(row)
            if row and len(row) != width:
                cells = f"{len(row)} {'cell' if len(row) == 1 else 'cells'} where the header has {width}"
                return f"{name} line {line} has {cells}; add or remove delimiters, or quote the cell that holds one"
            line = rows.line_num + 1
    except csv.Error:
        return f"{name} line {line} opens a quote that does not close at its cell's end; close it, or double it inside"
    return ""


def distinct_texts(column: pa.ChunkedArray, name: str) -> tuple[list[str], np.ndarray]:
    """The distinct texts of a column, and for each row, (m,), which one it holds."""
    if not pa.types.is_dictionary(column.type):
        raise ValueError(f"column {name!r} holds {column.type}, not text or numbers; leave it out of the schema")
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return array.dictionary.to_pylist(), np.from_dlpack(array.indices)  # to_numpy would import pandas, 0.4 s
