"""Work on the bundled tables, which are public, and what pages make of it: all visitors share it.

Nothing here knows Streamlit.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from mwem_app.session.background import Background

W = TypeVar("W", bound=Background[Any])
MAX_VALUES = 8  # of a kind, for visitors who look at different parts of the same run


class SharedWork(Generic[W]):
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


class SharedValues:
    """Values by their kind and key: each is made once, by who asks first; of a kind the last `MAX_VALUES` stay."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[str, OrderedDict[Hashable, Future[Any]]] = {}

    def get(self, kind: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of `make`. Who asks while another makes it waits; if that fails, it is made again."""
        while True:
            with self._lock:
                of_kind = self._made.setdefault(kind, OrderedDict())
                value, new = of_kind.get(key), Future[Any]()
                of_kind[key] = value or new
                of_kind.move_to_end(key)
                while len(of_kind) > MAX_VALUES:
                    of_kind.popitem(last=False)
            if value is None:
                return self._make(of_kind, key, new, make)
            with suppress(CancelledError):
                return value.result()

    def _make(
        self, of_kind: OrderedDict[Hashable, Future[Any]], key: Hashable, new: Future[Any], make: Callable[[], Any]
    ) -> Any:
        try:
            new.set_result(make())
        except BaseException:  # Streamlit ends a script by exceptions too
            with self._lock:
                of_kind.pop(key, None)
            new.cancel()
            raise
        return new.result()


def bytes_held(thing: Any, counted: set[int]) -> int:
    """The bytes of the arrays that `thing` leads to, but for what has been `counted`, by identity.

    What it leads to is added to `counted`: keep the thing as long as that is used.
    """
    total, left = 0, [thing]
    while left:
        each = left.pop()
        if id(each) in counted or isinstance(each, type | ModuleType | FunctionType):
            continue
        counted.add(id(each))
        if isinstance(each, np.ndarray):
            total += each.nbytes if each.base is None else 0
            left.append(each.base)
        elif isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple | set | frozenset):
            left += each
        else:
            left += getattr(each, "__dict__", {}).values()
    return total
