"""PrivBayes' rule on frames made up to be on either side of it, and the judge of classifiers."""

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.base import SAMPLES
from mwem_core.domain import Domain, Records
from mwem_core.experiments import results
from mwem_core.experiments.privbayes_rows import (
    AIM,
    AUTOMATIC,
    AUTOMATIC_DELTA,
    CLASSIFIER,
    CLASSIFIER_TABLE,
    LAPLACE,
    MWEM_2012,
    NLTCS,
    PRIVBAYES,
    PRIVBAYES_ROWS,
    TARGETS,
    UNIFORM,
    judge_classifiers,
)
from mwem_core.experiments.results import frame_of
from mwem_core.judge import MAJORITY, REAL, Trial, evaluate_rows, run_trial
from mwem_core.workload import families

EPSILONS = (0.1, 0.2)


def frame(ours=(0.1, 0.1), laplace=(0.3, 0.3), old=(0.5, 0.2), taught=(0.2, 0.2), mwem=0.05):
    """One workload and one target at two ε; `old` are MWEM's of 2012 at T = 10 and 30."""
    rows = []
    for e, x, y, error in zip(EPSILONS, ours, laplace, taught, strict=True):
        tables = {PRIVBAYES: x, AUTOMATIC: mwem, AUTOMATIC_DELTA: mwem, AIM: mwem, UNIFORM: 0.9}
        common = {"table": NLTCS, "workload": "marginals:2", "epsilon": e, "seed": 0}
        rows += [common | {"method": m, "rows_mean_tv": v, "mean_tv": 0.0} for m, v in tables.items()]
        rows.append(common | {"method": LAPLACE, "mean_tv": y})
        rows += [common | {"method": MWEM_2012, "T": T, "rows_mean_tv": v} for T, v in zip((10, 30), old, strict=True)]
        rates = {PRIVBAYES: error, AUTOMATIC: 0.15, AUTOMATIC_DELTA: 0.15, AIM: 0.15, UNIFORM: 0.5}
        rows += [common | {"table": CLASSIFIER_TABLE, "method": m, "sex_error": v} for m, v in rates.items()]
    limited = [{"table": CLASSIFIER_TABLE, "method": m, "sex_error": v} for m, v in ((REAL, 0.1), (MAJORITY, 0.3))]
    return frame_of([*rows, *limited], PRIVBAYES_ROWS.metrics)


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        (frame(), "holds"),
        (frame(mwem=0.2), "holds"),  # what came later decides nothing
        (frame(laplace=(0.3, 0.09)), "holds with conditions"),  # noise on every answer is better at one ε of two
        (frame(old=(0.5, 0.09)), "does not hold"),  # MWEM of 2012 is better at its best T
        (frame(taught=(0.3, 0.2)), "holds with conditions"),  # no better than the majority class at one ε
        (frame(taught=(0.3, 0.3)), "does not hold"),
        (frame(ours=(0.4, 0.1), taught=(0.2, 0.3)), "holds with conditions"),  # half of each
    ],
)
def test_the_rule(made, holds):
    assert PRIVBAYES_ROWS.verdict(made).holds == holds


def test_rows_are_judged_and_answers_where_there_are_none():
    B = random_records(domain_of([3, 2, 2]), 300, np.random.default_rng(0))
    Q = families.marginals(B.domain, 2)
    mwem, laplace = (run_trial(B, Q, Trial(system=s, epsilon=1.0, seed=0)) for s in ("mwem", "laplace"))
    assert mwem.rows
    assert results.metric(mwem, "rows_mean_tv") == mwem.rows.mean_tv
    assert results.metric(mwem, "rows_mean_tv") != results.metric(mwem, "mean_tv")
    assert results.metric(laplace, "rows_mean_tv") is None
    points = PRIVBAYES_ROWS.figure(frame()).points.set_index(["method", "x"])["y"]
    assert points[LAPLACE, 0.1] == pytest.approx(0.3)
    assert points[PRIVBAYES, 0.1] == pytest.approx(0.1)


@pytest.fixture(scope="module")
def adult():
    """300 records at random, of four of Adult's attributes."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8"))
    domain = domain.project(("sex", "education", "marital-status", "income"))
    rng = np.random.default_rng(0)
    return Records(domain, tuple(rng.integers(size, size=300, dtype=np.uint8) for size in domain.shape))


def test_classifiers_err_as_the_page_of_classifiers_says(adult):
    Q = families.marginals(adult.domain, 2)
    judged = judge_classifiers(adult, Q, Trial(system="mwem", epsilon=1.0, seed=3))
    (batch,) = (b for b in PRIVBAYES_ROWS.batches(True) if b.table == CLASSIFIER_TABLE and not b.delta)
    limit = {(r.name, r.metric): r.value for r in PRIVBAYES_ROWS.references(adult, Q, batch)}
    for metric, target in TARGETS.items():
        known = {"target": target, "epsilon": 1.0, "seeds": (3,), "classifiers": [CLASSIFIER]}
        real, majority, mwem = evaluate_rows(adult, Q, ["mwem"], **known)
        assert results.metric(judged, metric) == mwem.scores[0].error
        assert limit[REAL, metric] == real.scores[0].error
        assert limit[MAJORITY, metric] == majority.scores[0].error
    with pytest.raises(ValueError, match="gives answers and no rows"):
        judge_classifiers(adult, Q, Trial(system="laplace", epsilon=1.0, seed=3))
