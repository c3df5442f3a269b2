"""The command `compare`: run several systems on one table at several ε and seeds, and print their errors."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mwem_core.cli.arguments import comma_separated, domain_from, number, open_records, whole_number
from mwem_core.cli.options import add_task
from mwem_core.cli.progress import with_progress
from mwem_core.cli.summary import summarize, summary_text
from mwem_core.domain import Records
from mwem_core.judge import Result, Trial, cluster, from_csv, grid, pool, run_trials, to_csv
from mwem_core.output import json_values
from mwem_core.privacy import Guarantee
from mwem_core.systems import SYSTEMS, check_bins
from mwem_core.workload import Workload, parse_workload


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=compare)
    add_task(parser)
    parser.add_argument("--systems", default=",".join(SYSTEMS), metavar="a,b,c", help="by default all: %(default)s")
    parser.add_argument("--epsilon", required=True, metavar="0.1,1", help="one or several values")
    parser.add_argument(
        "--rounds", metavar="T,T", help="numbers, for systems that take one; by default each system's own rule"
    )
    parser.add_argument("--seeds", default="5", metavar="N", help="seeds 0 to N - 1; %(default)s by default")
    parser.add_argument("--workers", metavar="N", help="number of processes; by default one per processor")
    parser.add_argument("--cluster", metavar="ADDRESS", help="run on the workers of this Dask scheduler instead")
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
    with open_records(arguments, domain) as B:
        if not isinstance(B, Records):
            raise ValueError("systems are compared on tables that fit in memory: take fewer attributes, or fewer rows")
        Q = parse_workload(arguments.workload, domain)
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
    if arguments.cluster:
        executor = cluster(arguments.cluster)
    else:
        executor = pool(whole_number(arguments.workers, "workers", minimum=1) if arguments.workers else None)
    try:
        yield from run_trials(B, Q, trials, executor)
    finally:
        executor.shutdown(cancel_futures=True)
