"""The command `run`: run a system on a table, print its errors, and write its release."""

import argparse
import copy
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.algorithm import Spender
from mwem_core.automatic import MAX_ROWS, effort
from mwem_core.cli.arguments import (
    add_bins_share,
    add_public_start,
    add_task,
    add_unit,
    column_from,
    domain_from,
    marks_from,
    read_records,
    reading_from,
    unit_from,
    whole_number,
)
from mwem_core.cli.console import with_progress
from mwem_core.cli.run_settings import settings_from_arguments
from mwem_core.domain import CHANGE_NOTE, Records, broken_in_words
from mwem_core.forms import POINT
from mwem_core.judge import errors, errors_by_term
from mwem_core.model import LogLinear
from mwem_core.output import (
    Run,
    answers_csv,
    exchange_limit,
    gives_rows,
    guard_in_words,
    guarded_texts,
    has_plain_rows,
    json_text,
    json_values,
    manifest,
    measured_bins,
    nearest_rows,
    rows_csv,
    script,
    transcript,
)
from mwem_core.privacy import Seeded
from mwem_core.release import PLAIN_ROWS, check_empty
from mwem_core.systems import SYSTEMS, System
from mwem_core.workload import parse_workload

MIN_ANNOUNCED = 5.0  # seconds: a run that is expected to take as long says so before it starts


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=run)
    add_task(parser)
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"{', '.join(SYSTEMS)}; by default automatic, or mwem where --rounds is given",
    )
    parser.add_argument("--epsilon", required=True, help="privacy parameter: smaller is more private and less accurate")
    parser.add_argument("--rounds", metavar="T", help="a number, theorem or adaptive; by default the system's rule")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change one setting; may be repeated"
    )
    add_bins_share(parser)
    add_unit(parser)
    add_public_start(parser)
    parser.add_argument("--seed", help="make the run repeatable, and therefore NOT PRIVATE")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write rows or answers, manifest, transcript and script there"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with errors against the truth")


def run(arguments: argparse.Namespace) -> None:
    """Run a system on a table. Raises ValueError for invalid arguments, and OSError where a file cannot be written."""
    seed = None if arguments.seed is None else whole_number(arguments.seed, "seed")
    domain = domain_from(arguments)
    started = time.perf_counter()
    records = read_records(arguments, domain)
    encode_seconds = time.perf_counter() - started
    workload = parse_workload(arguments.workload, domain)
    system, settings = settings_from_arguments(arguments, workload, records.total)
    run_started = time.perf_counter()
    rounds = settings.rounds(records, workload, noise=Seeded(seed))
    if isinstance(settings, Spender) and (ahead := effort(settings, workload, records.total)).seconds >= MIN_ANNOUNCED:
        print(f"This run takes {ahead.in_words}, by a formula.", file=sys.stderr)
    if arguments.out:
        check_empty(arguments.out)
        arguments.out.mkdir(parents=True, exist_ok=True)
    planned = settings.planned_rounds(records.total, workload)
    finished = tuple(with_progress(((entry.index, entry) for entry in rounds), planned, "round"))
    table, reading = Path(arguments.table).name, reading_from(arguments)
    provenance = "proposed and edited" if marks_from(arguments, domain) else "file"
    said = {"unit": unit_from(arguments), "count": column_from(arguments), "reading": reading}
    run = Run(workload, settings, system.name, finished, seed, table, provenance, **said)
    sample_started = time.perf_counter()
    rng = np.random.default_rng(seed)
    rows = None
    if gives_rows(run.model):
        rows = nearest_rows(run.workload, run.model, min(max(1, round(run.model.total)), MAX_ROWS), rng)
    seconds = {
        "encode": encode_seconds,
        "run": sample_started - run_started,
        "sample": time.perf_counter() - sample_started,
    }
    if arguments.out:
        _write(arguments.out, run, rows, rng)
        (arguments.out / "script.py").write_bytes(script(run, str(Path(arguments.table).absolute())).encode())
    summary = _summarize(system, run, records, rows) | {"seconds": seconds}
    print(json.dumps(json_values(summary)) if arguments.json else _as_text(summary, run, rows))


