"""Seconds of a run by phase, taken from outside: the names that the loop calls are wrapped, the core is as it is."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mwem_core import MWEM, Records, Round, Seeded, Workload
from mwem_core.domain.source import Attrs
from mwem_core.mwem import mwem
from mwem_core.mwem.candidates import Candidates
from mwem_core.privacy.budget import Pure

IN_ROUNDS = ("score", "select", "measure", "update")


class Phases:
    """A running total for each phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timing(self, phase: str) -> Iterator[None]:
        """Add what passes here."""
        began = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - began

    def timed(self, phase: str, function: Callable) -> Callable:
        """The same function, with its time added."""

        def call(*given: Any, **named: Any) -> Any:
            with self.timing(phase):
                return function(*given, **named)

        return call

    def watch(self) -> None:
        """Time the loop's steps in this process from now on."""
        Candidates.scores = self.timed("score", Candidates.scores)
        Candidates.take = self.timed("measure", Candidates.take)
        Pure.measure = self.timed("measure", Pure.measure)
        mwem.Candidates = self.timed("count", Candidates)
        mwem.exponential = self.timed("select", mwem.exponential)
        mwem.replay = self.timed("update", mwem.replay)


def run(phases: Phases, settings: MWEM, B: Records, Q: Workload, *, seed: int) -> tuple[Round, list[Attrs]]:
    """The last round, and the attributes each has measured; what the named phases do not hold is `rest`.

    Rounds are let go as the next one comes, as in a run that keeps only its outcome.
    """
    phases.watch()
    before = sum(phases.seconds.values())
    began = time.perf_counter()
    asked = []
    for last in settings.rounds(B, Q, noise=Seeded(seed)):
        if last.measurement is not None:
            asked.append(last.measurement.attrs)
    phases.seconds["rest"] = time.perf_counter() - began - (sum(phases.seconds.values()) - before)
    return last, asked
