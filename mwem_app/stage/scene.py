"""What a tab demonstrates: a table, its queries and up to three systems, with all that was computed of them so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mwem_app.inputs import Data
from mwem_app.session import Grid, Key, check_memory
from mwem_app.stage.inquiries import Inquiry
from mwem_app.stage.runs_message import Question, System
from mwem_core.automatic import turn_of
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.stage import EPSILONS, Track, examples_of, stored_tracks, tables_of, truth_of
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload


@dataclass(eq=False)
class Scene:
    """A table, a workload and systems, the first of which leads.

    Raises ValueError where there is no table to draw, or where runs would take too much memory. `inquiry` is about the
    question that stands, or `refused` says why there is none.
    """

    data: Data
    workload: Workload
    systems: tuple[str, ...]
    grid: Grid | None = None
    inquiry: Inquiry | None = None
    refused: Question | None = None
    sent: set[Key] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_memory(self.workload, rounds=1)
        self.tables = tables_of(self.workload)
        self.stored = dict(_stored_runs(self))

    @cached_property
    def truth(self) -> np.ndarray:
        """The true cells of the tables, in tenths of a record. NOT PRIVATE."""
        return truth_of(self.data.records, self.workload)

    @cached_property
    def uniform(self) -> tuple[float, float]:
        """The max and the mean error of the uniform table, as shares of n. NOT PRIVATE."""
        Q, B = self.workload, self.data.records
        A = LogLinear.uniform(Q.domain.shape, B.total, Q.domain.possible)
        found = errors(Q, Q.answers(A), Q.answers(B), B.total)
        return found.max_error, found.mean_error

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """Questions inside the workload, next to it and far from it."""
        return examples_of(self.workload)

    def same_as(self, data: Data, workload: Workload, systems: tuple[str, ...]) -> bool:
        """Whether this is the scene of these."""
        own = self.data.source, self.workload.domain, self.workload.spec, self.systems
        return own == (data.source, workload.domain, workload.spec, systems)

    @property
    def public(self) -> bool:
        """Whether the table comes with the program: everybody sees the same runs of it."""
        return self.data.provenance == "built in"

    @property
    def total(self) -> int:
        """How many runs there are when all are done."""
        return len(self.systems) * len(EPSILONS)

    @property
    def tracks(self) -> dict[Key, Track]:
        """All runs that there are so far."""
        made = {key: each.track for key, each in self.grid.made.items()} if self.grid else {}
        return {**self.stored, **made}

    @property
    def question(self) -> Question | None:
        """The question that stands, with what is answered so far."""
        return self.inquiry.question(self.tracks) if self.inquiry else self.refused

    def working(self) -> bool:
        """Whether something is still to come. Takes over what has been answered since the last call."""
        answering = self.inquiry is not None and self.grid is not None and self.inquiry.go_on(self.grid)
        return answering or bool(self.grid and self.grid.active)

    def end(self) -> None:
        """Stop what is computed for this scene alone: others may be looking at the runs of a public table."""
        if self.grid and not self.public:
            self.grid.stop()


def _stored_runs(scene: Scene) -> Iterator[tuple[Key, Track]]:
    """The committed runs of a public table."""
    for name in scene.systems if scene.public else ():
        for epsilon, track in (stored_tracks(scene.data.records, scene.workload, name) or {}).items():
            yield Key(name, EPSILONS.index(epsilon)), track


def systems_of(scene: Scene) -> list[System]:
    """The systems by the titles that all pages have, and what each calls one of its rounds."""
    Q, n = scene.workload, scene.data.records.total
    made = {name: SYSTEMS[name].settings(Q, n=n, epsilon=1.0, delta=0.0) for name in scene.systems}
    return [System(name, SYSTEMS[name].title, turn_of(settings)) for name, settings in made.items()]


def nearest_place(epsilon: float) -> int:
    """The place on the slider of the ε nearest to this one, by its ratio."""
    return min(range(len(EPSILONS)), key=lambda i: max(EPSILONS[i] / epsilon, epsilon / EPSILONS[i]))
