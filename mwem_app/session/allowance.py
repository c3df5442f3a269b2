"""What a visitor of a public demo may start: CPU seconds in the last minutes, and a place in the line."""

import time
from collections.abc import Callable
from math import ceil

from mwem_app.session import demo
from mwem_app.session.background import Taken
from mwem_app.session.turns import RUNS, Turns


class Allowance:
    """The work that one visitor has started in the last minutes, and what it took so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self.started: list[tuple[float, Taken]] = []

    def add(self, taken: Taken) -> None:
        """Count a piece of work that starts now, by what it has taken so far."""
        self.started.append((self._clock(), taken))

    def refusal(self, line: Turns | None) -> str:
        """Why no work may start in this line now, in one sentence; empty if it may. None: it need not stand in one."""
        now = self._clock()
        self.started = [each for each in self.started if now - each[0] < 60 * demo.MINUTES]
        taken = [max(demo.SECONDS_OF_A_START, taken.seconds) for _, taken in self.started]
        if (spent := sum(taken)) >= demo.SECONDS:
            ends = next(i for i in range(len(taken)) if sum(taken[i + 1 :]) < demo.SECONDS)  # the last to be forgotten
            minutes = ceil((self.started[ends][0] - now) / 60 + demo.MINUTES)
            return (
                f"a visitor of this public demo may use {demo.SECONDS:.0f} seconds of computing in {demo.MINUTES}"
                f" minutes, and you have used {spent:.0f}: go on in {minutes} minute{'s' * (minutes > 1)}, or"
                f" {demo.ELSEWHERE}"
            )
        if line is None:
            return ""
        most, what = (demo.LINE, "runs") if line is RUNS else (demo.BATCHES, "batches of trials")
        if line.length >= most:
            return (
                f"{line.length} {what} are at work or wait in this public demo, which takes no more: try again in a"
                f" minute, or {demo.ELSEWHERE}"
            )
        return ""
