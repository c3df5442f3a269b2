"""Direct Laplace and Gaussian noise: what it costs, how large it is, and what is refused."""

import math

import numpy as np
import pytest
from oracles import domain_of, query_vectors, random_records

from mwem_core import Seeded, Witness
from mwem_core.algorithm import Answers
from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS
from mwem_core.privacy.budget import Pure
from mwem_core.relatives.direct import Direct, direct_error, gaussian, laplace, laplace_cells
from mwem_core.workload import families

CLEANS = ["none", "least-squares", "non-negative"]
WORKLOADS = {
    "marginals": lambda: families.marginals(domain_of([3, 2, 2]), 2),
    "parities": lambda: families.parities(domain_of([2, 2, 2]), 2),
    "ranges": lambda: families.ranges(domain_of([6, 2]), ["a"], 12),
    "predicates": lambda: families.predicates(domain_of([3, 3]), ["a == 0", "a == 0 and b >= 1", "b == 2"]),
}
every_family = pytest.mark.parametrize("make", WORKLOADS.values(), ids=WORKLOADS)


class Still:
    """A noise source of no noise that remembers what it was given: exact values and the scale."""

    def laplace(self, exact, scale):
        """Remembers."""
        self.exact, self.scale = np.array(exact), scale
        return self.exact

    gaussian = laplace


def run(settings, B, Q, noise):
    """The only round."""
    (only,) = settings.rounds(B, Q, noise=noise)
    return only


@every_family
@pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("on", ["workload", "cells"])
def test_noise_is_that_of_the_most_a_record_can_move_what_is_measured(make, delta, on):
    """Every record that can be added, brute force: L1 for Laplace's Δ/ε, L2 for the Gaussian's Δ/√2ρ."""
    Q = make()
    B = random_records(Q.domain, 40, np.random.default_rng(0))
    settings = Direct(epsilon=0.5, delta=delta, on=on)
    still = Still()
    run(settings, B, Q, still)
    before, moved = still.exact, []
    for cell in np.ndindex(*Q.domain.shape):
        more = tuple(np.append(c, np.uint8(x)) for c, x in zip(B.codes, cell, strict=True))
        run(settings, Records(Q.domain, more), Q, still)
        moved.append(np.linalg.norm((still.exact - before).ravel(), 1 if delta == 0 else 2))
    budget = settings.guarantee.budget
    allowed = still.scale * (budget.amount if isinstance(budget, Pure) else math.sqrt(2 * budget.amount))
    assert max(moved) <= allowed * (1 + 1e-9)
    if on == "cells":
        assert max(moved) == pytest.approx(allowed)


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


@pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])
def test_200_runs_err_as_the_bound_says_on_average(delta):
    """Mean and mean largest error of `direct_error`, each within four of its standard errors over the runs."""
    Q = WORKLOADS["marginals"]()
    B = random_records(Q.domain, 40, np.random.default_rng(0))
    settings, truth = Direct(epsilon=0.5, delta=delta), Q.answers(B)
    off = np.array([np.abs(run(settings, B, Q, Seeded(s)).model.answers(Q) - truth) / 40 for s in range(200)])
    promised = direct_error(n=40, queries=Q.size, sensitivity=Q.sensitivity, budget=settings.guarantee.budget)
    for found, expected in zip((off.mean(axis=1), off.max(axis=1)), promised, strict=True):
        assert found.mean() == pytest.approx(expected, abs=4 * found.std() / math.sqrt(200))


@every_family
@pytest.mark.parametrize("clean", ["none", "least-squares"])
def test_without_noise_answers_are_the_truth(make, clean):
    Q = make()
    B = random_records(Q.domain, 300, np.random.default_rng(2))
    found = run(Direct(epsilon=1.0, clean=clean), B, Q, Still()).model.answers(Q)
    assert found == pytest.approx(Q.answers(B), abs=1e-6)


@pytest.mark.parametrize("clean", CLEANS)
def test_clean_answers_are_a_function_of_the_noisy_ones_and_of_n_alone(clean):
    """Given another table of as many records and the same noisy answers, the round is the same."""
    Q = WORKLOADS["marginals"]()
    one, two = (random_records(Q.domain, 300, np.random.default_rng(seed)) for seed in (3, 4))

    class Same:
        def laplace(self, exact, scale):
            return np.random.default_rng(0).normal(scale=100, size=np.shape(exact))

    found = [run(Direct(epsilon=1.0, clean=clean), B, Q, Same()).model.answers(Q) for B in (one, two)]
    assert (found[0] == found[1]).all()


