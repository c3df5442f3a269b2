"""The results with which Compare and Trade-off open: every bundled table at the default settings of both pages.

    nice python benchmarks/committed_trials.py [TABLE ...]

It runs the trials of each table (all tables if none is named) one after another, prints how they differ from the
committed ones, and writes them to `sample_data/trials/`. The same version gives the same errors, on another processor
but for their last digits; seconds differ.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import astuple, replace
from datetime import date
from importlib.metadata import version
from itertools import chain
from math import inf, isfinite

from fresh import machine
from rows import SAMPLES

from mwem_app.inputs.samples import SAMPLE
from mwem_app.inputs.system_choice import default_systems, refusals
from mwem_app.results.committed import FOLDER, INDEX
from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.data.digest import digest
from mwem_core.evaluation.trials import Result, Trial, grid, run_trial
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.workload.workload import Workload

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # of Trade-off; Compare opens with one of them
SEEDS = range(5)
MARGINALS, WORKLOADS = "marginals:2", {"Adult, whole numbers": "ranges:age:2000@0"}


def main(titles: Iterable[str]) -> None:
    """Run the trials of these tables."""
    FOLDER.mkdir(exist_ok=True)
    for title in titles:
        B, Q = task(title)
        file = FOLDER / f"{title.lower().replace(',', '').replace(' ', '_')}.csv"
        before = {r.trial: r for r in from_csv(file.read_text(encoding="utf-8"))} if file.exists() else {}
        results = [run_trial(B.distinct(), Q, trial) for trial in trials(Q, B.total)]
        print(f"{title}: {sum(r.seconds for r in results):.0f} CPU s; {difference(results, before)}", flush=True)
        file.write_text(to_csv(results), encoding="utf-8")
        register(file.name, B, Q)


def task(title: str) -> tuple[Records, Workload]:
    """A bundled table and its workload, as the pages open with them."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    chosen = sample.attributes or domain.names
    B = encode(read_table(SAMPLES / sample.file), domain, count=sample.count).project(
        [name for name in domain.names if name in chosen]
    )
    return B, parse_workload(WORKLOADS.get(title, MARGINALS), B.domain)


def trials(Q: Workload, n: int) -> tuple[Trial, ...]:
    """The trials of both pages at their default settings."""
    systems = default_systems(refusals(Q, n=n, epsilon=max(EPSILONS), delta=0.0))
    return grid(systems, EPSILONS, SEEDS)


def difference(results: Iterable[Result], before: Mapping[Trial, Result]) -> str:
    """How the results differ from earlier ones of the same trials, in words; seconds are left out."""
    pairs = [(r, before[r.trial]) for r in results if r.trial in before]
    differing = [pair for pair in pairs if replace(pair[0], seconds=0.0) != replace(pair[1], seconds=0.0)]
    largest = max(
        (relative(*numbers) for pair in differing for numbers in zip(*map(_numbers, pair), strict=True)), default=0.0
    )
    return f"{len(differing)} of {len(pairs)} committed trials differ, by at most {largest:.1e} of a number"


def relative(a: float, b: float) -> float:
    """The difference of two numbers as a share of the larger one."""
    if a == b:
        return 0.0
    return abs(a - b) / max(abs(a), abs(b)) if isfinite(a) and isfinite(b) else inf


def _numbers(result: Result) -> list[float]:
    errors = chain.from_iterable(astuple(errors) for errors in (result.answers, result.rows) if errors)
    return [result.rounds, result.epsilon_spent, result.relative_entropy or 0.0, *(error or 0.0 for error in errors)]


def register(file: str, B: Records, Q: Workload) -> None:
    """Write a file's table, workload, day, version and machine to the index."""
    index = FOLDER / INDEX
    entries = index.read_text(encoding="utf-8").split("[[trials]]\n")[1:] if index.exists() else []
    kept = [entry for entry in entries if f'file = "{file}"' not in entry]
    here = machine()
    entry = (
        f'file = "{file}"\ntable = "{digest(B)}"\nworkload = "{Q.spec}"\nday = {date.today()}\n'
        f'version = "{version("mwem-explorer")}"\nmachine = "{here["cpu"]}, Python {here["python"]}"\n'
    )
    index.write_text("\n".join(f"[[trials]]\n{e.strip()}\n" for e in sorted([*kept, entry])), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or SAMPLE)
