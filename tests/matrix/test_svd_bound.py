"""The bound of Li & Miklau, in closed form where there is one, against singular values of matrices over D."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS
from mwem_core.matrix.svd_bound import svd_bound
from mwem_core.privacy.budget import Guarantee
from mwem_core.workload import families

WORKLOADS = {
    "pairs": lambda: families.marginals(domain_of([3, 2, 4]), 2),
    "all orders to three": lambda: families.marginals(domain_of([2, 3, 2, 2]), 3, up_to=True),
    "cuboids": lambda: families.cuboids(domain_of([3, 2, 4]), 1),
    "parities": lambda: families.parities(domain_of([2] * 4), 3),
    "all intervals": lambda: families.ranges(domain_of([7]), ["a"], "all"),
    "all boxes": lambda: families.ranges(domain_of([5, 3, 4]), ["a", "c"], "all"),
    "prefixes": lambda: families.ranges(domain_of([7, 2]), ["a"], "prefixes"),
    "prefixes of two": lambda: families.ranges(domain_of([5, 4]), ["a", "b"], "prefixes"),
    "fewer boxes than cells": lambda: families.ranges(domain_of([5, 4, 3]), ["a", "c"], 9),
    "more boxes than cells": lambda: families.ranges(domain_of([5, 4, 3]), ["a", "c"], 90),
    "predicates": lambda: families.predicates(
        domain_of([2, 3, 4]), ["a == 1", "b == 2 and c == 1", "c >= 2", "a == 0", "b != 1 or a == 0"]
    ),
}


def variance(epsilon, delta):
    """σ² = 1 / 2ρ of an answer of sensitivity 1; the paper's own account gives more, never less."""
    found = 1 / (2 * Guarantee(epsilon, delta).budget.amount)
    assert found < 2 * math.log(2 / delta) / epsilon**2
    return found


@pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)
def test_the_bound_is_that_of_the_singular_values(make):
    """σ² (Σ singular)² / (|D| |Q|). Rounding leaves zero eigenvalues at 1e-16 and their roots at 1e-8."""
    Q = make()
    singular = np.linalg.svd(np.array(query_vectors(Q)), compute_uv=False)
    expected = variance(0.3, 1e-4) * singular.sum() ** 2 / (Q.domain.size * Q.size)
    assert svd_bound(Q, epsilon=0.3, delta=1e-4) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)
def test_a_public_total_takes_off_what_the_rows_have_in_common(make):
    """The bound of the rows less their means: met for marginals and parities, never passed for others."""
    Q = make()
    W = np.array(query_vectors(Q))
    singular = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    expected = variance(0.3, 1e-4) * singular.sum() ** 2 / (Q.domain.size * Q.size)
    found = svd_bound(Q, epsilon=0.3, delta=1e-4, total_public=True)
    if Q.tabular or Q.family == "parities":
        assert found == pytest.approx(expected, rel=1e-6)
    assert 0.3 * expected <= found <= expected * (1 + 1e-6)


def test_values_that_no_range_holds_change_nothing():
    """A missing value has a code beyond the ordered ones, in no range."""
    plain = domain_of([6, 5])
    attribute = plain.attributes[0]
    missing = Domain((Attribute("a", attribute.value_set, missing="?"), plain.attributes[1]))
    for which in ("all", "prefixes", 8, 60):
        Q = families.ranges(missing, ["a"], which)
        singular = np.linalg.svd(np.array(query_vectors(Q)), compute_uv=False)
        expected = variance(1.0, 1e-4) * singular.sum() ** 2 / (missing.size * Q.size)
        assert svd_bound(Q, epsilon=1.0, delta=1e-4) == pytest.approx(expected, rel=1e-6)


def test_noise_on_every_query_is_as_good_as_any_for_parities_and_never_better_than_the_bound():
    """Direct noise has variance σ² Δ, Δ = `sensitivity`, in every answer."""
    for make in WORKLOADS.values():
        Q = make()
        direct = variance(1.0, 1e-6) * Q.sensitivity
        bound = svd_bound(Q, epsilon=1.0, delta=1e-6)
        assert bound <= direct * (1 + 1e-9)
        assert (bound == pytest.approx(direct)) == (Q.family == "parities")


def test_closed_forms_reach_what_no_matrix_could():
    """Three hundred bits in pairs: 2^300 cells, and 1 + 300 + 44,850 eigenvalues that are not zero."""
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(300)))
    pairs = families.marginals(domain, 2)
    roots = math.sqrt(44_850 / 4) + 300 * math.sqrt(299 / 4) + 44_850 * math.sqrt(1 / 4)
    found = svd_bound(pairs, epsilon=1.0, delta=1e-6)
    assert found == pytest.approx(variance(1.0, 1e-6) * roots**2 / pairs.size)
    intervals = families.ranges(domain_of([3000]), ["a"], "all")
    assert 0 < svd_bound(intervals, epsilon=1.0, delta=1e-6) < variance(1.0, 1e-6) * intervals.sensitivity


def test_a_bound_that_there_is_not_or_that_takes_too_long_is_refused_in_a_sentence():
    Q = WORKLOADS["pairs"]()
    with pytest.raises(
        ValueError, match=r"the bound is of \(ε, δ\)-differential privacy: give a delta above 0, as 1/n"
    ):
        svd_bound(Q, epsilon=1.0, delta=0.0)
    with pytest.raises(ValueError, match="epsilon must be a positive number"):
        svd_bound(Q, epsilon=0.0, delta=1e-6)
    many = families.ranges(domain_of([9000]), ["a"], 6000)
    with pytest.raises(ValueError, match=r"^the queries of a workload are held against each other here, 5,000 of them"):
        svd_bound(many, epsilon=1.0, delta=1e-6)
