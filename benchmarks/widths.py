"""Widths of a release's intervals beside plain Laplace noise on every query, for rows and for tables.

    nice python benchmarks/widths.py --tables FOLDER    # five CPU minutes; FOLDER by frontier_tables.py

Of each table, all pairs of its attributes, at five ε and δ = 0; n is measured. A line a setting: the median width of
intervals in records, the mean of 5 seeds, of plain Laplace, of Automatic and of all tables once; how often the
intervals of the last hold the truth; and the mean total variation of both. It reads the truth, and says nothing of what
may be released.
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from frequencies import count_of
from rows import SAMPLES

from mwem_core import Domain, MeasuredTotal, Records, Seeded, encode, parse_workload, read_table
from mwem_core.automatic.narrowest import TOTAL_SHARE
from mwem_core.intervals.ends import ALPHA
from mwem_core.intervals.intervals import intervals
from mwem_core.mwem.mwem import MWEM

SEEDS = 5
EPSILONS = 0.1, 0.5, 1.0, 3.0, 10.0
EIGHT = "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"
BUNDLED = {"Czech": ("czech", "csv", ()), "Adult": ("adult", "parquet", EIGHT)}
OTHERS = "fit/affairs", "judge/wages", "judge/mortgages"  # files in FOLDER


@dataclass(frozen=True)
class Found:
    """Of one system: median width, the share of intervals that hold the truth, and mean total variation."""

    width: float
    held: float
    tv: float


def tables(folder: Path | None) -> dict[str, Records]:
    """The records of each table, by its name."""
    found = {}
    for name, (file, suffix, attributes) in BUNDLED.items():
        domain = Domain.from_toml((SAMPLES / f"{file}.toml").read_text(encoding="utf-8"))
        domain = domain.project(attributes) if attributes else domain
        found[name] = encode(read_table(SAMPLES / f"{file}.{suffix}"), domain, count=count_of(file))
    for path in OTHERS if folder else ():
        file = folder / path
        found[file.name] = encode(
            read_table(file.with_suffix(".csv")),
            Domain.from_toml(file.with_suffix(".toml").read_text("utf-8")),
            count=None,
        )
    return found


def released(B: Records, run: MeasuredTotal) -> Found:
    """Means over the seeds."""
    Q = parse_workload("marginals:2", B.domain)
    truth, each = Q.answers(B), []
    for seed in range(SEEDS):
        rounds = list(run.rounds(B, Q, noise=Seeded(seed)))
        settings = run.settings(Q, rounds[0].model.total)
        assert isinstance(settings, MWEM)
        ends, model = intervals(Q, settings, rounds), rounds[-1].model
        off = np.abs(model.answers(Q) / model.total - truth / B.total).sum() / 2 / Q.parts
        held = ((ends.low <= truth) & (truth <= ends.high)).mean()
        each.append((np.median(ends.high - ends.low), held, off))
    return Found(*np.mean(each, axis=0).tolist())


def laplace_width(B: Records, epsilon: float) -> float:
    """The median width of its intervals, which end at zero as ours do: the mean over the seeds."""
    Q = parse_workload("marginals:2", B.domain)
    truth, half = Q.answers(B), math.log(1 / ALPHA) * Q.parts / epsilon
    widths = []
    for seed in range(SEEDS):
        noisy = truth + np.random.default_rng(seed).laplace(0, Q.parts / epsilon, Q.size)
        widths.append(np.median(np.maximum(noisy, 0) + half - np.maximum(noisy - half, 0)))
    return float(np.mean(widths))


def main() -> None:
    """All settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path)
    print("table, ε: plain Laplace; Automatic; all tables once (held; its TV beside Automatic's)")
    for name, B in tables(parser.parse_args().tables).items():
        for epsilon in EPSILONS:
            automatic = released(B, MeasuredTotal(epsilon=epsilon))
            once = released(B, MeasuredTotal(epsilon=epsilon, system="tables", share=TOTAL_SHARE))
            print(
                f"{name:<12} ε = {epsilon:<4g} {laplace_width(B, epsilon):>8,.1f} {automatic.width:>8,.1f} "
                f"{once.width:>8,.1f}  held {once.held:.3f}  TV {once.tv:.4f} beside {automatic.tv:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
