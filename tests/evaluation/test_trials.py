"""Trials: each done once, wherever they run, whoever is killed; and a file of them that can be gone on with."""

import importlib
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core.evaluation import executors, trials
from mwem_core.evaluation.executors import cluster, pool
from mwem_core.evaluation.metrics import Errors, errors
from mwem_core.evaluation.trials import Result, Trial, grid, run_trial, run_trials
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.privacy.noise import Seeded
from mwem_core.release.synthesis import rounded
from mwem_core.systems import system
from mwem_core.workload import families

FAST = ("mwem", "uniform", "weights")  # what is fast, private or not


@pytest.fixture(scope="module")
def B():
    return random_records(domain_of([3, 4, 2, 3]), 400, np.random.default_rng(0))


@pytest.fixture(scope="module")
def Q(B):
    return families.marginals(B.domain, 2)


def timeless(results):
    """By trial, without the seconds: all that is left is a function of the seed."""
    return {result.trial: replace(result, seconds=0.0) for result in results}


class Here(Executor):
    """Runs a task when its result is asked for, and counts what was handed out."""

    def __init__(self):
        self.handed, self.futures = [], []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.handed.append(args[-1])
        self.futures.append(future)
        if len(self.futures) == 1:  # the others wait for ever
            future.set_running_or_notify_cancel()
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_grid_crosses_everything_and_gives_rounds_only_to_what_takes_them():
    trials = grid(["mwem", "uniform"], [0.1, 1.0], range(3), delta=1e-9, Ts=[None, 5])
    assert len(trials) == len(set(trials)) == 2 * 3 * (2 + 1)
    assert {trial.T for trial in trials if trial.system == "uniform"} == {None}
    assert {trial.delta for trial in trials} == {1e-9}
    assert [trial.seed for trial in trials] == sorted(trial.seed for trial in trials)


def test_a_grid_asks_nothing_twice_and_knows_its_systems():
    assert len(grid(["uniform", "uniform"], [1.0, 1.0], [0, 0])) == 1
    with pytest.raises(ValueError, match="there is no system 'nwem': choose from mwem, "):
        grid(["nwem"], [1.0], [0])


def test_a_result_is_what_a_run_by_hand_gives(B, Q):
    result = run_trial(B, Q, Trial(system="mwem", epsilon=0.5, seed=3, T=4))
    settings = system("mwem").settings(Q, n=B.total, epsilon=0.5, T=4)
    *_, last = settings.rounds(B, Q, noise=Seeded(3))
    rows = rounded(B.domain, last.model, B.total, np.random.default_rng(3))
    truth = Q.answers(B)
    assert result.answers == errors(Q, Q.answers(last.model), truth, B.total)
    assert result.rows == errors(Q, Q.answers(rows), truth, B.total)
    assert (result.rounds, result.delta) == (4, 0.0)
    assert result.epsilon_spent == pytest.approx(0.5)
    assert result.seconds > 0
    assert (result.workload, result.n, result.domain_size) == ("marginals:2", 400, 72)


def test_the_delta_it_ran_at_is_told(B, Q):
    assert run_trial(B, Q, Trial(system="mwem", epsilon=0.5, seed=3, delta=1e-6)).delta == 1e-6
    assert run_trial(B, Q, Trial(system="uniform", epsilon=0.5, seed=3, delta=1e-6)).delta == 0.0


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"epsilon": 0.0}, "epsilon must be a positive number, got 0.0"),
        ({"T": 7}, "rounds must be at most 6, the number of marginals, as none is asked twice; got 7"),
        ({"system": "nwem"}, "there is no system 'nwem'"),
    ],
)
def test_what_is_refused_becomes_a_problem_in_a_sentence(B, Q, changed, problem):
    result = run_trial(B, Q, replace(Trial(system="mwem", epsilon=1.0, seed=0), **changed))
    assert result.problem.startswith(problem)
    assert (result.answers, result.rows, result.relative_entropy, result.seconds) == (None, None, None, 0.0)


@pytest.fixture(scope="module")
def asked():
    return grid(FAST, [0.1, 1.0], range(2), Ts=[3, 5])


@pytest.fixture(scope="module")
def done(B, Q, asked):
    with ThreadPoolExecutor(2) as executor:
        return list(run_trials(B, Q, asked, executor))


def test_each_trial_is_done_once(asked, done):
    assert Counter(result.trial for result in done) == Counter(asked)
    assert not any(result.problem for result in done)


def test_processes_find_what_threads_find(B, Q, asked, done):
    with pool(2) as executor:
        assert timeless(run_trials(B, Q, asked, executor)) == timeless(done)


def test_no_more_are_handed_out_than_may_be_in_flight(B, Q, monkeypatch):
    monkeypatch.setattr(trials, "IN_FLIGHT", 5)
    executor, many = Here(), grid(["uniform"], [1.0], range(100))
    results = run_trials(B, Q, many, executor)
    assert executor.handed == []
    assert next(results).trial == many[0]
    assert executor.handed == list(many[:5])


def test_closing_cancels_what_has_not_begun(B, Q):
    executor = Here()
    results = run_trials(B, Q, grid(["uniform"], [1.0], range(100)), executor)
    next(results)
    results.close()
    begun, *waiting = executor.futures
    assert begun.done()
    assert all(future.cancelled() for future in waiting)


def test_a_closed_sweep_leaves_the_executor_to_the_next(B, Q, asked, done):
    with ThreadPoolExecutor(1) as executor:
        results = run_trials(B, Q, grid(["weights"], [1.0], range(50)), executor)
        next(results)
        results.close()
        assert timeless(run_trials(B, Q, asked, executor)) == timeless(done)


