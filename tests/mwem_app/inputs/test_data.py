"""The attributes of an upload that are chosen at first: all that the pairs of a first run can serve."""

import itertools

import numpy as np
import pytest
from oracles import domain_of

from mwem_app.inputs.attributes import MAX_DEFAULT_PAIR_CELLS, default_attributes
from mwem_core.domain import Attribute, Domain
from mwem_core.values import Range


def wide(sizes):
    return Domain(tuple(Attribute(f"a{i}", Range(0, size - 1)) for i, size in enumerate(sizes)))


@pytest.mark.parametrize("sizes", [[2], [3, 4, 5], [5] * 22, [5] * 280])
def test_all_attributes_are_chosen_where_their_pairs_are_few(sizes):
    domain = wide(sizes)
    assert default_attributes(domain) == domain.names


@pytest.mark.parametrize("seed", range(5))
def test_else_the_first_ones_are_as_many_as_the_cells_of_their_pairs_allow(seed):
    sizes = np.random.default_rng(seed).integers(2, 100, size=200).tolist()
    domain = wide(sizes)
    chosen = len(default_attributes(domain))

    def cells(count):
        return sum(a * b for a, b in itertools.combinations(sizes[:count], 2))

    assert cells(chosen) <= MAX_DEFAULT_PAIR_CELLS < cells(chosen + 1)


def test_two_attributes_too_large_for_a_pair_leave_one():
    assert len(default_attributes(wide([2000, 2000]))) == 1
    assert default_attributes(domain_of([3])) == ("a",)
