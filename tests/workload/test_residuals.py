"""Residuals of marginals, against least squares by matrices over the whole domain."""

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core.domain import Attribute, Domain
from mwem_core.model import centre
from mwem_core.values import BITS
from mwem_core.workload import families
from mwem_core.workload.residuals import Residuals

CASES = {
    "pairs": ([3, 2, 4, 2], 2, False),
    "triples of one shape": ([2, 2, 2, 2, 2], 3, False),
    "all orders to three": ([3, 2, 4, 2], 3, True),
    "the whole table": ([3, 2, 4], 3, False),
}
cases = pytest.mark.parametrize(("sizes", "k", "up_to"), CASES.values(), ids=CASES)


@cases
def test_decomposing_and_reconstructing_leaves_consistent_marginals_as_they_are(sizes, k, up_to):
    Q = families.marginals(domain_of(sizes), k, up_to=up_to)
    truth = Q.answers(random_records(Q.domain, 100, np.random.default_rng(0)))
    residuals = Residuals.of(Q)
    assert residuals.reconstruct(residuals.decompose(truth)) == pytest.approx(truth, abs=1e-9)


@cases
def test_decomposing_and_reconstructing_is_the_projection_on_consistent_marginals(sizes, k, up_to):
    Q = families.marginals(domain_of(sizes), k, up_to=up_to)
    W, noisy = np.array(query_vectors(Q)), np.random.default_rng(1).normal(size=Q.size)
    residuals = Residuals.of(Q)
    nearest = W @ np.linalg.lstsq(W, noisy, rcond=None)[0]
    assert residuals.reconstruct(residuals.decompose(noisy)) == pytest.approx(nearest, abs=1e-9)


@cases
def test_residuals_sum_to_zero_along_every_axis_and_are_the_centred_marginals(sizes, k, up_to):
    Q = families.marginals(domain_of(sizes), k, up_to=up_to)
    B = random_records(Q.domain, 100, np.random.default_rng(2))
    residuals = Residuals.of(Q)
    decomposed = residuals.decompose(Q.answers(B))
    for r in decomposed:
        for axis in range(1, r.ndim):
            assert np.abs(r.sum(axis=axis)).max() < 1e-9
    assert float(decomposed[0][0]) == pytest.approx(B.total)
    for a, size in enumerate(sizes):
        group = decomposed[residuals.shapes.index((size,))]
        expected = centre(B.marginal((a,)))
        assert min(np.abs(r - expected).max() for r in group) < 1e-9


def test_cover_is_the_sum_over_the_marginals_that_contain_a_set():
    Q = families.marginals(domain_of([3, 2, 4]), 2)
    residuals = Residuals.of(Q)
    cover = {shape: c.tolist() for shape, c in zip(residuals.shapes, residuals.cover, strict=True)}
    assert cover[()] == pytest.approx([1 / 6 + 1 / 12 + 1 / 8])
    assert cover[(3,)] == pytest.approx([1 / 6 + 1 / 12])
    assert cover[(3, 4)] == pytest.approx([1 / 12])


def test_marginals_of_too_many_attributes_are_refused():
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(20)))
    with pytest.raises(
        ValueError, match=r"^all 19-way marginals: the marginals and their sub-marginals have 23,245,229,340 cells"
    ):
        Residuals.of(families.marginals(domain, 19))
