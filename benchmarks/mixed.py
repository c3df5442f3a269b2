"""Several families in one run: the error of each part, beside runs of its own with an equal share of ε and with all.

    python benchmarks/mixed.py [--epsilons 0.1 1] [--deltas 0 1e-9] [--seeds 5]
    python benchmarks/mixed.py --judge predicates --reference FOLDER --tables FOLDER/{fit,judge,watch} --seeds 4
    python benchmarks/mixed.py --judge ranges --reference FOLDER --tables FOLDER/{fit,judge,watch} --seeds 4

Each part's error is in its own unit: the mean total variation of marginals, the mean |error| of others as a share of n.
"together" is one run of Automatic on all parts, of equal weight. "share" is a run of Automatic on the part alone
with ε divided by the number of parts, so that all of these cost as much as the one run; "all" has the whole ε. Uniform
reads no data. Means over seeds. `--judge` takes the frontier's tables. With `predicates`, the parts are pairs and three
predicates, each of a random value of two random attributes. With `ranges` there are three workloads: pairs and prefixes
of the attribute with most values, pairs and boxes of it and the next, and these prefixes and predicates.

Adult's eight attributes, 8 seeds, together / share / all. ε = 1, δ = 0: marginals .0283 / .0294 / .0141, prefixes of
age .00009 / .00009 / .00003, predicates of one and two attributes .00008 / .00007 / .00002. ε = 0.1, δ = 0: .107 /
.107 / .058, .0006 / .0009 / .0003, .0006 / .0007 / .0002. With age and hours as whole numbers, ε = 1: marginals .041 /
.047 / .025, boxes of both .0010 / .0012 / .0005, predicates .00009 / .00007 / .00002. Boxes and predicates alone, at 1:
.0007 / .0008 / .0005 and .00002 / .00005 / .00002; before, .0013 and .0024 together. Less kind: pairs and boxes alone,
which are still measured together, .033 / .037 / .025 and .0017 / .0008 / .0005. Czech, at 1: marginals .0106 / .0169 /
.0060, parities .0081 / .0142 / .0047, one predicate .0007 / .0007 / .0002.

`--judge ranges`, 8 seeds, δ = 0, together / share as geometric means on 14 settings of tables fitted on, 12 of tables
judged on and 12 of watched tables (of boxes 12, 10 and 10), and before ranges were measured by themselves:
pairs beside prefixes 1.01, 1.00 and .99 (before 1.21, 1.28 and 1.23), the prefixes .85, .97 and .97 (1.01, .93 and
.94); pairs beside boxes .96, .91 and .92 (1.22, .96 and 1.01), the boxes .93, .94 and .91 (1.30, 1.23 and 1.28);
prefixes beside predicates .84, .87 and .85 (1.01, 1.11 and .95), the predicates 1.07, 1.03 and .98 (1.97, 1.37 and
2.13). At δ = 1e-9, 6 seeds: pairs 1.09, 1.07 and 1.03 (1.30, 1.41 and 1.20), their prefixes 1.06, 1.21 and 1.20 (1.04,
.93 and .94), boxes 1.09, 1.13 and .98 (1.79, 1.45 and 1.53), predicates 1.02, 1.14 and .99 (1.93, 1.50 and 2.03).

`--judge predicates`, 8 seeds, δ = 0, on 28, 14 and 12 settings: marginals .83, .93 and .94, predicates .91, 1.07 and
1.00. Before they were measured themselves: 1.00, 1.25 and 1.37, and 1.37, 1.89 and 2.07. At δ = 1e-9 marginals err by
the same, predicates by 1.02, 1.26 and 1.00.
"""

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from frequencies import count_of
from frontier import tables
from frontier_tables import group

from mwem_core import Domain, Records, Seeded, Workload, default, encode, parse_workload, read_table
from mwem_core.automatic.in_words import what_ran
from mwem_core.evaluation.metrics import errors, errors_by_term
from mwem_core.model.loglinear import LogLinear

DATA = Path(__file__).parents[1] / "sample_data"
EIGHT = "age,workclass,education,marital-status,occupation,relationship,race,sex"
PREDICATES = 3
MIN_VALUES, BOXES = 5, 200  # of an attribute whose ranges are judged; boxes of two of them
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
    (
        "adult.parquet",
        "adult_unbinned.toml",
        "age,hours-per-week,education,sex,race",
        'ranges:age,hours-per-week:500 + where:age >= 65 and hours-per-week >= 40; sex == "Female"',
    ),
    (
        "adult.parquet",
        "adult_unbinned.toml",
        "age,hours-per-week,education,sex,race",
        "ranges:age:prefixes + ranges:hours-per-week:prefixes",
    ),
    (
        "adult.parquet",
        "adult_unbinned.toml",
        "age,hours-per-week,education,sex,race",
        "marginals:2 + ranges:age,hours-per-week:500",
    ),
)


