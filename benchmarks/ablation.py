"""What each part of Automatic is worth: by itself, and taken from the whole; writes ABLATION.md.

    python benchmarks/ablation.py --out RUNS.jsonl --reference FOLDER --tables FOLDER/fit
    python benchmarks/ablation.py --out RUNS.jsonl --report

A setting is a table, all of its k-way marginals, an ε and a δ. Each version runs where it can, within `--limit` seconds
of CPU. Runs on record are not repeated.
"""

import argparse
import os
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from ablation_versions import SELECTING, VERSIONS, WHOLE
from frontier import ks, tables
from frontier_ratios import Setting
from frontier_runs import DELTAS, SETTING, Runs, limit_memory, load, time_limit
from report import Record, markdown
from rows import HERE

from mwem_core import Records, Workload, nearest_rows, parse_workload, rounded
from mwem_core.evaluation.metrics import LEAST_ERROR, errors
from mwem_core.model.average import Model

ROWS = {"nearest": "rows, exchanged among 20 roundings or fewer", "one": "rows, one rounding"}
EPSILONS = (0.1, 1.0, 10.0)
HEAD = """\
# Ablation

What each part of Automatic is worth: the mean TV of a version of it over that of the whole, at the same setting and
seeds. A setting is a table to which Automatic may have been fitted (see [FRONTIER.md](FRONTIER.md)), all of its
two-way or three-way marginals, ε = 0.1, 1 or 10, and δ = 0 or 1e-9. A version counts where it can run and ends within
its time: plans on large domains, for instance, may not. Errors are means over one or two seeds, so single ratios are
uncertain, and the best in hindsight is partly luck. An error below a tenth of a record counts as a tenth of a record.

`selection on the tree` selects as 0.3 did, by the exponential mechanism, but with today's penalty. The next four lines
add to it; the last of them is what Automatic does where it selects. Lines about a prior and
about orders are of settings where Automatic fits what a plan measured, in one table and near the prior. Cells that
are nearly exact are not fitted: at ε = 10 few of them are wrong, so that other versions err by many times as much. Rows
are compared with rows.

"""


def main() -> None:
    """Run what is missing, and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the runs, one JSON object per line")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], metavar="FOLDER", help="NAME.csv with NAME.toml")
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="with mildew_cells.csv and nltcs_cells.csv")
    parser.add_argument("--seeds", type=int, default=2, metavar="N", help="number of seeds (2)")
    parser.add_argument("--limit", type=float, default=10, metavar="SECONDS", help="CPU, of a run (10)")
    parser.add_argument("--report", action="store_true", help="write the report, without any run")
    arguments = parser.parse_args()
    if not arguments.report:
        execute(arguments)
    text = report(load(arguments.out))
    print(text)
    (HERE / "ABLATION.md").write_text(text, encoding="utf-8")


def execute(arguments: argparse.Namespace) -> None:
    """Run what is missing, smallest workloads first."""
    limit_memory()
    runs = Runs(arguments.out)
    loaded = [(table.name, table.load()) for table in tables(arguments)]
    tasks = [(name, B, parse_workload(f"marginals:{k}", B.domain)) for name, B in loaded for k in ks(B)]
    for name, B, Q in sorted(tasks, key=lambda task: task[2].size):
        for seed, epsilon, delta, version in product(range(arguments.seeds), EPSILONS, DELTAS, VERSIONS):
            key = {"table": name, "workload": Q.spec, "epsilon": epsilon, "delta": delta, "seed": seed}
            key["system"] = version
            if not runs.settled(key, arguments.limit):
                runs.append({**key, "n": B.total, **run(B, Q, key, arguments.limit)})


def run(B: Records, Q: Workload, key: Record, limit: float) -> Record:
    """Run a version once, and return its errors and CPU seconds, or the problem that prevented it."""
    version, seed = VERSIONS[key["system"]], key["seed"]
    began = time.process_time()
    try:
        with time_limit(limit):
            model = version(B, Q, key["epsilon"], key["delta"], seed)
    except (TimeoutError, MemoryError) as stopped:
        return {"problem": type(stopped).__name__}
    if model is None:
        return {"problem": "not at this setting"}
    record: Record = {"seconds": round(time.process_time() - began, 4)}
    truth, answers = Q.answers(B), model.answers(Q)
    record["mean_tv"] = errors(Q, answers, truth, B.total, total=model.total).mean_tv
    if key["system"] == WHOLE:
        for name, draw in (("nearest", nearest_rows), ("one", _one_rounding)):
            rows = draw(Q, model, round(model.total), np.random.default_rng(seed))
            record[name] = errors(Q, Q.answers(rows), truth, B.total, total=rows.total).mean_tv
    return record


def _one_rounding(Q: Workload, model: Model, rows: int, rng: np.random.Generator) -> Records:
    return rounded(Q.domain, model, rows, rng)


def report(records: Sequence[Record]) -> str:
    """Each version's mean TV over that of the whole, at the settings where both ran."""
    errors_of: dict[str, dict[Setting, float]] = {}
    for version in VERSIONS:
        by_setting: dict[Setting, list[Record]] = {}
        for r in records:
            if r["system"] == version and "problem" not in r:
                by_setting.setdefault(tuple(r[name] for name in SETTING), []).append(r)
        errors_of[version] = {at: _mean(of, "mean_tv") for at, of in by_setting.items()}
        if version == WHOLE:
            for name, rows in ROWS.items():
                errors_of[rows] = {at: _mean(of, name) for at, of in by_setting.items()}
    tabled = [v for v in errors_of if v.startswith("always") or v in (WHOLE, SELECTING)]
    every = {at: min(errors_of[v][at] for v in tabled if at in errors_of[v]) for at in errors_of[WHOLE]}
    errors_of["the best of these plans and selection, in hindsight"] = every
    lines = []
    for version, found in errors_of.items():
        beside = ROWS["nearest"] if version in ROWS.values() else WHOLE
        ratios = np.array([found[at] / errors_of[beside][at] for at in found if at in errors_of[beside]])
        if version != beside and len(ratios):
            lines.append(_line(version, ratios))
    named = ", ".join(sorted({r["table"] for r in records}))
    return f"{HEAD}Tables: {named}.\n\n{markdown(lines, list(lines[0]))}\n"


def _mean(records: Sequence[Record], name: str) -> float:
    return max(float(np.mean([r[name] for r in records])), LEAST_ERROR / records[0]["n"])


def _line(version: str, ratios: np.ndarray) -> dict[str, str]:
    return {
        "version": version,
        "settings": str(len(ratios)),
        "geometric mean": f"{np.exp(np.log(ratios).mean()):.2f}",
        "better by 5%": f"{(ratios < 0.95).mean():.0%}",
        "worse by 5%": f"{(ratios > 1.05).mean():.0%}",
        "least": f"{ratios.min():.2f}",
        "most": f"{ratios.max():.2f}",
    }


if __name__ == "__main__":
    main()
