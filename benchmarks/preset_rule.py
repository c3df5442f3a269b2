"""How the error of whole-marginal MWEM varies with T and the split: the table behind its rule.

    python benchmarks/preset_rule.py [--seeds 3] [TABLE.csv:SCHEMA.toml ...]

For each table, order of marginals and ε it prints the mean TV at every T and split, as a multiple of the smallest, and
the mean TV at the rule's choice. That one may be below the smallest, because the rule may put one-way marginals first.
More tables may be given. Takes two hours on one core.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from frequencies import count_of

from mwem_core import (
    MWEM,
    Attribute,
    Domain,
    Records,
    Seeded,
    Workload,
    encode,
    mwem_by_rule,
    parse_workload,
    read_table,
)
from mwem_core.domain.numbers import BITS
from mwem_core.evaluation.metrics import errors
from mwem_core.settings import change

SAMPLES = Path(__file__).parents[1] / "sample_data"
EIGHT = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
ROUNDS, SPLITS, EPSILONS = (2, 4, 6, 8, 12, 16, 24, 36, 56), (0.1, 0.3, 0.5), (0.03, 0.1, 0.3, 1.0, 3.0)


def bits(n: int = 21_574, d: int = 16) -> Records:
    """Correlated bits: noisy thresholds of n points in three hidden dimensions."""
    rng = np.random.default_rng(0)
    ones = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) > rng.normal(size=d)
    return Records(Domain(tuple(Attribute(f"bit {i}", BITS) for i in range(d))), tuple(ones.T.astype(np.uint8)))


def load(table: Path, schema: Path, names: Sequence[str] = ()) -> Records:
    """A table with all attributes of its schema, or with some."""
    domain = Domain.from_toml(schema.read_text(encoding="utf-8"))
    return encode(read_table(table), domain.project(names) if names else domain, count=count_of(table))


def tables(given: Sequence[str]) -> Iterator[tuple[str, Records]]:
    """The bundled tables and the given ones, with their names."""
    yield "czech", load(SAMPLES / "czech.csv", SAMPLES / "czech.toml")
    yield "rochdale", load(SAMPLES / "rochdale.csv", SAMPLES / "rochdale.toml")
    yield "16 bits", bits()
    yield "adult, 8", load(SAMPLES / "adult.parquet", SAMPLES / "adult.toml", EIGHT)
    yield "adult, 14", load(SAMPLES / "adult.parquet", Path(__file__).with_name("adult14.toml"))
    for paths in given:
        table, schema = map(Path, paths.split(":"))
        yield table.stem, load(table, schema)


def changed(by_rule: MWEM, T: int, split: float) -> MWEM:
    """The rule's settings at another T and split, without one-way marginals first."""
    return change(by_rule, {"T": T, "split": split, "candidates.one_way_first": False})


def mean_tv(B: Records, Q: Workload, settings: MWEM, seeds: int) -> float:
    """The mean TV of the last round's model, averaged over seeds."""
    errors_by_seed = []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        errors_by_seed.append(errors(Q, Q.answers(last.model), Q.answers(B), B.total).mean_tv)
    return float(np.mean(errors_by_seed))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("tables", nargs="*")
    arguments = parser.parse_args()
    for name, B in tables(arguments.tables):
        for spec in ("marginals:2", "marginals:3"):
            Q = parse_workload(spec, B.domain)
            for epsilon in EPSILONS:
                by_rule = mwem_by_rule(Q, n=B.total, epsilon=epsilon)
                grid = {
                    (split, T): mean_tv(B, Q, changed(by_rule, T, split), arguments.seeds)
                    for split in SPLITS
                    for T in ROUNDS
                    if T <= len(Q.sets)
                }
                best, at_rule = min(grid.values()), mean_tv(B, Q, by_rule, arguments.seeds)
                print(f"\n{name}, {spec}, ε = {epsilon:g}: least mean TV {best:.4f}")
                first = ", one-way first" if by_rule.candidates.one_way_first else ""
                print(f"  rule: T = {by_rule.T}, split = {by_rule.split:.2f}{first}: {at_rule / best:.2f} times that")
                columns = [T for T in ROUNDS if T <= len(Q.sets)]
                print("  split \\ T" + "".join(f"{T:7d}" for T in columns))
                for split in SPLITS:
                    print(f"  {split:9.1f}" + "".join(f"{grid[split, T] / best:7.2f}" for T in columns))


if __name__ == "__main__":
    main()
