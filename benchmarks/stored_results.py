"""The stored results that come with the program, made again: `python benchmarks/stored_results.py KIND [TABLE ...]`.

| kind | what is run | CPU seconds | written to `sample_data/` |
|---|---|---|---|
| `trials` | every bundled table at the settings with which Compare and Trade-off open | 100 | `trials/` |
| `answers` | twenty runs of MWEM and of Automatic at twelve ε, for the front page | 900 | `../static/answers/` |
| `rounds` | the class survey a hundred times over, eight ε, every T, 20 seeds | 200 | `lessons/rounds.csv` |
| `halves` | the class survey, nine shares of a round that measures, 40 seeds | 25 | `lessons/halves.csv` |

The last two are for the lessons How many rounds? and MWEM. The first two take the names of tables (all if none is
named), and print how the results differ from the committed ones. The same version gives the same errors, on another
processor but for their last digits; seconds differ.
"""

import argparse
from collections.abc import Iterable, Mapping
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
from mwem_app.front import FRONTS, file_of, from_gz, records_of, run_answers, to_gz
from mwem_app.inputs import SAMPLE
from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.judge import Result, Trial, from_csv, grid, run_trial, to_csv as trials_csv
from mwem_core.workload import Workload

TRIALS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # ε of Trade-off; Compare opens with one of them
SEEDS = range(5)
MARGINALS, WORKLOADS = "marginals:2", {"Adult, whole numbers": "ranges:age:2000@0"}


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


def of_answers(titles: Iterable[str]) -> None:
    """Run and write the answers with which the front page opens."""
    for title in titles:
        B, file, began = records_of(title), file_of(title), process_time()
        answers = run_answers(B, parse_workload(MARGINALS, B.domain))
        cpu, content = process_time() - began, to_gz(answers)
        differing = np.abs(answers.off - from_gz(file.read_bytes()).off) if file.exists() else np.zeros(0)
        print(
            f"{title}: {cpu:.0f} CPU s, {len(content) / 1000:,.0f} kB; {(differing > 0).sum():,} answers differ from "
            f"the committed ones, by at most {differing.max(initial=0)} records",
            flush=True,
        )
        file.write_bytes(content)


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
    parser.add_argument("kind", choices=("trials", "answers", "rounds", "halves"))
    parser.add_argument("tables", nargs="*", choices=[*SAMPLE, []], metavar="TABLE", help="; ".join(SAMPLE))
    given = parser.parse_args()
    if given.kind in ("rounds", "halves"):
        of_lesson(given.kind)
    else:
        chosen = given.tables or (SAMPLE if given.kind == "trials" else FRONTS)
        (of_trials if given.kind == "trials" else of_answers)(chosen)
