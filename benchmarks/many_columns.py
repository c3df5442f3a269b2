"""A table of 300 mixed columns from its file to its rows: seconds and memory, beside what is told beforehand.

    python benchmarks/many_columns.py [--rows 20000] [--epsilon 1]

The columns are bits, scales, categories, whole numbers, skewed amounts and answers with missing ones, in six groups by
name; twelve hidden traits make those of a group depend on each other. First all pairs within groups, then all pairs.
Last Adult, whose rounds select at δ = 0, and whose plan is fitted by weighted rows at δ = 1e-9.

CPU seconds on one of two shared cores, 20,000 rows (24 MiB), ε = 1, δ = 0, pairs within groups: read 0.9, proposed 1.8,
encoded 0.7, run 0.3, rows drawn 3.0, written 2.1; from the file to the rows 8.8 s and at most 389 MiB, the interpreter
included. For the run and its rows 7 s were told, and it took 5.4. With all pairs 10 s and 1.9 GB are told, and it takes
5.3 s; the errors against the truth take 1.0 GiB. Adult's pairs: 2 s told and 1.4 taken at δ = 0, 3 and 3.5 at 1e-9.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from mwem_core import Domain, Records, Seeded, default, encode, nearest_rows, parse_workload, read_table, rows_csv
from mwem_core.automatic.effort import effort
from mwem_core.automatic.in_words import what_ran
from mwem_core.data.proposal import propose
from mwem_core.domain.groups import proposed_groups
from mwem_core.evaluation.metrics import errors

GROUPS = ("health", "work", "home", "money", "travel", "media")
OFTEN = np.array(["never", "rarely", "sometimes", "often", "always", "refused"])
ANSWERS = np.array(["yes", "no", ""])
ADULT = Path(__file__).parents[1] / "sample_data" / "adult.parquet"
X = TypeVar("X")


def mixed_table(n: int, d: int) -> pd.DataFrame:
    """n rows of d columns, of six kinds in turn."""
    rng = np.random.default_rng(0)
    traits, columns = rng.normal(size=(n, 12)), {}
    for i in range(d):
        x = 0.7 * traits[:, i % 12] + 0.7 * rng.normal(size=n)
        kinds: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
            lambda x: (x > 0.3).astype(int),
            lambda x: np.digitize(x, [-1, -0.3, 0.3, 1]) + 1,
            lambda x: OFTEN[np.digitize(x, [-1.2, -0.5, 0.2, 0.9, 1.8])],
            lambda x: np.clip(np.round(40 + 15 * x), 0, 99).astype(int),
            lambda x: np.round(np.exp(7 + x), 2),
            lambda x: ANSWERS[np.digitize(x, [0.4, 1.6])],
        )
        columns[f"{GROUPS[i * len(GROUPS) // d]}_{i:03d}"] = kinds[i % len(kinds)](x)
    return pd.DataFrame(columns)


def timed(what: str, make: Callable[[], X]) -> X:
    """Call it, and print its CPU seconds and the process's peak so far."""
    began = time.process_time()
    made = make()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10  # Linux counts KiB
    print(f"  {what}: {time.process_time() - began:.1f} s, peak so far {peak:,.0f} MiB", flush=True)
    return made


def run(B: Records, spec: str, epsilon: float, delta: float) -> None:
    """A run until its rows are written, and what was told of it."""
    Q = parse_workload(spec, B.domain)
    settings = timed("settings", lambda: default(Q, n=B.total, epsilon=epsilon, delta=delta))
    told = effort(settings, Q, B.total).in_words
    print(f"  {Q.name}, {Q.size:,} cells, δ = {delta:g}, {what_ran(settings, Q, B.total)}: told {told}")
    *_, last = timed("run", lambda: list(settings.rounds(B, Q, noise=Seeded(0))))
    rng = np.random.default_rng(0)
    rows = timed("rows", lambda: nearest_rows(Q, last.model, B.total, rng))
    timed("written", lambda: rows_csv(rows, rng))
    print(f"  mean total variation {errors(Q, Q.answers(last.model), Q.answers(B), B.total).mean_tv:.4f}")


def main() -> None:
    """The table of 300 columns, then Adult."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mixed.csv"
        mixed_table(arguments.rows, 300).to_csv(file, index=False)
        print(f"300 columns, {arguments.rows:,} rows, {file.stat().st_size / 2**20:.0f} MiB")
        table = timed("read", lambda: read_table(file))
        domain = timed("proposed", lambda: propose(table))
        B = timed("encoded", lambda: encode(table, domain))
    for spec in (f"marginals:2:{proposed_groups(domain.names)}", "marginals:2"):
        run(B, spec, arguments.epsilon, 0.0)
    print("Adult")
    schema = ADULT.with_suffix(".toml").read_text(encoding="utf-8")
    adult = encode(read_table(ADULT), Domain.from_toml(schema))
    for delta in (0.0, 1e-9):
        run(adult, "marginals:2", arguments.epsilon, delta)


if __name__ == "__main__":
    main()
