"""A run that would take too much is refused before it starts; one that goes over a limit keeps its rounds."""

import math
import os
from dataclasses import replace

import pytest
from bundled_tasks import bundled_task

from mwem_app.session import background, work_limits
from mwem_app.session.runner import BYTES_BESIDE_STEPS, Runner
from mwem_app.session.steps import Plan
from mwem_core import MWEM, Domain, parse_workload


def plan(**settings) -> Plan:
    records, workload = bundled_task("Czech")
    mwem = MWEM(epsilon=1.0, **settings)
    return Plan(records=records, workload=workload, settings=mwem, system="", seed=1, source="t", table="t.csv")


def test_a_run_that_would_not_fit_is_refused_in_one_sentence():
    wide = Domain.from_toml("".join(f'[[attribute]]\nname = "a{i}"\nrange = [0, 99]\n' for i in range(9)))
    workload = parse_workload("marginals:3", wide)
    message = (
        r"^a run of this workload takes about 8\.1 GB of memory, and a session of this server may take 2 GB: lower k,"
    )
    with pytest.raises(ValueError, match=message):
        replace(plan(T=2), workload=workload)
    assert work_limits.bytes_of_run(workload, rounds=2) == pytest.approx(8 * 2 * 6 * 84e6, rel=0.01)


@pytest.mark.parametrize(
    ("free", "most", "reason"),
    [
        (1e6, {}, "the server is short of memory"),
        (math.inf, {"MAX_MINUTES": 0}, "0 minutes"),
        (math.inf, {"MAX_BYTES": 2 * BYTES_BESIDE_STEPS}, "its rounds take 8 MB of memory"),
    ],
)
def test_a_run_over_a_limit_is_stopped_and_keeps_what_it_has(monkeypatch, free, most, reason):
    settings = plan(T=9)
    for name, value in most.items():
        monkeypatch.setattr(work_limits, name, value)
    calls = []

    def excess(seconds: float, held: int) -> str:
        calls.append(seconds)
        monkeypatch.setattr(work_limits, "free_bytes", lambda: free)
        return work_limits.excess(seconds, held) if len(calls) > 2 else ""

    monkeypatch.setattr(background, "excess", excess)
    run = Runner(settings)
    run.wait(10)
    assert run.status == "stopped"
    assert run.problem.startswith("it was stopped ")
    assert reason in run.problem
    assert len(run.steps) == 3
    assert len(run.as_run().rounds) == 3


def test_the_free_memory_is_what_the_machine_and_the_container_leave(tmp_path, monkeypatch):
    if os.path.exists("/proc/meminfo"):
        assert 0 < work_limits.free_bytes() < 2**50
    for name, text in {
        "SYSTEM": "MemFree: 1 kB\nMemAvailable: 8 kB\n",
        "LIMIT": "10000\n",
        "USAGE": "anon 9000\n",
    }.items():
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(work_limits, name, tmp_path / name)
    assert work_limits.free_bytes() == 1000
    (tmp_path / "LIMIT").write_text("max\n")
    assert work_limits.free_bytes() == 8192
    for name in ("SYSTEM", "LIMIT"):
        (tmp_path / name).unlink()
    assert work_limits.free_bytes() == math.inf
    assert work_limits.excess(1.0) == ""
