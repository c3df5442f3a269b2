"""How often intervals hold the true answer: 200 seeded runs of the default settings on three tables.

    nice python benchmarks/coverage.py                # 25 CPU minutes, most of them on Adult
    nice python benchmarks/coverage.py Czech Rochdale

A line a setting: the share of intervals that hold the truth, of answers that were measured and of those that were
bounded, and their median width. It reads the truth, and says nothing of what may be released.
"""

import sys

import numpy as np
from frequencies import count_of
from rows import SAMPLES

from mwem_core import Domain, MeasuredTotal, Records, Seeded, default, encode, parse_workload, read_table
from mwem_core.algorithm import Spender
from mwem_core.automatic.in_words import what_ran
from mwem_core.intervals.intervals import intervals

RUNS = 200
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
TABLES = {
    "Czech": ("czech.toml", "czech.csv", (), ("marginals:2", "marginals:3", "parities:3")),
    "Rochdale": ("rochdale.toml", "rochdale.csv", (), ("marginals:2", "marginals:3")),
    "Adult": ("adult.toml", "adult.parquet", EIGHT, ("marginals:2",)),
    "ages": ("adult_unbinned.toml", "adult.parquet", ("age",), ("ranges:age:all",)),
}
EPSILONS = (0.1, 1.0, 10.0)
DELTAS = (0.0, 1e-6)


def records(name: str) -> Records:
    """A bundled table."""
    schema, table, names, _ = TABLES[name]
    domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / table), domain.project(names) if names else domain, count=count_of(table))


def line(B: Records, spec: str, epsilon: float, delta: float, *, measured: bool) -> str:
    """What came out of all runs at one setting; n is public, or `measured` by each run."""
    Q = parse_workload(spec, B.domain)
    truth, held, widths = Q.answers(B), [[], []], [[], []]
    public = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    measuring = MeasuredTotal(epsilon=epsilon, delta=delta)
    for seed in range(RUNS):
        rounds = list((measuring if measured else public).rounds(B, Q, noise=Seeded(seed)))
        settings = measuring.settings(Q, rounds[0].model.total) if measured else public
        assert isinstance(settings, Spender)
        found = intervals(Q, settings, rounds)
        holds, width = (found.low <= truth) & (truth <= found.high), found.high - found.low
        for kind, of_kind in enumerate((found.measured, ~found.measured)):
            held[kind] += [holds[of_kind].sum(), of_kind.sum()]
            widths[kind] += [np.median(width[of_kind])] if of_kind.any() else []
    texts = []
    for kind in (0, 1):
        hits, asked = sum(held[kind][::2]), sum(held[kind][1::2])
        texts.append(f"{hits / asked:.3f} of {asked:>9,}, width {np.median(widths[kind]):>7,.0f}" if asked else "none")
    return f"measured {texts[0]:<36} bounded {texts[1]:<36} {what_ran(public, Q, B.total)}"


def main() -> None:
    """All settings of the tables named, or of all."""
    for name in sys.argv[1:] or TABLES:
        B = records(name)
        for spec in TABLES[name][-1]:
            for epsilon in EPSILONS:
                for delta in DELTAS:
                    for measured in (False, True):
                        of_n = "noisy" if measured else "known"
                        said = f"{name:<9} {spec:<14} ε = {epsilon:<4g} δ = {delta:<5g} n {of_n}"
                        print(said, line(B, spec, epsilon, delta, measured=measured), flush=True)


if __name__ == "__main__":
    main()