def _summarize(system: System, run: Run, records: Records, rows: Records | None) -> dict[str, Any]:
    """A run for programs to read: what was run, and its errors, which are computed from the private data."""
    Q, n, guarantee = run.workload, records.total, run.guarantee
    records = records.binned(Q.domain) if run.measured_bins else records
    truth, uniform = Q.answers(records), Q.answers(LogLinear.uniform(Q.domain.shape, n, Q.domain.possible))

    def errors_of(answers: np.ndarray, total: float) -> dict[str, float | None]:
        return asdict(errors(Q, answers, truth, n, total=total))

    return {
        **run.publication.fields(),
        "algorithm": system.name,
        "gives": system.gives,
        "privacy": system.privacy_at(guarantee.delta),
        "n": n,
        "attributes": len(Q.domain),
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "ran": run.ran,
        "rounds": run.rounds[-1].index,
        "early_end": run.early_end,
        "rows_given_up": exchange_limit(Q, rows.total) if rows else "",
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "epsilon_spent": run.epsilon_spent,
        **measured_bins(run),
        "seeded": run.seed is not None,
        **({"rules": f"{broken_in_words(records.broken)} {CHANGE_NOTE}"} if Q.domain.never else {}),
        **({"rules_not_kept": system.unkept_rules(Q.domain)} if Q.domain.never else {}),
        **errors_of(run.model.answers(Q), run.model.total),
        "rows": errors_of(Q.answers(rows), rows.total) if rows else None,
        "uniform": errors_of(uniform, n),
    } | ({"parts": _by_part(run, rows, uniform, truth, n)} if Q.terms else {})


def _by_part(
    run: Run, rows: Records | None, uniform: np.ndarray, truth: np.ndarray, n: float
) -> list[dict[str, str | float | None]]:
    """Of a mixed workload, the error of each part beside that of the rows and of the uniform table."""
    Q, answered = run.workload, [(run.model.answers(run.workload), run.model.total), (uniform, n)]
    answered += [(Q.answers(rows), float(rows.total))] if rows else []
    by_part = zip(*(errors_by_term(Q, answers, truth, n, total=total) for answers, total in answered), strict=True)
    return [
        {
            "part": found.spec,
            "metric": found.metric,
            "error": found.error,
            "uniform": spread.error,
            "rows": of_rows[0].error if of_rows else None,
        }
        for found, spread, *of_rows in by_part
    ]


def _as_text(summary: dict[str, Any], run: Run, rows: Records | None) -> str:
    """A summary in four lines, for people; more on an early end, rows, rules, bins and the parts of a workload."""
    metric = "mean_tv" if run.workload.tabular else "mean_error"
    title = "mean total variation" if run.workload.tabular else "mean error, share of n"
    workload = f"{summary['queries']:,} queries ({run.workload.name}) over {summary['domain_size']} cells"
    plural = "" if summary["rounds"] == 1 else "s"
    of_rows = f"{rows.total:,} synthetic rows {summary['rows'][metric]:.4f}" if rows else "no synthetic rows"
    more = (summary.get(name) for name in ("early_end", "rows_given_up", "rules", "rules_not_kept"))
    further = "".join(f"{sentence}\n" for sentence in more if sentence)
    seconds, delta = summary["seconds"], f" (δ = {summary['delta']:g})" if summary["delta"] else ""
    edges_by_name = summary.get("measured_bins", {}).get("edges", {})
    bins = "".join(f"bins of {name}, measured: {', '.join(map(str, edges))}\n" for name, edges in edges_by_name.items())
    return (
        f"{workload}, {summary['rounds']} round{plural}\n{further}{bins}"
        f"{title}: released answers {summary[metric]:.4f}, {of_rows}, uniform {summary['uniform'][metric]:.4f}\n"
        f"{''.join(map(_part_line, summary.get('parts', ())))}"
        f"ε spent {summary['epsilon_spent']:.4g} of {summary['epsilon']:g}{delta}; encode {seconds['encode']:.2f} s, "
        f"run {seconds['run']:.2f} s, sample {seconds['sample']:.2f} s\n{run.publication.statement}"
    )


def _part_line(part: dict[str, Any]) -> str:
    """The errors of a part of a mixed workload, for people."""
    of_rows = "" if part["rows"] is None else f", synthetic rows {part['rows']:.4f}"
    return f"  {part['part']}: {part['metric']} {part['error']:.4f}{of_rows}, uniform {part['uniform']:.4f}\n"


def _write(folder: Path, run: Run, rows: Records | None, rng: np.random.Generator) -> None:
    if rows:
        decimal = run.reading.decimal or POINT
        if has_plain_rows(run.domain, decimal):
            (folder / PLAIN_ROWS).write_bytes(rows_csv(rows, copy.deepcopy(rng), plain=True))
        if texts := guarded_texts(run.domain):
            print(f"{guard_in_words(texts, f'{PLAIN_ROWS} has it as it is')}.", file=sys.stderr)
        (folder / "rows.csv").write_bytes(rows_csv(rows, rng, decimal=decimal))
    else:
        (folder / "answers.csv").write_bytes(answers_csv(run.workload, run.model))
    (folder / "manifest.json").write_bytes(json_text(manifest(run)).encode())
    (folder / "transcript.json").write_bytes(json_text(transcript(run)).encode())
