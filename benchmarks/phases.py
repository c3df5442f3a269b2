"""Seconds of a run by phase: the functions that the loop calls are wrapped from outside, the core is unchanged."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mwem_core import MWEM, Records, Round, Seeded, Workload
from mwem_core.algorithm import Spender
from mwem_core.mwem.candidates import Candidates
from mwem_core.privacy.accountant import Accountant

IN_ROUNDS = ("score", "select", "measure", "update")


class Phases:
    """The total seconds of each phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timing(self, phase: str) -> Iterator[None]:
        """Add the time of the block."""
        began = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - began

    def timed(self, phase: str, function: Callable) -> Callable:
        """The same function, which also adds its time."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.timing(phase):
                return function(*args, **kwargs)

        return call

    def watch(self) -> None:
        """Time the steps of every loop in this process from now on."""
        Candidates.scores = self.timed("score", Candidates.scores)
        Candidates.take = self.timed("measure", Candidates.take)
        Accountant.measure = self.timed("measure", Accountant.measure)
        Accountant.choose = self.timed("select", Accountant.choose)
        MWEM.candidates_for = self.timed("count", MWEM.candidates_for)
        MWEM.updated = self.timed("update", MWEM.updated)


def run(phases: Phases, settings: Spender, B: Records, Q: Workload, *, seed: int) -> Round:
    """Return the last round. Time outside of the named phases is `rest`.

    Only the last round is kept in memory, as in a run without a history.
    """
    phases.watch()
    before = sum(phases.seconds.values())
    began = time.perf_counter()
    last = deque(settings.rounds(B, Q, noise=Seeded(seed)), maxlen=1).pop()
    phases.seconds["rest"] = time.perf_counter() - began - (sum(phases.seconds.values()) - before)
    return last
