"""The setting of a public demo, and what its limits leave a visitor."""

import subprocess
import sys

import pytest
from runs import SAMPLES

from mwem_app.session import demo, work_limits
from mwem_app.session.tab import TabStore
from mwem_app.session.turns import RUNS, Allowance, CpuTime
from mwem_core import Domain, parse_workload


@pytest.mark.parametrize(("value", "is_one"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_only_nothing_and_zero_leave_a_server_open(value, is_one, monkeypatch):
    monkeypatch.delenv(demo.SETTING, raising=False)
    if value is not None:
        monkeypatch.setenv(demo.SETTING, value)
    assert demo.is_demo() is is_one


def test_the_limits_are_what_the_memory_and_the_processors_of_a_demo_have():
    in_the_last_minutes = demo.VISITORS * (demo.SECONDS + demo.SECONDS_OF_WORK)
    assert in_the_last_minutes <= 0.9 * 2 * 60 * demo.MINUTES
    program, worker, run = 0.3e9, demo.WORKER_BYTES - 0.1e9, 8e6
    assert program + worker + work_limits.RESERVE_BYTES + demo.VISITORS * run <= demo.BYTES


@pytest.fixture
def clock():
    return [0.0]


def test_an_allowance_counts_what_was_started_in_the_last_minutes_as_it_grows(clock):
    allowance, taken = Allowance(lambda: clock[0]), CpuTime(1.0)
    assert allowance.refusal(RUNS) == ""
    allowance.add(taken)
    allowance.add(CpuTime())  # counts as half a second
    taken.seconds = 19.4
    assert allowance.refusal(RUNS) == ""
    taken.seconds = 19.5
    assert allowance.refusal(RUNS) == (
        "a visitor of this public demo may use 20 seconds of computing in 10 minutes, and you have used 20: go on in 10"
        " minutes, or run the command mwem app on a machine of your own, which has no such limit"
    )
    clock[0] = 599.0
    assert "go on in 1 minute, or" in allowance.refusal(RUNS)
    clock[0] = 600.0
    assert allowance.refusal(RUNS) == ""


def test_the_minutes_are_until_enough_is_forgotten(clock):
    allowance = Allowance(lambda: clock[0])
    for start, seconds in ((0.0, 5.0), (120.0, 10.0), (180.0, 12.0)):
        clock[0] = start
        allowance.add(CpuTime(seconds))
    assert "you have used 27: go on in 9 minutes" in allowance.refusal(RUNS)  # the one of 10 seconds goes too
    clock[0] = 719.0
    assert "you have used 22: go on in 1 minute," in allowance.refusal(RUNS)
    clock[0] = 720.0
    assert allowance.refusal(RUNS) == ""


def test_work_ends_sooner_and_what_a_tab_made_is_forgotten_sooner(monkeypatch, clock):
    kept = TabStore(lambda: clock[0])
    assert work_limits.excess(demo.SECONDS_OF_WORK + 1) == ""
    monkeypatch.setenv(demo.SETTING, "1")
    monkeypatch.setattr(work_limits, "free_bytes", lambda: 1e9)
    assert work_limits.excess(demo.SECONDS_OF_WORK) == ""
    assert work_limits.excess(demo.SECONDS_OF_WORK + 1).startswith(
        "it was stopped after 15 seconds of computing, the most for a piece of work in this public demo; what was"
    )
    kept.put("token", {})
    clock[0] = 60 * demo.KEPT_MINUTES - 1
    assert kept.take("token") == {}
    clock[0] += 1
    assert kept.take("token") is None


def test_a_demo_has_a_gigabyte_at_most_wherever_it_runs(monkeypatch, tmp_path):
    outside = work_limits.free_bytes()
    monkeypatch.setenv(demo.SETTING, "1")
    monkeypatch.setattr(work_limits, "OWN", tmp_path)
    tasks = tmp_path / "task" / "1"
    tasks.mkdir(parents=True)
    (tasks / "children").write_text("0 999999999\n")  # which have ended
    (tmp_path / "status").write_text("RssAnon: 100000 kB\n")
    assert work_limits.free_bytes() == min(outside, demo.BYTES - 102_400_000)
    assert not work_limits.is_full()
    (tmp_path / "status").write_text("RssAnon: 800000 kB\n")
    assert work_limits.is_full()
    monkeypatch.delenv(demo.SETTING)
    assert not work_limits.is_full()


def test_the_memory_of_a_worker_counts(monkeypatch):
    before = work_limits._own_bytes()
    script = "x = bytearray(60 * 10**6); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1) as worker:
        assert worker.stdout
        worker.stdout.readline()
        assert work_limits._own_bytes() - before > 50 * 10**6
        worker.communicate(b"\n")


def test_a_demo_takes_pairs_of_all_of_the_largest_bundled_table_and_no_triples(monkeypatch):
    monkeypatch.setenv(demo.SETTING, "1")
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text("utf-8"))
    work_limits.check_memory(parse_workload("marginals:2", domain), rounds=37)  # as many as MWEM takes
    with pytest.raises(ValueError, match=r"takes about 60 MB of memory, and in this public demo it may take 6 MB"):
        work_limits.check_memory(parse_workload("marginals:3", domain), rounds=1)
