"""How long the sweep takes that the page Trade-off opens with: `python benchmarks/sweep.py`.

For each number of workers: seconds to the end and to the first sentence, and the CPU time of the rounds, which
another load on the machine hardly changes.
"""

import argparse
import time
from collections import Counter
from pathlib import Path

from mwem_core import Domain, parse_workload
from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.evaluation.executors import pool
from mwem_core.evaluation.trials import cheapest_first, grid, run_trials

SAMPLES = Path(__file__).parents[1] / "sample_data"
ATTRIBUTES = (
    *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
    "native-country",
)
SYSTEMS, EPSILONS = ("automatic", "aim", "laplace-clean", "uniform"), (0.05, 0.1, 0.2, 0.5, 1, 2, 5)


def main() -> None:
    """Run the sweep once for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8"))
    B = encode(read_table(SAMPLES / "adult.parquet"), domain).project(ATTRIBUTES)
    Q = parse_workload("marginals:2", B.domain)
    trials = cheapest_first(grid(SYSTEMS, EPSILONS, range(arguments.seeds)))
    private = [trial.system for trial in trials if trial.system != "uniform"]
    first_curve = {trial for trial in trials if (trial.system, trial.seed) == (private[0], 0)}
    for workers in arguments.workers:
        executor, started, sentence = pool(workers), time.perf_counter(), 0.0
        waiting, cpu = set(first_curve), Counter[str]()
        for result in run_trials(B, Q, trials, executor):
            cpu[result.trial.system] += round(1000 * result.seconds)
            waiting.discard(result.trial)
            sentence = sentence or (0.0 if waiting else time.perf_counter() - started)
        executor.shutdown()
        by_system = ", ".join(f"{name} {ms / 1000:.1f} s" for name, ms in cpu.most_common())
        print(
            f"{workers} workers: {len(trials)} trials in {time.perf_counter() - started:.1f} s, "
            f"first sentence after {sentence:.1f} s; CPU of the rounds: {by_system}",
            flush=True,
        )


if __name__ == "__main__":
    main()
