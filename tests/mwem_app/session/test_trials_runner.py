"""Trials on a thread of their own: run, stopped, failed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from trial_results import PAIRS, B, result

from mwem_app.session import trials_runner as session_trials
from mwem_app.session.trials_runner import TimeLeft, TrialsRunner, time_left, unfinished_trials
from mwem_core.judge import Trial, grid, run_trial

TRIALS = grid(["uniform"], [1.0], range(3))


def start(results=None) -> TrialsRunner:
    return TrialsRunner(B, PAIRS, TRIALS, {} if results is None else results, lambda: ThreadPoolExecutor(1))


def test_unfinished_trials_are_run_and_their_results_added_to_the_earlier_ones():
    first = run_trial(B, PAIRS, TRIALS[0])
    results = {TRIALS[0]: first}
    runner = start(results)
    runner.wait(30)
    assert (runner.status, runner.done, runner.problem) == ("done", 2, "")
    assert set(results) == set(TRIALS)
    assert results[TRIALS[0]] is first
    assert not any(result.problem for result in results.values())


def test_a_trial_with_a_problem_is_unfinished():
    results = {trial: replace(result(0.1), trial=trial) for trial in TRIALS[:2]}
    results[TRIALS[1]] = replace(results[TRIALS[1]], problem="it is too large")
    assert unfinished_trials(TRIALS, results) == list(TRIALS[1:])


def test_stopping_keeps_the_results_so_far_and_shuts_the_executor_down(monkeypatch):
    kept, stopped = threading.Event(), threading.Event()

    def two_results(*_):
        yield replace(result(0.1), trial=TRIALS[0])
        kept.set()  # the runner asks for a second result only after it has kept the first
        stopped.wait(5)
        yield replace(result(0.1), trial=TRIALS[1])

    executors = [ThreadPoolExecutor(1)]
    monkeypatch.setattr(session_trials, "run_trials", two_results)
    runner = TrialsRunner(B, PAIRS, TRIALS, {}, lambda: executors[0])
    assert kept.wait(5)
    runner.stop()
    assert runner.status == "stopped"
    stopped.set()
    runner.wait(5)
    assert (list(runner.results), runner.done) == ([TRIALS[0]], 1)
    with pytest.raises(RuntimeError, match="shutdown"):
        executors[0].submit(int)


def timed(seconds: float, **trial):
    return replace(result(0.1), trial=Trial(**trial), seconds=seconds)


def test_the_time_left_is_that_of_the_same_settings_at_other_seeds():
    first = [
        timed(0.9, system="mwem", epsilon=1.0, seed=0),
        timed(8.9, system="aim", epsilon=5.0, seed=0),
    ]
    waiting = [Trial(system=name, epsilon=e, seed=1) for name, e in (("mwem", 1.0), ("aim", 5.0))]
    assert time_left(first, waiting, elapsed=5.0) == TimeLeft(pytest.approx(5.0), lower_bound=False)  # two workers
    assert time_left(first, waiting[:1], elapsed=5.0) == TimeLeft(pytest.approx(0.5), lower_bound=False)


def test_the_time_left_is_a_lower_bound_until_every_setting_has_run_once():
    done = [timed(0.9, system="aim", epsilon=e, seed=0) for e in (0.1, 0.2)]
    waiting = [Trial(system="aim", epsilon=5.0, seed=0), Trial(system="mwem", epsilon=1.0, seed=0)]
    assert time_left(done, waiting, elapsed=2.0) == TimeLeft(pytest.approx(1.0), lower_bound=True)
    assert time_left([], waiting, elapsed=2.0) is None
