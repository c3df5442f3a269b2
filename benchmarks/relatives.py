"""Every system of mwem_core.systems on the same tables, workloads and ε; writes RELATIVES.md.

    python benchmarks/relatives.py --data FOLDER

Trials in relatives.csv are not run again, so the script can be stopped and resumed. A system that refuses a task, or
does not finish within the limit, is not run on the task's other seeds. NLTCS and mildew are not bundled: FOLDER must
contain nltcs_cells.csv and mildew_cells.csv.
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

from frequencies import count_of
from fresh import machine
from report import markdown, short
from rows import ADULT, EIGHT, HERE, SAMPLES

from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.evaluation.trials import Result, grid, run_trials
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.relatives.projection.boosting import preset as boosting
from mwem_core.relatives.projection.parities import Parities
from mwem_core.systems import DEFAULT_DELTA, SYSTEMS, system

EPSILONS = (0.1, 1.0)


@dataclass(frozen=True)
class Task:
    """A table of n records, the attributes used (empty: all of the schema), and a workload."""

    title: str
    n: int
    table: Path  # a bare name: a file in the folder of --data
    schema: Path
    workload: str
    names: tuple[str, ...] = ()

    def select(self, results: Iterable[Result]) -> list[Result]:
        """The results of this task."""
        return [r for r in results if (r.n, r.workload) == (self.n, self.workload)]


CZECH, ROCHDALE = ((SAMPLES / f"{name}.csv", SAMPLES / f"{name}.toml") for name in ("czech", "rochdale"))
ADULT_TABLE = (ADULT, SAMPLES / "adult.toml")
TASKS = (
    Task("Adult, eight categorical attributes, two-way marginals", 48_842, *ADULT_TABLE, "marginals:2", EIGHT),
    Task("Adult, eight categorical attributes, three-way marginals", 48_842, *ADULT_TABLE, "marginals:3", EIGHT),
    Task("Czech car workers, two-way marginals", 1_841, *CZECH, "marginals:2"),
    Task("Czech car workers, three-way marginals", 1_841, *CZECH, "marginals:3"),
    Task("Rochdale, two-way marginals", 665, *ROCHDALE, "marginals:2"),
    Task("Rochdale, three-way marginals", 665, *ROCHDALE, "marginals:3"),
    Task("NLTCS, three-way marginals", 21_574, Path("nltcs_cells.csv"), HERE / "nltcs.toml", "marginals:3"),
    Task("Mildew, two-way marginals", 70, Path("mildew_cells.csv"), HERE / "mildew.toml", "marginals:2"),
    Task("Mildew, three-way marginals", 70, Path("mildew_cells.csv"), HERE / "mildew.toml", "marginals:3"),
)

LEGEND = """\
Means over seeds ± their standard error. Seconds are the median CPU time of the mechanism alone. Errors are shares of n:
TV is half the L1 norm of a marginal's error, averaged over the workload's marginals; max is the largest error of any
cell. Errors of the released answers come first, then those of n synthetic rows if the system gives rows. Relative
entropy, in nats, is that of the truth to the released model. Uniform reads no data and multiplicative weights are not
private: both are baselines. Systems with zCDP run at δ = 1e-9, the others at pure ε. [README.md](README.md) says how to
repeat the measurements."""


def main() -> None:
    """Run the missing trials, seed by seed, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="number of seeds (10)")
    parser.add_argument("--systems", type=lambda text: text.split(","), metavar="A,B", help="by default all")
    parser.add_argument("--tasks", default="", metavar="TEXT", help="only tasks with this text in their title")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder of the tables that are not bundled")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes (1, so that they do not slow each other)"
    )
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for each trial (600)")
    parser.add_argument("--again", action="store_true", help="run these systems anew on these tasks")
    parser.add_argument("--results", type=Path, default=HERE / "relatives.csv")
    parser.add_argument("--out", type=Path, default=HERE / "RELATIVES.md")
    arguments = parser.parse_args()
    try:
        systems = [system(name).name for name in arguments.systems or SYSTEMS]
    except ValueError as problem:
        parser.error(str(problem))
    tasks = [task for task in TASKS if arguments.tasks.lower() in task.title.lower() and _path(task, arguments.data)]
    done = from_csv(arguments.results.read_text(encoding="utf-8")) if arguments.results.exists() else []
    if arguments.again:
        old = {id(r) for task in tasks for r in task.select(done) if r.trial.system in systems}
        done = [r for r in done if id(r) not in old]
    arguments.results.write_text(to_csv(done), encoding="utf-8")  # in this version's columns, which lines are added to
    with Limited(arguments.workers, arguments.limit) as executor:
        try:
            for seed in range(arguments.seeds):
                for task in tasks:
                    for result in _run(task, systems, seed, done, arguments.data, executor):
                        done.append(result)
                        _append(arguments.results, result)
                        print(_line(task, result), flush=True)
                    arguments.out.write_text(_report(done), encoding="utf-8")
        except KeyboardInterrupt:
            os._exit(130)  # at once, without waiting for the running trials


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
    return encode(read_table(table), domain.project(names) if names else domain, count=count_of(table))


