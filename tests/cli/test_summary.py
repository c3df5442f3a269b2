"""A summary groups results by system, ε and T, and ranks each system by its best T."""

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.cli.compare_command import summarize, summary_text
from mwem_core.judge import Errors, Result, Trial, verdict_sentences
from mwem_core.workload import parse_workload

DOMAIN = domain_of([2, 3])
B = random_records(DOMAIN, 50, np.random.default_rng(0))


def results(system, errors, T=None, **more):
    """One result per seed, with this mean error and, where a workload has one, mean total variation."""
    return [
        Result(
            trial=Trial(system=system, epsilon=1.0, seed=seed, T=T),
            **{"workload": "", "n": 50, "domain_size": 6},
            answers=Errors(2 * error, error, error**2, error, 2 * error),
            **more,
        )
        for seed, error in enumerate(errors)
    ]


@pytest.mark.parametrize(
    ("spec", "column", "metric"),
    [("marginals:1", "mean TV", "mean total variation"), ("where:a == 1", "mean error", "mean error")],
)
def test_a_system_is_ranked_by_the_T_of_its_smallest_mean_error(spec, column, metric):
    Q = parse_workload(spec, DOMAIN)
    worse, better, uniform = [0.3, 0.4], [0.1, 0.12], [0.2, 0.2]
    summary = summarize(
        B, Q, [*results("mwem", worse, T=2), *results("mwem", better, T=5), *results("uniform", uniform)]
    )
    sentences = verdict_sentences({"mwem": better, "uniform": uniform}, metric=metric)
    assert summary["verdict"] == [f"ε = 1: {' '.join(sentences)}"]
    assert [(row["system"], row["T"]) for row in summary["systems"]] == [("mwem", 2), ("mwem", 5), ("uniform", None)]
    assert f" {column} " in summary_text(summary, Q).splitlines()[1]


def test_a_problem_is_listed_once_however_many_seeds_have_it():
    Q = parse_workload("marginals:1", DOMAIN)
    failed = [
        Result(trial=Trial(system="aim", epsilon=1.0, seed=seed), workload="", n=50, domain_size=6, problem="no ε")
        for seed in range(3)
    ]
    summary = summarize(B, Q, [*failed, *results("uniform", [0.2, 0.2])])
    assert summary["problems"] == [{"system": "aim", "problem": "no ε"}]
    assert summary_text(summary, Q).count("\nAIM: no ε\n") == 1


def test_an_infinite_error_has_an_infinite_interval():
    Q = parse_workload("marginals:1", DOMAIN)
    (row,) = summarize(B, Q, results("uniform", [0.2, 0.2], relative_entropy=np.inf))["systems"]
    assert row["relative_entropy"] == {"mean": np.inf, "within": np.inf}
