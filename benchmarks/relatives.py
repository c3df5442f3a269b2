"""Every system of mwem_core.systems on the same tables, workloads and ε; writes RELATIVES.md.

    python benchmarks/relatives.py --data FOLDER

A trial that stands in relatives.csv is not run again, so it can be stopped and taken up again. A system that refuses a
task, or does not finish within the limit, is not asked again with other seeds. NLTCS and mildew are not bundled: FOLDER
holds nltcs_cells.csv and mildew_cells.csv.
"""

import argparse
import multiprocessing
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fresh import machine
from report import markdown, short
from rows import ADULT, EIGHT, HERE, SAMPLES

from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.evaluation.trials import Result, grid, run_trials
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.systems import SYSTEMS, system

EPSILONS = (0.1, 1.0)


@dataclass(frozen=True)
class Task:
    """A table of n records, the attributes used (all of the schema's without), and a workload."""

    title: str
    n: int
    table: Path  # a bare name is looked for in --data
    schema: Path
    workload: str
    names: tuple[str, ...] = ()

    def found(self, results: Iterable[Result]) -> list[Result]:
        """The results that are of this task."""
        return [r for r in results if (r.n, r.workload) == (self.n, self.workload)]


CZECH, ROCHDALE = ((SAMPLES / f"{name}.csv", SAMPLES / f"{name}.toml") for name in ("czech", "rochdale"))
BY_EIGHT = (ADULT, SAMPLES / "adult.toml")
TASKS = (
    Task("Adult, eight categorical attributes, two-way marginals", 48_842, *BY_EIGHT, "marginals:2", EIGHT),
    Task("Adult, eight categorical attributes, three-way marginals", 48_842, *BY_EIGHT, "marginals:3", EIGHT),
    Task("Czech car workers, two-way marginals", 1_841, *CZECH, "marginals:2"),
    Task("Czech car workers, three-way marginals", 1_841, *CZECH, "marginals:3"),
    Task("Rochdale, two-way marginals", 665, *ROCHDALE, "marginals:2"),
    Task("Rochdale, three-way marginals", 665, *ROCHDALE, "marginals:3"),
    Task("NLTCS, three-way marginals", 21_574, Path("nltcs_cells.csv"), HERE / "nltcs.toml", "marginals:3"),
    Task("Mildew, two-way marginals", 70, Path("mildew_cells.csv"), HERE / "mildew.toml", "marginals:2"),
    Task("Mildew, three-way marginals", 70, Path("mildew_cells.csv"), HERE / "mildew.toml", "marginals:3"),
)

LEGEND = """\
Means over seeds ± their standard error; seconds are CPU time of the mechanism's own, medians. Errors are shares of n:
TV is half the L1 norm per marginal, averaged over the workload's, max the largest error of a cell. First those of the
answers as they were released, then those of n synthetic rows, where a system gives rows. Relative entropy, in nats, is
the truth's against what was released. Uniform reads no data and multiplicative weights keep no privacy: they are to
compare with. Systems whose privacy is zCDP run at δ = 1e-9, the others at pure ε. [README.md](README.md) says how to
repeat it."""


