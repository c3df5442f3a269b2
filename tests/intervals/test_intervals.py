"""An interval for every answer: how often it holds the truth, and what it is made of."""

import numpy as np
import pytest
from bundled_tasks import bundled_task
from oracles import domain_of, random_records
from workloads import SPECS, workload

from mwem_core import (
    MWEM,
    MeasuredTotal,
    Planned,
    Queries,
    Records,
    Replay,
    Seeded,
    Staged,
    Tables,
    default,
    parse_workload,
)
from mwem_core.intervals.intervals import error_bounds, intervals

ROUGH = Replay(sweeps=3, step=2.0)  # how well the model fits is no matter here
OF_NOISY_N = {"measured": True, "system": "mwem", "changed": (("update", ROUGH),)}


@pytest.fixture(scope="module")
def rochdale() -> Records:
    return bundled_task("Rochdale")[0]


def held(B, spec, runs, **settings) -> dict[str, list[bool]]:
    """Whether each interval of so many runs holds the true answer, by kind."""
    Q = parse_workload(spec, B.domain)
    truth, measured = Q.answers(B), settings.pop("measured", False)
    if measured:
        run = MeasuredTotal(**settings)
    else:
        run = MWEM(**settings) if "T" in settings else default(Q, n=B.total, **settings)
    by_kind = {"measured": [], "bounded": []}
    for seed in range(runs):
        rounds = list(run.rounds(B, Q, noise=Seeded(seed)))
        found = intervals(Q, run.settings(Q, rounds[0].model.total) if measured else run, rounds)
        holds = (found.low <= truth) & (truth <= found.high)
        by_kind["measured"] += holds[found.measured].tolist()
        by_kind["bounded"] += holds[~found.measured].tolist()
    return by_kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "runs", "settings"),
    [
        ("marginals:2", 25, {"epsilon": 0.5}),
        ("marginals:2", 25, {"epsilon": 0.3, "T": 4, "delta": 1e-6} | OF_NOISY_N),
        ('where:Age == "<38" or Asian == "yes"; Child == "yes"', 100, {"epsilon": 0.5, "measured": True}),
        ("parities:2", 25, {"epsilon": 0.5, "T": 20, "update": ROUGH}),
    ],
)
def test_coverage(rochdale, spec, runs, settings):
    """95 to 97%, within three standard errors of at most 1.5%: 200 answers or more, some of which share their noise."""
    by_kind = held(rochdale, spec, runs, **settings)
    assert 0.905 <= np.mean(by_kind["measured"]) <= 0.995
    assert not by_kind["bounded"] or np.mean(by_kind["bounded"]) >= 0.97


@pytest.mark.parametrize("spec", SPECS)
def test_every_workload_has_whole_numbers_that_hold_the_truth_at_a_large_budget(spec):
    Q = workload(spec)
    B = random_records(Q.domain, 200, np.random.default_rng(1))
    settings = default(Q, n=200, epsilon=1000.0)
    found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(0))))
    truth = Q.answers(B)
    assert found.low.shape == found.high.shape == found.measured.shape == truth.shape
    assert np.array_equal(found.low, np.round(found.low))
    assert (found.low <= truth).all()
    assert (truth <= found.high).all()
    assert np.abs(found.high).max() <= 200


def test_tables_within_bound_a_cell_as_frechet_does_where_noise_is_next_to_nothing():
    B = random_records(domain_of((3, 4)), 500, np.random.default_rng(2))
    Q = parse_workload("marginals:2", B.domain)
    settings = Planned(epsilon=1e6, plan="one-way")
    found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(0))))
    rows, columns = B.marginal((0,))[:, None], B.marginal((1,))[None]
    assert not found.measured.any()
    assert found.high.tolist() == np.minimum(rows, columns).ravel().tolist()
    assert found.low.tolist() == np.maximum(0, rows + columns - 500).ravel().tolist()