def run(B: Records, Q: Workload, epsilon: float, delta: float, seed: int) -> tuple[np.ndarray, float, str]:
    """Automatic's answers, their total, and what it did."""
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    *_, last = settings.rounds(B, Q, noise=Seeded(seed))
    return Q.answers(last.model), last.model.total, what_ran(settings, Q, B.total)


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


def random_predicates(domain: Domain, rng: np.random.Generator) -> str:
    """Three predicates, each of a random value of two random attributes."""
    texts = []
    for _ in range(PREDICATES):
        pair = [domain.attributes[i] for i in rng.choice(len(domain), 2, replace=False)]
        texts.append(" and ".join(f'{each.name} == "{each.labels[rng.integers(each.size)]}"' for each in pair))
    return "; ".join(texts)


def judged_specs(domain: Domain, parts: str) -> list[str]:
    """The workloads that a table is judged on."""
    asked_for = f"where:{random_predicates(domain, np.random.default_rng(7))}"
    if parts == "predicates":
        return [f"marginals:2 + {asked_for}"]
    in_order = sorted(
        (each for each in domain.attributes if has_ranges(each.name, domain)), key=lambda each: -each.size
    )
    names = [each.name for each in in_order if each.size >= MIN_VALUES]
    ranges = [f"ranges:{name}:prefixes" for name in names[:1]]
    boxes = [f"ranges:{','.join(names[:2])}:{BOXES}"] if len(names) > 1 else []
    return [*(f"marginals:2 + {each}" for each in (*ranges, *boxes)), *(f"{each} + {asked_for}" for each in ranges)]


def has_ranges(name: str, domain: Domain) -> bool:
    """Whether ranges of this attribute can be asked."""
    try:
        parse_workload(f"ranges:{name}:prefixes", domain)
    except ValueError:
        return False
    return True


def judge(arguments: argparse.Namespace) -> None:
    """Print together / share for each part of each workload, and the geometric means of each group."""
    ratios: dict[tuple[str, str], list[np.ndarray]] = {}
    for table in tables(arguments):
        B = table.load()
        for spec in judged_specs(B.domain, arguments.judge):
            Q = parse_workload(spec, B.domain)
            truth, seeds = Q.answers(B), range(arguments.seeds)
            boxes = any(term.workload.family == "ranges" and len(term.workload.reads) > 1 for term in Q.terms)
            kinds = " + ".join(term.workload.family for term in Q.terms) + ", boxes" * boxes
            for epsilon, delta in product(arguments.epsilons, arguments.deltas):
                runs = [run(B, Q, epsilon, delta, seed) for seed in seeds]
                by_run = [errors_by_term(Q, answers, truth, B.total, total=total) for answers, total, _ in runs]
                together = np.mean([[each.error for each in found] for found in by_run], axis=0)
                share = [alone(B, term.workload, epsilon / len(Q.terms), delta, seeds) for term in Q.terms]
                ratio = together / share
                ratios.setdefault((group(table.name), kinds), []).append(ratio)
                values = ", ".join(f"{each:.2f}" for each in ratio)
                print(f"{table.name}, {kinds}, ε = {epsilon:g}, δ = {delta:g}, {runs[0][2]}: {values}", flush=True)
    for (name, kinds), found in ratios.items():
        means = ", ".join(f"{each:.2f}" for each in np.exp(np.log(found).mean(axis=0)))
        print(f"{name}, {len(found)} settings, {kinds}: {means}")


def main() -> None:
    """Every task at every ε and δ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 1.0])
    parser.add_argument("--deltas", type=float, nargs="*", default=[0.0, 1e-9])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--judge", choices=("predicates", "ranges"), help="beside pairs of the frontier's tables")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], metavar="FOLDER", help="NAME.csv with NAME.toml")
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="with mildew_cells.csv and nltcs_cells.csv")
    arguments = parser.parse_args()
    if arguments.judge:
        judge(arguments)
        return
    for table, schema, names, spec in TASKS:
        domain = Domain.from_toml((DATA / schema).read_text(encoding="utf-8"))
        B = encode(
            read_table(DATA / table), domain.project(names.split(",")) if names else domain, count=count_of(table)
        )
        Q = parse_workload(spec, B.domain)
        print(f"{table}, {schema}: {Q.name}")
        for epsilon in arguments.epsilons:
            for delta in arguments.deltas:
                compare(B, Q, epsilon, delta, range(arguments.seeds))


if __name__ == "__main__":
    main()
