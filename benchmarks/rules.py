"""What rules do on Adult: how many rows break one without them, and the error with and without, at paired seeds.

    nice python benchmarks/rules.py --seeds 20 --epsilons 0.1,0.3,1,3,10
    nice python benchmarks/rules.py --seeds 5 --epsilons 1 --all

The rules are facts of the census, which no record of Adult breaks: husbands and wives are married, unmarried people are
not, there is no occupation without a class of work, and the armed forces are the federal government's. With --all, the
15 attributes instead of the eight that are text, and a rule more: the number of an education.
"""

import argparse

import numpy as np
from rows import SAMPLES

from mwem_core import Domain, Records, Seeded, Workload, encode, nearest_rows, parse_workload, read_table
from mwem_core.domain.rules import are_possible
from mwem_core.evaluation.metrics import errors
from mwem_core.experiments.tables import EIGHT
from mwem_core.systems import system

MARRIED = "('Married-civ-spouse', 'Married-AF-spouse')"
RULES = (
    f"relationship in ('Husband', 'Wife') and marital-status not in {MARRIED}",
    f"relationship == 'Unmarried' and marital-status in {MARRIED}",
    "occupation == '?' and workclass not in ('?', 'Never-worked')",
    "occupation != '?' and workclass in ('?', 'Never-worked')",
    "occupation == 'Armed-Forces' and workclass != 'Federal-gov'",
)
ROWS = 10_000


def main() -> None:
    """Print, for each ε and δ, the mean total variation of answers and rows, and how many rows break a rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--deltas", default="0,1e-9")
    parser.add_argument("--all", action="store_true", help="all 15 attributes")
    arguments = parser.parse_args()
    free, ruled = tables(everything=arguments.all)
    print("rules broken by the table's records:", ruled.broken, "of", ruled.total)
    for delta in map(float, arguments.deltas.split(",")):
        for epsilon in map(float, arguments.epsilons.split(",")):
            runs = {"without": [], "with": []}
            for seed in range(arguments.seeds):
                for B, found in zip((free, ruled), runs.values(), strict=True):
                    found.append(one_run(B, ruled.domain, epsilon, delta, seed))
            without, with_rules = (np.array(found) for found in runs.values())
            print(f"ε = {epsilon:g}, δ = {delta:g}: {line(without, with_rules)}", flush=True)


def line(without: np.ndarray, with_rules: np.ndarray) -> str:
    """Means over the seeds, and the mean of the paired changes with its standard error: both (seeds, 3)."""
    change = with_rules[:, :2] / without[:, :2] - 1
    texts = [
        f"{name} {without[:, i].mean():.5f} -> {with_rules[:, i].mean():.5f} "
        f"({change[:, i].mean():+.2%} ± {change[:, i].std(ddof=1) / np.sqrt(len(change)):.2%})"
        for i, name in enumerate(("answers", "rows"))
    ]
    broken = f"{without[:, 2].mean():.1f} -> {with_rules[:, 2].mean():.1f}"
    return f"{', '.join(texts)}; of {ROWS:,} rows {broken} break a rule"


def tables(*, everything: bool) -> tuple[Records, Records]:
    """Adult without and with rules."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8"))
    rules = RULES
    if everything:
        names = domain.attributes[domain.names.index("education")].labels
        same = (f"education == '{name}' and education-num != {i}" for i, name in enumerate(names, start=1))
        rules = (*rules, " or ".join(same))
    else:
        domain = domain.project(EIGHT)
    table = read_table(SAMPLES / "adult.parquet")
    return encode(table, domain), encode(table, Domain(domain.attributes, rules))


def one_run(B: Records, ruled: Domain, epsilon: float, delta: float, seed: int) -> tuple[float, float, int]:
    """Mean total variation of all pairs, of the answers and of as many rows as records; and of 10,000 rows, how many
    break a rule as they are drawn.
    """
    Q: Workload = parse_workload("marginals:2", B.domain)
    settings = system("automatic").settings(Q, n=B.total, epsilon=epsilon, delta=delta)
    *_, last = settings.rounds(B, Q, noise=Seeded(seed))
    truth, rng = Q.answers(B), np.random.default_rng(seed)
    rows, few = (nearest_rows(Q, last.model, number, rng) for number in (B.total, ROWS))
    broken = sum(few.broken) if few.broken else int((~are_possible(few.codes, ruled.possible)).sum())
    tvs = (errors(Q, source.answers(Q), truth, B.total, total=source.total).mean_tv for source in (last.model, rows))
    return *map(float, tvs), broken  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
