"""The runs of a demonstration, on a thread of their own: systems at every ε of a slider, nearest to the slider first.

A track and its rounds are made with a fixed seed beside the truth: for exploring only. Nothing here knows Streamlit.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from mwem_app.session.background import Background
from mwem_app.session.demo import is_demo
from mwem_app.session.shared_work import SharedWork
from mwem_app.session.turns import RUNS
from mwem_core.algorithm import Round
from mwem_core.domain import Records
from mwem_core.stage import EPSILONS, Track, track
from mwem_core.workload import Workload

MAX_SHARED = 4  # grids of up to 0.2 GB each, kept for those who come later; a public demo keeps one


class Key(NamedTuple):
    """A system, and the place of its ε on the slider."""

    system: str
    at: int


class GridRun(NamedTuple):
    """A run: as the browser draws it, and its rounds, which answer questions."""

    track: Track
    rounds: list[Round]


class Grid(Background[tuple[Key, GridRun]]):
    """Runs each of the systems at each ε. `made` only grows. `near` is where the slider stands, and may be moved.

    A system that refuses the table is left out; `refused` says why, by its name.
    """

    def __init__(self, records: Records, workload: Workload, systems: Sequence[str], *, seed: int, near: int):
        self.records, self.workload, self.systems = records, workload, tuple(systems)
        self.seed, self.near = seed, near
        self.made: dict[Key, GridRun] = {}  # replaced, never changed: pages read it while runs end
        self.refused: dict[str, str] = {}
        super().__init__("demonstration", RUNS)

    def _next(self) -> Key | None:
        """The run that is nearest to the slider, of the first system first."""
        left = [Key(name, at) for name in self.systems if name not in self.refused for at in range(len(EPSILONS))]
        return min((key for key in left if key not in self.made), key=lambda key: abs(key.at - self.near), default=None)

    def _compute(self) -> Generator[tuple[Key, GridRun]]:
        while (key := self._next()) is not None:
            try:
                made = track(self.records, self.workload, key.system, EPSILONS[key.at], seed=self.seed)
            except ValueError as error:
                self.refused = {**self.refused, key.system: str(error)}
            else:
                yield key, GridRun(*made)

    def _keep(self, result: tuple[Key, GridRun]) -> None:
        key, made = result
        self.made = {**self.made, key: made}


GRIDS = SharedWork[Grid](size=lambda _: 1, most=lambda: 1 if is_demo() else MAX_SHARED)