AWKWARD = Errors(0.1 + 0.2, 1e-300, 1 / 3, None, math.inf)


def test_a_file_of_trials_and_its_reading_are_inverse(done):
    trial = Trial(system="mwem", epsilon=1.0, seed=0, T=10**6)
    about = {"workload": 'where:sex == "F"; x < 2', "n": 5, "domain_size": 2**1000}
    every = [
        *done,
        Result(trial=trial, **about, problem='it says "no, never";\nin two lines, ünd so'),
        Result(trial=trial, **about, answers=AWKWARD, epsilon_spent=math.inf, relative_entropy=math.inf),
    ]
    assert from_csv(to_csv(every)) == every
    assert to_csv(from_csv(to_csv(every))) == to_csv(every)


def test_going_on_from_a_file_repeats_nothing(B, Q, asked, done):
    text = to_csv(done[:7])
    before = {result.trial for result in from_csv(text)}
    with ThreadPoolExecutor(1) as executor:
        after = list(run_trials(B, Q, [trial for trial in asked if trial not in before], executor))
    assert timeless([*from_csv(text), *after]) == timeless(done)
    assert len(after) == len(asked) - 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no file of trials: its first line must name 24 columns, system,epsilon,"),
        ("a,b\n1,2\n", "this is no file of trials"),
        ("{header}mwem,much,0,,0\n", "line 2 of the trials cannot be read: take it out"),
        ("{header}mwem,1\n", "line 2 of the trials cannot be read"),
        ("{header}" + "x," * 50 + "\n", "line 2 of the trials cannot be read"),
    ],
)
def test_another_file_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        from_csv(text.format(header=to_csv([])))


def test_a_bug_in_one_system_leaves_the_others_their_results(B, Q, monkeypatch, caplog):
    def broken(*given, **named):
        raise TypeError("of ours")

    monkeypatch.setattr(importlib.import_module("mwem_core.relatives.uniform").Uniform, "rounds", broken)
    with ThreadPoolExecutor(1) as executor:
        found = {r.trial.system: r for r in run_trials(B, Q, grid(["uniform", "mwem"], [1.0], [0]), executor)}
    assert found["uniform"].problem == "it failed unexpectedly, by TypeError: the log has the details"
    assert not found["mwem"].problem
    assert "of ours" in caplog.text


# a task for `exec`: kills its own process, unless the file says that this has happened
DIE_ONCE = "import os\nif not os.path.exists({0!r}):\n    open({0!r}, 'x').close()\n    os.kill(os.getpid(), 9)"


def test_a_killed_process_costs_its_own_task_another_try_and_the_rest_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "ATTEMPTS", 2)
    died = tmp_path / "died"
    with pool(2) as executor:
        doomed, unlucky = executor.submit(os._exit, 1), executor.submit(exec, DIE_ONCE.format(str(died)))
        others = [executor.submit(abs, -i) for i in range(20)]
        assert unlucky.result() is None
        assert died.exists()
        assert [future.result() for future in others] == list(range(20))
        with pytest.raises(ValueError, match="it was tried 2 times and its process killed"):
            doomed.result()


def test_a_pool_that_cannot_mend_itself_is_told_in_a_sentence(B, Q):
    with ProcessPoolExecutor(1, executors._Spawn()) as executor:
        executor.submit(os._exit, 1)
        with pytest.raises(ValueError, match="a worker process was killed, most often for want of memory"):
            list(run_trials(B, Q, grid(["uniform"], [1.0], range(3)), executor))


def test_cancelling_ends_what_is_running():
    executor = pool(1)
    running = executor.submit(time.sleep, 600)
    waiting = executor.submit(abs, -1)
    while not running.running():
        time.sleep(0.01)
    executor.shutdown(cancel_futures=True)
    assert waiting.cancelled()
    with pytest.raises(CancelledError):
        running.result()


def test_processes_have_one_thread_of_linear_algebra_and_do_not_run_the_main_script_again(tmp_path):
    """A script without a guard would start itself over and over; under Streamlit it would be a page."""
    script = tmp_path / "script.py"
    script.write_text(
        "from subprocess import check_output\nfrom mwem_core.evaluation.executors import pool\nprint('once')\n"
        "with pool(1) as executor:\n"
        "    print(executor.submit(check_output, ['printenv', 'OPENBLAS_NUM_THREADS'], text=True).result())\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    env["PYTHONPATH"] = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=env)
    assert (done.stdout, done.stderr) == ("once\n1\n\n", "")


@pytest.fixture(scope="module")
def scheduler():
    """A real one, with two workers in processes of their own."""
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        yield local.scheduler_address


def test_a_cluster_does_every_trial_once_though_a_worker_is_killed_in_mid_sweep(B, Q, asked, done, scheduler):
    many = (*asked, *grid(["mwem"], [0.5], range(40)))
    with cluster(scheduler) as executor:
        before = executor._client.run(os.getpid).values()
        results = []
        for result in run_trials(B, Q, many, executor):
            results.append(result)
            if len(results) == 5:
                os.kill(min(before), signal.SIGKILL)
        assert min(before) not in executor._client.run(os.getpid).values()
    assert Counter(result.trial for result in results) == Counter(many)
    assert timeless(r for r in results if r.trial in asked) == timeless(done)
    assert not any(result.problem for result in results)


def test_a_cluster_that_is_not_there_is_told_in_a_sentence(monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    monkeypatch.setattr(executors, "PATIENCE", 0.5)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        cluster("tcp://127.0.0.1:9")
