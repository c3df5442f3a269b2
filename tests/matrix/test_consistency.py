"""Cleaning up noisy answers: nearest points, against matrices over the domain, certificates and solvers."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records
from scipy.optimize import linprog, nnls

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS
from mwem_core.matrix.consistency import CLOSE, check_clean, least_squares, nearest_table, non_negative, to_simplex
from mwem_core.workload import families

ASKED = ["a == 0", "a == 0 and b >= 1", "a != 0", "b == 2 or c == 1", "c == 0"]
WORKLOADS = {
    "marginals": lambda: families.marginals(domain_of([3, 3, 2]), 2),
    "cuboids": lambda: families.cuboids(domain_of([3, 3, 2]), 2, up_to=True),
    "parities": lambda: families.parities(domain_of([2, 2, 2]), 2),
    "ranges": lambda: families.ranges(domain_of([6, 2]), ["a"], 12),
    "all ranges": lambda: families.ranges(domain_of([5, 2]), ["a"], "all"),
    "boxes": lambda: families.ranges(domain_of([4, 3, 2]), ["a", "b"], 8),
    "predicates": lambda: families.predicates(domain_of([3, 3, 2]), ASKED),
}
every_family = pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)


def noisy(Q, seed, scale=20.0):
    """A table's answers, small and with noise as large as they are: answers, truth and n."""
    rng = np.random.default_rng(seed)
    B = random_records(Q.domain, 100, rng)
    truth = Q.answers(B)
    return truth + rng.laplace(scale=scale, size=Q.size), truth, float(B.total)


@every_family
def test_least_squares_is_the_nearest_of_any_table_of_total_n(make):
    """t = n even + z with z summing to zero: least squares over z by a dense matrix."""
    Q = make()
    answers, _, n = noisy(Q, 0)
    W = np.array(query_vectors(Q))
    even = W @ np.full(Q.domain.size, n / Q.domain.size)
    centred = W - W.mean(axis=1, keepdims=True)
    expected = even + centred @ np.linalg.lstsq(centred, answers - even, rcond=1e-10)[0]
    assert least_squares(Q, answers, n) == pytest.approx(expected, abs=1e-5)


def test_questions_of_few_cells_keep_their_answers_where_nothing_ties_them_to_others():
    """One cell in 40^4, a share that rounding must not take for none; its complement is tied to it."""
    domain = domain_of([40] * 4)
    rare = " and ".join(f"{name} == 0" for name in domain.names)
    noisy = np.array([30.0, 7.0])
    assert least_squares(families.predicates(domain, [rare, "a == 0"]), noisy, 100.0) == pytest.approx(noisy)
    tied = families.predicates(domain, ["a == 0", "a != 0"])
    assert least_squares(tied, np.array([30.0, 80.0]), 100.0) == pytest.approx([25.0, 75.0])


@every_family
def test_cleaning_up_never_moves_away_from_the_truth(make):
    """But for √CLOSE of the way it moves: that far from the nearest table a search for it may stop."""
    Q = make()
    for seed in range(20):
        answers, truth, n = noisy(Q, seed)
        consistent, possible = least_squares(Q, answers, n), non_negative(Q, answers, n)
        before, after = np.linalg.norm(answers - truth), np.linalg.norm(consistent - truth)
        assert after <= before * (1 + 1e-9)
        assert np.linalg.norm(possible - truth) <= after + math.sqrt(CLOSE) * np.linalg.norm(possible - answers)


@every_family
def test_what_is_clean_stays_as_it_is(make):
    Q = make()
    _, truth, n = noisy(Q, 1)
    assert least_squares(Q, truth, n) == pytest.approx(truth, abs=1e-6)
    assert non_negative(Q, truth, n) == pytest.approx(truth, abs=2e-2 * n)


@pytest.mark.parametrize("family", ["marginals", "cuboids", "predicates", "parities"])
def test_non_negative_is_possible_part_by_part_and_the_nearest_of_all_that_are_consistent_too(family):
    """z is nearest to y in a convex set where ⟨y - z, v - z⟩ <= 0 for all v in it, the largest by a linear programme.

    The set: W t for tables t of any sign and total n, each answer possible. The tolerance is a thousandth of ‖y - z‖²:
    the alternating projections stop a millionth, as squares go, apart.
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
            assert Q.by_part(z) == pytest.approx(np.full(Q.parts, n))
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
        assert least_squares(Q, z, n) == pytest.approx(z, abs=0.02 * n)


def test_to_simplex_is_the_nearest_table_of_n_records():
    """The certificate on the simplex's corners: ⟨y - z, n e_i - z⟩ <= 0 for every i."""
    rng = np.random.default_rng(0)
    tables = np.concatenate([rng.normal(scale=s, size=(50, 7)) for s in (0.1, 10, 1000)] + [np.zeros((1, 7))])
    nearest = to_simplex(tables, 30.0)
    assert nearest.min() >= 0
    assert nearest.sum(axis=1) == pytest.approx(np.full(151, 30.0))
    for y, z in zip(tables, nearest, strict=True):
        assert (30.0 * (y - z) - (y - z) @ z).max() <= 1e-8 * (1 + np.abs(y).max() ** 2)


@pytest.mark.parametrize("seed", range(4))
def test_ranges_are_those_of_a_table_as_near_as_a_solver_finds(seed):
    """Non-negative least squares by an active-set solver, a heavy last row making the cells sum to n."""
    Q = families.ranges(domain_of([9, 4]), ["a", "b"], 40, seed=seed)
    answers, _, n = noisy(Q, seed)
    W = np.array([Q.query(j)[1].ravel() for j in range(Q.size)])
    t = nearest_table(Q.blocks[0].operator, answers, n)
    assert t.min() >= 0
    assert t.sum() == pytest.approx(n)
    best, _ = nnls(np.vstack([W, np.full(W.shape[1], 1e4)]), np.append(answers, 1e4 * n))
    least, ours = ((W @ best - answers) ** 2).sum(), ((W @ t - answers) ** 2).sum()
    assert least * (1 - 1e-6) <= ours <= least / (1 - CLOSE) * (1 + 1e-6)
    assert non_negative(Q, answers, n) == pytest.approx(W @ t)


def test_what_is_too_large_to_clean_up_is_refused_in_a_sentence():
    bits = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(20)))
    with pytest.raises(ValueError, match=r"all 19-way marginals and all their subsets have .* cells together"):
        check_clean(families.marginals(bits, 19), non_negative=False)
    eights = families.marginals(bits.project(bits.names[:14]), 8)
    check_clean(eights, non_negative=False)
    with pytest.raises(ValueError, match=r"subsets have 19,702,683 cells together, 3,333,333 fit: lower k"):
        check_clean(eights, non_negative=True)
    with pytest.raises(
        ValueError, match="500,500 possible ranges of a have 1,002,000 cells and corners, 1,000,000 can"
    ):
        check_clean(families.ranges(domain_of([1000]), ["a"], "all"), non_negative=True)
    with pytest.raises(ValueError, match="the queries of a workload are held against each other here, 5,000 of them"):
        check_clean(families.predicates(domain_of([2]), ["a == 0"] * 5001), non_negative=False)
    for make in WORKLOADS.values():
        check_clean(make(), non_negative=True)
