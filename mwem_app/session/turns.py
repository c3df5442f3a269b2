"""Who may compute when: turns in a line, first come, first served; in a public demo, an allowance for each visitor.

Work that takes long while others wait goes to the end of the line now and then, so that it holds nobody up. Nothing
here knows Streamlit.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from mwem_app.session import demo
from mwem_core.judge import processors

SECONDS = 10.0  # of a turn, if others wait


class Turns:
    """A line, in which the first `places` have their turn. All methods may be called from any thread."""

    def __init__(self, places: int, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic):
        self._places, self._seconds, self._clock = places, seconds, clock
        self._moved = threading.Condition()
        self._line: list[object] = []
        self._since: dict[object, float] = {}  # when the turn of each began

    @property
    def length(self) -> int:
        """How many are in the line, with those who have their turn."""
        return len(self._line)

    def join(self, who: object) -> bool:
        """Stand at the end of the line, unless in it already; returns whether it is `who`'s turn."""
        with self._moved:
            if who not in self._line:
                self._line.append(who)
            return self._begins(who)

    def before(self, who: object) -> int:
        """How many are before `who` in the line, of whom some have their turn; 0 if it is `who`'s turn."""
        with self._moved:
            i = self._line.index(who) if who in self._line else 0
            return 0 if i < self._places else i

    def wait(self, who: object, given_up: Callable[[], bool]) -> None:
        """Wait until it is `who`'s turn, or until it has given up, which it tells by `nudge`."""
        with self._moved:
            self._moved.wait_for(lambda: given_up() or self._begins(who))

    def nudge(self) -> None:
        """Let those who wait look whether they have given up."""
        with self._moved:
            self._moved.notify_all()

    def pass_on(self, who: object) -> bool:
        """Go to the end of the line, if others wait and the turn has lasted long enough; returns whether it did."""
        with self._moved:
            if len(self._line) <= self._places or self._clock() - self._since[who] < self._seconds:
                return False
            self._leave(who)
            self._line.append(who)
            return True

    def leave(self, who: object) -> None:
        """Leave the line: it is the turn of the next."""
        with self._moved:
            if who in self._line:
                self._leave(who)

    def _begins(self, who: object) -> bool:
        if who not in self._line[: self._places]:
            return False
        self._since.setdefault(who, self._clock())
        return True

    def _leave(self, who: object) -> None:
        self._line.remove(who)
        self._since.pop(who, None)
        self._moved.notify_all()


RUNS = Turns(processors())  # each computes in a thread
TRIALS = Turns(1)  # each batch fills all processors with processes of its own


@dataclass
class CpuTime:
    """CPU seconds that work has taken so far. Whoever counts them keeps this, and not the work with its results."""

    seconds: float = 0.0


class Allowance:
    """The work that one visitor has started in the last minutes, and what it took so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self.started: list[tuple[float, CpuTime]] = []

    def add(self, taken: CpuTime) -> None:
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
                f" {demo.OWN_MACHINE}"
            )
        if line is None:
            return ""
        most, what = (demo.LINE, "runs") if line is RUNS else (demo.BATCHES, "batches of trials")
        if line.length >= most:
            return (
                f"{line.length} {what} are at work or wait in this public demo, which takes no more: try again in a"
                f" minute, or {demo.OWN_MACHINE}"
            )
        return ""
