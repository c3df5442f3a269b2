"""Run systems in turn on rows of the comparison, each run a fresh process; record what it cost and how it erred.

    python benchmarks/run.py T1 --seeds 3

A run that is already in the results file is not repeated, so that a benchmark can be stopped and taken up again. Nor
is a system tried again on a row that it did not finish.
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
from rows import HERE, ROWS, Row

from mwem_core import Domain, Records, encode, parse_workload, read_table


def main() -> None:
    """Run what is missing, then print the rows' tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", choices=ROWS, metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many (the row's own: 20 on T4, else 10)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first of them (0)")
    parser.add_argument("--systems", type=lambda text: text.split(","), metavar="A,B", help="all of the row's without")
    parser.add_argument("--limit", type=float, default=60, metavar="MINUTES", help="for each run (60)")
    parser.add_argument("--again", action="store_true", help="run what is there already; the newest counts")
    parser.add_argument("--core", type=int, help="pin every run to this core")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--envs", type=Path, default=ENVIRONMENTS, help="where environments.py made them")
    parser.add_argument("--data", type=Path, help="the table of a row whose data is not bundled")
    given = parser.parse_args()
    for name in given.rows:
        benchmark(name, given)
        print(f"\n{table(load(given.results), name)}\n")


def benchmark(name: str, given: argparse.Namespace) -> None:
    """One row: seed after seed, each system in turn."""
    row = ROWS[name]
    if row.table is None and given.data is None:
        sys.exit(f"the data of {name} is not bundled: give its table by --data")
    if unknown := [system for system in given.systems or () if system not in SYSTEMS]:
        sys.exit(f"there is no system {unknown[0]!r}: choose from {', '.join(row.systems)}")
    domain = Domain.from_toml(row.schema.read_text(encoding="utf-8"))
    B = _expanded(encode(read_table(row.table or given.data), domain.project(row.names) if row.names else domain))
    sets, ranges = _asked(parse_workload(row.workload, B.domain))
    for seed in range(given.first, given.first + (given.seeds or row.seeds)):
        for system in [s for s in row.systems if given.systems is None or s in given.systems]:
            before = [] if given.again else load(given.results).get((name, system), [])
            if any(r["seed"] == seed or not r["finished"] for r in before):
                continue
            print(f"{name}, {system}, seed {seed}: ", end="", flush=True)
            told = _run(row, SYSTEMS[system], B, sets, ranges, seed, given)
            record = {"row": name, "system": system, "seed": seed, **told}
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(_line(record), flush=True)


def _run(
    row: Row, system: System, B: Records, sets: Sequence, ranges: Sequence, seed: int, given: argparse.Namespace
) -> dict[str, Any]:
    """One fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        out, task, log = Path(folder, "out"), Path(folder, "task.json"), Path(folder, "log")
        np.save(Path(folder, "codes.npy"), np.column_stack(B.codes))
        asked = [S for S in sets if not system.most_cells or B.domain.cells(S) <= system.most_cells]
        description = {
            "data": str(Path(folder, "codes.npy")),
            "names": [f"c{a}" for a in range(len(B.domain))],  # plain names: every system takes them
            "sizes": B.domain.shape,
            "sets": asked,
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
        ended, usage, why = _process(system, task, log, given)
        record = {
            "finished": False,
            "wall": round(ended - began, 3),
            "cpu": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mib": round(usage.ru_maxrss / 1024),
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(given.core),
        }
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        report = Path(f"{out}.json")
        if not report.exists():
            return {**record, "why": why, "last": lines[-1][:300] if lines else ""}
        told = json.loads(report.read_text(encoding="utf-8"))
        record |= {"finished": True, "wall": round(told.pop("ended") - began, 3), "cpu": round(told.pop("cpu"), 3)}
        record |= {"peak_mib": round(told.pop("peak_mib")), **told}
        judged = {"": sets}
        if any(B.domain.cells(S) > SMALL for S in sets):
            judged["_small"] = [S for S in sets if B.domain.cells(S) <= SMALL]
        truth, rows, model = of_rows(B.codes, B.domain.shape), Path(f"{out}.rows.npy"), Path(f"{out}.model.npy")
        for part, which in judged.items():
            if rows.exists():
                found = of_rows(np.load(rows).T, B.domain.shape)
                record[f"rows{part}"] = errors(which, ranges, truth, found)
            if model.exists() and set(which) <= set(asked):
                found = of_answers(np.load(model), asked, B.domain.shape)
                record[f"model{part}"] = errors(which, ranges, truth, found)
        return record


SMALL = 10**4  # where some marginals have more cells, errors are told for those without them too


def _process(system: System, task: Path, log: Path, given: argparse.Namespace) -> tuple[float, Any, str]:
    """Run it until it ends or its limit: the time then, its resource usage, why it did not finish if it did not."""
    environment = given.envs / system.environment / "bin" / "python" if system.environment else sys.executable
    command = [str(environment), str(HERE / "systems" / system.script), str(task)]
    pin = (lambda: os.sched_setaffinity(0, {given.core})) if given.core is not None else None
    with log.open("w") as file:
        child = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, preexec_fn=pin, start_new_session=True, cwd=HERE.parent
        )
        late, until = False, time.monotonic() + 60 * given.limit
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until and not late:
                late = True
                os.killpg(child.pid, signal.SIGKILL)
            time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.time(), usage, f"limit of {given.limit:g} min" if late else f"exit code {child.returncode}"


def _expanded(B: Records) -> Records:
    """One row a record, which is what peers read."""
    if B.weights is None:
        return B
    return Records(B.domain, tuple(np.repeat(column, B.weights) for column in B.codes))


def _asked(workload: Any) -> tuple[Sequence[tuple[int, ...]], Sequence[tuple[int, int]]]:
    """Its sets of attributes, or its ranges of one attribute."""
    if workload.tabular:
        return workload.sets, ()
    boxes = workload.blocks[0].operator
    return (), [(int(low), int(high)) for low, high in zip(boxes.low[:, 0], boxes.high[:, 0], strict=True)]


def _line(record: dict[str, Any]) -> str:
    if not record["finished"]:
        return f"unfinished ({record['why']}): {record['last']}"
    parts = [part for part in ("rows", "model", "rows_small", "model_small") if part in record]
    what = "mean_tv" if "mean_tv" in record[parts[0]] else "mean"
    told = [f"{part} {what} {record[part][what]:.4f}" for part in parts]
    return f"{record['wall']:.2f} s, {record['cpu']:.2f} CPU-s, {record['peak_mib']:,} MiB; {'; '.join(told)}"


if __name__ == "__main__":
    main()
