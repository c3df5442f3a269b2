"""Uniform: n times the mean over all cells. Weights: the rounds of the lecture, and the bound on their error."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, query_vectors, random_records
from weights_instances import FAMILIES, instance, max_error

from mwem_core import Seeded
from mwem_core.judge import relative_entropy
from mwem_core.relatives.extremes import Uniform, Weights
from mwem_core.workload import families


def test_every_query_is_answered_by_n_times_its_mean_over_the_cells():
    B = random_records(domain_of([3, 2, 4]), 60, np.random.default_rng(0))
    Q = families.ranges(B.domain, ["a", "c"], "all")
    (entry,) = Uniform().rounds(B, Q, noise=None)
    assert Q.answers(entry.model) == pytest.approx([60 * np.mean(vector) for vector in query_vectors(Q)], rel=1e-12)


def lecture(counts, queries, chosen):
    """A_0 .. A_T as lists over the domain's cells, by plain sums, and a check that each query chosen is the worst.

    If two queries have the same error, rounding decides between them, so the choices are given.
    """
    n = sum(counts)
    tables = [[n / len(counts)] * len(counts)]
    for i in chosen:
        A = tables[-1]
        errors = [sum(v * (b - a) for v, a, b in zip(q, A, counts, strict=True)) for q in queries]
        assert abs(errors[i]) >= max(map(abs, errors)) - 1e-9
        updated = [a * math.exp(v * errors[i] / (2 * n)) for v, a in zip(queries[i], A, strict=True)]
        tables.append([a * n / sum(updated) for a in updated])
    return tables


@pytest.mark.parametrize("family", FAMILIES)
def test_rounds_are_those_of_the_lecture(family):
    B, Q = instance(family, 0)
    everything = tuple(range(len(B.domain)))
    rounds = list(Weights(T=8).rounds(B, Q, noise=Seeded(0)))
    assert [entry.index for entry in rounds] == list(range(9))
    chosen = [entry.chosen for entry in rounds[1:]]
    tables = lecture(B.marginal(everything).ravel().tolist(), query_vectors(Q), chosen)
    for i, entry in enumerate(rounds):
        assert entry.A.marginal(everything).ravel() == pytest.approx(tables[i], rel=1e-9)
        mean = np.mean(tables[: max(i, 1)], axis=0)
        assert Q.answers(entry.model) == pytest.approx(np.array(query_vectors(Q)) @ mean, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("T", [2, 30])
def test_the_max_error_of_the_average_never_exceeds_the_bound(family, T):
    """On every table. The first has a single record, which is farthest from uniform."""
    for seed in range(10):
        B, Q = instance(family, seed, n=200 if seed else 1)
        settings = Weights(T=T)
        *_, last = settings.rounds(B, Q, noise=Seeded(0))
        bound = settings.bound(Q, n=B.total)
        assert bound == pytest.approx(2 * B.total * math.sqrt(math.log(B.domain.size) / T))
        assert max_error(Q, last.model, B) <= bound
        assert (bound < B.total) == (T == 30)  # T = 2 is too few rounds for a bound below n


@pytest.mark.parametrize("family", FAMILIES)
def test_the_potential_starts_at_ln_of_the_domain_or_less_and_falls_by_the_error_squared(family):
    """Ψ_{i-1} - Ψ_i >= (max error / 2n)², which gives the bound. A table of a single record has Ψ_0 = ln|D|."""
    for seed in range(10):
        B, Q = instance(family, seed, n=200 if seed else 1)
        tables = [entry.A for entry in Weights(T=12).rounds(B, Q, noise=Seeded(0))]
        potential = [relative_entropy(B, A) for A in tables]
        assert potential[0] <= math.log(B.domain.size) + 1e-12
        assert seed or potential[0] == pytest.approx(math.log(B.domain.size))
        assert min(potential) >= 0
        for A, (before, after) in zip(tables, itertools.pairwise(potential), strict=False):
            assert before - after >= (max_error(Q, A, B) / (2 * B.total)) ** 2 - 1e-12


@pytest.mark.parametrize("T", [0, -1, 2.5, True, "adaptive"], ids=repr)
def test_a_T_that_is_no_positive_whole_number_is_refused_on_construction(T):
    with pytest.raises(ValueError, match=exactly(f"T must be a whole number of at least 1, got {T!r}")):
        Weights(T=T)
