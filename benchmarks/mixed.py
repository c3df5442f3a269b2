"""Several families in one run: the error of each part, beside runs of its own with an equal share of ε and with all.

    python benchmarks/mixed.py [--epsilons 0.1 1] [--deltas 0 1e-9] [--seeds 5]

Each part's error is in its own unit: the mean total variation of marginals, the mean |error| of others as a share of n.
"together" is one run of the default on all parts, of equal weight. "share" is a run of the default on the part alone
with ε divided by the number of parts, so that all of these cost as much as the one run; "all" has the whole ε. Uniform
reads no data. Means over seeds.

Adult's eight attributes, 5 seeds, together / share / all. ε = 1, δ = 0: marginals .0320 / .0291 / .0142, prefixes of
age .00009 / .00009 / .00003, predicates of one and two attributes .00015 / .00010 / .00003. ε = 0.1, δ = 0: .143 /
.107 / .057, .0009 / .0009 / .0003, .0017 / .0010 / .0003. ε = 1, δ = 1e-9: .0166 / .0255 / .0111, .0003 / .0001 /
.00003, .0002 / .0001 / .00003. With age and hours as whole numbers, ε = 1: marginals .035 / .047 / .025, boxes of
both .0020 / .0013 / .0005, predicates .0024 / .0001 / .00003: a predicate that reads a table of thousands of cells
errs far less by itself, as it is then measured itself, and not by its table. Czech, ε = 1, from all 64 cells:
marginals .0058 / .0163 / .0058, parities .0042 / .0129 / .0043, one predicate .0017 / .0010 / .0003.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mwem_core import Domain, Records, Seeded, Workload, default, encode, parse_workload, read_table
from mwem_core.evaluation.metrics import errors, errors_by_term
from mwem_core.model.loglinear import LogLinear

DATA = Path(__file__).parents[1] / "sample_data"
EIGHT = "age,workclass,education,marital-status,occupation,relationship,race,sex"
TASKS = (  # table, schema, attributes, parts
    (
        "adult.parquet",
        "adult.toml",
        EIGHT,
        'marginals:2 + ranges:age:prefixes + where:sex == "Female" and race == "Black"; relationship == "Wife"',
    ),
    (
        "adult.parquet",
        "adult_unbinned.toml",
        "age,hours-per-week,education,sex,race",
        'marginals:2 + ranges:age,hours-per-week:500 + where:age >= 65 and hours-per-week >= 40; sex == "Female"',
    ),
    (
        "czech.csv",
        "czech.toml",
        "",
        'marginals:3 + parities:2 + where:smoking == "yes" and lipoprotein_ratio_over_3 == "yes"',
    ),
)


def run(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> tuple[np.ndarray, float, str]:
    """The default's answers, their total, and the plan."""
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    *_, last = settings.rounds(B, Q, noise=Seeded(seed))
    return Q.answers(last.model), last.model.total, settings.plan


def alone(B: Records, Q: Workload, epsilon: float, delta: float, seeds: Sequence[int]) -> float:
    """The mean error of runs on one part by itself."""
    truth, found = Q.answers(B), []
    for seed in seeds:
        answers, total, _ = run(B, Q, epsilon, delta, seed)
        error = errors(Q, answers, truth, B.total, total=total)
        found.append(error.mean_error if error.mean_tv is None else error.mean_tv)
    return float(np.mean(found))


def compare(B: Records, Q: Workload, epsilon: float, delta: float, seeds: Sequence[int]) -> None:
    """Print a line for each part."""
    truth, runs = Q.answers(B), [run(B, Q, epsilon, delta, seed) for seed in seeds]
    by_run = [errors_by_term(Q, answers, truth, B.total, total=total) for answers, total, _ in runs]
    uniform = errors_by_term(Q, Q.answers(LogLinear.uniform(Q.domain.shape, B.total)), truth, B.total)
    print(f"  ε = {epsilon:g}, δ = {delta:g}, plan {runs[0][2]}")
    for i, term in enumerate(Q.terms):
        together = float(np.mean([found[i].error for found in by_run]))
        share, whole = (alone(B, term.workload, e, delta, seeds) for e in (epsilon / len(Q.terms), epsilon))
        print(
            f"    {term.workload.spec[:40]:<40} together {together:.5f}  share {share:.5f}  all {whole:.5f}"
            f"  uniform {uniform[i].error:.4f}",
            flush=True,
        )


def main() -> None:
    """Every task at every ε and δ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 1.0])
    parser.add_argument("--deltas", type=float, nargs="*", default=[0.0, 1e-9])
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    for table, schema, names, spec in TASKS:
        domain = Domain.from_toml((DATA / schema).read_text(encoding="utf-8"))
        B = encode(read_table(DATA / table), domain.project(names.split(",")) if names else domain)
        Q = parse_workload(spec, B.domain)
        print(f"{table}, {schema}: {Q.name}")
        for epsilon in arguments.epsilons:
            for delta in arguments.deltas:
                compare(B, Q, epsilon, delta, range(arguments.seeds))


if __name__ == "__main__":
    main()
