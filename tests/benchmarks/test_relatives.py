"""The table of relatives: trials end at their limit, who cannot is asked once, figures are means over seeds."""

import statistics
import time
from pathlib import Path

import pytest

from mwem_core.evaluation.metrics import Errors
from mwem_core.evaluation.trials import Result, Trial, run_trial
from mwem_core.evaluation.trials_file import from_csv
from mwem_core.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
SEEDS = 3


@pytest.fixture
def relatives(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import relatives

    return relatives


@pytest.fixture
def told(relatives, monkeypatch, tmp_path):
    """Run the script on czech in this process; the trials it asked for and the files it wrote."""
    asked = []

    def run_here(B, Q, trials, executor):
        for trial in trials:
            asked.append((Q.spec, trial))
            yield run_trial(B, Q, trial)

    monkeypatch.setattr(relatives, "run_trials", run_here)
    results, out = tmp_path / "relatives.csv", tmp_path / "RELATIVES.md"

    def run(*words):
        files = ["--results", str(results), "--out", str(out)]
        monkeypatch.setattr("sys.argv", ["relatives.py", "--tasks", "czech", "--seeds", str(SEEDS), *files, *words])
        asked.clear()
        relatives.main()
        return list(asked), from_csv(results.read_text(encoding="utf-8")), out.read_text(encoding="utf-8")

    return run


def test_figures_are_means_over_seeds_with_their_standard_error(told):
    asked, results, text = told("--systems", "laplace,uniform")
    assert len(asked) == len(results) == 2 * 2 * 2 * SEEDS  # workloads, systems, ε, seeds
    some = [r for r in results if (r.workload, r.trial.system, r.trial.epsilon) == ("marginals:2", "laplace", 1.0)]
    found = [r.answers.mean_tv for r in some]
    spread = statistics.stdev(found) / SEEDS**0.5
    assert f"{statistics.fmean(found):.4f} ± {spread:.4f}" in text
    assert text.count("\n## ") == 2
    assert text.count("\n| Laplace |") == text.count("\n| Uniform |") == 2


def test_what_stands_is_not_run_again_unless_told(told):
    told("--systems", "uniform")
    asked, results, _ = told("--systems", "laplace,uniform")
    assert {trial.system for _, trial in asked} == {"laplace"}
    again, after, _ = told("--systems", "laplace", "--again")
    assert {trial for _, trial in again} == {trial for _, trial in asked}
    assert len(after) == len(results)


def test_who_cannot_is_asked_once_and_says_why(told, relatives, monkeypatch):
    def refuse(B, Q, trial):
        asks = {"trial": trial, "workload": Q.spec, "n": B.total, "domain_size": Q.domain.size}
        return Result(**asks, problem="unfinished after 600 s")

    monkeypatch.setitem(globals(), "run_trial", refuse)
    asked, _, text = told("--systems", "weights")
    assert [trial.seed for _, trial in asked] == [0] * 4
    assert text.count("- Multiplicative weights, ε = 0.1 and 1: unfinished after 600 s.") == 2


def test_a_column_that_is_not_of_all_seeds_stays_empty(relatives):
    errors = Errors(0.1, 0.1, 1.0, 0.25, 0.25)

    def result(seed, rows):
        trial = Trial(system="mwem", epsilon=1.0, seed=seed)
        return Result(trial=trial, workload="marginals:2", n=1841, domain_size=64, answers=errors, rows=rows)

    head, _, line = relatives._table([result(0, errors), result(1, None)]).splitlines()
    assert "ε = 1: mean TV" in head
    assert "rows" not in head
    assert line.startswith(f"| {SYSTEMS['mwem'].title} | ε | 2 | 0.2500 ± 0.0000 |")


def test_a_trial_ends_at_its_limit_and_the_next_one_runs(relatives):
    with relatives.Limited(1, 1.0) as executor:
        late = executor.submit(time.sleep, 60)
        with pytest.raises(ValueError, match=r"^unfinished after 1 s$"):
            late.result(30)
        assert executor.submit(divmod, 7, 2).result(30) == (3, 1)


def test_every_table_and_schema_that_is_bundled_is_there_and_has_its_records(relatives):
    for task in relatives.TASKS:
        assert task.schema.exists()
        if task.table.parent != Path():
            assert relatives._load(task.table, task.schema, task.names).total == task.n
