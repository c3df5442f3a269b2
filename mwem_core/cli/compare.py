"""Several systems on one table, at several ε, over seeds: run what is not in the file yet, and tell it all."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mwem_core.cli.given import domain_of, many, number, records_of, whole
from mwem_core.cli.progress import shown
from mwem_core.cli.summary import summary, text
from mwem_core.data.records import Records
from mwem_core.evaluation.executors import cluster, pool
from mwem_core.evaluation.trials import Result, Trial, grid, run_trials
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.privacy.budget import Guarantee
from mwem_core.release.manifest import json_values
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload


def compare(given: argparse.Namespace) -> None:
    """Do as given. Raises ValueError, and OSError where the file cannot be written."""
    trials, domain = _trials(given), domain_of(given)
    with records_of(given, domain) as B:
        if not isinstance(B, Records):
            raise ValueError("systems are compared on tables that fit in memory: take fewer attributes, or fewer rows")
        Q = parse_workload(given.workload, domain)
        with _kept(given.out, B, Q) as (done, keep):
            left = [trial for trial in trials if trial not in done]
            for result in shown(enumerate(_run(given, B, Q, left), 1), len(left), "trial"):
                done[result.trial] = result
                keep(result)
    found = summary(B, Q, [done[trial] for trial in trials])
    print(json.dumps(json_values(found)) if given.json else text(found, Q))


def _trials(given: argparse.Namespace) -> tuple[Trial, ...]:
    epsilons = many(given.epsilon, lambda text: number(text, "epsilon"))
    delta, seeds = number(given.delta, "delta"), whole(given.seeds, "seeds", least=1)
    for epsilon in epsilons:
        Guarantee(epsilon, delta)  # refuses, once and at once, what every system would
    Ts = many(given.rounds, lambda text: whole(text, "rounds", least=1)) if given.rounds else [None]
    return grid(many(given.systems), epsilons, range(seeds), delta=delta, Ts=Ts)


@contextmanager
def _kept(path: Path | None, B: Records, Q: Workload) -> Iterator[tuple[dict[Trial, Result], Callable[[Result], Any]]]:
    """The results that a file holds already, and what adds one to it. Raises ValueError for a file about other data."""
    if path is None:
        yield {}, lambda _: None
        return
    try:
        before = from_csv(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else []
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}, or name another file") from None
    for result in before:
        about = result.workload, result.n, result.domain_size
        if about != (Q.spec, B.total, B.domain.size):
            held = f"{about[0]} of {about[1]:,} records over {about[2]:,} cells"
            raise ValueError(f"{path} holds trials on other data, {held}: name another file")
    with path.open("a", encoding="utf-8", newline="") as file:
        header = to_csv([])
        if not before and not file.tell():
            file.write(header)

        def keep(result: Result) -> None:
            file.write(to_csv([result]).removeprefix(header))
            file.flush()

        yield {result.trial: result for result in before}, keep


def _run(given: argparse.Namespace, B: Records, Q: Workload, trials: Sequence[Trial]) -> Iterator[Result]:
    if not trials:
        return
    if given.cluster:
        executor = cluster(given.cluster)
    else:
        executor = pool(whole(given.workers, "workers", least=1) if given.workers else None)
    try:
        yield from run_trials(B, Q, trials, executor)
    finally:
        executor.shutdown(cancel_futures=True)
