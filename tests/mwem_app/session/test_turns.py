"""Turns: first come, first served; nobody who waits is held up by work that takes long."""

import threading
import time
from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
from trial_results import PAIRS, B

from mwem_app.base import queue_in_words
from mwem_app.session import trials_runner as trials
from mwem_app.session.background import Background
from mwem_app.session.trials_runner import TrialsRunner
from mwem_app.session.turns import Turns
from mwem_core.judge import grid

PATIENCE = 20.0  # seconds


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Work(Background[int]):
    """Computes numbers, and notes in a log that all work shares when it computes each."""

    def __init__(self, turns: Turns, name: str, log: list[str], results: int = 1, gate: threading.Event | None = None):
        self.name, self.log, self.results, self.kept, self.gate = name, log, results, list[int](), gate
        super().__init__(name, turns)

    def _compute(self) -> Generator[int]:
        for i in range(self.results):
            self.log.append(f"+{self.name}")
            if self.gate is not None:
                assert self.gate.wait(PATIENCE)
            time.sleep(0.002)
            self.log.append(f"-{self.name}")
            yield i

    def _keep(self, result: int) -> None:
        self.kept.append(result)


def most_at_once(log: list[str]) -> int:
    changes = [1 if entry[0] == "+" else -1 for entry in log]
    return max(sum(changes[: i + 1]) for i in range(len(changes)))


def begun(log: list[str]) -> list[str]:
    return list(dict.fromkeys(entry[1:] for entry in log))


def finish(*work: Background) -> None:
    for each in work:
        each.wait(PATIENCE)
        assert each.status == "done", each.problem


def test_the_first_places_have_their_turn_and_the_others_know_how_many_are_before_them():
    turns = Turns(2)
    assert [turns.join(name) for name in "abcde"] == [True, True, False, False, False]
    assert not turns.join("c")  # it stays where it is
    assert [turns.before(name) for name in "abcde"] == [0, 0, 2, 3, 4]
    for name in "add":
        turns.leave(name)
    assert [turns.join("c"), turns.before("e")] == [True, 2]
    assert queue_in_words(2) == "2 runs are before yours."
    assert queue_in_words(1, "batch") == "1 batch is before yours."


def test_a_turn_is_passed_on_only_after_its_time_and_only_if_others_wait():
    clock = Clock()
    turns = Turns(1, seconds=10, clock=clock)
    turns.join("a")
    clock.now = 100.0
    assert not turns.pass_on("a")  # nobody waits
    turns.join("b")
    assert turns.pass_on("a")
    assert turns.join("b")
    assert turns.before("a") == 1
    clock.now = 109.0
    assert not turns.pass_on("b")
    clock.now = 110.0
    assert turns.pass_on("b")


def test_thirty_at_once_all_finish_two_at_a_time_in_the_order_they_came():
    turns, log, gate = Turns(2), list[str](), threading.Event()
    work = [Work(turns, f"{i}", log, results=3, gate=gate) for i in range(30)]
    assert [each.status for each in work] == ["running"] * 2 + ["waiting"] * 28
    assert [each.before for each in work] == [0, 0, *range(2, 30)]
    gate.set()
    finish(*work)
    assert all(each.kept == [0, 1, 2] for each in work)
    assert most_at_once(log) == 2
    names = begun(log)
    assert all(abs(names.index(f"{i}") - i) <= 1 for i in range(30))  # two that begin at once may swap


def test_short_work_does_not_wait_for_long_work_to_end():
    turns, log = Turns(1, seconds=0.0), list[str]()
    long, short = Work(turns, "long", log, results=200), Work(turns, "short", log, results=2)
    short.wait(PATIENCE)
    assert short.status == "done"
    assert len(long.kept) < 150
    finish(long)
    assert long.kept == list(range(200))
    assert most_at_once(log) == 1


def test_who_stops_while_waiting_never_computes_and_holds_nobody_up():
    turns, log, gate = Turns(1), list[str](), threading.Event()
    first, second, third = (Work(turns, name, log, gate=gate) for name in "abc")
    second.stop()
    second.wait(PATIENCE)
    assert (second.status, second.kept, third.before) == ("stopped", [], 1)
    gate.set()
    finish(first, third)
    assert begun(log) == ["a", "c"]


def test_a_pause_gives_the_turn_to_others_and_resuming_waits_for_it_again():
    turns, log, gate, other_gate = Turns(1), list[str](), threading.Event(), threading.Event()
    paused = Work(turns, "a", log, results=2, gate=gate)
    other = Work(turns, "b", log, gate=other_gate)
    paused.pause()
    gate.set()
    while "+b" not in log:
        time.sleep(0.001)
    paused.resume()
    assert (paused.status, paused.before, paused.kept) == ("waiting", 1, [0])
    other_gate.set()
    finish(paused, other)
    assert begun(log) == ["a", "b"]


def test_work_that_fails_leaves_the_line():
    turns, log = Turns(1), list[str]()

    class Fails(Work):
        def _keep(self, result: int) -> None:
            raise ValueError("no")

    failing, after = Fails(turns, "a", log), Work(turns, "b", log)
    finish(after)
    failing.wait(PATIENCE)
    assert (failing.status, failing.problem) == ("failed", "no")


def test_work_without_a_thread_fails_and_leaves_the_line(monkeypatch):
    turns, log, full = Turns(1), list[str](), RuntimeError("can't start new thread")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", lambda _: (_ for _ in ()).throw(full))
        failing = Work(turns, "a", log)
    assert (failing.status, failing.problem) == ("failed", "the server has too much to do: try again later")
    finish(Work(turns, "b", log))


@pytest.mark.slow
def test_batches_of_trials_take_turns_and_every_trial_runs_to_its_end_once(monkeypatch):
    monkeypatch.setattr(trials, "TRIALS", Turns(1, seconds=0.0))
    open_now, most = set[Executor](), [0]

    class Watched(ThreadPoolExecutor):
        def __init__(self):
            super().__init__(1)
            open_now.add(self)
            most[0] = max(most[0], len(open_now))

        def shutdown(self, wait=True, *, cancel_futures=False):
            open_now.discard(self)
            super().shutdown(wait, cancel_futures=cancel_futures)

    todo = [grid(["uniform"], [1.0], range(start, start + 8)) for start in (0, 8, 16)]
    results = [{} for _ in todo]
    batches = [TrialsRunner(B, PAIRS, own, kept, Watched) for own, kept in zip(todo, results, strict=True)]
    finish(*batches)
    assert [set(kept) for kept in results] == [set(own) for own in todo]
    assert [batch.done for batch in batches] == [8, 8, 8]
    assert (most, open_now) == ([1], set())
