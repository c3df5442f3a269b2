"""Parities of bits: their keys, the transform, and the workloads computed from them."""

import itertools

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of
from parity_instances import clusters, parities_up_to, repeated

from mwem_core.relatives.projection.parities import Parities, hadamard
from mwem_core.workload import families


@pytest.mark.parametrize("j", [0, 1, 3, 5])
def test_the_transform_is_the_sum_over_all_pairs(j):
    row = np.random.default_rng(j).normal(size=2**j)
    expected = [sum((-1) ** (x & r).bit_count() * row[r] for r in range(2**j)) for x in range(2**j)]
    assert hadamard(row[None])[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("d", [5, 70])  # 70 bits do not fit in a mask
def test_the_key_of_a_symmetric_difference_is_the_exclusive_or_of_the_keys(d):
    queries = parities_up_to(d, 2)
    sets = [(), *queries.workload.sets]
    singles = queries.up_to(1)
    places = queries.places(singles[:, None] ^ singles)
    assert len(singles) == 1 + d
    for s, t in itertools.product(range(1 + d), repeat=2):
        assert sets[places[s, t]] == tuple(sorted(set(sets[s]) ^ set(sets[t])))


@pytest.mark.parametrize("up_to", [False, True])
@pytest.mark.parametrize(("d", "k"), [(5, 1), (5, 2), (5, 3), (4, 4), (70, 2)])  # 70 bits do not fit in a mask
def test_marginals_are_recovered_from_their_parities(d, k, up_to):
    B = clusters(d, 300, seed=d + k)
    Q = families.marginals(B.domain, k, up_to=up_to)
    queries = Parities.behind(Q)
    assert queries.answers(Q, queries.workload.answers(B), B.total) == pytest.approx(Q.answers(B), abs=1e-9)


@pytest.mark.parametrize("spec", [{"k": 2}, {"k": 3}, {"k": 3, "up_to": True}])
@pytest.mark.parametrize("counted", [False, True])
def test_weighted_parity_errors_are_the_workloads_squared_error_with_parts_counted(spec, counted):
    """Parseval, up to a constant: the ratio is the same for errors of every direction.

    The errors are small and every cell has records, so no cell is clipped.
    """
    B = repeated(np.array(list(itertools.product((0, 1), repeat=6))), 9 * 2**6)
    Q = families.marginals(B.domain, **spec)
    queries, rng = Parities.behind(Q), np.random.default_rng(0)
    counts = rng.integers(1, 9, Q.parts).astype(float) if counted else None
    exact, ratios = queries.workload.answers(B), []
    for j in range(queries.size):
        error = 0.1 * rng.normal(size=queries.size) * (np.arange(queries.size) <= j)
        answer_errors = queries.answers(Q, exact + error, B.total) - Q.answers(B)
        counted_errors = Q.repeat_per_query(np.ones(Q.parts) if counts is None else counts) * answer_errors**2
        ratios.append((queries.weights(Q, counts) * error**2).sum() / counted_errors.sum())
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-9)


def test_all_parities_of_a_workload_of_parities_have_the_same_weight():
    queries = parities_up_to(5, 2)
    assert queries.weights(queries.workload) == pytest.approx([1 / 15] * 15)


def test_answers_are_clipped_to_their_ranges():
    """Parities lie in [-n, n], cells of marginals in [0, n]."""
    queries = parities_up_to(4, 2)
    values = 50.0 * np.array([-1, 1] * 5)
    assert queries.answers(queries.workload, values, 10.0).tolist() == [-10, 10] * 5
    cells = queries.answers(families.marginals(queries.workload.domain, 2), values, 10.0)
    assert (cells.min(), cells.max()) == (0, 10)


@pytest.mark.parametrize(
    ("Q", "message"),
    [
        (
            families.marginals(domain_of([2, 3]), 1),
            "parities need attributes of two values, 'b' has 3: leave it out, or choose a system that takes any table",
        ),
        (
            families.ranges(domain_of([2, 2]), ["a"], "all"),
            "parities answer marginals and parities, not ranges: choose another workload",
        ),
    ],
    ids=["three values", "ranges"],
)
def test_workloads_that_parities_do_not_determine_are_refused(Q, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Parities.behind(Q)
