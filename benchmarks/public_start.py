"""What a public table as a start gains, and what a biased one costs: mean total variation of all pairs, by ε.

    nice python benchmarks/public_start.py --table adult --seeds 4 --epsilons 0.1,1,10,100
    nice python benchmarks/public_start.py --table czech --seeds 20

A random half of the table is private. The public tables are made of the other half: all of it; 1,000 records of it;
those of one value of an attribute alone (women, or non-smokers), which is a bias that a survey may have; and, wrong on
purpose, the half with the order of every attribute's values reversed.
"""

import argparse

import numpy as np
from frequencies import count_of
from rows import EIGHT, SAMPLES

from mwem_core import Domain, PublicTable, Records, Seeded, encode, parse_workload, read_table
from mwem_core.algorithm import Spender
from mwem_core.automatic.default import starting_from
from mwem_core.automatic.in_words import what_ran
from mwem_core.evaluation.metrics import errors
from mwem_core.systems import system

FEW = 1000
# Of each table its file, its attributes (None for all), and the attribute by whose first value one start is biased.
TABLES = {"adult": ("adult.parquet", EIGHT, "sex"), "czech": ("czech.csv", None, "smoking")}


def main() -> None:
    """Print a line for each ε: the error of each start, and its mean change at paired seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="adult", choices=list(TABLES))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--epsilons", default="0.1,1,10,100")
    parser.add_argument("--delta", type=float, default=0.0)
    arguments = parser.parse_args()
    B, starts = tables(*TABLES[arguments.table])
    Q = parse_workload("marginals:2", B.domain)
    print(f"{B.total:,} private records;", ", ".join(f"{name} {P.records.total:,}" for name, P in starts.items()))
    truth = Q.answers(B)
    for epsilon in map(float, arguments.epsilons.split(",")):
        settings = system("automatic").settings(Q, n=B.total, epsilon=epsilon, delta=arguments.delta)
        assert isinstance(settings, Spender)

        def tvs(start: PublicTable | None, settings: Spender = settings) -> np.ndarray:
            run = settings if start is None else starting_from(settings, start, title="Automatic")
            models = ([*run.rounds(B, Q, noise=Seeded(seed))][-1].model for seed in range(arguments.seeds))
            found = [errors(Q, A.answers(Q), truth, B.total, total=A.total).mean_tv for A in models]
            return np.array(found, float)

        even = tvs(None)
        parts = [f"uniform {even.mean():.5f}"]
        for name, start in starts.items():
            found = tvs(start)
            told = f"{name} {found.mean():.5f}"
            if even.all():  # else nothing is left to lower
                change = found / even - 1
                told += f" ({change.mean():+.1%} ± {change.std(ddof=1) / np.sqrt(len(change)):.1%})"
            parts.append(told)
        print(f"ε = {epsilon:g}, {what_ran(settings, Q, B.total)}: {'; '.join(parts)}", flush=True)


def tables(file: str, names: tuple[str, ...] | None, biased_by: str) -> tuple[Records, dict[str, PublicTable]]:
    """The private half, and the public tables by name."""
    path = SAMPLES / file
    domain = Domain.from_toml(path.with_suffix(".toml").read_text(encoding="utf-8"))
    whole = encode(read_table(path), domain, count=count_of(path)).project(names or domain.names)
    if whole.weights is not None:
        repeated = (np.repeat(column, whole.weights) for column in whole.codes)
        whole = Records(whole.domain, tuple(repeated))
    private = np.random.default_rng(0).permutation(whole.total) < whole.total // 2
    others, (a,) = np.flatnonzero(~private), whole.domain.attrs(biased_by)

    def rows(chosen: np.ndarray) -> Records:
        return Records(whole.domain, tuple(column[chosen] for column in whole.codes))

    half = rows(others)
    reversed_codes = (size - 1 - codes for size, codes in zip(half.domain.shape, half.codes, strict=True))
    biased = f"{biased_by} = {whole.domain.attributes[a].labels[0]} alone"
    starts = {
        "the other half": half,
        f"{FEW:,} of it": rows(others[:FEW]),
        biased: rows(others[whole.codes[a][others] == 0]),
        "reversed": Records(half.domain, tuple(reversed_codes)),
    }
    if half.total <= FEW:
        del starts[f"{FEW:,} of it"]
    return rows(np.flatnonzero(private)), {name: PublicTable(name, P) for name, P in starts.items()}


if __name__ == "__main__":
    main()
