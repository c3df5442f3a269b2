"""Measured errors of runs on sample tables, beside which expected errors are judged."""

from pathlib import Path

import numpy as np
from sample_counts import count_of

from mwem_core import Domain, Records, Seeded, encode, read_table
from mwem_core.judge import errors

SAMPLES = Path(__file__).parents[2] / "sample_data"


def sample(name: str) -> Records:
    """A table of sample_data/ with its schema."""
    domain = Domain.from_toml((SAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / f"{name}.csv"), domain, count=count_of(name))


def measured_tv(settings, B, Q, seeds: int) -> np.ndarray:
    """The mean total variation at each seed: (seeds,)."""
    truth, tv = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        tv.append(errors(Q, Q.answers(last.model), truth, B.total).mean_tv)
    return np.array(tv)
