"""Uniform: the same weight on every cell, whatever the data."""

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core.relatives.uniform import Uniform
from mwem_core.workload import families


def test_every_query_is_answered_by_n_times_its_mean_over_the_cells():
    B = random_records(domain_of([3, 2, 4]), 60, np.random.default_rng(0))
    Q = families.ranges(B.domain, ["a", "c"], "all")
    (entry,) = Uniform().rounds(B, Q, noise=None)
    assert Q.answers(entry.model) == pytest.approx([60 * np.mean(vector) for vector in query_vectors(Q)], rel=1e-12)


def test_the_data_are_not_read():
    """Two tables of as many records give the same answers."""
    domain = domain_of([3, 2])
    Q = families.marginals(domain, 2)
    tables = [random_records(domain, 60, np.random.default_rng(seed)) for seed in (0, 1)]
    assert (Q.answers(tables[0]) != Q.answers(tables[1])).any()
    answers = [Q.answers(next(Uniform().rounds(B, Q, noise=None)).model) for B in tables]
    assert (answers[0] == answers[1]).all()
