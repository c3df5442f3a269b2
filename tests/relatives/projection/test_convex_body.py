"""The relaxed body L: it contains the exact body K, and its linear step comes with a certificate."""

import itertools
import math

import numpy as np
import pytest
from exact_body import ExactBody
from messages import exactly
from parity_instances import on_cells, parities_up_to

from mwem_core.relatives.projection.convex_body import RelaxedBody, Vertex

GROTHENDIECK = math.pi / (2 * math.log(1 + math.sqrt(2)))  # Krivine's bound on the constant, 1.7823
BITS_AND_ORDERS = [(4, 1), (5, 2), (5, 3), (6, 4)]


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
