"""Cleaning up noisy answers: nearest points, against matrices over the domain, certificates and solvers."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records
from scipy.optimize import linprog, nnls

from mwem_core.domain import Attribute, Domain
from mwem_core.values import BITS
from mwem_core.workload import families
from mwem_core.workload.consistency import (
    GAP_TOLERANCE,
    check_non_negative,
    consistent_projection,
    nearest_table,
    non_negative,
    to_simplex,
)
from mwem_core.workload.residuals import check_subsets

PREDICATES = ["a == 0", "a == 0 and b >= 1", "a != 0", "b == 2 or c == 1", "c == 0"]
WORKLOADS = {
    "marginals": lambda: families.marginals(domain_of([3, 3, 2]), 2),
    "cuboids": lambda: families.cuboids(domain_of([3, 3, 2]), 2, up_to=True),
    "parities": lambda: families.parities(domain_of([2, 2, 2]), 2),
    "ranges": lambda: families.ranges(domain_of([6, 2]), ["a"], 12),
    "all ranges": lambda: families.ranges(domain_of([5, 2]), ["a"], "all"),
    "boxes": lambda: families.ranges(domain_of([4, 3, 2]), ["a", "b"], 8),
    "predicates": lambda: families.predicates(domain_of([3, 3, 2]), PREDICATES),
}
every_family = pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)
not_ranges = pytest.mark.parametrize("family", ["marginals", "cuboids", "predicates", "parities"])


def noisy(Q, seed, scale=20.0):
    """Noisy answers of a small table, with noise as large as the answers; the truth; n."""
    rng = np.random.default_rng(seed)
    B = random_records(Q.domain, 100, rng)
    truth = Q.answers(B)
    return truth + rng.laplace(scale=scale, size=Q.size), truth, float(B.total)


def nearest_consistent(W, answers, n):
    """W t nearest to the answers for t = n spread evenly plus z, where z sums to zero: least squares over z."""
    even = W @ np.full(W.shape[1], n / W.shape[1])
    centred = W - W.mean(axis=1, keepdims=True)
    return even + centred @ np.linalg.lstsq(centred, answers - even, rcond=1e-10)[0]


@not_ranges
def test_the_consistent_projection_is_the_nearest_answers_of_any_table_of_total_n(family):
    Q = WORKLOADS[family]()
    answers, _, n = noisy(Q, 0)
    expected = nearest_consistent(np.array(query_vectors(Q)), answers, n)
    assert consistent_projection(Q, n)(answers) == pytest.approx(expected, abs=1e-9)


def test_a_predicate_of_one_cell_in_millions_keeps_its_answer_unless_others_determine_it():
    """One cell of 40^4: rounding must not treat so small a share of D as zero. A complement determines its answer."""
    domain = domain_of([40] * 4)
    rare = " and ".join(f"{name} == 0" for name in domain.names)
    noisy = np.array([30.0, 7.0])
    free = families.predicates(domain, [rare, "a == 0"])
    assert consistent_projection(free, 100.0)(noisy) == pytest.approx(noisy)
    tied = families.predicates(domain, ["a == 0", "a != 0"])
    assert consistent_projection(tied, 100.0)(np.array([30.0, 80.0])) == pytest.approx([25.0, 75.0])


@every_family
def test_every_further_constraint_that_the_truth_satisfies_never_increases_the_squared_error(make):
    """First consistency, then no negative cells. The exception is √GAP_TOLERANCE of the distance moved: the search for
    the nearest table may stop that far from it."""
    Q = make()
    W = np.array(query_vectors(Q))
    for seed in range(20):
        answers, truth, n = noisy(Q, seed)
        consistent, possible = nearest_consistent(W, answers, n), non_negative(Q, answers, n)
        before, after = np.linalg.norm(answers - truth), np.linalg.norm(consistent - truth)
        stopped_early = math.sqrt(GAP_TOLERANCE) * np.linalg.norm(possible - answers)
        assert after <= before * (1 + 1e-9)
        assert np.linalg.norm(possible - truth) <= after * (1 + 1e-9) + stopped_early


@every_family
def test_exact_answers_stay_as_they_are(make):
    Q = make()
    _, truth, n = noisy(Q, 1)
    if Q.family != "ranges":
        assert consistent_projection(Q, n)(truth) == pytest.approx(truth, abs=1e-9)
    assert non_negative(Q, truth, n) == pytest.approx(truth, abs=1e-9)


@not_ranges
def test_non_negative_makes_each_part_possible_and_is_the_nearest_such_point_that_is_consistent(family):
    """z in a convex set is nearest to y if ⟨y - z, v - z⟩ <= 0 for all v in it; a linear programme finds the largest.

    The set: W t for tables t of total n and any sign, with each answer possible. The tolerance is 5/1000 of ‖y - z‖²:
    the alternating projections stop where their squared distance is a millionth of it.
    """
    Q = WORKLOADS[family]()
    W = np.array(query_vectors(Q))
    low, high = (-1, 1) if family == "parities" else (0, 1)
    for seed in range(5):
        answers, _, n = noisy(Q, seed)
        z = non_negative(Q, answers, n)
        assert z.min() >= low * n - 1e-9
        assert z.max() <= high * n + 1e-9
        if Q.tabular:
            assert Q.sum_by_part(z) == pytest.approx(np.full(Q.parts, n))
        best = linprog(
            -(answers - z) @ W,
            A_ub=np.vstack([W, -W]),
            b_ub=np.concatenate([np.full(Q.size, high * n), np.full(Q.size, -low * n)]),
            A_eq=np.ones((1, Q.domain.size)),
            b_eq=[n],
            bounds=(None, None),
        )
        assert best.status == 0
        assert -best.fun - (answers - z) @ z <= 5e-3 * ((answers - z) ** 2).sum()
        assert consistent_projection(Q, n)(z) == pytest.approx(z, abs=0.002 * n)


def test_to_simplex_gives_the_nearest_table_of_n_records():
    """The certificate at the simplex's corners: ⟨y - z, n e_i - z⟩ <= 0 for every i."""
    rng = np.random.default_rng(0)
    tables = np.concatenate([rng.normal(scale=s, size=(50, 7)) for s in (0.1, 10, 1000)] + [np.zeros((1, 7))])
    nearest = to_simplex(tables, 30.0)
    assert nearest.min() >= 0
    assert nearest.sum(axis=1) == pytest.approx(np.full(151, 30.0))
    for y, z in zip(tables, nearest, strict=True):
        assert (30.0 * (y - z) - (y - z) @ z).max() <= 1e-8 * (1 + np.abs(y).max() ** 2)


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_table_of_ranges_is_as_near_as_an_active_set_solver_finds(seed):
    """Non-negative least squares; a last row of large weight makes the cells sum to n."""
    Q = families.ranges(domain_of([9, 4]), ["a", "b"], 40, seed=seed)
    answers, _, n = noisy(Q, seed)
    W = np.array([Q.query(j)[1].ravel() for j in range(Q.size)])
    t = nearest_table(Q.blocks[0].operator, answers, n)
    assert t.min() >= 0
    assert t.sum() == pytest.approx(n)
    best, _ = nnls(np.vstack([W, np.full(W.shape[1], 1e4)]), np.append(answers, 1e4 * n))
    least, ours = ((W @ best - answers) ** 2).sum(), ((W @ t - answers) ** 2).sum()
    assert least * (1 - 1e-6) <= ours <= least / (1 - GAP_TOLERANCE) * (1 + 1e-6)
    assert non_negative(Q, answers, n) == pytest.approx(W @ t)


def test_workloads_too_large_for_non_negative_are_refused():
    bits = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(20)))
    with pytest.raises(ValueError, match=r"^all 19-way marginals: the marginals and their sub-marginals have .* cells"):
        check_non_negative(families.marginals(bits, 19))
    eights = families.marginals(bits.project(bits.names[:14]), 8)
    check_subsets(eights)
    with pytest.raises(ValueError, match=r"sub-marginals have 19,702,683 cells, but at most 3,333,333 can be handled"):
        check_non_negative(eights)
    with pytest.raises(
        ValueError, match=r"500,500 possible ranges of a have 1,002,000 cells and corners, but at most 1,000,000 can"
    ):
        check_non_negative(families.ranges(domain_of([1000]), ["a"], "all"))
    with pytest.raises(
        ValueError, match=r"^5001 predicates: the inner products of 5,001 queries read 50,020,002 cells"
    ):
        check_non_negative(families.predicates(domain_of([2]), ["a == 0"] * 5001))
    for make in WORKLOADS.values():
        check_non_negative(make())
