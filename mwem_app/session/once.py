"""One result, computed on a thread of its own when it is its turn. Nothing here knows Streamlit."""

from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from mwem_app.session.background import Background
from mwem_app.session.turns import RUNS

T = TypeVar("T")


class Once(Background[T], Generic[T]):
    """Computes `make()`, for settings that `key` identifies. `result` is None until it is done."""

    def __init__(self, name: str, key: object, make: Callable[[], T]):
        self.key, self.result = key, None
        self._make = make
        super().__init__(name, RUNS)

    def _compute(self) -> Generator[T]:
        yield self._make()

    def _keep(self, result: T) -> None:
        self.result = result
