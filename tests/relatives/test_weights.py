"""Multiplicative weights without privacy: the lecture's loop by plain sums, its bound and its potential."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors
from weights_instances import FAMILIES, instance, max_error

from mwem_core import Seeded
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import relative_entropy
from mwem_core.relatives.weights import Weights
from mwem_core.systems import system
from mwem_core.workload import families


def lecture(counts, queries, chosen):
    """A_0 .. A_T as lists over the domain's cells, by plain sums; in each round the query chosen is the worst.

    Which one of two that are equally far off rounding decides, so it is told.
    """
    n = sum(counts)
    tables = [[n / len(counts)] * len(counts)]
    for i in chosen:
        A = tables[-1]
        off = [sum(v * (b - a) for v, a, b in zip(q, A, counts, strict=True)) for q in queries]
        assert abs(off[i]) >= max(map(abs, off)) - 1e-9
        grown = [a * math.exp(v * off[i] / (2 * n)) for v, a in zip(queries[i], A, strict=True)]
        tables.append([a * n / sum(grown) for a in grown])
    return tables


@pytest.mark.parametrize("family", FAMILIES)
def test_rounds_are_the_lectures(family):
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
def test_max_error_of_the_average_never_exceeds_the_bound(family, T):
    """Always, so no table may fail; on one of a single cell, the hardest to begin with, as on the others."""
    for seed in range(10):
        B, Q = instance(family, seed, n=200 if seed else 1)
        settings = Weights(T=T)
        *_, last = settings.rounds(B, Q, noise=Seeded(0))
        bound = settings.bound(Q, n=B.total)
        assert bound == pytest.approx(2 * B.total * math.sqrt(math.log(B.domain.size) / T))
        assert max_error(Q, last.model, B) <= bound
        assert (bound < B.total) == (T == 30)  # below n it says something


@pytest.mark.parametrize("family", FAMILIES)
def test_potential_starts_at_the_log_of_the_cells_or_less_and_pays_for_every_error(family):
    """Ψ_{i-1} - Ψ_i >= (the worst query's error / 2n)², hence the bound; a single cell has Ψ_0 = ln|D|."""
    for seed in range(10):
        B, Q = instance(family, seed, n=200 if seed else 1)
        tables = [entry.A for entry in Weights(T=12).rounds(B, Q, noise=Seeded(0))]
        potential = [relative_entropy(B, A) for A in tables]
        assert potential[0] <= math.log(B.domain.size) + 1e-12
        assert seed or potential[0] == pytest.approx(math.log(B.domain.size))
        assert min(potential) >= 0
        for A, (before, after) in zip(tables, itertools.pairwise(potential), strict=False):
            assert before - after >= (max_error(Q, A, B) / (2 * B.total)) ** 2 - 1e-12


def test_it_draws_nothing_and_owns_up_to_keeping_nothing_back():
    B, Q = instance("marginals", 0)
    *_, last = Weights(T=3).rounds(B, Q, noise=None)
    assert last.ledger.spent == math.inf
    assert last.measurement.value == Q.answers(B)[last.chosen]


def test_its_settings_are_its_rounds_whatever_the_budget():
    Q = instance("marginals", 0)[1]
    of = system("weights").settings
    assert of(Q, n=10, epsilon=0.1) == of(Q, n=10, epsilon=9.0) == Weights(T=100)
    assert of(Q, n=10, epsilon=0.1, T=4) == Weights(T=4)


def test_what_cannot_be_served_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="T must be a whole number of at least 1, got 0"):
        Weights(T=0)
    empty = Records(domain_of([2, 2]), (np.zeros(0, np.uint8),) * 2)
    with pytest.raises(ValueError, match="the table has no records: there is nothing to release"):
        Weights().rounds(empty, families.marginals(empty.domain, 1), noise=Seeded(0))
