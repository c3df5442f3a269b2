"""The linear operators on marginals, against matrices and against the published formula for parities."""

import itertools
import math

import numpy as np
import pytest
from oracles import random_records
from workloads import RANGES, YES_NO, workload

from mwem_core.workload.families import parities
from mwem_core.workload.operators import signs


@pytest.mark.parametrize("spec", RANGES)
def test_boxes_answer_by_their_indicators_and_the_transpose_by_the_transposed_matrix(spec):
    Q = workload(spec)
    boxes, rng = Q.blocks[0].operator, np.random.default_rng(0)
    W = np.array([Q.query(j)[1].ravel() for j in range(Q.size)])
    cells, values = rng.integers(-9, 9, W.shape[1]).astype(float), rng.integers(-9, 9, Q.size).astype(float)
    assert boxes.answers(cells, 1).tolist() == (W @ cells).tolist()
    assert boxes.transpose(values).tolist() == (W.T @ values).tolist()


@pytest.mark.parametrize("k", range(5))
def test_the_sign_of_a_parity_is_minus_where_an_odd_number_of_bits_is_one(k):
    assert signs(k).shape == (2,) * k
    for cell in itertools.product((0, 1), repeat=k):
        assert signs(k)[cell] == (-1) ** sum(cell)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_marginal_is_the_signed_mean_of_its_parities(k):
    """marginal_{S,z} = 2^-k Σ_{R ⊆ S} (Π_{i∈R} z_i) parity_R, z in {±1}^k."""
    B = random_records(YES_NO, 500, np.random.default_rng(k))
    Q = parities(YES_NO, k)
    parity = {Q.query(j)[0]: answer for j, answer in enumerate(Q.answers(B))} | {(): B.total}
    for S in itertools.combinations(range(5), k):
        marginal = B.marginal(S)
        subsets = [R for r in range(k + 1) for R in itertools.combinations(range(k), r)]
        for cell in itertools.product((0, 1), repeat=k):
            z = [1 - 2 * code for code in cell]
            signed = sum(math.prod(z[i] for i in R) * parity[tuple(S[i] for i in R)] for R in subsets)
            assert signed / 2**k == marginal[cell]