def main() -> None:
    """Run what is missing, seed by seed, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="how many (10)")
    parser.add_argument("--systems", type=lambda text: text.split(","), metavar="A,B", help="all without")
    parser.add_argument("--tasks", default="", metavar="TEXT", help="only those with this in their title")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the tables are that are not bundled")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1: the times are then fair)")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for each trial (600)")
    parser.add_argument("--again", action="store_true", help="run these systems anew on these tasks")
    parser.add_argument("--results", type=Path, default=HERE / "relatives.csv")
    parser.add_argument("--out", type=Path, default=HERE / "RELATIVES.md")
    given = parser.parse_args()
    try:
        systems = [system(name).name for name in given.systems or SYSTEMS]
    except ValueError as problem:
        parser.error(str(problem))
    tasks = [task for task in TASKS if given.tasks.lower() in task.title.lower() and _path(task, given.data)]
    done = from_csv(given.results.read_text(encoding="utf-8")) if given.results.exists() else []
    if given.again:
        old = {id(r) for task in tasks for r in task.found(done) if r.trial.system in systems}
        done = [r for r in done if id(r) not in old]
        given.results.write_text(to_csv(done), encoding="utf-8")
    with Limited(given.workers, given.limit) as executor:
        try:
            for seed in range(given.seeds):
                for task in tasks:
                    for result in _run(task, systems, seed, done, given.data, executor):
                        done.append(result)
                        _append(given.results, result)
                        print(_line(task, result), flush=True)
                    given.out.write_text(_report(done), encoding="utf-8")
        except KeyboardInterrupt:
            os._exit(130)  # at once: what still runs would be waited for


def _path(task: Task, data: Path | None) -> Path | None:
    if task.table.parent != Path():
        return task.table
    if data is None or not (data / task.table).exists():
        print(f"{task.title}: give the folder of {task.table} by --data", file=sys.stderr)
        return None
    return data / task.table


@cache
def _load(table: Path, schema: Path, names: tuple[str, ...]) -> Records:
    domain = Domain.from_toml(schema.read_text(encoding="utf-8"))
    return encode(read_table(table), domain.project(names) if names else domain)


def _run(
    task: Task, systems: Sequence[str], seed: int, done: Sequence[Result], data: Path | None, executor: "Limited"
) -> Iterator[Result]:
    """What is missing of one seed, but for who has already said that it cannot."""
    found = task.found(done)
    stand = {r.trial for r in found}
    cannot = {(r.trial.system, r.trial.epsilon) for r in found if r.problem}
    left = [t for t in grid(systems, EPSILONS, [seed]) if t not in stand and (t.system, t.epsilon) not in cannot]
    if left:
        B = _load(_path(task, data), task.schema, task.names)
        yield from run_trials(B, parse_workload(task.workload, B.domain), left, executor)


class Limited(ThreadPoolExecutor):
    """Threads that each hand trials to a process of their own, and end it where a trial takes longer than its limit."""

    def __init__(self, workers: int, limit: float):
        super().__init__(workers)
        self._limit, self._own, self._pools = limit, threading.local(), []

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future:
        """Raises ValueError from the future, where it took too long."""
        return super().submit(self._within, fn, args)

    def _within(self, fn: Callable[..., Any], args: tuple) -> Any:
        if not hasattr(self._own, "pool"):
            self._own.pool = multiprocessing.get_context("spawn").Pool(1)
            self._pools.append(self._own.pool)
            self._own.pool.apply(int)  # until it has started: that is no trial's time
        try:
            return self._own.pool.apply_async(fn, args).get(self._limit)
        except multiprocessing.TimeoutError:
            self._own.pool.terminate()
            del self._own.pool
            raise ValueError(f"unfinished after {self._limit:g} s") from None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes too."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.terminate()
            pool.join()


def _append(results: Path, result: Result) -> None:
    header, line = to_csv([result]).split("\n", 1)
    with results.open("a", encoding="utf-8") as file:
        file.write(line if file.tell() else f"{header}\n{line}")


def _line(task: Task, result: Result) -> str:
    errors = result.answers
    told = result.problem or f"{result.seconds:.2f} s" + (f", mean TV {errors.mean_tv:.4f}" if errors else "")
    return f"{task.title}, {result.trial.system}, ε = {result.trial.epsilon:g}, seed {result.trial.seed}: {told}"


def _report(results: Sequence[Result]) -> str:
    """A table for each task that anything was run on."""
    here = machine()
    told = (
        f"{time.strftime('%Y-%m-%d')}; {here['cpu']}, {here['cores']} cores, {here['pinned']}, Python {here['python']}"
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "opendp", "mwem-explorer"))
    text = ["# Relatives", "", f"{told}. {versions}.", "", LEGEND]
    for task in TASKS:
        if found := task.found(results):
            text += ["", f"## {task.title}", "", _table(found), *_refusals(found)]
    return "\n".join(text) + "\n"


def _of(part: str, name: str) -> Callable[[Result], float | None]:
    return lambda r: getattr(getattr(r, part), name, None)


COLUMNS = {
    "mean TV": _of("answers", "mean_tv"),
    "max": _of("answers", "max_error"),
    "rows: mean TV": _of("rows", "mean_tv"),
    "rows: max": _of("rows", "max_error"),
    "relative entropy": lambda r: r.relative_entropy,
}


def _table(found: Sequence[Result]) -> str:
    lines = []
    for name, about in SYSTEMS.items():
        line = {"system": about.title, "privacy": about.privacy_at(0)}
        for epsilon in EPSILONS:
            some = [r for r in found if (r.trial.system, r.trial.epsilon) == (name, epsilon) and not r.problem]
            if some:
                line |= {f"ε = {epsilon:g}: {head}": _figure(list(map(of, some))) for head, of in COLUMNS.items()}
                line |= {f"ε = {epsilon:g}: s": short(statistics.median(r.seconds for r in some))}
                line["seeds"] = str(len(some))
        if "seeds" in line:
            lines.append(line)
    heads = ["system", "privacy", "seeds"] + [f"ε = {e:g}: {head}" for e in EPSILONS for head in (*COLUMNS, "s")]
    return markdown(lines, [head for head in heads if any(line.get(head) for line in lines)])


def _figure(values: Sequence[float | None]) -> str:
    """Mean ± standard error; nothing where it is not of all."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ""
    mean = f"{statistics.fmean(known):.4f}"
    if len(known) < 2 or mean == "inf":
        return mean
    return f"{mean} ± {statistics.stdev(known) / len(known) ** 0.5:.4f}"


def _refusals(found: Sequence[Result]) -> list[str]:
    """Who is not in the table and why, a sentence each."""
    said: dict[tuple[str, str], list[float]] = {}
    for r in found:
        if r.problem:
            said.setdefault((r.trial.system, r.problem), []).append(r.trial.epsilon)
    return [""] * bool(said) + [
        f"- {SYSTEMS[name].title}, ε = {' and '.join(f'{e:g}' for e in sorted(set(at)))}: {problem}."
        for (name, problem), at in sorted(said.items(), key=lambda item: list(SYSTEMS).index(item[0][0]))
    ]


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes it starts
    main()