def test_noisy_cells_answer_any_workload_like_the_noisy_table():
    Q = families.marginals(domain_of([3, 4, 2]), 2)
    B = random_records(Q.domain, 300, np.random.default_rng(5))
    witness = Witness(Seeded(0))
    model = run(Direct(epsilon=1.0, on="cells"), B, Q, witness).model
    assert (witness.exact == B.marginal((0, 1, 2))).all()
    for other in (Q, families.marginals(Q.domain, 3), families.ranges(Q.domain, ["b"], "all")):
        vectors = np.array(query_vectors(other))
        assert other.answers(model) == pytest.approx(vectors @ model.cells.ravel())


@pytest.mark.parametrize("clean", CLEANS[1:])
def test_clean_cells_sum_to_n_and_no_farther_from_the_truth(clean):
    Q = families.marginals(domain_of([3, 4, 2]), 2)
    B = random_records(Q.domain, 50, np.random.default_rng(6))
    truth = B.marginal((0, 1, 2))
    noisy, cleaned = (
        run(Direct(epsilon=0.1, on="cells", clean=clean), B, Q, Seeded(0)).model.cells for clean in ("none", clean)
    )
    assert cleaned.sum() == pytest.approx(50)
    assert ((cleaned - truth) ** 2).sum() < ((noisy - truth) ** 2).sum()
    assert (cleaned.min() >= 0) == (clean == "non-negative")


def test_answers_to_the_workload_are_to_no_other():
    Q = WORKLOADS["marginals"]()
    B = random_records(Q.domain, 300, np.random.default_rng(7))
    model = run(Direct(epsilon=1.0), B, Q, Seeded(0)).model
    assert isinstance(model, Answers)
    with pytest.raises(ValueError, match="only all 2-way marginals were answered, not all 1-way marginals"):
        model.answers(families.marginals(Q.domain, 1))


def test_presets_are_the_textbooks():
    Q = WORKLOADS["marginals"]()
    assert laplace(Q, n=100, epsilon=0.5, T=7) == Direct(epsilon=0.5)
    assert gaussian(Q, n=100, epsilon=0.5, delta=1e-6) == Direct(epsilon=0.5, delta=1e-6)
    assert laplace_cells(Q, n=100, epsilon=0.5) == Direct(epsilon=0.5, on="cells")
    with pytest.raises(ValueError, match="Gaussian noise is never pure: give a delta above 0"):
        gaussian(Q, n=100, epsilon=0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a positive number, got 0"),
        ({"delta": 1.0}, "delta must be at least 0 and less than 1, got 1.0"),
        ({"on": "rows"}, "on must be workload or cells, got 'rows'"),
        ({"clean": "wash"}, "clean must be none, least-squares or non-negative, got 'wash'"),
    ],
)
def test_settings_out_of_range_are_refused_on_construction(settings, message):
    with pytest.raises(ValueError, match=message):
        Direct(**{"epsilon": 1.0, **settings})


def test_what_cannot_be_done_is_refused_on_the_call_before_anything_is_read():
    bits = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(24)))
    with pytest.raises(ValueError, match="needs the whole domain, 16,777,216 cells, and 10,000,000 fit: leave attr"):
        Direct(epsilon=1.0, on="cells").rounds(None, families.marginals(bits, 1), noise=Seeded(0))
    many = families.ranges(domain_of([1000]), ["a"], "all")
    with pytest.raises(ValueError, match="1,000,000 can be cleaned up: ask fewer"):
        Direct(epsilon=1.0, clean="non-negative").rounds(None, many, noise=Seeded(0))
    Direct(epsilon=1.0).check(many)
    empty = Records(domain_of([2]), (np.zeros(0, np.uint8),))
    with pytest.raises(ValueError, match="no records"):
        Direct(epsilon=1.0).rounds(empty, families.marginals(empty.domain, 1), noise=Seeded(0))
