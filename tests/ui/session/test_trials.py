"""Trials on a thread of their own."""

from concurrent.futures import ThreadPoolExecutor

from trial_results import PAIRS, B

from mwem_core.evaluation.trials import grid, run_trial
from ui.session.trials import Sweep


def test_a_sweep_runs_what_is_left_and_adds_to_what_was_found():
    trials = grid(["uniform"], [1.0], range(3))
    found = {trials[0]: run_trial(B, PAIRS, trials[0])}
    run_now = Sweep(B, PAIRS, trials, found, lambda: ThreadPoolExecutor(1))
    run_now.wait(30)
    assert (run_now.status, run_now.done, set(found)) == ("done", 2, set(trials))
    assert all(not r.problem for r in found.values())
