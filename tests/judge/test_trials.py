"""Every trial runs once, measures what a run by hand measures, and no failure costs another trial its result."""

import os
import time
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from without_seconds import without_seconds

from mwem_core import HistogramStart, Newest
from mwem_core.judge import executors
from mwem_core.judge.errors import errors, relative_entropy
from mwem_core.judge.trials import CHEAPEST_FIRST, Trial, cheapest_first, grid, run_system, run_trial, run_trials
from mwem_core.output import nearest_rows
from mwem_core.privacy import Seeded
from mwem_core.relatives import Uniform
from mwem_core.systems import SYSTEMS, System, system


class FirstOnly(Executor):
    """Runs the first task that is submitted; the others wait for ever."""

    def __init__(self):
        self.submitted, self.futures = [], []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.submitted.append(args[-1])
        self.futures.append(future)
        if len(self.futures) == 1:
            future.set_running_or_notify_cancel()
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_grid_crosses_everything_and_varies_T_only_for_systems_that_take_it():
    trials = grid(["mwem", "uniform"], [0.1, 1.0], range(3), delta=1e-9, Ts=[None, 5])
    assert len(trials) == len(set(trials)) == 2 * 3 * (2 + 1)
    assert {trial.T for trial in trials if trial.system == "uniform"} == {None}
    assert {trial.T for trial in trials if trial.system == "mwem"} == {None, 5}
    assert {trial.delta for trial in trials} == {1e-9}
    assert [trial.seed for trial in trials] == sorted(trial.seed for trial in trials)


def test_the_cheapest_system_runs_first_with_every_epsilon_of_the_first_seed():
    trials = cheapest_first(grid(["aim", "mwem", "uniform"], [1.0, 0.1], range(2)))
    order = [(trial.seed, trial.system, trial.epsilon) for trial in trials]
    one_seed = [(name, epsilon) for name in ("uniform", "mwem", "aim") for epsilon in (0.1, 1.0)]
    assert order == [(seed, *entry) for seed in (0, 1) for entry in one_seed]


def test_every_system_has_a_place_in_the_order():
    assert sorted(CHEAPEST_FIRST) == sorted(SYSTEMS)


def test_a_grid_has_no_repeats_and_no_unknown_system():
    assert grid(["uniform", "uniform"], [1.0, 1.0], [0, 0]) == (Trial(system="uniform", epsilon=1.0, seed=0),)
    with pytest.raises(ValueError, match="there is no system 'nwem': choose from automatic, "):
        grid(["nwem"], [1.0], [0])


def test_a_result_has_the_errors_of_a_run_by_hand(B, Q):
    result = run_trial(B, Q, Trial(system="mwem", epsilon=0.5, seed=3, T=4))
    settings = system("mwem").settings(Q, n=B.total, epsilon=0.5, T=4)
    *_, last = settings.rounds(B, Q, noise=Seeded(3))
    rows = nearest_rows(Q, last.model, B.total, np.random.default_rng(3))
    truth = Q.answers(B)
    assert result.answers == errors(Q, Q.answers(last.model), truth, B.total)
    assert result.rows == errors(Q, Q.answers(rows), truth, B.total)
    assert result.relative_entropy == relative_entropy(B, last.model)
    assert (result.rounds, result.delta, result.problem) == (4, 0.0, "")
    assert result.epsilon_spent == pytest.approx(0.5)
    assert (result.workload, result.n, result.domain_size) == ("marginals:2", 400, 72)


def test_seconds_are_cpu_time_of_the_rounds_alone(B, Q, monkeypatch):
    """Settings that take long to make, and rounds that sleep, add nothing; rounds that compute do."""
    settings, rounds = System.settings, Uniform.rounds

    def compute(seconds):
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass

    def slow_settings(self, *args, **kwargs):
        compute(0.2)
        return settings(self, *args, **kwargs)

    def slow_rounds(self, *args, **kwargs):
        compute(0.02)
        time.sleep(0.2)
        yield from rounds(self, *args, **kwargs)

    monkeypatch.setattr(System, "settings", slow_settings)
    monkeypatch.setattr(Uniform, "rounds", slow_rounds)
    trial = Trial(system="uniform", epsilon=1.0, seed=0)
    completed = run_system(B, Q, trial)
    assert 0.02 <= completed.seconds < 0.2
    assert completed.last.index == completed.settings.planned_rounds(B.total, Q)


