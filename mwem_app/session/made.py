"""What pages make of a public run, once for all visitors who see it. Nothing here knows Streamlit."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

MOST = 8  # of a kind, for visitors who look at different parts of the same run


class Made:
    """Values by their kind and key: each is made once, by who asks first; of a kind the `MOST` asked for last stay."""

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
                while len(of_kind) > MOST:
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
