"""The commands `audit` and `paper`: test the privacy of this program, and rerun the paper's experiments."""

import argparse
import time
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path

import pandas as pd

from mwem_core.audit import FULL, QUICK, count_findings, findings, report, text
from mwem_core.base import join_names
from mwem_core.cli.arguments import add_executor, executor_from
from mwem_core.cli.console import with_progress
from mwem_core.experiments import EXPERIMENTS, Experiment, Frame, Plot, Run, experiment, results


def add_audit_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=audit)
    parser.add_argument("--quick", action="store_true", help="fewer tables and draws: under a minute")


def audit(arguments: argparse.Namespace) -> int:
    """Print the audit's table. The exit code is 0 if every check holds, otherwise 1."""
    extent = QUICK if arguments.quick else FULL
    found = report(with_progress(enumerate(findings(extent), 1), count_findings(extent), "check"))
    print(text(found))
    return 0 if found.holds else 1


WRITE_EVERY = 10  # seconds: what a killed process may lose


def add_paper_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=paper)
    parser.add_argument("experiment", nargs="?", help="by default all are listed")
    parser.add_argument("--quick", action="store_true", help="fewer trials: under a minute")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="of tables that are not bundled")
    add_executor(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every trial there as Parquet; resumes from it")


def paper(arguments: argparse.Namespace) -> None:
    """List the experiments, or run the one that is named."""
    if arguments.experiment is None:
        for each in EXPERIMENTS.values():
            holds = each.verdict(results.read_committed(each.name)).holds
            print(f"{each.name:<12} {each.title:<44} {holds}")
        return
    chosen = experiment(arguments.experiment)
    run = Run(chosen, chosen.batches(arguments.quick), arguments.data)
    if arguments.out and arguments.out.exists():
        run.resume(results.read(arguments.out))
    for reason in run.missing.values():
        print(f"Left out: {reason}")
    if not run.tables:
        raise ValueError(f"none of the tables of {chosen.name} is here, so no trial was run")
    _finish(run, executor_from(arguments), arguments.out)
    frame, before = run.frame, results.read_committed(chosen.name)
    if run.missing and not arguments.quick:
        frame = pd.concat([frame, before[before["table"].isin(list(run.missing))]])
        print(f"Committed trials stand in for {join_names(list(run.missing))}.")
    if len(frame):
        print(_report(chosen, frame))
    print(results.difference(run.frame, before, chosen.metrics))


def _finish(run: Run, executor: Executor, out: Path | None) -> None:
    """Run what waits; write what is done to `out` every few seconds, and at the end, also after an interruption."""
    written = time.monotonic()
    try:
        for _ in with_progress(enumerate(run.go(executor), 1), run.left, "trial"):
            if out and time.monotonic() - written >= WRITE_EVERY:
                with suppress(ValueError):  # another program has the file open: it is written later
                    results.write(out, run.frame, run.tables)
                written = time.monotonic()
    finally:
        executor.shutdown(cancel_futures=True)
        if out:
            results.write(out, run.frame, run.tables)


def _report(chosen: Experiment, frame: Frame) -> str:
    verdict = chosen.verdict(frame)
    return "\n".join(
        [
            chosen.title,
            f"\nClaim. {chosen.claim}\nConditions. {chosen.conditions}\nSet-up. {chosen.setup}",
            f"\n{_table(chosen.figure(frame))}",
            f"\n{chosen.rule_title}. {' '.join(filter(None, (chosen.rule, chosen.history)))}",
            f"\nVerdict: {verdict.holds}. {verdict.numbers}\nWhat would flip it. {verdict.flips}\n",
        ]
    )


def _table(plot: Plot) -> str:
    """A figure in text: for each panel, a line per x and a column per method."""
    parts = [f"{plot.y_title}, by {plot.x_title}"]
    for panel, own in plot.points.groupby("panel", sort=False):
        wide = own.pivot_table(index="x", columns="method", values="y", sort=False).sort_index()
        wide = wide.rename(index=plot.x_name) if plot.x_names else wide
        parts.append(f"{panel}\n{wide.to_string(float_format='{:.3g}'.format)}")
    return "\n\n".join(parts)
