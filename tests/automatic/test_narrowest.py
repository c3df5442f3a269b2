"""Tables with intervals: every answer is measured, as narrowly as the plan promises, and never wider than Laplace."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from messages import exactly
from plans import plan_of
from sample_counts import count_of

from mwem_core import Domain, Planned, Records, Seeded, encode, parse_workload, read_table
from mwem_core.automatic.choice import TOTAL_SHARE, median_deviation, narrowest
from mwem_core.automatic.plans import make_plan
from mwem_core.intervals import ALPHA, Intervals, deviations, intervals
from mwem_core.systems import MeasuredTotal
from mwem_core.workload import subsets_of

SAMPLES = Path(__file__).parents[2] / "sample_data"
EPSILONS = 0.1, 0.5, 1.0, 3.0, 10.0
SETTINGS = ("czech", "marginals:2"), ("czech", "marginals:1"), ("rochdale", "marginals:2"), ("rochdale", "marginals:3")


@cache
def records(table: str, *names: str) -> Records:
    domain = Domain.from_toml((SAMPLES / f"{table}.toml").read_text(encoding="utf-8"))
    suffix = "parquet" if table == "adult" else "csv"
    return encode(
        read_table(SAMPLES / f"{table}.{suffix}"), domain.project(names) if names else domain, count=count_of(table)
    )


def released(table: str, spec: str, epsilon: float, seed: int, delta: float = 0.0) -> tuple[Planned, Intervals]:
    B = records(table)
    Q = parse_workload(spec, B.domain)
    run = MeasuredTotal(epsilon=epsilon, delta=delta, system="tables", share=TOTAL_SHARE)
    rounds = list(run.rounds(B, Q, noise=Seeded(seed)))
    settings = run.settings(Q, rounds[0].model.total)
    assert isinstance(settings, Planned)
    return settings, intervals(Q, settings, rounds)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("table", "spec"), SETTINGS)
def test_every_answer_is_measured_and_the_median_width_is_never_above_plain_laplace(table, spec, epsilon):
    """Plain Laplace adds noise of scale parts/ε to every cell: 95% of it is within ± ln 20 parts/ε."""
    Q = parse_workload(spec, records(table).domain)
    _, found = released(table, spec, epsilon, seed=0)
    assert found.measured.all()
    truth = Q.answers(records(table))
    noisy = truth + np.random.default_rng(0).laplace(0, Q.parts / epsilon, Q.size)
    half = math.log(1 / ALPHA) * Q.parts / epsilon
    laplace = np.round(np.maximum(noisy, 0) + half) - np.round(np.maximum(noisy - half, 0))
    assert np.median(found.high - found.low) <= np.median(laplace)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (1.0, 1e-6)])
@pytest.mark.parametrize("table", ["czech", "rochdale"])
def test_intervals_hold_the_truth_in_95_percent_of_runs(table, epsilon, delta):
    """Of 40 runs together; answers of one run vary together, so their share may fall two points short."""
    truth = parse_workload("marginals:2", records(table).domain).answers(records(table))
    held = [
        ((found.low <= truth) & (truth <= found.high)).mean()
        for _, found in (released(table, "marginals:2", epsilon, seed, delta) for seed in range(40))
    ]
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.0), (2.0, 0.0), (1.0, 1e-6)])
def test_the_median_deviation_is_that_of_the_intervals(epsilon, delta):
    """Where counts are far above their noise, an interval is z deviations to either side."""
    B = records("adult", "marital-status", "relationship", "race", "sex")
    Q = parse_workload("marginals:1", B.domain)
    settings = narrowest(Q, n=B.total, epsilon=epsilon, delta=delta)
    budget = settings.guarantee.budget
    said = median_deviation(make_plan(plan_of(settings), subsets_of(Q), budget), subsets_of(Q), math.inf)
    found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(1))))
    half = np.median(found.high - found.low) / 2
    assert half == pytest.approx(deviations(ALPHA, budget.unit) * said, abs=1, rel=0.1)


def test_no_other_plan_has_a_smaller_median_deviation():
    B = records("rochdale")
    for spec in ("marginals:1", "marginals:2"):
        Q = parse_workload(spec, B.domain)
        settings = narrowest(Q, n=B.total, epsilon=1.0)
        budget, subsets = settings.guarantee.budget, subsets_of(Q)
        by_plan = {
            name: median_deviation(make_plan(name, subsets, budget), subsets, math.inf)
            for name in ("residuals", "marginals", "cells")
        }
        assert by_plan[plan_of(settings)] == min(by_plan.values())


def test_what_is_measured_does_not_depend_on_n():
    """So a noisy n, which a release measures with little, decides nothing but how many rows there are."""
    Q = parse_workload("marginals:2", records("adult", "sex", "race", "education", "occupation").domain)
    assert len({plan_of(narrowest(Q, n=n, epsilon=1.0, noisy_n=True)) for n in (10, 1_000, 10**6)}) == 1


def test_a_workload_without_tables_is_refused():
    Q = parse_workload("parities:2", records("czech").domain)
    with pytest.raises(
        ValueError,
        match=exactly(
            "the plan with the narrowest intervals measures whole marginals: ask for marginals or cuboids, not parities"
        ),
    ):
        narrowest(Q, n=100, epsilon=1.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_tables_of_a_release_tell_its_number_of_records(seed):
    """Of 64 cells of Czech: the share of 2% alone is off by 50 records at ε = 1, the sum of the cells by 12."""
    B = records("czech")
    Q = parse_workload("marginals:2", B.domain)
    run = MeasuredTotal(epsilon=1.0, system="tables", share=TOTAL_SHARE)
    *_, last = run.rounds(B, Q, noise=Seeded(seed))
    assert abs(last.model.total - B.total) < 4 * 12
