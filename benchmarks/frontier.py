"""Where Automatic stands against the best other private system; writes FRONTIER.md, frontier.csv and the runs.

    python benchmarks/frontier.py --report --judge    # the page again, from the runs that come with the project
    python benchmarks/frontier.py --out RUNS.jsonl --systems automatic --label NAME \
        --reference FOLDER --tables FOLDER/{fit,judge,watch}    # after a change of Automatic
    python benchmarks/frontier.py --out RUNS.jsonl --report --judge

A setting is a table, all of its k-way marginals, an ε and a δ. Runs on record are not repeated, so the script can be
stopped and resumed. On record are the runs in RUNS.jsonl and, without `--anew`, those that come with the project;
`--report --judge` adds the new runs to the latter. Automatic's runs are recorded under the label, so that versions
stand side by side. A system that refuses a setting, exceeds `--limit`, or takes longer than `--once` is not run on the
setting's other seeds; its record says so. Automatic is always run. `--near 1.3` adds seeds only to systems that have
an error within 1.3 times the least at a setting: the others decide nothing. `--systems geometric-cells` adds whole
noise to every cell, which the report counts among the others in a section of its own. `frontier_tables.py` writes the
tables that are not bundled. Some are to judge on, and some are watched: the report leaves both out until
`--judge` adds them.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from frontier_ratios import AUTOMATIC, EPSILONS, WHOLE
from frontier_report import report, write_ratios
from frontier_runs import SETTING, Runs, in_order, keep, keys, limit_memory, line, load, run
from frontier_tables import FITTED, group
from report import Record
from rows import ADULT, EIGHT, HERE, SAMPLES, count_of

from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.judge import cheapest_first, grid
from mwem_core.systems import SYSTEMS, system

KEPT = HERE / "frontier_runs.jsonl.gz"  # the runs of the committed report
KS = (2, 3)
MAX_ATTRIBUTES = 16  # of a table whose three-way marginals are run
FAR = ("mwem-paper", "barak-lp", "boosting", "net")  # slow and never near the best
MAX_CELLS = {"relaxed-projection": 1000}  # of the domains on which a system is run, for the same reason


@dataclass(frozen=True)
class Table:
    """A table, its public schema, and the attributes used (empty: all of the schema)."""

    name: str
    path: Path
    schema: Path
    names: tuple[str, ...] = ()

    def load(self) -> Records:
        """Its distinct records, of the attributes used."""
        domain = Domain.from_toml(self.schema.read_text(encoding="utf-8"))
        return encode(
            read_table(self.path), domain.project(self.names) if self.names else domain, count=count_of(self.path)
        ).distinct()


BUNDLED = (
    *(Table(name, SAMPLES / f"{name}.csv", SAMPLES / f"{name}.toml") for name in ("czech", "rochdale", "class_survey")),
    Table("adult", ADULT, SAMPLES / "adult.toml", EIGHT),
)
REFERENCE = ("mildew", "nltcs")


def main() -> None:
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FILE", help="the new runs, one JSON object per line")
    parser.add_argument("--anew", action="store_true", help="leave out the runs that come with the project")
    parser.add_argument("--label", help="of Automatic's runs: its version, for instance 0.3")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], metavar="FOLDER", help="NAME.csv with NAME.toml")
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="with mildew_cells.csv and nltcs_cells.csv")
    parser.add_argument("--only", type=_names, metavar="A,B", help="only these tables")
    parser.add_argument("--systems", type=_names, default=contenders(), metavar="A,B", help="by default all")
    parser.add_argument("--epsilons", type=lambda text: [float(e) for e in text.split(",")], default=EPSILONS)
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="number of seeds (3)")
    parser.add_argument("--limit", type=float, default=30, metavar="SECONDS", help="CPU, of another system (30)")
    parser.add_argument("--once", type=float, default=5, metavar="SECONDS", help="longer runs get one seed (5)")
    parser.add_argument("--near", type=float, metavar="FACTOR", help="only systems with some error this near the least")
    parser.add_argument("--report", action="store_true", help="print and write the report, without any run")
    parser.add_argument("--judge", action="store_true", help="report on the tables not fitted to, too")
    parser.add_argument("--folder", type=Path, default=HERE, help="of the report (the script's own)")
    arguments = parser.parse_args()
    if arguments.report:
        runs = in_order([*_kept(arguments), *(load(arguments.out) if arguments.out else [])])
        records = [r for r in runs if arguments.judge or group(r["table"]) == FITTED]
        text = report(records)
        print(text)
        (arguments.folder / "FRONTIER.md").write_text(text, encoding="utf-8")
        write_ratios(records, arguments.folder / "frontier.csv")
        if arguments.judge:
            keep(records, arguments.folder / KEPT.name)
        return
    try:
        execute(arguments)
    except ValueError as problem:
        parser.error(str(problem))


def execute(arguments: argparse.Namespace) -> None:
    """Run what is missing, smallest workloads first. Raises ValueError for arguments that do not fit."""
    if not arguments.out:
        raise ValueError("give the file of the new runs by --out")
    systems = [name if name == WHOLE else system(name).name for name in arguments.systems]
    if AUTOMATIC in systems and not arguments.label:
        raise ValueError("give Automatic's version by --label")
    found = {table.name: table for table in tables(arguments)}
    if unknown := [name for name in arguments.only or () if name not in found]:
        raise ValueError(f"there is no table {unknown[0]!r}: choose from {', '.join(found)}")
    limit_memory()
    runs = Runs(arguments.out, _kept(arguments))
    near = runs.near(arguments.near) if arguments.near else None
    loaded = [(name, found[name].load()) for name in arguments.only or found]
    tasks = [(name, B, parse_workload(f"marginals:{k}", B.domain)) for name, B in loaded for k in ks(B)]
    for name, B, Q in sorted(tasks, key=lambda task: task[2].size):
        serving = [s for s in systems if B.domain.size <= MAX_CELLS.get(s, B.domain.size)]
        for key in keys(name, Q, serving, arguments.epsilons, arguments.seeds, arguments.label):
            far = near is not None and (key["system"], *(key[name] for name in SETTING)) not in near
            if not far and not runs.settled(key, arguments.once):
                record = {**key, **run(B, Q, key, arguments.limit)}
                runs.append(record)
                print(line(record), flush=True)


def _kept(arguments: argparse.Namespace) -> list[Record]:
    return load(KEPT) if KEPT.exists() and not arguments.anew else []


def contenders() -> tuple[str, ...]:
    """Automatic, and every private system that may be near the best; the cheapest first."""
    names = [name for name, system in SYSTEMS.items() if system.privacy != "none" and name not in FAR]
    return tuple(trial.system for trial in cheapest_first(grid(names, [1.0], [0])))


def tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """The bundled tables, the reference tables if their folder is given, and those of any other folders."""
    yield from BUNDLED
    if arguments.reference:
        for name in REFERENCE:
            yield Table(name, arguments.reference / f"{name}_cells.csv", HERE / f"{name}.toml")
    for schema in (path for folder in arguments.tables for path in sorted(folder.glob("*.toml"))):
        files = [path for suffix in (".csv", ".parquet") if (path := schema.with_suffix(suffix)).exists()]
        if not files:
            raise ValueError(f"{schema} has no table beside it: {schema.stem}.csv or {schema.stem}.parquet")
        yield Table(schema.stem, files[0], schema)


def ks(B: Records) -> tuple[int, ...]:
    """The orders of marginals that are run on this table."""
    return KS if len(B.domain) <= MAX_ATTRIBUTES else KS[:1]


def _names(text: str) -> list[str]:
    return text.split(",")


if __name__ == "__main__":
    main()
