"""Small files that unpack to a lot, each read in a process of its own, as on page and command line, or as a release.

`python benchmarks/packed.py`: each must be refused by one sentence, or read, within two seconds of CPU time and a
gigabyte of memory. Prints for each its size,
the seconds of CPU time, the peak MiB of the processes that read it, and the sentence. Needs the extra `files`.
"""

import argparse
import gzip
import io
import json
import multiprocessing
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from formats import ods, workbook  # noqa: E402
from fresh import cost  # noqa: E402

from mwem_core.ask import load_files, unpack  # noqa: E402
from mwem_core.tables import read_table  # noqa: E402

MAX_SECONDS, MAX_MIB = 2.0, 1000
MB = 10**6
SHEET = "xl/worksheets/sheet1.xml"
HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = b"</sheetData></worksheet>"
REPEATED = (
    '<table:table-row table:number-rows-repeated="600000"><table:table-cell table:number-columns-repeated="10" '
    'office:value-type="float" office:value="1"/></table:table-row>'
)

REPEATED_TEXT = (
    '<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="100" '
    f'office:value-type="string"><text:p>{"z" * 200_000}</text:p></table:table-cell></table:table-row>'
)


def replaced(archive: bytes, part: str, pieces: Iterable[bytes]) -> bytes:
    """A zip archive with these pieces as one of its parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != part:
                new.writestr(name, old.read(name))
        with new.open(part, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
    return made.getvalue()


def sheet(*pieces: bytes, repeats: int) -> bytes:
    """An Excel workbook whose sheet has a start, a middle that repeats and an end."""
    start, middle, end = pieces
    return replaced(workbook(A=[["x"]]), SHEET, [HEAD + start, *[middle] * repeats, end + TAIL])


def long_cell(megabytes: int) -> bytes:
    """A workbook with a cell of so many megabytes."""
    return sheet(b'<row r="1"><c r="A1" t="inlineStr"><is><t>', b"x" * MB, b"</t></is></c></row>", repeats=megabytes)


def binary_workbook() -> bytes:
    """A binary workbook with a part of 1.5 GB."""
    return replaced(workbook(A=[["x"]]), "xl/workbook.bin", [bytes(MB)] * 1_500)


def false_directory() -> bytes:
    """A zip archive that declares a thousand bytes of a gigabyte."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("t.csv", "w") as file:
        for _ in range(1_000):
            file.write(b"1,2\n" * (MB // 4))
    return made.getvalue().replace((1_000 * MB).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))


def bzip2() -> bytes:
    """A zip archive of 1.5 GB that is packed by bzip2."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_BZIP2) as archive, archive.open("t.csv", "w") as file:
        for _ in range(1_500):
            file.write(bytes(MB))
    return made.getvalue()


def gz(*pieces: bytes) -> bytes:
    """A gzip archive of these pieces, one after the other."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb") as file:
        for piece in pieces:
            file.write(piece)
    return made.getvalue()


def many_rows() -> bytes:
    """Parquet with one column of a billion equal numbers."""
    made, group = io.BytesIO(), pa.table({"a": pa.repeat(pa.scalar(1, pa.int8()), 10**8)})
    with pq.ParquetWriter(made, group.schema) as writer:
        for _ in range(10):
            writer.write_table(group)
    return made.getvalue()


def long_dictionary() -> bytes:
    """Parquet whose dictionary is one text of a gigabyte in ten pieces."""
    made, texts = io.BytesIO(), [chr(97 + i) * 10**8 for i in range(10)]
    pq.write_table(pa.table({"a": pa.array(texts, pa.large_string())}), made, compression="zstd")
    return made.getvalue()


def dictionary() -> bytes:
    """Parquet of 50 million rows, with a column of numbers and one of equal long texts."""
    made, zeros = io.BytesIO(), pa.array(np.zeros(50 * MB, np.int8))
    texts = pa.DictionaryArray.from_arrays(zeros, pa.array(["q" * 100_000]))
    pq.write_table(pa.table({"a": zeros, "b": texts}), made, compression="zstd")
    return made.getvalue()


def many_columns() -> bytes:
    """Parquet of 100,000 columns."""
    made = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": pa.array([1]) for i in range(100_000)}), made)
    return made.getvalue()


