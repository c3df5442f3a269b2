"""Parities of bits and the body that contains them: keys, transform, workloads computed from them; its vertices."""

import itertools
import math

import numpy as np
import pytest
from exact_body import ExactBody
from messages import exactly
from oracles import domain_of
from parity_instances import clusters, on_cells, parities_up_to, repeated

from mwem_core.relatives.parity_body import Parities, RelaxedBody, Vertex, hadamard
from mwem_core.workload import families

GROTHENDIECK = math.pi / (2 * math.log(1 + math.sqrt(2)))  # Krivine's bound on the constant, 1.7823
BITS_AND_ORDERS = [(4, 1), (5, 2), (5, 3), (6, 4)]


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
def test_weighted_parity_errors_are_the_workloads_squared_error(spec):
    """Parseval, up to a constant: the ratio is the same for errors of every direction.

    The errors are small and every cell has records, so no cell is clipped.
    """
    B = repeated(np.array(list(itertools.product((0, 1), repeat=6))), 9 * 2**6)
    Q = families.marginals(B.domain, **spec)
    queries, rng = Parities.behind(Q), np.random.default_rng(0)
    exact, ratios = queries.workload.answers(B), []
    for j in range(queries.size):
        error = 0.1 * rng.normal(size=queries.size) * (np.arange(queries.size) <= j)
        answer_errors = queries.answers(Q, exact + error, B.total) - Q.answers(B)
        ratios.append((queries.weights(Q) * error**2).sum() / (answer_errors**2).sum())
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


@pytest.mark.parametrize(("d", "k"), BITS_AND_ORDERS)
def test_the_exact_bodys_linear_step_is_the_best_cell_or_its_opposite(d, k):
    queries, rng = parities_up_to(d, k), np.random.default_rng(0)
    cells = on_cells(queries)
    for _ in range(20):
        a = rng.normal(size=queries.size)
        vertex = ExactBody(queries).furthest(a)
        assert a @ vertex.x == pytest.approx(np.abs(cells @ a).max())
        assert ExactBody(queries).bound(a, vertex) == a @ vertex.x
        assert (np.abs(cells - vertex.x).sum(axis=1) == 0).any() or (np.abs(cells + vertex.x).sum(axis=1) == 0).any()


@pytest.mark.parametrize(("d", "k"), BITS_AND_ORDERS)
def test_the_relaxed_body_contains_the_exact_one_and_its_certificate_is_tight(d, k):
    queries, rng = parities_up_to(d, k), np.random.default_rng(0)
    cells, body = on_cells(queries), RelaxedBody(queries)
    for _ in range(20):
        a = rng.normal(size=queries.size)
        vertex = body.furthest(a)
        bound = body.bound(a, vertex)
        assert np.abs(cells @ a).max() <= bound
        assert a @ vertex.x <= bound <= 1.02 * (a @ vertex.x)  # alternations stop at a gain of 10⁻⁴ each
        assert np.abs(vertex.x).max() <= 1 + 1e-12


def test_the_certificate_holds_for_any_vectors():
    queries, rng = parities_up_to(6, 3), np.random.default_rng(0)
    body = RelaxedBody(queries)
    for _ in range(30):
        a = rng.normal(size=queries.size) * (rng.random(queries.size) < 0.3)
        best = a @ body.furthest(a).x
        U, V = (rng.normal(size=(m, 3)) for m in body.places.shape)
        assert best <= body.bound(a, Vertex(np.zeros(queries.size), U, V))
    assert body.bound(np.zeros(queries.size), body.furthest(np.zeros(queries.size))) == 0


def test_the_linear_step_never_falls_below_the_vertex_it_starts_from():
    queries, rng = parities_up_to(8, 2), np.random.default_rng(1)
    body = RelaxedBody(queries)
    for _ in range(10):
        a, b = rng.normal(size=(2, queries.size))
        near = body.furthest(a)
        assert b @ body.furthest(b, near).x >= b @ near.x


def test_vectors_gain_at_most_grothendiecks_constant_over_signs():
    """max Σ A_st ⟨u_s, v_t⟩ against max Σ A_st ε_s δ_t, by trying all ε: the best δ is then the sign of Aᵀε."""
    queries, rng = parities_up_to(7, 2), np.random.default_rng(0)
    body, gains = RelaxedBody(queries), []
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))
    for _ in range(30):
        a = rng.normal(size=queries.size)
        A = (np.append(0, a) / body.pairs)[body.places]
        gains.append(body.bound(a, body.furthest(a)) / np.abs(signs @ A).sum(axis=1).max())
    assert min(gains) >= 1
    assert 1.001 < max(gains) <= GROTHENDIECK  # above 1: vectors do gain


def test_too_many_pairs_are_refused_with_their_number():
    message = (
        "the relaxed body of order 16 has 1,536,875,209 pairs of vectors, 4,000,000 fit: lower k, or leave an "
        "attribute out"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        RelaxedBody(parities_up_to(16, 16))
