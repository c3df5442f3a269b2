"""A small table and workload, and trials on them, run once for all tests of this folder."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.judge.trials import grid, run_trials
from mwem_core.workload import families


@pytest.fixture(scope="package")
def B():
    return random_records(domain_of([3, 4, 2, 3]), 400, np.random.default_rng(0))


@pytest.fixture(scope="package")
def Q(B):
    return families.marginals(B.domain, 2)


@pytest.fixture(scope="package")
def trials():
    """Trials of fast systems, with and without privacy."""
    return grid(["mwem", "uniform", "weights"], [0.1, 1.0], range(2), Ts=[3, 5])


@pytest.fixture(scope="package")
def results(B, Q, trials):
    """The results of `trials`, run on threads."""
    with ThreadPoolExecutor(2) as executor:
        return list(run_trials(B, Q, trials, executor))
