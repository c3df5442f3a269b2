"""Counting a table in Spark, local mode, through Ibis, beside DuckDB on the same Parquet file; the counts must agree.

    pip install -e '.[duckdb]' 'ibis-framework[pyspark]' 'pyspark>=4'   # and Java: default-jre-headless
    python benchmarks/spark_table.py [--rows 100000000] [--repeats 3] [--folder DIR]

The file is that of `large_table.py`. Each count is in a fresh process, and the two take turns. It counts the table as a
run does, to distinct rows, then all pairs of the attributes on demand, as for tables whose distinct rows do not fit in
memory. The script fails unless every cell of every pair is the same. It prints seconds, rows per second and peak
memory. The seconds do not include Spark's start.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import combinations
from pathlib import Path

from fresh import append
from large_table import DOMAIN, make
from report import RESULTS

from mwem_core import Records
from mwem_core.database import counted
from mwem_core.database.counted import Counted

PAIRS = list(combinations(range(len(DOMAIN)), 2))
WAYS = {"distinct rows": counted.MAX_DISTINCT_BYTES, "pairs on demand": 0}  # the bytes of distinct rows to hold
Count = Callable[[], Records | Counted]


@contextmanager
def duckdb(path: Path, memory: str):
    """Count by DuckDB, as a run counts a large file; yields the count and the id of the process that counts."""
    from mwem_core.database.duckdb_files import count_file

    yield lambda: count_file(path, DOMAIN, memory=f"{memory}B"), os.getpid()


@contextmanager
def spark(path: Path, memory: str):
    """Count by Spark on this machine's cores; yields the count and the id of the process that counts."""
    import ibis
    from pyspark.sql import SparkSession

    from mwem_core.database.ibis_tables import count_table

    settings = {"spark.driver.memory": memory.lower(), "spark.log.level": "ERROR"}
    settings |= {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    session = SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()
    table = ibis.pyspark.connect(session).read_parquet(path)
    yield lambda: count_table(table, DOMAIN), session.sparkContext._gateway.proc.pid
    session.stop()


Engine = Callable[[Path, str], AbstractContextManager[tuple[Count, int]]]
ENGINES: dict[str, Engine] = {"DuckDB": duckdb, "Spark": spark}


def measure(engine: str, way: str, path: Path, memory: str) -> dict:
    """Count in a fresh process: seconds, peak memory of the process that counts, and a digest of all pairs."""
    words = ["--measure", engine, way, "--file", str(path), "--memory", memory]
    done = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def report(engine: str, way: str, path: Path, memory: str) -> None:
    """Count, and print what `measure` reads. This is the fresh process."""
    counted.MAX_DISTINCT_BYTES = WAYS[way]
    with ENGINES[engine](path, memory) as (count, process):
        started = time.perf_counter()
        table = count()
        marginals = table.marginals(PAIRS)
        seconds = time.perf_counter() - started
        cells = hashlib.sha256(b"".join(marginal.tobytes() for marginal in marginals)).hexdigest()
        found = {"engine": engine, "seconds": seconds, "total": table.total, "cells": cells}
        print(json.dumps(found | {"MiB": _peak(process), "kind": type(table).__name__}))


def _peak(process: int) -> int:
    """The most memory that a process has held, in MiB; 0 where /proc is not there."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    except OSError:
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024) if process == os.getpid() else 0
    return round(int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024)


def main(argv: Sequence[str] | None = None) -> None:
    """Make the table, count it in turns by each engine and way, compare, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="2G", help="DuckDB's memory limit, and the size of Spark's heap")
    parser.add_argument("--folder", type=Path, help="keep the table there (a temporary folder)")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.measure:
        return report(*arguments.measure, arguments.file, arguments.memory)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{arguments.rows}.parquet"
        if not path.exists():
            make(path, arguments.rows)
        for way in WAYS:
            _compare(way, path, arguments.rows, arguments.repeats, arguments.memory)
    return None


def _compare(way: str, path: Path, rows: int, repeats: int, memory: str) -> None:
    runs: dict[str, list[dict]] = {engine: [] for engine in ENGINES}
    for _ in range(repeats):
        for engine, done in runs.items():
            done.append(measure(engine, way, path, memory))
            last = done[-1]
            print(
                f"{way}: {engine} {last['seconds']:.1f} s, {rows / last['seconds']:,.0f} rows per second,"
                f" peak {last['MiB']:,} MiB, {last['kind']}; load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    counts = {(last["total"], last["cells"]) for done in runs.values() for last in done}
    if len(counts) != 1 or next(iter(counts))[0] != rows:
        raise SystemExit(f"{way}: the counts differ")
    print(f"{way}: all cells of the {len(PAIRS)} pairs are the same", flush=True)
    for engine, done in runs.items():
        for seed, each in enumerate(done):
            found = {"wall": round(each["seconds"], 2), "rows_per_second": round(rows / each["seconds"])}
            append(RESULTS, "counted in place", f"{engine}, {way}", seed, found | {"peak_mib": each["MiB"]})


if __name__ == "__main__":
    main()
