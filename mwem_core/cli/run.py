"""One run of a system on a table: what came of it in words or as JSON, and files to take away."""

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.cli.given import domain_of, records_of, whole
from mwem_core.cli.progress import shown
from mwem_core.cli.settings import chosen
from mwem_core.data.records import Records
from mwem_core.data.table import Table
from mwem_core.database.duckdb_files import is_pattern
from mwem_core.evaluation.metrics import errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy.noise import Seeded
from mwem_core.release.files import answers_csv, rows_csv
from mwem_core.release.manifest import json_text, json_values, manifest, transcript
from mwem_core.release.run import Run
from mwem_core.release.script import script
from mwem_core.release.synthesis import gives_rows, rounded
from mwem_core.systems import System
from mwem_core.workload.spec import parse_workload

MOST_ROWS = 10**6  # synthetic ones; more would say nothing more, and a table larger than memory would not fit


def run(given: argparse.Namespace) -> None:
    """Do as given. Raises ValueError, and OSError where a file cannot be written."""
    seed = None if given.seed is None else whole(given.seed, "seed")
    domain = domain_of(given)
    started = time.perf_counter()
    with records_of(given, domain) as records:
        _release(given, records, seed, time.perf_counter() - started)


def _release(given: argparse.Namespace, records: Table, seed: int | None, encoding: float) -> None:
    domain = records.domain
    workload = parse_workload(given.workload, domain)
    found, settings = chosen(given, workload, records.total)
    ran = time.perf_counter()
    rounds = settings.rounds(records, workload, noise=Seeded(seed))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    planned = settings.planned_rounds(records.total, workload)
    done = tuple(shown(((entry.index, entry) for entry in rounds), planned, "round"))
    name = given.preset if given.algorithm == "mwem" else found.name
    ended = Run(workload, settings, name, done, seed, table=Path(given.table).name)
    sampled = time.perf_counter()
    rng = np.random.default_rng(seed)
    rows = None
    if gives_rows(ended.model):
        rows = rounded(domain, ended.model, min(max(1, round(ended.model.total)), MOST_ROWS), rng)
    seconds = {"encode": encoding, "run": sampled - ran, "sample": time.perf_counter() - sampled}
    if given.out:
        _write(given.out, ended, rows, rng)
        if not given.database and not is_pattern(Path(given.table)):  # a script reads a single file
            (given.out / "script.py").write_text(script(ended), encoding="utf-8")
    summary = _summary(found, ended, records, rows) | {"seconds": seconds}
    print(json.dumps(json_values(summary)) if given.json else _sentence(summary, ended, rows))


def _summary(found: System, run: Run, records: Table, rows: Records | None) -> dict[str, Any]:
    """Everything measured about a run, for a program to read. The error figures are made from the private data."""
    Q, n, promise = run.workload, records.total, run.settings.guarantee
    truth = Q.answers(records)

    def of(answers: np.ndarray, total: float) -> dict[str, float | None]:
        return asdict(errors(Q, answers, truth, n, total=total))

    return {
        "statement": run.statement,
        "algorithm": found.name,
        "gives": found.gives,
        "privacy": found.privacy_at(promise.delta),
        "n": n,
        "attributes": len(Q.domain),
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "preset": run.preset,
        "rounds": run.rounds[-1].index,
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "epsilon_spent": run.epsilon_spent,
        "seeded": run.seed is not None,
        **of(run.model.answers(Q), run.model.total),
        "rows": of(Q.answers(rows), rows.total) if rows else None,
        "uniform": of(Q.answers(LogLinear.uniform(Q.domain.shape, n)), n),
    }


def _sentence(found: dict[str, Any], run: Run, rows: Records | None) -> str:
    what = "mean_tv" if run.workload.tabular else "mean_error"
    name = "mean total variation" if run.workload.tabular else "mean error, share of n,"
    asked = f"{found['queries']:,} queries ({run.workload.name}) over {found['domain_size']} cells"
    of_rows = f"of the {rows.total:,} rows {found['rows'][what]:.4f}" if rows else "it answers, and gives no rows"
    seconds, delta = found["seconds"], f" (δ = {found['delta']:g})" if found["delta"] else ""
    plural = "" if found["rounds"] == 1 else "s"
    return (
        f"{asked} in {found['rounds']} round{plural}\n"
        f"{name} {found[what]:.4f}; {of_rows}; of no data at all {found['uniform'][what]:.4f}\n"
        f"ε spent {found['epsilon_spent']:.4g} of {found['epsilon']:g}{delta}; encode {seconds['encode']:.2f} s, "
        f"run {seconds['run']:.2f} s, sample {seconds['sample']:.2f} s\n{run.statement}"
    )


def _write(folder: Path, run: Run, rows: Records | None, rng: np.random.Generator) -> None:
    if rows:
        (folder / "rows.csv").write_bytes(rows_csv(rows, rng))
    else:
        (folder / "answers.csv").write_bytes(answers_csv(run.workload, run.model))
    (folder / "manifest.json").write_text(json_text(manifest(run)), encoding="utf-8")
    (folder / "transcript.json").write_text(json_text(transcript(run)), encoding="utf-8")
