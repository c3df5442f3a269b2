"""Direct Laplace and Gaussian noise: its scale, its cost, and the inputs it refuses."""

import math

import numpy as np
import pytest
from given_noise import GivenNoise
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.algorithm import Answers
from mwem_core.domain import Attribute, Domain, Records
from mwem_core.privacy import Pure
from mwem_core.relatives.direct import Direct
from mwem_core.values import BITS
from mwem_core.workload import families

CLEANS = ["none", "non-negative"]
WORKLOADS = {
    "marginals": lambda: families.marginals(domain_of([3, 2, 2]), 2),
    "parities": lambda: families.parities(domain_of([2, 2, 2]), 2),
    "ranges": lambda: families.ranges(domain_of([6, 2]), ["a"], 12),
    "predicates": lambda: families.predicates(domain_of([3, 3]), ["a == 0", "a == 0 and b >= 1", "b == 2"]),
}
every_family = pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)


def run(settings, B, Q, noise):
    """The only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only


@every_family
@pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("on", ["workload", "cells"])
def test_the_noise_scale_is_that_of_the_largest_move_by_any_added_record(make, delta, on):
    """By brute force over all records: the L1 norm for Laplace noise of scale Δ/ε, L2 for Gaussian noise of Δ/√2ρ."""
    Q = make()
    B = random_records(Q.domain, 40, np.random.default_rng(0))
    settings = Direct(epsilon=0.5, delta=delta, on=on)
    noise = GivenNoise()
    run(settings, B, Q, noise)
    before, moves = noise.exact, []
    for cell in np.ndindex(*Q.domain.shape):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        run(settings, Records(Q.domain, more), Q, noise)
        moves.append(np.linalg.norm((noise.exact - before).ravel(), 1 if delta == 0 else 2))
    budget = settings.guarantee.budget
    allowed = noise.scale * (budget.amount if isinstance(budget, Pure) else math.sqrt(2 * budget.amount))
    assert max(moves) <= allowed * (1 + 1e-9)
    if on == "cells" or (delta == 0 and Q.family != "predicates"):
        assert max(moves) == pytest.approx(allowed)


@every_family
@pytest.mark.parametrize("clean", CLEANS)
@pytest.mark.parametrize("on", ["workload", "cells"])
def test_without_noise_answers_are_the_truth(make, clean, on):
    Q = make()
    B = random_records(Q.domain, 300, np.random.default_rng(2))
    answers = run(Direct(epsilon=1.0, on=on, clean=clean), B, Q, GivenNoise()).model.answers(Q)
    assert answers == pytest.approx(Q.answers(B), abs=1e-9)


@every_family
@pytest.mark.parametrize("clean", CLEANS)
@pytest.mark.parametrize("on", ["workload", "cells"])
def test_one_round_spends_all_of_the_budget_and_answers_the_workload(make, clean, on):
    Q = make()
    B = random_records(Q.domain, 300, np.random.default_rng(1))
    for delta in (0.0, 1e-6):
        settings = Direct(epsilon=0.5, delta=delta, on=on, clean=clean)
        only = run(settings, B, Q, Seeded(0))
        assert only.index == settings.planned_rounds(300, Q) == 1
        assert only.ledger.spent == only.ledger.measure == settings.guarantee.budget.amount
        assert only.model.answers(Q).shape == (Q.size,)
        assert only.model.total == 300


@pytest.mark.parametrize("clean", CLEANS)
def test_released_answers_are_a_function_of_the_noisy_answers_and_n_alone(clean):
    """Two tables of as many records with the same noisy answers give the same release."""
    Q = WORKLOADS["marginals"]()
    tables = [random_records(Q.domain, 300, np.random.default_rng(seed)) for seed in (3, 4)]

    class SameAnswers:
        def laplace(self, exact, epsilon, sensitivity):
            return np.random.default_rng(0).normal(scale=100, size=np.shape(exact))

    first, second = (run(Direct(epsilon=1.0, clean=clean), B, Q, SameAnswers()).model.answers(Q) for B in tables)
    assert (first == second).all()


def test_noisy_cells_answer_any_workload_like_the_noisy_table():
    Q = families.marginals(domain_of([3, 4, 2]), 2)
    B = random_records(Q.domain, 300, np.random.default_rng(5))
    witness = Witness(Seeded(0))
    model = run(Direct(epsilon=1.0, on="cells"), B, Q, witness).model
    assert (witness.exact == B.marginal((0, 1, 2))).all()
    for workload in (Q, families.marginals(Q.domain, 3), families.ranges(Q.domain, ["b"], "all")):
        vectors = np.array(query_vectors(workload))
        assert workload.answers(model) == pytest.approx(vectors @ model.cells.ravel())


def test_clean_cells_are_not_negative_sum_to_n_and_are_nearer_to_the_truth():
    Q = families.marginals(domain_of([3, 4, 2]), 2)
    B = random_records(Q.domain, 50, np.random.default_rng(6))
    truth = B.marginal((0, 1, 2))
    noisy, cleaned = (
        run(Direct(epsilon=0.1, on="cells", clean=clean), B, Q, Seeded(0)).model.cells for clean in CLEANS
    )
    assert cleaned.sum() == pytest.approx(50)
    assert ((cleaned - truth) ** 2).sum() < ((noisy - truth) ** 2).sum()
    assert noisy.min() < 0 <= cleaned.min()


def test_noisy_answers_serve_their_own_workload_only():
    Q = WORKLOADS["marginals"]()
    B = random_records(Q.domain, 300, np.random.default_rng(7))
    model = run(Direct(epsilon=1.0), B, Q, Seeded(0)).model
    assert isinstance(model, Answers)
    with pytest.raises(ValueError, match="only all 2-way marginals were answered, not all 1-way marginals"):
        model.answers(families.marginals(Q.domain, 1))


def test_domains_and_workloads_that_are_too_large_are_refused_before_any_data_is_read():
    bits = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(24)))
    with pytest.raises(ValueError, match="needs the whole domain of 16,777,216 cells, but at most 10,000,000 fit"):
        Direct(epsilon=1.0, on="cells").rounds(None, families.marginals(bits, 1), noise=Seeded(0))
    many = families.ranges(domain_of([1000]), ["a"], "all")
    with pytest.raises(ValueError, match="at most 1,000,000 can be cleaned up: choose fewer ranges"):
        Direct(epsilon=1.0, clean="non-negative").rounds(None, many, noise=Seeded(0))
    Direct(epsilon=1.0).check(many)
