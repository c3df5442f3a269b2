"""Noise on a tree of intervals: its law, its plan, and what it refuses."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, query_vectors, random_records
from workloads import AGE

from mwem_core import Domain, Hierarchical, Records, Seeded
from mwem_core.privacy import gaussian_scale, laplace_scale
from mwem_core.relatives.ranges.hierarchical import plan
from mwem_core.relatives.ranges.tree import Tree
from mwem_core.workload import Boxes, families

WORKLOADS = {
    "one attribute": ([23, 2], ["a"]),
    "two attributes": ([7, 5], ["a", "b"]),
    "two values": ([2], ["a"]),
}
cases = pytest.mark.parametrize(("sizes", "names"), WORKLOADS.values(), ids=WORKLOADS)
deltas = pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])


class Given:
    """A noise source with given standard draws (zeros by default). It keeps the last exact values and scale."""

    def __init__(self, draws=None):
        self.draws = draws

    def laplace(self, exact, epsilon, sensitivity):
        """The exact values plus the scaled draws."""
        return self.scaled(exact, laplace_scale(epsilon, sensitivity))

    def gaussian(self, exact, rho, sensitivity):
        """The exact values plus the scaled draws."""
        return self.scaled(exact, gaussian_scale(rho, sensitivity))

    def scaled(self, exact, scale):
        """The exact values plus the draws times the scale."""
        self.exact, self.scale = exact.copy(), scale
        return exact.astype(float) if self.draws is None else exact + scale * self.draws.reshape(exact.shape)


def instance(sizes, names, delta):
    """Settings, a table, and random ranges."""
    B = random_records(domain_of(sizes), 200, np.random.default_rng(0))
    return Hierarchical(epsilon=0.5, delta=delta), B, families.ranges(B.domain, names, 40)


def answers(settings, B, Q, noise):
    """The answers of the only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only.model.answers(Q)


@cases
@deltas
def test_every_added_record_moves_the_counts_by_exactly_what_the_noise_pays_for(sizes, names, delta):
    """By brute force over all records: the L1 norm for Laplace noise of scale Δ/ε, L2 for Gaussian noise of Δ/√2ρ."""
    settings, B, Q = instance(sizes, names, delta)
    before, after = Given(), Given()
    answers(settings, B, Q, before)
    budget = settings.guarantee.budget
    allowed = before.scale * (math.sqrt(2 * budget.amount) if delta else budget.amount)
    for cell in np.ndindex(*sizes):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        answers(settings, Records(B.domain, more), Q, after)
        assert np.linalg.norm((after.exact - before.exact).ravel(), 2 if delta else 1) == pytest.approx(allowed)


@cases
@deltas
def test_answers_are_unbiased_and_those_of_one_table_of_n_records(sizes, names, delta):
    """Unbiased: the truth plus a linear map of the noise. Consistent: W t = answers has a solution t of sum n."""
    settings, B, Q = instance(sizes, names, delta)
    noiseless, W = Given(), np.array(query_vectors(Q))
    assert answers(settings, B, Q, noiseless) == pytest.approx(Q.answers(B))
    draws = np.random.default_rng(1).normal(size=noiseless.exact.size)
    up, down = (answers(settings, B, Q, Given(sign * draws)) for sign in (1, -1))
    assert (up + down) / 2 == pytest.approx(Q.answers(B))
    assert up != pytest.approx(Q.answers(B))
    rows, values = np.vstack([W, np.ones(W.shape[1])]), np.append(up, 200)
    assert rows @ np.linalg.lstsq(rows, values, rcond=None)[0] == pytest.approx(values, abs=1e-6)


@cases
@deltas
def test_the_answers_have_the_covariance_of_least_squares_on_all_nodes_with_n_known(sizes, names, delta):
    """Dense: the nodes are Kronecker products of the rows of the attributes' trees, each with noise of one variance."""
    settings, B, Q = instance(sizes, names, delta)
    boxes = Q.blocks[0].operator
    trees = plan(boxes, pure=not delta)
    M = np.ones((1, 1))
    for tree, size in zip(trees, boxes.sizes, strict=True):
        M = np.kron(M, tree.sums(np.eye(size)))
    C = np.linalg.inv(M.T @ M)
    C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    noiseless = Given()
    truth = answers(settings, B, Q, noiseless)
    J = np.array([answers(settings, B, Q, Given(draw)) - truth for draw in np.eye(noiseless.exact.size)])
    assert J.T @ J == pytest.approx(noiseless.scale**2 * (W @ C @ W.T), abs=1e-6 * noiseless.scale**2)


