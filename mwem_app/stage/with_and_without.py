"""Releases with and without one person, made in the background at the ε of the slider."""

from collections.abc import Generator

from mwem_app.session import RUNS, Background
from mwem_core.stage import EPSILONS, Person, releases
from mwem_core.workload import Workload


class WithAndWithout(Background[tuple[float, float]]):
    """For each of 100 seeds, what a release with a person says, and what one without. Both lists only grow."""

    def __init__(self, person: Person, workload: Workload, system: str, at: int):
        self.person, self.workload, self.system, self.at = person, workload, system, at
        self.present: list[float] = []
        self.absent: list[float] = []
        super().__init__("one person", RUNS)

    def _compute(self) -> Generator[tuple[float, float]]:
        yield from releases(self.person, self.workload, self.system, EPSILONS[self.at])

    def _keep(self, result: tuple[float, float]) -> None:
        self.present.append(result[0])
        self.absent.append(result[1])
