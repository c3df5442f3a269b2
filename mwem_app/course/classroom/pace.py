"""How often somebody may ask. Nothing here knows Streamlit."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_NAMES = 10_000


@dataclass
class Pace:
    """`burst` requests at once for each name, and `per_second` in the long run."""

    burst: int
    per_second: float
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _free_at: dict[str, float] = field(default_factory=dict)  # when a name has its whole burst again

    def allows(self, name: str) -> bool:
        """Whether a request of this name may go on now; one that may is counted."""
        with self._lock:
            now = self.clock()
            if len(self._free_at) >= MOST_NAMES:
                self._free_at = {each: free for each, free in self._free_at.items() if free > now}
            free = max(now, self._free_at.get(name, now)) + 1 / self.per_second
            if free > now + (self.burst + 0.5) / self.per_second:  # half a request for rounding
                return False
            self._free_at[name] = free
            return True

    def knows(self, name: str) -> bool:
        """Whether a request of this name was allowed, not so long ago that it is forgotten."""
        return name in self._free_at
