"""The command line: `python -m mwem_core run --table FILE --schema FILE --workload marginals:2 --epsilon 1`."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core import release
from mwem_core.algorithm import Round
from mwem_core.database import count_table, opened
from mwem_core.domain import Domain
from mwem_core.duck import count_file, is_large, is_pattern
from mwem_core.encoding import encode
from mwem_core.mechanisms import Seeded
from mwem_core.metrics import errors
from mwem_core.model.loglinear import LogLinear
from mwem_core.presets import PRESETS, Rounds
from mwem_core.records import Records
from mwem_core.source import Source, Table
from mwem_core.spec import parse_workload
from mwem_core.synthesis import rounded
from mwem_core.tables import read_table

MOST_ROWS = 10**6  # synthetic ones; more would say nothing more, and a table larger than memory would not fit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 when all went well, 2 with one sentence on stderr when something given was wrong."""
    given = _parser().parse_args(arguments)
    try:
        _run(given)
        return 0
    except ValueError as problem:
        told = str(problem)
    except OSError as problem:  # what cannot be read was told as a ValueError
        told = f"{str(problem.filename)!r} cannot be written: {problem.strerror}"
    print(f"mwem_core: {told}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mwem_core", description="Differentially private data release with MWEM.")
    run = parser.add_subparsers(dest="command", required=True).add_parser("run", help="run MWEM on a table")
    run.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help="CSV, TSV or Parquet, one row a record; DuckDB counts large ones, and patterns such as 'part-*.parquet'",
    )
    run.add_argument("--database", metavar="URL", help="count there, by Ibis; --table is then a table's name")
    run.add_argument(
        "--schema", required=True, type=Path, metavar="FILE", help="TOML: the attributes and values, public"
    )
    run.add_argument(
        "--workload",
        required=True,
        help="marginals:K, cuboids:K, parities:K (<=K for all orders up to K), ranges:COL[,COL]:COUNT, where:PREDICATE",
    )
    run.add_argument("--epsilon", required=True, help="privacy: smaller is more private and less exact")
    run.add_argument("--delta", default="0", help="0 (the default) for pure ε, else well below 1/n, such as 1e-9")
    run.add_argument("--rounds", metavar="T", help="a number, theorem or adaptive; by default the preset's rule")
    run.add_argument("--preset", default="default", metavar="NAME", help="default: what serves best; paper: as in 2012")
    run.add_argument("--attributes", metavar="a,b,c", help="use these attributes of the schema only")
    run.add_argument("--seed", help="repeatable, and therefore NOT PRIVATE")
    run.add_argument("--out", type=Path, metavar="DIR", help="write rows, manifest and transcript there")
    run.add_argument("--json", action="store_true", help="print one JSON object, errors against the truth included")
    return parser


def _run(given: argparse.Namespace) -> None:
    seed = None if given.seed is None else _whole(given.seed, "seed")
    if given.preset not in PRESETS:
        raise ValueError(f"there is no preset {given.preset!r}: choose {' or '.join(PRESETS)}")
    domain = Domain.from_toml(_text_of(given.schema))
    if given.attributes:
        domain = domain.project(name.strip() for name in given.attributes.split(","))
    started = time.perf_counter()
    with _records(given, domain) as records:
        _release(given, records, seed, time.perf_counter() - started)


@contextmanager
def _records(given: argparse.Namespace, domain: Domain) -> Iterator[Table]:
    """The private data: records, or what answers like them from a database, open as long as the context."""
    path = Path(given.table)
    if given.database:
        with opened(given.database, given.table) as table:
            yield count_table(table, domain)
    elif is_pattern(path) or (is_large(path) and find_spec("duckdb")):
        yield count_file(path, domain)
    else:
        yield encode(read_table(path), domain)


def _release(given: argparse.Namespace, records: Table, seed: int | None, encoding: float) -> None:
    domain = records.domain
    workload = parse_workload(given.workload, domain)
    settings = PRESETS[given.preset](
        workload,
        n=records.total,
        epsilon=_number(given.epsilon, "epsilon"),
        delta=_number(given.delta, "delta"),
        T=_rounds(given.rounds),
    )
    ran = time.perf_counter()
    rounds = settings.rounds(records, workload, noise=Seeded(seed))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    done = tuple(_with_progress(rounds, settings.planned_rounds(records.total, workload)))
    run = release.Run(workload, settings, given.preset, done, seed, table=Path(given.table).name)
    sampled = time.perf_counter()
    rng = np.random.default_rng(seed)
    rows = rounded(domain, run.model, min(max(1, round(run.model.total)), MOST_ROWS), rng)
    seconds = {"encode": encoding, "run": sampled - ran, "sample": time.perf_counter() - sampled}
    if given.out:
        _write(given.out, run, rows, rng)
    if given.json:
        print(json.dumps(_summary(run, records, rows, seconds)))
    else:
        print(_sentence(run, records, rows, seconds))


