"""Coordinates of residuals: an orthonormal basis, and the same numbers from a clique's table as from a marginal."""

import numpy as np
import pytest

from mwem_core.model.coordinates import (
    AttributeBasis,
    CliqueCoordinates,
    mean_squares,
    residual_coordinates,
    residual_table,
)
from mwem_core.model.sums import align, centre, marginalise

CLIQUE = (1, 4, 0, 2)
SIZES = {0: 3, 1: 2, 2: 20, 4: 4}
SETS = [(0,), (0, 4), (1, 2), (0, 1, 4)]


def bases(rng):
    return {a: AttributeBasis.of(rng.dirichlet(np.full(n, 0.5)) + 1e-6) for a, n in SIZES.items()}


@pytest.mark.parametrize("n", [1, 2, 3, 20])
def test_the_functions_are_orthonormal_the_constant_first_and_uncorrelated_under_the_shares(n):
    shares = np.random.default_rng(n).dirichlet(np.ones(n))
    basis = AttributeBasis.of(shares)
    assert basis.functions @ basis.functions.T == pytest.approx(np.eye(n), abs=1e-10)
    assert basis.functions[0] == pytest.approx(np.full(n, n**-0.5))
    products = (basis.functions * shares) @ basis.functions.T
    assert np.diag(products) == pytest.approx(basis.mean_squares, abs=1e-10)
    assert products[1:, 1:] == pytest.approx(np.diag(basis.mean_squares[1:]), abs=1e-10)


def test_a_residual_has_its_length_and_is_restored():
    rng = np.random.default_rng(0)
    functions = [bases(rng)[a] for a in (0, 2, 4)]
    residual = centre(rng.normal(size=(3, 20, 4)))
    coordinates = residual_coordinates(residual, functions)
    assert coordinates.shape == mean_squares(functions).shape == (2, 19, 3)
    assert (coordinates**2).sum() == pytest.approx((residual**2).sum())
    assert residual_table(coordinates, functions) == pytest.approx(residual)


def test_a_table_has_the_residuals_of_its_marginals_and_is_the_sum_of_residuals():
    rng = np.random.default_rng(1)
    functions = bases(rng)
    clique = CliqueCoordinates.of(CLIQUE, functions, SETS)
    table = rng.normal(size=[SIZES[a] for a in CLIQUE])
    separately = [
        residual_coordinates(centre(marginalise(table, CLIQUE, S)), [functions[a] for a in S]).ravel() for S in SETS
    ]
    assert clique.marginals(table) == pytest.approx(np.concatenate(separately))

    coordinates = rng.normal(size=len(clique.index))
    total, first = np.zeros_like(table), 0
    for S, part in zip(SETS, separately, strict=True):
        own = coordinates[first : first + part.size].reshape([SIZES[a] - 1 for a in S])
        total, first = total + align(residual_table(own, [functions[a] for a in S]), S, CLIQUE), first + part.size
    assert clique.table(coordinates) == pytest.approx(total)
    assert (clique.table(coordinates) * table).sum() == pytest.approx(coordinates @ clique.marginals(table))
