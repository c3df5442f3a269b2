"""Run systems in turn on rows of the comparison, each run in a fresh process; record its cost and its errors.

    python benchmarks/run.py T1 --seeds 3

Runs in the results file are not repeated, so a benchmark can be stopped and resumed. A system that did not finish a row
is not run on the row's other seeds.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from catalogue import SYSTEMS, System
from environments import ENVIRONMENTS
from errors import errors, of_answers, of_rows
from fresh import machine
from report import RESULTS, load, table
from rows import HERE, ROWS, Row, count_of

from mwem_core import Domain, Records, encode, parse_workload, read_table


def main() -> None:
    """Run what is missing, then print a table for each row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", choices=ROWS, metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many (the row's own: 20 on T4, else 10)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first of them (0)")
    parser.add_argument("--systems", type=lambda text: text.split(","), metavar="A,B", help="by default all of the row")
    parser.add_argument("--limit", type=float, default=60, metavar="MINUTES", help="for each run (60)")
    parser.add_argument("--again", action="store_true", help="run again what is on record; the newest record counts")
    parser.add_argument("--core", type=int, help="pin every run to this core")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--envs", type=Path, default=ENVIRONMENTS, help="the folder of environments.py")
    parser.add_argument("--data", type=Path, help="the table of a row whose data is not bundled")
    arguments = parser.parse_args()
    for name in arguments.rows:
        benchmark(name, arguments)
        print(f"\n{table(load(arguments.results), name)}\n")


def benchmark(name: str, arguments: argparse.Namespace) -> None:
    """Run one row: seed by seed, each system in turn."""
    row = ROWS[name]
    if row.table is None and arguments.data is None:
        sys.exit(f"the data of {name} is not bundled: give its table by --data")
    if unknown := [system for system in arguments.systems or () if system not in SYSTEMS]:
        sys.exit(f"there is no system {unknown[0]!r}: choose from {', '.join(row.systems)}")
    domain = Domain.from_toml(row.schema.read_text(encoding="utf-8"))
    B = _one_row_per_record(
        encode(
            read_table(row.table or arguments.data),
            domain.project(row.names) if row.names else domain,
            count=count_of(row.table or arguments.data),
        )
    )
    sets, ranges = _sets_and_ranges(parse_workload(row.workload, B.domain))
    for seed in range(arguments.first, arguments.first + (arguments.seeds or row.seeds)):
        for system in [s for s in row.systems if arguments.systems is None or s in arguments.systems]:
            recorded = [] if arguments.again else load(arguments.results).get((name, system), [])
            if any(r["seed"] == seed or not r["finished"] for r in recorded):
                continue
            print(f"{name}, {system}, seed {seed}: ", end="", flush=True)
            record = {"row": name, "system": system, "seed": seed}
            record |= _run(row, SYSTEMS[system], B, sets, ranges, seed, arguments)
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(_line(record), flush=True)


def _run(
    row: Row, system: System, B: Records, sets: Sequence, ranges: Sequence, seed: int, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Run a system in a fresh process; return the fields of its record."""
    with tempfile.TemporaryDirectory() as folder:
        out, task, log = Path(folder, "out"), Path(folder, "task.json"), Path(folder, "log")
        np.save(Path(folder, "codes.npy"), np.column_stack(B.codes))
        given_sets = [S for S in sets if not system.max_cells or B.domain.cells(S) <= system.max_cells]
        description = {
            "data": str(Path(folder, "codes.npy")),
            "names": [f"c{a}" for a in range(len(B.domain))],  # every system accepts such names
            "sizes": B.domain.shape,
            "sets": given_sets,
            "ranges": ranges,
            "epsilon": row.epsilon,
            "delta": row.delta,
            "seed": seed,
            "again": seed == 0,
            "options": system.options,
            "out": str(out),
        }
        task.write_text(json.dumps(description), encoding="utf-8")
        began = time.time()
        ended, usage, why = _process(system, task, log, arguments)
        record = {
            "finished": False,
            "wall": round(ended - began, 3),
            "cpu": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mib": round(usage.ru_maxrss / 1024),
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(arguments.core),
        }
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        report = Path(f"{out}.json")
        if not report.exists():
            return {**record, "why": why, "last": lines[-1][:300] if lines else ""}
        reported = json.loads(report.read_text(encoding="utf-8"))
        wall = round(reported.pop("ended") - began, 3)
        record |= {"finished": True, "wall": wall, "cpu": round(reported.pop("cpu"), 3)}
        record |= {"peak_mib": round(reported.pop("peak_mib")), **reported}
        judged = {"": sets}
        if any(B.domain.cells(S) > MAX_SMALL_CELLS for S in sets):
            judged["_small"] = [S for S in sets if B.domain.cells(S) <= MAX_SMALL_CELLS]
        truth, rows, model = of_rows(B.codes, B.domain.shape), Path(f"{out}.rows.npy"), Path(f"{out}.model.npy")
        for part, judged_sets in judged.items():
            if rows.exists():
                estimate = of_rows(np.load(rows).T, B.domain.shape)
                record[f"rows{part}"] = errors(judged_sets, ranges, truth, estimate)
            if model.exists() and set(judged_sets) <= set(given_sets):
                estimate = of_answers(np.load(model), given_sets, B.domain.shape)
                record[f"model{part}"] = errors(judged_sets, ranges, truth, estimate)
        return record


MAX_SMALL_CELLS = 10**4  # if some marginals are larger, errors of the others are recorded too


def _process(system: System, task: Path, log: Path, arguments: argparse.Namespace) -> tuple[float, Any, str]:
    """Run a system until it ends or reaches the limit; return the time, its resource usage, and how it ended."""
    environment = arguments.envs / system.environment / "bin" / "python" if system.environment else sys.executable
    command = [str(environment), str(HERE / "systems" / system.script), str(task)]
    pin = (lambda: os.sched_setaffinity(0, {arguments.core})) if arguments.core is not None else None
    with log.open("w", encoding="utf-8") as file:
        child = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, preexec_fn=pin, start_new_session=True, cwd=HERE.parent
        )
        late, deadline = False, time.monotonic() + 60 * arguments.limit
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline and not late:
                late = True
                os.killpg(child.pid, signal.SIGKILL)
            time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.time(), usage, f"limit of {arguments.limit:g} min" if late else f"exit code {child.returncode}"


def _one_row_per_record(B: Records) -> Records:
    """The records without weights, because other systems read one row per record."""
    if B.weights is None:
        return B
    return Records(B.domain, tuple(np.repeat(column, B.weights) for column in B.codes))


def _sets_and_ranges(workload: Any) -> tuple[Sequence[tuple[int, ...]], Sequence[tuple[int, int]]]:
    """The workload's sets of attributes, or its ranges of one attribute; the other is empty."""
    if workload.tabular:
        return workload.sets, ()
    boxes = workload.blocks[0].operator
    return (), [(int(low), int(high)) for low, high in zip(boxes.low[:, 0], boxes.high[:, 0], strict=True)]


def _line(record: dict[str, Any]) -> str:
    if not record["finished"]:
        return f"unfinished ({record['why']}): {record['last']}"
    parts = [part for part in ("rows", "model", "rows_small", "model_small") if part in record]
    metric = "mean_tv" if "mean_tv" in record[parts[0]] else "mean"
    by_part = [f"{part} {metric} {record[part][metric]:.4f}" for part in parts]
    return f"{record['wall']:.2f} s, {record['cpu']:.2f} CPU-s, {record['peak_mib']:,} MiB; {'; '.join(by_part)}"


if __name__ == "__main__":
    main()
