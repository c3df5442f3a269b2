"""The benchmark on ranges: its tables, its errors, and the ratio to the best rival."""

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Seeded, parse_workload
from mwem_core.systems import SYSTEMS


@pytest.fixture
def ranges():
    import ranges

    return ranges


@pytest.fixture
def task(ranges):
    B = random_records(domain_of([24]), 300, np.random.default_rng(0))
    return ranges.Task("A small table", B, parse_workload("ranges:a:25", B.domain))


def test_errors_are_those_of_a_run_of_each_system_and_seed(ranges, task, monkeypatch):
    monkeypatch.setattr(ranges, "EPSILONS", (0.5,))
    results = ranges.run(task, seeds=2)
    assert set(results) == {(name, 0.5) for name in (ranges.OURS, *ranges.RIVALS)}
    for (name, epsilon), runs in results.items():
        for seed, errors in enumerate(runs):
            settings = SYSTEMS[name].settings(task.Q, n=300, epsilon=epsilon)
            *_, last = settings.rounds(task.B, task.Q, noise=Seeded(seed))
            gap = last.model.answers(task.Q) - task.Q.answers(task.B)
            assert errors == ranges.Errors(pytest.approx(np.abs(gap).mean()), pytest.approx(np.linalg.norm(gap) / 5))


def test_the_report_names_the_best_rival_and_counts_draws(ranges, task, monkeypatch):
    """At ε = 1 Automatic is 2 times, at ε = 2 1.05 times the best other."""
    monkeypatch.setattr(ranges, "EPSILONS", (1.0, 2.0))
    worst = [ranges.Errors(90.0, 120.0)] * 2
    results = {(name, epsilon): worst for name in (ranges.OURS, *ranges.RIVALS) for epsilon in (1.0, 2.0)}
    results["automatic", 1.0] = [ranges.Errors(10.0, 30.0), ranges.Errors(30.0, 50.0)]
    results["dawa", 1.0] = [ranges.Errors(5.0, 80.0), ranges.Errors(15.0, 80.0)]
    results["automatic", 2.0] = [ranges.Errors(21.0, 21.0)] * 2
    results["laplace-cells", 2.0] = [ranges.Errors(20.0, 28.0)] * 2
    assert ranges.best_rival(results, 1.0, "mean") == (2.0, "dawa")
    assert ranges.best_rival(results, 1.0, "rms") == (0.5, "dawa")
    text = ranges.report([(task, results)], seeds=2)
    text = " ".join(text.split())
    assert "in 1 of 2 settings. The geometric mean of the ratios is 1.45; they range from 1.05 to 2.00." in text
    assert "Ahead of it by more: `dawa` 1." in text
    assert "in 2 of 2 settings. The geometric mean of the ratios is 0.61; they range from 0.50 to 0.75." in text
    assert "| `automatic` | 20 (6.67%) | 21 (7.00%) |" in text
    assert "| ratio to the best other | **2.00** `dawa` | **1.05** `laplace-cells` |" in text


def test_the_tables_are_those_of_the_report_and_a_missing_one_is_named(ranges, tmp_path, capsys):
    tables = list(ranges.tasks(tmp_path, 10))
    assert "recency × frequency left out" in capsys.readouterr().err
    assert [(task.B.total, task.B.domain.size) for task in tables] == [
        (48_842, 4_357),
        (48_842, 74 * 99),
        (50_000, 2_048),
        (50_000, 2_048),
    ]
    assert all(task.Q.size == 10 for task in tables)
    smooth, sparse = (np.bincount(task.B.codes[0], minlength=2048) for task in tables[2:])
    assert np.count_nonzero(smooth) > 1_900
    assert np.count_nonzero(sparse) <= 40
    (tmp_path / "transfusion.csv").write_text("recency,frequency,donated\n2,50,1\n74,1,0\n")
    assert [task.B.domain.shape for task in ranges.tasks(tmp_path, 10)][2] == (75, 50)
