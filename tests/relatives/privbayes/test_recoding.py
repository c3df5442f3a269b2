"""The encodings: attributes as they are, binary and Gray codes."""

import numpy as np
import pytest
from oracles import domain_of, random_records
from workloads import bits

from mwem_core.relatives.privbayes.recoding import Recoding


def test_vanilla_leaves_the_records_as_they_are():
    B = random_records(domain_of([3, 2, 5]), 50, np.random.default_rng(0))
    recoding = Recoding.vanilla(B.domain)
    assert recoding.plain
    assert recoding.sizes == (3, 2, 5)
    assert recoding.recode(B) is B
    assert recoding.possible((0, 2)).tolist() == np.ones((3, 5)).tolist()


@pytest.mark.parametrize("gray", [False, True])
def test_bits_spell_every_code_and_no_other(gray):
    domain = domain_of([2, 3, 6, 8])
    recoding = Recoding.bits(domain, gray=gray)
    assert recoding.sizes == (2,) * (1 + 2 + 3 + 3)
    cells = tuple(x.ravel().astype(np.uint8) for x in np.indices(domain.shape))
    codes, invalid = recoding.codes(recoding.values(cells))
    assert not invalid.any()
    assert (codes == cells).all()
    patterns = [x.ravel() for x in np.indices((2,) * 9)]
    assert (~recoding.codes(patterns)[1]).sum() == domain.size
    assert recoding.possible(tuple(range(9))).sum() == domain.size
    assert recoding.possible((1, 2)).tolist() == ([[1, 1], [0, 1]] if gray else [[1, 1], [1, 0]])


def test_gray_codes_of_neighbours_differ_in_one_bit():
    recoding = Recoding.bits(domain_of([13]), gray=True)
    values = np.array(recoding.values((np.arange(13),)))
    assert (np.abs(np.diff(values.astype(int), axis=1)).sum(axis=0) == 1).all()


@pytest.mark.parametrize("gray", [False, True])
def test_recoded_records_have_the_counts_of_their_bits(gray):
    B = random_records(domain_of([3, 4]), 200, np.random.default_rng(0))
    recoding = Recoding.bits(B.domain, gray=gray)
    table = recoding.recode(B).marginal((0, 1, 2, 3))
    assert table.sum() == 200
    for a, b in np.ndindex(3, 4):
        pattern = recoding.values((np.array([a]), np.array([b])))
        assert table[tuple(int(x[0]) for x in pattern)] == B.marginal((0, 1))[a, b]


@pytest.mark.parametrize("gray", [False, True])
def test_bits_of_two_valued_attributes_are_the_attributes(gray):
    assert Recoding.bits(bits(4), gray=gray).plain
    assert not Recoding.bits(domain_of([2, 3]), gray=gray).plain
