"""Counting a table larger than memory: our count beside DuckDB's own bare GROUP BY, and a whole run on top.

    python benchmarks/large_table.py [--rows 100000000] [--repeats 3] [--folder DIR]

Makes a Parquet file of eight skewed and correlated columns, in row groups, unless the folder has it already. Counts it
by turns, each in a process of its own; then runs the command line: the default preset, all pairs, ε = 1. Prints
seconds, the ratio and each process's peak memory. 100 million rows take 0.4 GB of disk.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fresh import append
from report import RESULTS

from mwem_core import Attribute, Domain
from mwem_core.domain.values import Values

SIZES = {
    "workclass": 9,
    "education": 16,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 42,
}
DOMAIN = Domain(
    tuple(Attribute(name, Values(tuple(f"{name} {i}" for i in range(size)))) for name, size in SIZES.items())
)
GROUP = 1 << 20  # rows


def make(path: Path, rows: int) -> None:
    """Each column leans on one hidden number, and its first values are the frequent ones."""
    rng = np.random.default_rng(0)
    texts = {attribute.name: pa.array(attribute.labels) for attribute in DOMAIN.attributes}
    schema = pa.schema([(name, pa.dictionary(pa.int8(), pa.string())) for name in SIZES])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP):
            m = min(GROUP, rows - start)
            hidden = rng.random(m)
            columns = []
            for name, size in SIZES.items():
                near = np.clip(hidden + 0.12 * (rng.random(m) - 0.5), 0, 1) * (rng.random(m) < 0.97)
                codes = np.minimum(size * near**2.5, size - 1).astype(np.int8)
                columns.append(pa.DictionaryArray.from_arrays(pa.array(codes), texts[name]))
            writer.write_table(pa.table(columns, schema=schema))


def bare(path: Path, memory: str) -> int:
    """DuckDB's own, fetched as Arrow; returns the distinct rows."""
    import duckdb

    with duckdb.connect(config={"memory_limit": memory}) as connection:
        columns = ", ".join(f'"{name}"' for name in SIZES)
        query = f"SELECT {columns}, count(*) FROM read_parquet('{path}') GROUP BY {columns}"
        return connection.sql(query).to_arrow_table().num_rows


def ours(path: Path, memory: str) -> int:
    """What a run counts on; returns the distinct rows."""
    from mwem_core.database.duckdb_files import count_file

    return len(count_file(path, DOMAIN, memory=memory).distinct().codes[0])


def measure(what: str, path: Path, memory: str) -> dict[str, float]:
    """Run one of the two in a process of its own: seconds, on the clock and of processors, and its peak memory."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure", what, "--file", str(path), "--memory", memory],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def report(what: str, path: Path, memory: str) -> None:
    """What `measure` reads."""
    started = time.perf_counter()
    rows = {"bare": bare, "ours": ours}[what](path, memory)
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20  # Linux counts KiB
    print(json.dumps({"seconds": seconds, "cpu": cpu, "rows": rows, "GiB": peak}))


def run(path: Path, schema: Path) -> dict:
    """A whole run from the command line, and its peak memory."""
    words = ["--table", str(path), "--schema", str(schema), "--workload", "marginals:2", "--epsilon", "1", "--json"]
    program = "import resource, sys; from mwem_core.__main__ import main; code = main(sys.argv[1:]); "
    program += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20); sys.exit(code)"
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, "run", *words], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - started
    summary, gib = done.stdout.splitlines()
    return json.loads(summary) | {"wall": seconds, "GiB": float(gib)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Make, count by turns, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="2GB", help="DuckDB's limit, for both")
    parser.add_argument("--folder", type=Path, help="keep the table there; by default in a temporary folder")
    parser.add_argument("--measure", choices=["bare", "ours"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        return report(given.measure, given.file, given.memory)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path, schema = folder / f"{given.rows}.parquet", Path(temporary) / "schema.toml"
        schema.write_text(DOMAIN.to_toml(), encoding="utf-8")
        if not path.exists():
            make(path, given.rows)
        print(f"{given.rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
        found: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
        for _ in range(given.repeats):
            for what, measured in found.items():
                measured.append(measure(what, path, given.memory))
                line = measured[-1]
                print(
                    f"{what}: {line['seconds']:.1f} s ({line['cpu']:.1f} s of processors), {line['rows']:,} distinct"
                    f" rows, peak {line['GiB']:.2f} GiB; load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
        medians = {
            what: {clock: statistics.median(line[clock] for line in lines) for clock in ("seconds", "cpu")}
            for what, lines in found.items()
        }
        for clock in ("seconds", "cpu"):
            ours_, bare_ = medians["ours"][clock], medians["bare"][clock]
            print(
                f"medians of {clock}: {ours_:.1f} and {bare_:.1f}: {ours_ / bare_:.2f} times the bare GROUP BY",
                flush=True,
            )
        whole = run(path, schema)
        spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in whole["seconds"].items())
        print(
            f"whole run: {whole['wall']:.1f} s ({spent}), peak {whole['GiB']:.2f} GiB, mean TV {whole['mean_tv']:.2g}"
        )
        counted = {what: round(median["seconds"], 2) for what, median in medians.items()}
        told = {"wall": whole["wall"], "count": counted, "ratio": round(counted["ours"] / counted["bare"], 3)}
        append(RESULTS, "large table", f"{given.rows:,} rows", 0, told | {"peak_mib": round(1024 * whole["GiB"])})
    return None


if __name__ == "__main__":
    main()