def dense_error(boxes, W, trees, pure):
    """The summed variances of the boxes, up to a factor, by matrices over the table."""
    M = np.ones((1, 1))
    for tree, size in zip(trees, boxes.sizes, strict=True):
        M = np.kron(M, tree.sums(np.eye(size)))
    C = np.linalg.inv(M.T @ M)
    C -= np.outer(C.sum(axis=0), C.sum(axis=0)) / C.sum()
    return math.prod(tree.depth for tree in trees) ** (2 if pure else 1) * np.trace(W @ C @ W.T)


@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize(("sizes", "names"), [([60], ["a"]), ([9, 14], ["a", "b"])])
def test_the_plan_is_the_best_of_all_combinations_by_dense_algebra(sizes, names, pure):
    Q = families.ranges(domain_of(sizes), names, 50)
    boxes = Q.blocks[0].operator
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    best = min(
        dense_error(boxes, W, trees, pure) for trees in itertools.product(*(map(Tree.of_every_depth, boxes.sizes)))
    )
    assert dense_error(boxes, W, plan(boxes, pure=pure), pure) == pytest.approx(best)


def test_the_branching_is_16_for_laplace_noise_and_less_for_gaussian_noise():
    """Qardaji et al. recommend about 16 for Laplace noise. Gaussian noise grows more slowly with the depth."""
    Q = families.ranges(domain_of([4096]), ["a"], 1000)
    laplace, gaussian = (plan(Q.blocks[0].operator, pure=pure)[0] for pure in (True, False))
    assert laplace.sizes == [16, 256, 4096]
    assert gaussian.depth > 2 * laplace.depth


def test_the_mean_squared_error_of_400_runs_is_the_planned_one():
    """Within four standard errors."""
    settings, B, Q = instance(*WORKLOADS["two attributes"], 0.0)
    boxes = Q.blocks[0].operator
    W = np.array([boxes.query(j, Q.domain, Q.attrs(0))[0].ravel() for j in range(Q.size)])
    planned = dense_error(boxes, W, plan(boxes, pure=True), True) * 2 / 0.5**2 / Q.size
    truth = Q.answers(B)
    errors = np.array([((answers(settings, B, Q, Seeded(s)) - truth) ** 2).mean() for s in range(400)])
    assert errors.mean() == pytest.approx(planned, abs=4 * errors.std() / 20)


def test_a_domain_with_missing_values_keeps_them_out_of_the_ranges():
    """The tree holds the missing records too, since n counts them."""
    domain = Domain((AGE,))
    codes = np.array([0, 1, 1, 2, 3, 3, 4], np.uint8)
    Q = families.ranges(domain, ["age"], "all")
    B = Records(domain, (codes,))
    assert answers(Hierarchical(epsilon=1.0), B, Q, Given()) == pytest.approx(Q.answers(B))


def test_unsuitable_settings_and_workloads_are_refused_before_any_data_is_read():
    settings = Hierarchical(epsilon=1.0)
    for Q, message in (
        (
            families.marginals(domain_of([3, 2]), 1),
            "a tree of intervals answers ranges of one or two attributes, not marginals: choose such ranges",
        ),
        (
            families.ranges(domain_of([3, 2, 2]), ["a", "b", "c"], 3),
            "a tree of intervals answers ranges of one or two attributes, not ranges of more: choose such ranges",
        ),
        (
            families.ranges(domain_of([100_001]), ["a"], 3),
            "a tree of intervals reads every cell of a, which has 100,001, but at most 100,000 fit its time and "
            "memory: declare coarser bins",
        ),
    ):
        with pytest.raises(ValueError, match=exactly(message)):
            settings.rounds(None, Q, noise=Seeded(0))


def test_boxes_are_the_only_part_of_a_workload_of_ranges():
    Q = families.ranges(domain_of([3, 4]), ["a", "b"], 3)
    assert [type(block.operator) for block in Q.blocks] == [Boxes]
    assert Q.parts == 1
