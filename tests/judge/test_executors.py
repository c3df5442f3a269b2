"""Executors give the results that threads give, also when a process is killed, and end when they are told to."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import pytest
from without_seconds import without_seconds

from mwem_core.judge import executors
from mwem_core.judge.executors import pool
from mwem_core.judge.trials import run_trials


@pytest.mark.slow
def test_processes_give_the_results_that_threads_give(B, Q, trials, results):
    with pool(2) as executor:
        assert without_seconds(run_trials(B, Q, trials, executor)) == without_seconds(results)


# A task for `exec`: it kills its own process, unless the file says that this has happened.
DIE_ONCE = "import os\nif not os.path.exists({0!r}):\n    open({0!r}, 'x').close()\n    os.kill(os.getpid(), 9)"


@pytest.mark.slow
def test_a_task_whose_process_is_killed_runs_again_and_no_other_task_is_affected(tmp_path, monkeypatch):
    monkeypatch.setattr("mwem_core.judge.executors.MAX_ATTEMPTS", 2)
    died = tmp_path / "died"
    with pool(2) as executor:
        doomed, unlucky = executor.submit(os._exit, 1), executor.submit(exec, DIE_ONCE.format(str(died)))
        others = [executor.submit(abs, -i) for i in range(20)]
        assert unlucky.result() is None
        assert died.exists()
        assert [future.result() for future in others] == list(range(20))
        message = "^it ran 2 times, and each time its process was killed: it may need more memory$"
        with pytest.raises(ValueError, match=message):
            doomed.result()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system must limit a process")
def test_a_task_that_needs_more_memory_than_its_process_may_fill_fails_alone():
    with pool(1, most_bytes=3 * 10**8) as executor:
        with pytest.raises(MemoryError):
            executor.submit(bytearray, 4 * 10**8).result()
        assert executor.submit(bytearray, 10**6).result() == bytearray(10**6)


def test_a_trial_that_does_not_fit_in_memory_says_so(B, Q, trials):
    def judge(B, Q, trial):
        raise MemoryError

    with ThreadPoolExecutor(1) as executor:
        (result,) = run_trials(B, Q, trials[:1], executor, judge=judge)
    assert result.problem == "it needs more memory than its process may fill"


def test_cancelling_terminates_running_tasks():
    executor = pool(1)
    running = executor.submit(time.sleep, 600)
    waiting = executor.submit(abs, -1)
    while not running.running():
        time.sleep(0.01)
    executor.shutdown(cancel_futures=True)
    assert waiting.cancelled()
    with pytest.raises(CancelledError):
        running.result()


@pytest.mark.slow
def test_processes_run_one_thread_of_linear_algebra_and_not_the_main_script(tmp_path):
    """A script without a guard would start itself over and over; under Streamlit it would be a page."""
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy\nfrom threadpoolctl import threadpool_info\nfrom mwem_core.judge.executors import pool\n"
        "print('once')\nwith pool(1) as executor:\n    executor.submit(numpy.linalg.norm, [1.0]).result()\n"
        "    print(*[library['num_threads'] for library in executor.submit(threadpool_info).result()])\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    env["PYTHONPATH"] = str(Path(__file__).parents[2])
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=env)
    assert (ended.stdout, ended.stderr) == ("once\n1\n", "")


def test_where_the_system_has_neither_priorities_nor_a_choice_of_processors_all_are_used(monkeypatch):
    """As on Windows, and on macOS the latter."""
    for name in ("nice", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    ignored = []
    monkeypatch.setattr(signal, "signal", lambda *handler: ignored.append(handler))
    executors._begin(None)
    assert ignored == [(signal.SIGINT, signal.SIG_IGN)]
    assert executors.processors() == os.cpu_count()