def _with_progress(rounds: Iterator[Round], planned: int | None) -> Iterator[Round]:
    """Passes rounds on, and tells stderr how long they took; meanwhile, where that is a terminal, a bar grows there."""
    started, terminal, done = time.perf_counter(), sys.stderr.isatty(), 0
    for entry in rounds:
        done = entry.index
        if terminal:
            print(f"\r{_bar(done, planned, time.perf_counter() - started)}", end="", file=sys.stderr, flush=True)
        yield entry
    end = "\n" if terminal else ""
    print(f"{end}{done} rounds in {time.perf_counter() - started:.2f} s", file=sys.stderr)


def _bar(done: int, planned: int | None, seconds: float) -> str:
    if planned is None:
        return f"round {done}"
    left = f"{seconds / done * (planned - done):4.0f} s left" if done else ""
    return f"{'█' * round(30 * done / planned):░<30} round {done} of {planned} {left}"


def _summary(run: release.Run, records: Table, rows: Records, seconds: dict[str, float]) -> dict[str, Any]:
    """Everything measured about a run, for a program to read. The error figures are made from the private data."""
    Q, n = run.workload, records.total
    truth = Q.answers(records)

    def of(source: Source, total: float) -> dict[str, float | None]:
        return asdict(errors(Q, Q.answers(source), truth, n, total=total))

    return {
        "statement": run.statement,
        "n": n,
        "attributes": len(Q.domain),
        "domain_size": str(Q.domain.size),
        "workload": Q.spec,
        "queries": Q.size,
        "preset": run.preset,
        "rounds": run.rounds[-1].index,
        "epsilon": run.settings.epsilon,
        "delta": run.settings.delta,
        "epsilon_spent": run.epsilon_spent,
        "seeded": run.seed is not None,
        "seconds": seconds,
        **of(run.model, run.model.total),
        "rows": of(rows, rows.total),
        "uniform": of(LogLinear.uniform(Q.domain.shape, n), n),
    }


def _sentence(run: release.Run, records: Table, rows: Records, seconds: dict[str, float]) -> str:
    found = _summary(run, records, rows, seconds)
    what = "mean_tv" if run.workload.tabular else "mean_error"
    name = "mean total variation" if run.workload.tabular else "mean error, share of n,"
    asked = f"{found['queries']:,} queries ({run.workload.name}) over {found['domain_size']} cells"
    of_rows = f"of the {rows.total:,} rows {found['rows'][what]:.4f}"
    return (
        f"{asked} in {found['rounds']} rounds\n"
        f"{name} {found[what]:.4f}; {of_rows}; of no data at all {found['uniform'][what]:.4f}\n"
        f"ε spent {found['epsilon_spent']:.4g} of {run.settings.epsilon:g}; encode {seconds['encode']:.2f} s, "
        f"run {seconds['run']:.2f} s, sample {seconds['sample']:.2f} s\n{run.statement}"
    )


def _write(folder: Path, run: release.Run, rows: Records, rng: np.random.Generator) -> None:
    (folder / "rows.csv").write_bytes(release.rows_csv(rows, rng))
    (folder / "manifest.json").write_text(release.to_json(release.manifest(run)), encoding="utf-8")
    (folder / "transcript.json").write_text(release.to_json(release.transcript(run)), encoding="utf-8")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"the schema {path.name} is not UTF-8 text: save it as UTF-8") from None
    except OSError as problem:
        raise ValueError(f"the schema {str(path)!r} cannot be read: {problem.strerror}") from None


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None


def _whole(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{name} must be a whole number from 0 up, got {text!r}")
    return int(text)


def _rounds(text: str | None) -> Rounds | None:
    if text is None or text == "theorem" or text == "adaptive":
        return text
    return _whole(text, "rounds")


if __name__ == "__main__":
    sys.exit(main())
