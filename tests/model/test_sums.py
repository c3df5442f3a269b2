"""Sums of tables against NumPy's."""

import itertools

import numpy as np
import pytest

from mwem_core.model.sums import MAX_CENTRING, MAX_SUMMED_SETS, align, centre, marginalise, table_marginals


def test_table_marginals_are_sums():
    rng = np.random.default_rng(0)
    table, attrs = rng.random((3, 2, 4, 2)), (1, 3, 4, 8)
    sets = [(), (3,), (1, 8), (1, 3, 4, 8), (4, 8), (1, 3, 4)]
    marginals = table_marginals(table, attrs, sets)
    assert sorted(marginals) == sorted(sets)
    for S, marginal in marginals.items():
        assert marginal == pytest.approx(table.sum(axis=tuple(i for i, a in enumerate(attrs) if a not in S)))


@pytest.mark.parametrize(("first_axis", "size"), [(0, 3), (0, MAX_CENTRING + 1), (1, 3)])
def test_a_centred_table_adds_up_to_zero_along_every_axis_from_the_first_one_on_and_stays_when_centred_again(
    first_axis, size
):
    table = centre(np.random.default_rng(0).random((2, size, 4)), first_axis)
    for axis in range(3):
        assert (np.abs(table.sum(axis=axis)).max() < 1e-9) == (axis >= first_axis)
    assert centre(table, first_axis) == pytest.approx(table, abs=1e-9)


@pytest.mark.parametrize("lowest", [0.0, -0.5], ids=["counts", "noisy counts"])
def test_many_marginals_of_bits_are_sums_too(lowest):
    """More than MAX_SUMMED_SETS: they come from the Walsh-Hadamard transform."""
    table = lowest + np.random.default_rng(0).random((2,) * 6)
    attrs = (9, 2, 5, 0, 7, 4)
    sets = [S for k in range(4) for S in itertools.combinations(sorted(attrs), k)]
    assert len(sets) > MAX_SUMMED_SETS
    marginals = table_marginals(table, attrs, sets)
    assert sorted(marginals) == sorted(sets)
    for S, marginal in marginals.items():
        assert marginal == pytest.approx(np.einsum(table, range(6), [attrs.index(a) for a in S]), abs=1e-12)
    assert min(marginal.min() for marginal in marginals.values()) >= 0 or lowest < 0


def test_an_empty_cell_of_a_table_of_bits_stays_empty_and_is_never_negative():
    """Five in six counts are 0, so some marginals have empty cells, which rounding would leave at ±1e-16."""
    rng = np.random.default_rng(1)
    table = rng.random((2,) * 6) * (rng.random((2,) * 6) < 1 / 6)
    sets = list(itertools.combinations(range(6), 3))
    marginals = table_marginals(table, tuple(range(6)), sets)
    sums = {S: np.einsum(table, range(6), list(S)) for S in sets}
    assert any((marginal == 0).any() for marginal in sums.values())
    for S, marginal in marginals.items():
        assert marginal == pytest.approx(sums[S], abs=1e-15)
        assert marginal.min() >= 0


def test_an_aligned_table_multiplies_a_clique_and_marginalising_undoes_it():
    rng = np.random.default_rng(0)
    clique, S = (4, 1, 7), (1, 4)
    table, over_S = rng.random((2, 3, 5)), rng.random((3, 2))
    product = table * align(over_S, S, clique)
    for x4, x1, x7 in np.ndindex(2, 3, 5):
        assert product[x4, x1, x7] == table[x4, x1, x7] * over_S[x1, x4]
    assert marginalise(product, clique, S) == pytest.approx(over_S * table.sum(axis=2).T)
