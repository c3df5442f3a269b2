"""Counting a table larger than memory: our count beside DuckDB's own bare GROUP BY, and a whole run on top.

    python benchmarks/large_table.py [--rows 100000000] [--repeats 3] [--folder DIR]

It makes a Parquet file of eight skewed and correlated columns, in row groups, unless the folder has the file. The two
counts take turns, each in a fresh process. Then the command line runs Automatic on all pairs at ε = 1. The
script prints seconds, the ratio and each process's peak memory. 100 million rows take 0.4 GB of disk.
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
GROUP_ROWS = 1 << 20


def make(path: Path, rows: int) -> None:
    """Write the table. One hidden number correlates the columns; the first values of each are the most frequent."""
    rng = np.random.default_rng(0)
    texts = {attribute.name: pa.array(attribute.labels) for attribute in DOMAIN.attributes}
    schema = pa.schema([(name, pa.dictionary(pa.int8(), pa.string())) for name in SIZES])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP_ROWS):
            m = min(GROUP_ROWS, rows - start)
            hidden = rng.random(m)
            columns = []
            for name, size in SIZES.items():
                near = np.clip(hidden + 0.12 * (rng.random(m) - 0.5), 0, 1) * (rng.random(m) < 0.97)
                codes = np.minimum(size * near**2.5, size - 1).astype(np.int8)
                columns.append(pa.DictionaryArray.from_arrays(pa.array(codes), texts[name]))
            writer.write_table(pa.table(columns, schema=schema))


def bare(path: Path, memory: str) -> int:
    """Count by DuckDB's own GROUP BY, fetched as Arrow; returns the number of distinct rows."""
    import duckdb

    with duckdb.connect(config={"memory_limit": memory}) as connection:
        columns = ", ".join(f'"{name}"' for name in SIZES)
        query = f"SELECT {columns}, count(*) FROM read_parquet('{path}') GROUP BY {columns}"
        return connection.sql(query).to_arrow_table().num_rows


def ours(path: Path, memory: str) -> int:
    """Count as a run does; returns the number of distinct rows."""
    from mwem_core.database.duckdb_files import count_file

    return len(count_file(path, DOMAIN, memory=memory).distinct().codes[0])


def measure(counter: str, path: Path, memory: str) -> dict[str, float]:
    """Run one of the two counts in a fresh process: wall and CPU seconds, distinct rows and peak memory."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure", counter, "--file", str(path), "--memory", memory],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def report(counter: str, path: Path, memory: str) -> None:
    """Count, and print what `measure` reads. This is the fresh process."""
    started = time.perf_counter()
    rows = {"bare": bare, "ours": ours}[counter](path, memory)
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20  # Linux counts KiB
    print(json.dumps({"seconds": seconds, "cpu": cpu, "rows": rows, "GiB": peak}))


def run(path: Path, schema: Path) -> dict:
    """A whole run from the command line: its summary, wall seconds and peak memory."""
    words = ["--table", str(path), "--schema", str(schema), "--workload", "marginals:2", "--epsilon", "1", "--json"]
    program = "import resource, sys; from mwem_core.__main__ import main; code = main(sys.argv[1:]); "
    program += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20); sys.exit(code)"
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, "run", *words], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - started
    summary, gib = done.stdout.splitlines()
    return json.loads(summary) | {"wall": seconds, "GiB": float(gib)}


def main(argv: Sequence[str] | None = None) -> None:
    """Make the table, count it in turns, run on it, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="2GB", help="DuckDB's memory limit, for both counts")
    parser.add_argument("--folder", type=Path, help="keep the table there (a temporary folder)")
    parser.add_argument("--measure", choices=["bare", "ours"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.measure:
        return report(arguments.measure, arguments.file, arguments.memory)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path, schema = folder / f"{arguments.rows}.parquet", Path(temporary) / "schema.toml"
        schema.write_text(DOMAIN.to_toml(), encoding="utf-8")
        if not path.exists():
            make(path, arguments.rows)
        print(
            f"{arguments.rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True
        )
        measurements: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
        for _ in range(arguments.repeats):
            for counter, measured in measurements.items():
                measured.append(measure(counter, path, arguments.memory))
                last = measured[-1]
                print(
                    f"{counter}: {last['seconds']:.1f} s ({last['cpu']:.1f} s of CPU), {last['rows']:,} distinct"
                    f" rows, peak {last['GiB']:.2f} GiB; load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
        medians = {
            counter: {clock: statistics.median(m[clock] for m in measured) for clock in ("seconds", "cpu")}
            for counter, measured in measurements.items()
        }
        for clock in ("seconds", "cpu"):
            by_ours, by_duckdb = medians["ours"][clock], medians["bare"][clock]
            print(
                f"medians of {clock}: {by_ours:.1f} and {by_duckdb:.1f}: "
                f"{by_ours / by_duckdb:.2f} times the bare GROUP BY",
                flush=True,
            )
        whole = run(path, schema)
        spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in whole["seconds"].items())
        print(
            f"whole run: {whole['wall']:.1f} s ({spent}), peak {whole['GiB']:.2f} GiB, mean TV {whole['mean_tv']:.2g}"
        )
        counts = {counter: round(median["seconds"], 2) for counter, median in medians.items()}
        record = {"wall": whole["wall"], "count": counts, "ratio": round(counts["ours"] / counts["bare"], 3)}
        append(RESULTS, "large table", f"{arguments.rows:,} rows", 0, record | {"peak_mib": round(1024 * whole["GiB"])})
    return None


if __name__ == "__main__":
    main()
