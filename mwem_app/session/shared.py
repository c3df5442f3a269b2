"""Work on the bundled tables, which are public, that all visitors of the server share. Nothing here knows Streamlit."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from mwem_app.session.background import Background

W = TypeVar("W", bound=Background[Any])


class Shared(Generic[W]):
    """Work by what it computes: who asks for work that is there gets it, under way or done.

    It is there as long as somebody looks at it. Beyond that the server keeps the work that was asked for last, whose
    `size`s add up to `most` or less. Work that it lets go goes on: stopped, it would be started again by each.
    """

    def __init__(self, *, size: Callable[[W], int], most: Callable[[], int]):
        self._size, self._most = size, most
        self._lock = threading.Lock()
        self._there = WeakValueDictionary[Hashable, W]()
        self._kept = OrderedDict[Hashable, W]()

    def get(self, key: Hashable) -> W | None:
        """The work with this key, unless it has failed or was stopped."""
        with self._lock:
            return self._get(key)

    def begin(self, key: Hashable, make: Callable[[], W]) -> W:
        """The work with this key; it is made where there is none, once for all who ask at the same time."""
        with self._lock:
            return self._get(key) or self._keep(key, make())

    def fit(self) -> None:
        """Let go of what is too much, once work has grown."""
        with self._lock:
            self._fit()

    def _get(self, key: Hashable) -> W | None:
        work = self._there.get(key)
        return None if work is None or work.status in ("failed", "stopped") else self._keep(key, work)

    def _keep(self, key: Hashable, work: W) -> W:
        self._there[key] = self._kept[key] = work
        self._kept.move_to_end(key)
        self._fit()
        return work

    def _fit(self) -> None:
        while sum(map(self._size, self._kept.values())) > self._most():
            self._kept.popitem(last=False)
