"""The bound of Li & Miklau against the singular values of matrices over D."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors

from mwem_core.domain import Attribute, Domain
from mwem_core.privacy import Guarantee
from mwem_core.values import BITS
from mwem_core.workload import families
from mwem_core.workload.gram_matrix import svd_bound

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
    """σ² = 1/2ρ for an answer of sensitivity 1; always less than the paper's 2 ln(2/δ)/ε²."""
    sigma2 = 1 / (2 * Guarantee(epsilon, delta).budget.amount)
    assert sigma2 < 2 * math.log(2 / delta) / epsilon**2
    return sigma2


@pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)
def test_the_bound_is_the_formula_of_the_singular_values(make):
    """σ² (Σ singular)² / (|D| |Q|). Rounding moves zero eigenvalues to 1e-16, and their roots to 1e-8."""
    Q = make()
    singular = np.linalg.svd(np.array(query_vectors(Q)), compute_uv=False)
    expected = variance(0.3, 1e-4) * singular.sum() ** 2 / (Q.domain.size * Q.size)
    assert svd_bound(Q, epsilon=0.3, delta=1e-4) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)
def test_a_public_total_gives_the_bound_of_the_rows_without_their_means(make):
    """Equal to it for marginals and parities; for other families never above it, and at least 0.3 of it."""
    Q = make()
    W = np.array(query_vectors(Q))
    singular = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    expected = variance(0.3, 1e-4) * singular.sum() ** 2 / (Q.domain.size * Q.size)
    bound = svd_bound(Q, epsilon=0.3, delta=1e-4, total_public=True)
    if Q.tabular or Q.family == "parities":
        assert bound == pytest.approx(expected, rel=1e-6)
    assert 0.3 * expected <= bound <= expected * (1 + 1e-6)


def test_codes_outside_of_every_range_do_not_change_the_bound():
    """A missing value has a code above the ordered codes, which no range contains."""
    plain = domain_of([6, 5])
    attribute = plain.attributes[0]
    missing = Domain((Attribute("a", attribute.value_set, missing="?"), plain.attributes[1]))
    for which in ("all", "prefixes", 8, 60):
        Q = families.ranges(missing, ["a"], which)
        singular = np.linalg.svd(np.array(query_vectors(Q)), compute_uv=False)
        expected = variance(1.0, 1e-4) * singular.sum() ** 2 / (missing.size * Q.size)
        assert svd_bound(Q, epsilon=1.0, delta=1e-4) == pytest.approx(expected, rel=1e-6)


def test_noise_on_every_query_meets_the_bound_for_parities_only():
    """Direct noise has variance σ² Δ in every answer, with Δ = `sensitivity`."""
    for make in WORKLOADS.values():
        Q = make()
        direct = variance(1.0, 1e-6) * Q.sensitivity
        bound = svd_bound(Q, epsilon=1.0, delta=1e-6)
        assert bound <= direct * (1 + 1e-9)
        assert (bound == pytest.approx(direct)) == (Q.family == "parities")


def test_closed_forms_serve_workloads_whose_matrix_cannot_be_built():
    """All pairs of 300 bits: 2^300 cells, and 1 + 300 + 44,850 eigenvalues above zero."""
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(300)))
    pairs = families.marginals(domain, 2)
    roots = math.sqrt(44_850 / 4) + 300 * math.sqrt(299 / 4) + 44_850 * math.sqrt(1 / 4)
    bound = svd_bound(pairs, epsilon=1.0, delta=1e-6)
    assert bound == pytest.approx(variance(1.0, 1e-6) * roots**2 / pairs.size)
    intervals = families.ranges(domain_of([3000]), ["a"], "all")
    assert 0 < svd_bound(intervals, epsilon=1.0, delta=1e-6) < variance(1.0, 1e-6) * intervals.sensitivity


def test_pure_privacy_and_too_large_workloads_are_refused():
    Q = WORKLOADS["pairs"]()
    with pytest.raises(
        ValueError, match=r"the bound is for \(ε, δ\)-differential privacy: give a delta above 0, such as 1/n"
    ):
        svd_bound(Q, epsilon=1.0, delta=0.0)
    with pytest.raises(ValueError, match="epsilon must be a positive number"):
        svd_bound(Q, epsilon=0.0, delta=1e-6)
    many = families.ranges(domain_of([9000]), ["a"], 6000)
    with pytest.raises(
        ValueError, match=r"^6,000 random ranges of a: the inner products of 6,000 queries read 54,000,000 cells"
    ):
        svd_bound(many, epsilon=1.0, delta=1e-6)
