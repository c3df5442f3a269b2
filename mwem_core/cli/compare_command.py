"""The command `compare`: run several systems on one table at several ε and seeds, and print their errors.

The results are a table of means over seeds with 95% intervals, and the verdict on them."""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.cli.arguments import (
    add_executor,
    add_task,
    comma_separated,
    domain_from,
    executor_from,
    number,
    read_records,
    whole_number,
)
from mwem_core.cli.console import align_columns, with_progress
from mwem_core.domain import Records
from mwem_core.judge import (
    Result,
    Trial,
    from_csv,
    grid,
    run_trials,
    title_of,
    to_csv,
    verdict_sentences,
)
from mwem_core.output import json_values
from mwem_core.privacy import Guarantee
from mwem_core.systems import SYSTEMS, check_bins, system
from mwem_core.workload import Workload, parse_workload


def add_compare_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=compare)
    add_task(parser)
    parser.add_argument("--systems", default=",".join(SYSTEMS), metavar="a,b,c", help="by default all: %(default)s")
    parser.add_argument("--epsilon", required=True, metavar="0.1,1", help="one or several values")
    parser.add_argument(
        "--rounds", metavar="T,T", help="numbers, for systems that take one; by default each system's own rule"
    )
    parser.add_argument("--seeds", default="5", metavar="N", help="seeds 0 to N - 1; %(default)s by default")
    add_executor(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="write every trial there; if the file exists, resume from it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def compare(arguments: argparse.Namespace) -> None:
    """Run the trials that the file of --out does not have, and print a summary of all.

    Raises ValueError for invalid arguments, and OSError where the file cannot be written.
    """
    trials, domain = _trials(arguments), domain_from(arguments)
    check_bins(domain)
    B, Q = read_records(arguments, domain), parse_workload(arguments.workload, domain)
    with _resumed(arguments.out, B, Q) as (results, append):
        missing = [trial for trial in trials if trial not in results]
        new_results = enumerate(_run(arguments, B, Q, missing), 1)
        for result in with_progress(new_results, len(missing), "trial"):
            results[result.trial] = result
            append(result)
    summary = summarize(B, Q, [results[trial] for trial in trials])
    print(json.dumps(json_values(summary)) if arguments.json else summary_text(summary, Q))


def _trials(arguments: argparse.Namespace) -> tuple[Trial, ...]:
    epsilons = comma_separated(arguments.epsilon, lambda text: number(text, "epsilon"))
    delta, seeds = number(arguments.delta, "delta"), whole_number(arguments.seeds, "seeds", minimum=1)
    for epsilon in epsilons:
        Guarantee(epsilon, delta)  # refuses an invalid ε or δ once, before every system would
    rounds = arguments.rounds
    Ts = comma_separated(rounds, lambda text: whole_number(text, "rounds", minimum=1)) if rounds else [None]
    return grid(comma_separated(arguments.systems), epsilons, range(seeds), delta=delta, Ts=Ts)


@contextmanager
def _resumed(
    path: Path | None, B: Records, Q: Workload
) -> Iterator[tuple[dict[Trial, Result], Callable[[Result], Any]]]:
    """The results in the file, if there is one, and a function that appends a result to it.

    Raises ValueError where the file is not of trials, or its trials are of other data.
    """
    if path is None:
        yield {}, lambda _: None
        return
    try:
        results = from_csv(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else []
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}, or name another file") from None
    for result in results:
        if (result.workload, result.n, result.domain_size) != (Q.spec, B.total, B.domain.size):
            data = f"{result.workload} of {result.n:,} records over {result.domain_size:,} cells"
            raise ValueError(f"{path} holds trials on other data, {data}: name another file")
    header = to_csv([])
    if not path.exists() or not path.read_text(encoding="utf-8", errors="replace").startswith(header):
        path.write_bytes(to_csv(results).encode())  # new, or of an earlier version
    with path.open("a", encoding="utf-8", newline="") as file:

        def append(result: Result) -> None:
            file.write(to_csv([result]).removeprefix(header))
            file.flush()

        yield {result.trial: result for result in results}, append


def _run(arguments: argparse.Namespace, B: Records, Q: Workload, trials: Sequence[Trial]) -> Iterator[Result]:
    if not trials:
        return
    executor = executor_from(arguments)
    try:
        yield from run_trials(B, Q, trials, executor)
    finally:
        executor.shutdown(cancel_futures=True)


STATEMENT = "NOT PRIVATE: the errors are measured against the truth. For teaching, tests and public data."
Group = tuple[str, float, int | None]  # system, ε, T


def summarize(B: Records, Q: Workload, results: Sequence[Result]) -> dict[str, Any]:
    """A comparison for programs to read: one row per system, ε and T, with the mean and interval of each metric."""
    groups: dict[Group, list[Result]] = {}
    for result in sorted((r for r in results if not r.problem), key=lambda r: r.trial.epsilon):
        groups.setdefault((result.trial.system, result.trial.epsilon, result.trial.T), []).append(result)
    problems = dict.fromkeys((r.trial.system, r.problem) for r in results if r.problem)
    names = dict.fromkeys(name for name, *_ in groups)
    notes = [note for name in names if (note := system(name).unkept_rules(Q.domain))]
    return {
        "statement": STATEMENT,
        "n": B.total,
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "systems": [_row(*group, members, _metric(Q)) for group, members in groups.items()],
        "problems": [{"system": name, "problem": problem} for name, problem in problems],
        "verdict": _verdicts(groups, Q),
        **({"rules_not_kept": notes} if notes else {}),
    }


def _metric(Q: Workload) -> str:
    return "mean_tv" if Q.tabular else "mean_error"


def _row(name: str, epsilon: float, T: int | None, results: Sequence[Result], metric: str) -> dict[str, Any]:
    answers = [r.answers for r in results if r.answers]
    rows = [r.rows for r in results if r.rows]
    return {
        "system": name,
        "ran": results[0].ran,
        "epsilon": epsilon,
        "delta": results[0].delta,
        "T": T,
        "seeds": len(results),
        metric: _over_seeds([getattr(errors, metric) for errors in answers]),
        "max_error": _over_seeds([errors.max_error for errors in answers]),
        f"rows_{metric}": _over_seeds([getattr(errors, metric) for errors in rows]),
        "relative_entropy": _over_seeds([r.relative_entropy for r in results if r.relative_entropy is not None]),
        "seconds": _over_seeds([r.seconds for r in results]),
        "gives": system(name).gives,
        "privacy": system(name).privacy_at(results[0].delta),
    }


def _over_seeds(values: Sequence[float]) -> dict[str, float] | None:
    """The mean and half of its 95% t interval, infinite for a single seed; None without values."""
    if not values:
        return None
    mean, seeds = float(np.mean(values)), len(values)
    if seeds == 1 or not math.isfinite(mean):
        return {"mean": mean, "within": math.inf}
    from scipy.special import stdtrit  # imported late: it takes a fifth of a second

    return {"mean": mean, "within": float(stdtrit(seeds - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(seeds))}


def _verdicts(groups: dict[Group, list[Result]], Q: Workload) -> list[str]:
    """The verdict at each ε. A system with several T is ranked by the T of its smallest mean error."""
    metric = "mean total variation" if Q.tabular else "mean error"
    verdicts = []
    for epsilon in dict.fromkeys(epsilon for _, epsilon, _ in groups):
        best: dict[str, list[float]] = {}
        titles: dict[str, str] = {}
        for (name, group_epsilon, _), results in groups.items():
            errors = [float(getattr(r.answers, _metric(Q))) for r in results]
            if group_epsilon == epsilon and (name not in best or np.mean(errors) < np.mean(best[name])):
                best[name], titles[name] = errors, title_of(name, [r.ran for r in results])
        verdicts.append(f"ε = {epsilon:g}: {' '.join(verdict_sentences(best, metric=metric, titles=titles))}")
    return verdicts


def summary_text(summary: dict[str, Any], Q: Workload) -> str:
    """A summary as a table and sentences, for people."""
    metric = _metric(Q)
    titles = {"mean_tv": "mean TV", "mean_error": "mean error"}
    columns = {
        **{"system": "system", "epsilon": "ε", "T": "T", metric: titles[metric], "max_error": "max error"},
        **{f"rows_{metric}": "of rows", "relative_entropy": "nats", "seconds": "seconds"},
        **{"gives": "gives", "privacy": "privacy", "ran": "ran"},
    }
    if not any(row["ran"] for row in summary["systems"]):
        del columns["ran"]
    if all(row["T"] is None for row in summary["systems"]):
        del columns["T"]
    lines = [list(columns.values()), *([_cell(name, row[name]) for name in columns] for row in summary["systems"])]
    workload = f"{summary['queries']:,} queries ({Q.name}) over {Q.domain.size:,} cells, n = {summary['n']:,}"
    return "\n".join(
        [
            f"{workload}; mean ± 95% interval over seeds",
            *align_columns(lines),
            *(f"{system(entry['system']).title}: {entry['problem']}" for entry in summary["problems"]),
            *summary["verdict"],
            *summary.get("rules_not_kept", ()),
            summary["statement"],
        ]
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, dict):
        digits = 2 if name == "seconds" else 4
        interval = "" if math.isinf(value["within"]) else f" ± {value['within']:.{digits}f}"
        return f"{value['mean']:.{digits}f}{interval}"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
