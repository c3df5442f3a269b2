"""The stored results that come with the program, made again: `python benchmarks/stored_results.py KIND [TABLE ...]`.

| kind | what is run | CPU seconds | written to `sample_data/` |
|---|---|---|---|
| `trials` | every bundled table at the settings with which Compare and Trade-off open | 100 | `trials/` |
| `runs` | MWEM and Automatic on these tables at twelve ε, with which the demonstration opens | 15 | `runs/` |
| `rounds` | the class survey a hundred times over, eight ε, every T, 20 seeds | 200 | `lessons/rounds.csv` |
| `halves` | the class survey, nine shares of a round that measures, 40 seeds | 25 | `lessons/halves.csv` |

The last two are for the lessons How many rounds? and MWEM. The first two take the names of tables (all if none is
named), and print how the results differ from the committed ones. The same version gives the same errors, on another
processor but for their last digits; seconds differ.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import date
from importlib.metadata import version
from itertools import chain
from math import inf, isfinite
from pathlib import Path
from time import process_time

import numpy as np
from fresh import machine
from rows import SAMPLES

from mwem_app.compare import default_systems, refusals, stored_trials
from mwem_app.course import halves_trials, rounds_trials, to_csv
from mwem_app.inputs import SAMPLE
from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.judge import Result, Trial, from_csv, grid, run_trial, to_csv as trials_csv
from mwem_core.stage import EPSILONS, FOLDER, INDEX, SEED, Track, from_npz, to_npz, track
from mwem_core.workload import Workload

TRIALS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # ε of Trade-off; Compare opens with one of them
SEEDS = range(5)
MARGINALS, WORKLOADS = "marginals:2", {"Adult, whole numbers": "ranges:age:2000@0"}
SYSTEMS = "mwem", "automatic"  # of the runs
FURTHER = {"Adult, whole numbers": ("ranges:capital-loss:2000@0",)}  # workloads, beside those that pages open with


def of_trials(titles: Iterable[str]) -> None:
    """Run and write the trials of these tables."""
    for title in titles:
        B, Q = task(title)
        file = stored_trials.FOLDER / f"{title.lower().replace(',', '').replace(' ', '_')}.csv"
        before = from_csv(file.read_text(encoding="utf-8")) if file.exists() else []
        systems = default_systems(refusals(Q, n=B.total, epsilon=max(TRIALS), delta=0.0))
        results = [run_trial(B.distinct(), Q, trial) for trial in grid(systems, TRIALS, SEEDS)]
        differing = difference(results, {r.trial: r for r in before})
        print(f"{title}: {sum(r.seconds for r in results):.0f} CPU s; {differing}", flush=True)
        file.write_text(trials_csv(results), encoding="utf-8")
        register(file, stored_trials.INDEX, "trials", B, Q)


def of_runs(titles: Iterable[str]) -> None:
    """Run and write the tracks of these tables."""
    for title in titles:
        for name, B, Q in tasks(title):
            file = FOLDER / f"{name}.npz"
            before = from_npz(file.read_bytes()) if file.exists() else []
            began = process_time()
            tracks = [track(B, Q, system, e, seed=SEED)[0] for system in SYSTEMS for e in EPSILONS]
            cpu, content = process_time() - began, to_npz(tracks)
            size = f"{len(content) / 1000:,.0f} kB"
            print(f"{name}: {len(tracks)} runs, {cpu:.1f} CPU s, {size}; {differing_runs(tracks, before)}", flush=True)
            file.write_bytes(content)
            register(file, INDEX, "runs", B, Q)


def of_lesson(name: str) -> None:
    """Run and write the trials of a lesson on the class survey."""
    domain = Domain.from_toml((SAMPLES / "class_survey.toml").read_text(encoding="utf-8"))
    B, Q = encode(read_table(SAMPLES / "class_survey.csv"), domain), parse_workload(MARGINALS, domain)
    found = to_csv(rounds_trials(B, Q)) if name == "rounds" else to_csv(halves_trials(B, Q))
    (SAMPLES / "lessons" / f"{name}.csv").write_text(found, encoding="utf-8")


def task(title: str) -> tuple[Records, Workload]:
    """A bundled table and its workload, as the pages open with them."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    chosen = sample.attributes or domain.names
    B = encode(read_table(SAMPLES / sample.file), domain, count=sample.count).project(
        [name for name in domain.names if name in chosen]
    )
    return B, parse_workload(WORKLOADS.get(title, MARGINALS), B.domain)