def test_after_a_plan_the_selected_tables_are_measured_and_the_others_bounded():
    """30 runs: 92 to 98% of the measured intervals hold the truth, and all others."""
    B = random_records(domain_of((4, 3, 3, 2)), 400, np.random.default_rng(4))
    Q = parse_workload("marginals:2", B.domain)
    settings = Staged(share=0.6, then=MWEM(epsilon=1.0, T=2, candidates=Tables(penalty="noise")))
    truth, measured, others = Q.answers(B), [], []
    for seed in range(30):
        rounds = list(settings.rounds(B, Q, noise=Seeded(seed)))
        found = intervals(Q, settings, rounds)
        holds = (found.low <= truth) & (truth <= found.high)
        assert found.measured.sum() == sum(Q.domain.cells(entry.measurement.attrs) for entry in rounds[2:])
        measured.append(holds[found.measured].mean())
        others.append(holds[~found.measured].all())
    assert 0.92 < np.mean(measured) < 0.98
    assert all(others)


def test_three_way_cells_are_bounded_by_pairs():
    B = random_records(domain_of((2, 3, 2)), 500, np.random.default_rng(2))
    Q = parse_workload("marginals:3", B.domain)
    settings = Planned(epsilon=1e6, plan="marginals", within="lower")
    found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(0))))
    ab, ac, bc = (B.marginal(S) for S in ((0, 1), (0, 2), (1, 2)))
    a, b, c = (B.marginal((i,)) for i in range(3))
    most = np.minimum(np.minimum(ab[:, :, None], ac[:, None]), bc[None])
    least = np.maximum.reduce(
        [
            ab[:, :, None] + ac[:, None] - a[:, None, None],
            ab[:, :, None] + bc[None] - b[None, :, None],
            ac[:, None] + bc[None] - c[None, None],
            np.zeros((2, 3, 2)),
        ]
    )
    assert found.high.tolist() == most.ravel().tolist()
    assert found.low.tolist() == least.ravel().tolist()


def test_the_bound_of_a_selection_is_the_chosen_ones_and_the_slack_and_what_moved_since():
    """The oracle: every query by itself, in records."""
    B = random_records(domain_of((2, 3, 2)), 400, np.random.default_rng(3))
    Q = parse_workload("marginals:2", B.domain)
    settings = MWEM(epsilon=1.0, T=1, candidates=Queries())
    rounds = list(settings.rounds(B, Q, noise=Seeded(5)))
    entry, beta = rounds[1], 0.02
    m, A, released = entry.measurement, rounds[0].model, entry.model
    chosen = abs(m.value - m.answer(A.marginal(m.attrs))) + np.log(1 / (2 * beta / 2)) * m.scale
    bounds = error_bounds(Q, rounds, beta)
    for c in range(Q.size):
        moved = abs((A.answers(Q) - released.answers(Q))[c])
        slack = 2 / 0.5 * np.log(len(bounds) / (beta / 2))
        assert bounds[c] == pytest.approx(chosen + slack + moved)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_bound_of_a_selection_fails_no_more_often_than_it_says(delta):
    """At β = 1/2 the true errors exceed it in less than half of 40 runs, for the worst candidate of all."""
    B = random_records(domain_of((4, 3, 3, 2)), 400, np.random.default_rng(4))
    Q = parse_workload("marginals:2", B.domain)
    settings = MWEM(epsilon=2.0, delta=delta, T=2, candidates=Queries(), update=ROUGH)
    truth, failures = Q.answers(B), np.zeros(Q.size)
    for seed in range(40):
        rounds = list(settings.rounds(B, Q, noise=Seeded(seed)))
        errors = np.abs(truth - rounds[-1].model.answers(Q))
        failures += errors > error_bounds(Q, rounds, 0.5)
    assert failures.max() < 20


def test_intervals_stay_within_what_is_public(rochdale):
    Q = parse_workload("marginals:2", rochdale.domain)
    settings = default(Q, n=665, epsilon=0.1)
    found = intervals(Q, settings, list(settings.rounds(rochdale, Q, noise=Seeded(0))))
    assert (found.low >= 0).all()
    assert (found.high <= 665).all()
