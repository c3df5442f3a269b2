"""Rows are the model's expected numbers, rounded."""

import numpy as np
import pytest
from runs import SAMPLES

from mwem_core import Domain, Seeded, encode, parse_workload, read_table
from mwem_core.lessons.mwem import EPSILON, T, watch
from mwem_core.lessons.rows import COUNTS, DRAWS, SHOWN, rows


def test_each_cell_has_its_expected_number_of_rows_rounded():
    domain = Domain.from_toml((SAMPLES / "class_survey.toml").read_text(encoding="utf-8"))
    B = encode(read_table(SAMPLES / "class_survey.csv"), domain)
    run = watch(B, parse_workload("marginals:2", domain), epsilon=EPSILON, T=T, noise=Seeded(1))
    made = rows(run.A, domain, np.random.default_rng(0))
    assert made.first.shape == (len(COUNTS), DRAWS, SHOWN, 3)
    assert made.expected.sum() == pytest.approx(1)
    for count, draws in zip(COUNTS, made.counts, strict=True):
        assert (draws.sum(axis=1) == count).all()
        assert np.abs(draws - count * made.expected).max() < 2  # of 400 independent draws, a cell may be off by 10