def _run(
    task: Task, systems: Sequence[str], seed: int, done: Sequence[Result], data: Path | None, executor: "Limited"
) -> Iterator[Result]:
    """Run the missing trials of one seed, without those of systems that could not run on another seed."""
    results = task.select(done)
    recorded = {r.trial for r in results}
    unable = {(r.trial.system, r.trial.epsilon) for r in results if r.problem}
    trials = grid(systems, EPSILONS, [seed])
    missing = [t for t in trials if t not in recorded and (t.system, t.epsilon) not in unable]
    if missing:
        B = _load(_path(task, data), task.schema, task.names)
        yield from run_trials(B, parse_workload(task.workload, B.domain), missing, executor)


class Limited(ThreadPoolExecutor):
    """Threads with one process each. A thread hands its process a trial, and ends the process at the time limit."""

    def __init__(self, workers: int, limit: float):
        super().__init__(workers)
        self._limit, self._own, self._pools = limit, threading.local(), []

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future:
        """Like any executor's; the future raises ValueError if the trial reached the limit."""
        return super().submit(self._run_limited, fn, args)

    def _run_limited(self, fn: Callable[..., Any], args: tuple) -> Any:
        if not hasattr(self._own, "pool"):
            self._own.pool = multiprocessing.get_context("spawn").Pool(1)
            self._pools.append(self._own.pool)
            self._own.pool.apply(int)  # wait for its start, which must not count as a trial's time
        try:
            return self._own.pool.apply_async(fn, args).get(self._limit)
        except multiprocessing.TimeoutError:
            self._own.pool.terminate()
            del self._own.pool
            raise ValueError(f"unfinished after {self._limit:g} s") from None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down, and end the processes too."""
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
    outcome = result.problem or f"{result.seconds:.2f} s" + (f", mean TV {errors.mean_tv:.4f}" if errors else "")
    return f"{task.title}, {result.trial.system}, ε = {result.trial.epsilon:g}, seed {result.trial.seed}: {outcome}"


def _report(results: Sequence[Result]) -> str:
    """A table for each task with results."""
    m = machine()
    origin = f"{time.strftime('%Y-%m-%d')}; {m['cpu']}, {m['cores']} cores, {m['pinned']}, Python {m['python']}"
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "opendp", "mwem-explorer"))
    text = ["# Relatives", "", f"{origin}. {versions}.", "", LEGEND, *_boosting(results)]
    for task in TASKS:
        if of_task := task.select(results):
            text += ["", f"## {task.title}", "", _table(of_task), *_refusals(of_task)]
    return "\n".join(text) + "\n"


def _boosting(results: Sequence[Result]) -> list[str]:
    """What boosting gains over one relaxed projection in its aim, the worst answer, and whether its guarantee tells."""
    ratios, bounds = [], []
    for task in TASKS:
        of_task = [r for r in task.select(results) if r.answers]
        for epsilon in EPSILONS:
            worst = {
                name: [r.answers.max_error for r in of_task if (r.trial.system, r.trial.epsilon) == (name, epsilon)]
                for name in ("boosting", "relaxed-projection")
            }
            if all(worst.values()):
                ratios.append(statistics.fmean(worst["boosting"]) / statistics.fmean(worst["relaxed-projection"]))
                domain = Domain.from_toml(task.schema.read_text(encoding="utf-8"))
                Q = parse_workload(task.workload, domain.project(task.names) if task.names else domain)
                M = Parities.behind(Q).size
                settings = boosting(Q, epsilon=epsilon, delta=DEFAULT_DELTA)
                bounds.append((settings.lam(task.n) + settings.mu(M)) / task.n)
    if not ratios:
        return []
    worse, empty = sum(ratio > 1 for ratio in ratios), sum(bound > 1 for bound in bounds)
    return [
        "",
        f"Boosting for queries aims at the largest error. In {worse} of {len(ratios)} settings its max is above that "
        "of one relaxed\n"
        f"projection at the same budget: it is {min(ratios):.2f} to {max(ratios):.2f} times as large. Its guarantee is "
        "an error below λ + μ, if\n"
        f"every round has the advantage that it assumes. That is {min(bounds):.4g} to {max(bounds):.4g} times n, above "
        f"n in {empty} of {len(bounds)} settings,\n"
        "where it says nothing.",
    ]


def _error(part: str, name: str) -> Callable[[Result], float | None]:
    return lambda r: getattr(getattr(r, part), name, None)


COLUMNS = {
    "mean TV": _error("answers", "mean_tv"),
    "max": _error("answers", "max_error"),
    "rows: mean TV": _error("rows", "mean_tv"),
    "rows: max": _error("rows", "max_error"),
    "relative entropy": lambda r: r.relative_entropy,
}


def _table(results: Sequence[Result]) -> str:
    lines = []
    for name, entry in SYSTEMS.items():
        line = {"system": entry.title, "privacy": entry.privacy_at(0)}
        for epsilon in EPSILONS:
            seeds = [r for r in results if (r.trial.system, r.trial.epsilon) == (name, epsilon) and not r.problem]
            if seeds:
                line |= {f"ε = {epsilon:g}: {head}": _mean(list(map(value, seeds))) for head, value in COLUMNS.items()}
                line |= {f"ε = {epsilon:g}: s": short(statistics.median(r.seconds for r in seeds))}
                line["seeds"] = str(len(seeds))
        if "seeds" in line:
            lines.append(line)
    heads = ["system", "privacy", "seeds"] + [f"ε = {e:g}: {head}" for e in EPSILONS for head in (*COLUMNS, "s")]
    return markdown(lines, [head for head in heads if any(line.get(head) for line in lines)])


def _mean(values: Sequence[float | None]) -> str:
    """Mean ± standard error; empty if a value is missing."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ""
    mean = f"{statistics.fmean(known):.4f}"
    if len(known) < 2 or mean == "inf":
        return mean
    return f"{mean} ± {statistics.stdev(known) / len(known) ** 0.5:.4f}"


def _refusals(results: Sequence[Result]) -> list[str]:
    """A line for each system that could not run, with the reason."""
    epsilons: dict[tuple[str, str], list[float]] = {}
    for r in results:
        if r.problem:
            epsilons.setdefault((r.trial.system, r.problem), []).append(r.trial.epsilon)
    return [""] * bool(epsilons) + [
        f"- {SYSTEMS[name].title}, ε = {' and '.join(f'{e:g}' for e in sorted(set(at)))}: {problem}."
        for (name, problem), at in sorted(epsilons.items(), key=lambda item: list(SYSTEMS).index(item[0][0]))
    ]


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes it starts
    main()