def tasks(title: str) -> Iterator[tuple[str, Records, Workload]]:
    """The workloads of a bundled table's runs, each with a name for its file."""
    B, Q = task(title)
    for each in (Q, *(parse_workload(spec, B.domain) for spec in FURTHER.get(title, ()))):
        kind = each.spec.rsplit(":", 1)[0] if each.family == "ranges" else each.spec
        yield f"{title} {kind}".lower().replace(",", "").replace(" ", "_").replace(":", "-"), B, each


def difference(results: Iterable[Result], before: Mapping[Trial, Result]) -> str:
    """How the results differ from earlier ones of the same trials, in words; seconds are left out."""
    pairs = [(r, before[r.trial]) for r in results if r.trial in before]
    differing = [pair for pair in pairs if replace(pair[0], seconds=0.0) != replace(pair[1], seconds=0.0)]
    numbers = chain.from_iterable(zip(*map(_numbers, pair), strict=True) for pair in differing)
    largest = max((relative(a, b) for a, b in numbers), default=0.0)
    return f"{len(differing)} of {len(pairs)} committed trials differ, by at most {largest:.1e} of a number"


def relative(a: float, b: float) -> float:
    """The difference of two numbers as a share of the larger one."""
    if a == b:
        return 0.0
    return abs(a - b) / max(abs(a), abs(b)) if isfinite(a) and isfinite(b) else inf


def _numbers(result: Result) -> list[float]:
    errors = chain.from_iterable(astuple(errors) for errors in (result.answers, result.rows) if errors)
    return [result.rounds, result.epsilon_spent, result.relative_entropy or 0.0, *(error or 0.0 for error in errors)]


def differing_runs(tracks: Sequence[Track], before: Sequence[Track]) -> str:
    """How many runs differ from the committed ones, in any number or word."""
    earlier = {(each.system, each.epsilon): each for each in before}
    pairs = [(each, earlier[key]) for each in tracks if (key := (each.system, each.epsilon)) in earlier]
    numbers = ("spent", "max_error", "mean_error", "answers")
    same = [
        a.labels == b.labels and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in numbers)
        for a, b in pairs
    ]
    return f"{same.count(False)} of {len(pairs)} committed runs differ"


def register(file: Path, index: str, kind: str, B: Records, Q: Workload) -> None:
    """Write a file's table, workload, day, version and machine to the index beside it."""
    path, head = file.with_name(index), f"[[{kind}]]\n"
    entries = path.read_text(encoding="utf-8").split(head)[1:] if path.exists() else []
    kept = [entry for entry in entries if f'file = "{file.name}"' not in entry]
    here = machine()
    entry = (
        f'file = "{file.name}"\ntable = "{B.digest}"\nworkload = "{Q.spec}"\nday = {date.today()}\n'
        f'version = "{version("mwem-explorer")}"\nmachine = "{here["cpu"]}, Python {here["python"]}"\n'
    )
    path.write_text("\n".join(f"{head}{e.strip()}\n" for e in sorted([*kept, entry])), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("trials", "runs", "rounds", "halves"))
    parser.add_argument("tables", nargs="*", choices=[*SAMPLE, []], metavar="TABLE", help="; ".join(SAMPLE))
    given = parser.parse_args()
    if given.kind in ("rounds", "halves"):
        of_lesson(given.kind)
    else:
        (of_trials if given.kind == "trials" else of_runs)(given.tables or SAMPLE)