def release(name: str, *pieces: bytes) -> bytes:
    """A zip archive of a release, with these pieces as one of its files."""
    made, stored = io.BytesIO(), ROOT / "tests" / "ask" / "stored" / "format-2"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in stored.iterdir():
            if path.name != name:
                archive.write(path, path.name)
        with archive.open(name, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
    return made.getvalue()


def manifest(**facts: object) -> bytes:
    """The zip archive of a release whose manifest says something else."""
    stored = json.loads((ROOT / "tests" / "ask" / "stored" / "format-2" / "manifest.json").read_text())
    return release("manifest.json", json.dumps(stored | facts).encode())


def zsav() -> bytes:
    """A packed file of SPSS, of twelve million equal rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.zsav"
        pyreadstat.write_sav(pd.DataFrame({"a": [1.0]}).loc[[0] * 12 * MB], path, compress=True)
        return path.read_bytes()


KINDS: dict[str, Callable[[], bytes]] = {
    "xlsx, a cell of 1.5 GB": lambda: long_cell(1_500),
    "xlsx, a cell of 450 MB": lambda: long_cell(450),
    "xlsx, 6 million cells": lambda: sheet(b"", b"<row>" + b"<c><v>1</v></c>" * 60 + b"</row>", b"", repeats=100_000),
    "xlsx, a row of 30 million cells": lambda: sheet(b"<row>", b"<c/>" * 1_000, b"</row>", repeats=30_000),
    "xlsx, a million far cells": lambda: sheet(b"", b'<row><c r="XFD1"/></row>' * 1_000, b"", repeats=1_000),
    "ods, a cell repeated 6 million times": lambda: ods([*"abcdefghij"], more=REPEATED),
    "xlsx, a row 999,999,999": lambda: sheet(b'<row r="999999999"><c><v>1</v></c></row>', b"", b"", repeats=0),
    "ods, a cell of 450 MB": lambda: replaced(ods(["x"]), "content.xml", [b"<a>", *[b"x" * MB] * 450, b"</a>"]),
    "xlsb, a part of 1.5 GB": binary_workbook,
    "zip, a false directory": false_directory,
    "zip, bzip2 of 1.5 GB": bzip2,
    "gz, 8 million pieces": lambda: gzip.compress(b"") * 8_000_000,
    "gz, CSV with a line of 1 GB": lambda: gz(b"a,b\n", *[b"x" * MB] * 1_000),
    "gz, CSV with a line of 199 MB": lambda: gz(b"a,b\n", *[b"," * MB] * 199),
    "gz, 60 million records of JSON": lambda: gz(b"[{}", *[b",{}" * (MB // 3)] * 180, b"]"),
    "gz, JSON nested 100 million deep": lambda: gz(b'{"a":', *[b"[" * MB] * 100),
    "Parquet, a billion rows": many_rows,
    "Parquet, a dictionary of 1 GB": long_dictionary,
    "Parquet, 50 million equal rows": dictionary,
    "Parquet, 100,000 columns": many_columns,
    "zsav, 12 million rows": zsav,
    "xlsx, 5 million nested tags": lambda: sheet(b"<a>" * (5 * MB), b"</a>" * MB, b"", repeats=5),
    "ods, a text repeated 100,000 times": lambda: ods(["x"], more=REPEATED_TEXT),
    "gz, CSV of 2 GB": lambda: gz(b"a,b\n", *[b"1,2\n" * (MB // 4)] * 2_000),
    "release, rows of 430 MB": lambda: release("rows.csv", *[b"1,2\n" * (MB // 4)] * 430),
    "release, a manifest of 40 MB of lists": lambda: release("manifest.json", b"[", *[b"[]," * (MB // 3)] * 40, b"0]"),
    "release, a manifest nested deeply": lambda: release("manifest.json", b"[" * 10**5, b"]" * 10**5),
    "release, of format 1": lambda: manifest(format=1),
    "release, files as a list": lambda: manifest(files=[]),
}


def write(path: Path, kind: str) -> None:
    """Make a file of a kind."""
    path.write_bytes(KINDS[kind]())


def read(path: Path, kind: str) -> tuple[str, float, float]:
    """The sentence, the seconds of CPU time and the peak MiB, with those of processes that reading starts."""
    data = path.read_bytes()
    began = time.process_time()
    try:
        if kind.startswith("release"):
            shape = load_files(unpack({path.name: data})).rows.codes[0].size, len(data)
        else:
            shape = read_table(data, name=path.name).shape
        sentence = f"READ: {shape[0]:,} rows and {shape[1]:,} columns"
    except ValueError as refusal:
        sentence = str(refusal)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - began + children.ru_utime + children.ru_stime
    return sentence, seconds, max(cost()["peak_mib"], children.ru_maxrss / 1024)


def main(kinds: list[str], max_seconds: float = MAX_SECONDS) -> int:
    """Make and read files of these kinds; returns how many broke the promise."""
    broken = 0
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder) / "t"
            with spawn.Pool(1) as pool:  # not here: a process takes over the peak of the one that starts it
                pool.apply(write, (path, kind))
            with spawn.Pool(1) as pool:
                sentence, seconds, peak = pool.apply(read, (path, kind))
            kept = seconds <= max_seconds and peak <= MAX_MIB
            broken += not kept
            size = path.stat().st_size / MB
            print(f"{kind:36} {size:7.2f} MB {seconds:5.2f} s {peak:6,.0f} MiB  {sentence}", flush=True)
    return broken


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="kind", help="; ".join(KINDS))
    sys.exit(bool(main(parser.parse_args().kinds)))
