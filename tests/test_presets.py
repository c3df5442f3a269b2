"""The default preset's public rules: what they read, what they give, and that they pay."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mwem_core import Domain, Seeded, default, encode, parse_workload, read_table
from mwem_core.metrics import errors
from mwem_core.presets import cells_by_rule

SAMPLES = Path(__file__).parents[1] / "sample_data"
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")


@pytest.fixture(scope="module")
def adult():
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(EIGHT)
    return encode(read_table(SAMPLES / "adult.parquet"), domain)


@pytest.mark.parametrize(
    ("n", "epsilon", "cells"),
    [(0, 1.0, 10**5), (48_842, 0.1, 10**5), (48_842, 1.0, 10**5), (48_842, 3.0, 293_052), (1e8, 1.0, 10**6)],
)
def test_more_records_or_budget_afford_a_larger_model(n, epsilon, cells):
    assert cells_by_rule(20, n=n, epsilon=epsilon) == cells


def test_under_zcdp_the_model_grows_as_the_noise_of_a_round_shrinks():
    """A round's Gaussian has σ = √(T / 2ρ), the Laplace noise that counts T / ε: more rounds gain on it by √T."""
    few, many = (cells_by_rule(T, n=48_842, epsilon=5.0, delta=1e-9) for T in (10, 20))
    assert many / few == pytest.approx(2**0.5, rel=1e-4)


def test_a_larger_model_pays_where_the_rule_allows_one(adult):
    """At ε = 10 the error falls by a fifth at least: by a third in the mean, and its spread is a twentieth."""
    Q = parse_workload("marginals:2", adult.domain)
    settings = default(Q, n=adult.total, epsilon=10.0)
    truth, found = Q.answers(adult), []
    for cells in (settings.cell_budget, 10**5):
        *_, last = replace(settings, cell_budget=cells).rounds(adult, Q, noise=Seeded(0))
        assert last.model.cells <= cells
        found.append(errors(Q, Q.answers(last.model), truth, adult.total).mean_tv)
    assert np.divide(*found) < 0.8
