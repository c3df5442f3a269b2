"""The table of relatives: means over seeds, refusals, time limits, and trials that are not repeated."""

import statistics
import time
from pathlib import Path

import pytest

from mwem_core.evaluation.metrics import Errors
from mwem_core.evaluation.trials import Result, Trial, run_trial
from mwem_core.evaluation.trials_file import from_csv
from mwem_core.systems import SYSTEMS

SEEDS = 3


@pytest.fixture
def relatives():
    import relatives

    return relatives


@pytest.fixture
def run_script(relatives, monkeypatch, tmp_path):
    """Run the script on czech in this process; returns the trials that it ran, the results and the tables."""
    ran = []

    def run_here(B, Q, trials, executor):
        for trial in trials:
            ran.append((Q.spec, trial))
            yield run_trial(B, Q, trial)

    monkeypatch.setattr(relatives, "run_trials", run_here)
    results, out = tmp_path / "relatives.csv", tmp_path / "RELATIVES.md"

    def run(*options):
        files = ["--results", str(results), "--out", str(out)]
        monkeypatch.setattr("sys.argv", ["relatives.py", "--tasks", "czech", "--seeds", str(SEEDS), *files, *options])
        ran.clear()
        relatives.main()
        return list(ran), from_csv(results.read_text(encoding="utf-8")), out.read_text(encoding="utf-8")

    return run


def test_errors_are_means_over_seeds_with_their_standard_error(run_script):
    ran, results, text = run_script("--systems", "laplace,uniform")
    assert len(ran) == len(results) == 2 * 2 * 2 * SEEDS  # workloads, systems, ε, seeds
    of_laplace = [
        r for r in results if (r.workload, r.trial.system, r.trial.epsilon) == ("marginals:2", "laplace", 1.0)
    ]
    errors = [r.answers.mean_tv for r in of_laplace]
    standard_error = statistics.stdev(errors) / SEEDS**0.5
    assert f"{statistics.fmean(errors):.4f} ± {standard_error:.4f}" in text
    assert text.count("\n## ") == 2
    assert text.count("\n| Laplace |") == text.count("\n| Uniform |") == 2


def test_boosting_is_compared_with_one_relaxed_projection_and_its_guarantee_with_n(run_script):
    _, results, text = run_script("--systems", "relaxed-projection,boosting", "--seeds", "1")
    worst = {(r.workload, r.trial.epsilon, r.trial.system): r.answers.max_error for r in results}
    ratios = [worst[q, e, "boosting"] / worst[q, e, s] for q, e, s in worst if s == "relaxed-projection"]
    assert f"In {sum(ratio > 1 for ratio in ratios)} of 4 settings its max is above that of one relaxed" in text
    assert f"it is {min(ratios):.2f} to {max(ratios):.2f} times as large." in text
    assert "above n in 4 of 4 settings" in text


def test_the_readme_and_the_systems_say_of_boosting_what_the_committed_trials_show(relatives):
    told = " ".join(relatives._boosting(from_csv((relatives.HERE / "relatives.csv").read_text(encoding="utf-8"))))
    assert "In 12 of 14 settings its max" in told
    assert "it is 0.73 to 2.57 times as large" in told
    assert "above n in 14 of 14 settings" in told
    readme = (relatives.HERE.parent / "docs" / "systems.md").read_text(encoding="utf-8").replace("\n", " ")
    assert "in 12 of 14 settings that error is above that of one relaxed projection, 0.73 to 2.57 times" in readme
    assert "in 12 of 14 settings, and its guarantee exceeds n in all of them" in SYSTEMS["boosting"].differs
    assert told.strip() in (relatives.HERE / "RELATIVES.md").read_text(encoding="utf-8")


def test_recorded_trials_are_repeated_only_if_requested(run_script):
    run_script("--systems", "uniform")
    ran, results, _ = run_script("--systems", "laplace,uniform")
    assert {trial.system for _, trial in ran} == {"laplace"}
    again, after, _ = run_script("--systems", "laplace", "--again")
    assert {trial for _, trial in again} == {trial for _, trial in ran}
    assert len(after) == len(results)


def test_a_system_that_cannot_run_is_tried_on_one_seed_and_its_reason_is_listed(run_script, relatives, monkeypatch):
    def refuse(B, Q, trial):
        fields = {"trial": trial, "workload": Q.spec, "n": B.total, "domain_size": Q.domain.size}
        return Result(**fields, problem="unfinished after 600 s")

    monkeypatch.setitem(globals(), "run_trial", refuse)
    ran, _, text = run_script("--systems", "weights")
    assert [trial.seed for _, trial in ran] == [0] * 4
    assert text.count("- Multiplicative weights, ε = 0.1 and 1: unfinished after 600 s.") == 2


def test_a_column_without_a_value_for_every_seed_is_left_out(relatives):
    errors = Errors(0.1, 0.1, 1.0, 0.25, 0.25)

    def result(seed, rows):
        trial = Trial(system="automatic", epsilon=1.0, seed=seed)
        return Result(trial=trial, workload="marginals:2", n=1841, domain_size=64, answers=errors, rows=rows)

    head, _, line = relatives._table([result(0, errors), result(1, None)]).splitlines()
    assert "ε = 1: mean TV" in head
    assert "rows" not in head
    assert line.startswith(f"| {SYSTEMS['automatic'].title} | ε | 2 | 0.2500 ± 0.0000 |")


def test_a_trial_ends_at_its_limit_and_the_next_one_runs(relatives):
    with relatives.Limited(1, 1.0) as executor:
        late = executor.submit(time.sleep, 60)
        with pytest.raises(ValueError, match=r"^unfinished after 1 s$"):
            late.result(30)
        assert executor.submit(divmod, 7, 2).result(30) == (3, 1)


def test_every_bundled_table_exists_and_has_its_number_of_records(relatives):
    for task in relatives.TASKS:
        assert task.schema.exists()
        if task.table.parent != Path():
            assert relatives._load(task.table, task.schema, task.names).total == task.n
