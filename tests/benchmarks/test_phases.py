"""Seconds of a run by phase."""

import time


def test_phases_add_up_to_the_run(monkeypatch):
    from phases import IN_ROUNDS, Phases, run

    from mwem_core import MWEM, mwem_by_rule
    from mwem_core.experiments.bits import independent
    from mwem_core.mwem.candidates import Candidates
    from mwem_core.privacy.accountant import Accountant
    from mwem_core.workload.families import parities

    for where, name in (
        *((Candidates, name) for name in ("scores", "take")),
        *((Accountant, name) for name in ("choose", "measure")),
        *((MWEM, name) for name in ("candidates_for", "updated")),
    ):
        monkeypatch.setattr(where, name, getattr(where, name))  # undo what `watch` wraps
    B = independent(500, 6, share=1 / 3, seed=0)
    Q = parities(B.domain, 2)
    phases, began = Phases(), time.perf_counter()
    last = run(phases, mwem_by_rule(Q, n=500, epsilon=1.0, T=3), B, Q, seed=1)
    took = time.perf_counter() - began
    assert last.index == 3
    assert set(phases.seconds) == {"count", *IN_ROUNDS, "rest"}
    assert all(seconds >= 0 for seconds in phases.seconds.values())
    assert 0.5 * took < sum(phases.seconds.values()) <= took
