"""Measured errors of runs on sample tables, beside which expected errors are judged."""

from pathlib import Path

import numpy as np
from sample_counts import count_of

from mwem_core import Domain, Records, Seeded, encode, read_table
from mwem_core.judge import Errors, errors

SAMPLES = Path(__file__).parents[2] / "sample_data"


def sample(name: str) -> Records:
    """A table of sample_data/ with its schema."""
    domain = Domain.from_toml((SAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / f"{name}.csv"), domain, count=count_of(name))


def measured_errors(settings, B, Q, seeds: int) -> list[Errors]:
    """The errors of the answers at each seed."""
    lasts = ([*settings.rounds(B, Q, noise=Seeded(seed))][-1].model for seed in range(seeds))
    return [errors(Q, Q.answers(model), Q.answers(B), B.total) for model in lasts]


def measured_tv(settings, B, Q, seeds: int) -> np.ndarray:
    """The mean total variation at each seed: (seeds,)."""
    return np.array([found.mean_tv for found in measured_errors(settings, B, Q, seeds)])


def mean_error(settings, B, Q, seeds: int) -> float:
    """The mean error of a query, in shares, in the mean over seeds."""
    return float(np.mean([found.mean_error for found in measured_errors(settings, B, Q, seeds)]))