def test_the_result_states_the_delta_that_the_system_ran_at(B, Q):
    assert run_trial(B, Q, Trial(system="mwem", epsilon=0.5, seed=3, delta=1e-6, T=3)).delta == 1e-6
    assert run_trial(B, Q, Trial(system="uniform", epsilon=0.5, seed=3, delta=1e-6)).delta == 0.0


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"epsilon": 0.0}, "epsilon must be a positive number, got 0.0"),
        ({"T": 7}, "rounds must be at most 6, the number of marginals, as none is asked twice; got 7"),
        ({"system": "nwem"}, "there is no system 'nwem': choose from automatic, "),
    ],
)
def test_a_refused_trial_states_its_problem_and_has_no_errors(B, Q, changed, problem):
    result = run_trial(B, Q, replace(Trial(system="mwem", epsilon=1.0, seed=0), **changed))
    assert result.problem.startswith(problem)
    assert (result.answers, result.rows, result.relative_entropy, result.seconds) == (None, None, None, 0.0)


def test_each_trial_runs_once(trials, results):
    assert Counter(result.trial for result in results) == Counter(trials)
    assert not any(result.problem for result in results)


def test_no_more_trials_are_submitted_than_the_limit(B, Q, monkeypatch):
    monkeypatch.setattr("mwem_core.judge.trials.MAX_SUBMITTED", 5)
    executor, trials = FirstOnly(), grid(["uniform"], [1.0], range(100))
    results = run_trials(B, Q, trials, executor)
    assert executor.submitted == []
    assert next(results).trial == trials[0]
    assert executor.submitted == list(trials[:5])


def test_closing_cancels_waiting_trials(B, Q):
    executor = FirstOnly()
    results = run_trials(B, Q, grid(["uniform"], [1.0], range(100)), executor)
    next(results)
    results.close()
    finished, *waiting = executor.futures
    assert finished.done()
    assert len(waiting) == 63
    assert all(future.cancelled() for future in waiting)


def test_the_executor_serves_new_trials_after_others_were_closed(B, Q, trials, results):
    with ThreadPoolExecutor(1) as executor:
        closed = run_trials(B, Q, grid(["weights"], [1.0], range(50)), executor)
        next(closed)
        closed.close()
        assert without_seconds(run_trials(B, Q, trials, executor)) == without_seconds(results)


def test_a_bug_in_one_system_leaves_the_results_of_the_others(B, Q, monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise TypeError("of ours")

    monkeypatch.setattr(Uniform, "rounds", broken)
    trials = grid(["uniform", "mwem"], [1.0], range(2))
    with ThreadPoolExecutor(1) as executor:
        problems = {result.trial: result.problem for result in run_trials(B, Q, trials, executor)}
    unexpected = "it failed unexpectedly with TypeError: see the log"
    assert problems == {trial: unexpected if trial.system == "uniform" else "" for trial in trials}
    (record,) = caplog.records  # once per system
    assert str(record.exc_info[1]) == "of ours"


def test_a_broken_process_pool_raises_a_sentence(B, Q):
    with ProcessPoolExecutor(1, executors._Spawn()) as executor:
        executor.submit(os._exit, 1)
        with pytest.raises(
            ValueError,
            match=r"^a worker process was killed, usually for lack of memory: run the remaining trials on fewer",
        ):
            list(run_trials(B, Q, grid(["uniform"], [1.0], range(3)), executor))


def test_changed_settings_replace_those_of_the_system_and_make_another_trial(B, Q):
    trial = Trial(system="mwem-paper", epsilon=1.0, seed=0, T=3)
    changed = {"update": "newest", "repeats": True, "start": "histogram", "start.share": 0.2}
    other = replace(trial, changed=tuple(changed.items()))
    settings = run_system(B, Q, other).settings
    expected = {"update": Newest(), "repeats": True, "start": HistogramStart(0.2)}
    assert settings == replace(run_system(B, Q, trial).settings, **expected)
    assert {trial, other, replace(other)} == {trial, other}
    assert "split must" in run_trial(B, Q, replace(trial, changed=(("split", 2),))).problem


def test_without_rows_the_answers_are_judged_alone(B, Q):
    trial = Trial(system="uniform", epsilon=1.0, seed=0)
    with_rows, without = run_trial(B, Q, trial), run_trial(B, Q, trial, rows=False)
    assert with_rows.rows
    assert without_seconds([without]) == without_seconds([replace(with_rows, rows=None)])
