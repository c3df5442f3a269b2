"""Every system by name: MWEM's presets and its relatives, on the same data, the same ε, the same axes."""

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from mwem_core.algorithm import Algorithm
from mwem_core.presets import Rounds
from mwem_core.workload import Workload

DELTA = 1e-9  # for systems that have no pure form, where nobody chose one: well below 1/n for up to 10⁸ records


@dataclass(frozen=True)
class System:
    """A name, what it is called on screen, where its settings are made, and what a reader should know of it.

    `gives` is what a user takes away: rows, or only answers. `privacy` is the notion its budget adds up in: pure ε; ε,
    or zCDP where δ > 0; zCDP, which needs a δ > 0; none; or no data read at all. `differs` says in a sentence how it
    differs from MWEM.
    """

    name: str
    title: str
    maker: str  # module:function, imported when wanted: some need libraries that take a second
    gives: Literal["rows", "answers"]
    privacy: Literal["ε", "ε or zCDP", "zCDP", "none", "no data"]
    differs: str

    def settings(
        self, workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None
    ) -> Algorithm:
        """Its paper's settings for this workload; `delta_of` says which δ that is."""
        module, function = self.maker.split(":")
        make = getattr(import_module(f"mwem_core.{module}"), function)
        return make(workload, n=n, epsilon=epsilon, delta=self.delta_of(delta), T=T)

    def delta_of(self, delta: float) -> float:
        """The δ it runs at: as given, 0 where it is always pure, and where it has no pure form never 0."""
        if self.privacy == "zCDP":
            return delta or DELTA
        return delta if self.privacy == "ε or zCDP" else 0.0


SYSTEMS = {
    system.name: system
    for system in (
        System("mwem", "MWEM", "presets:default", "rows", "ε or zCDP", "Ours: whole tables, replay to convergence."),
        System("mwem-paper", "MWEM (2012)", "presets:paper", "rows", "ε or zCDP", "As published."),
        System(
            "weights",
            "Multiplicative weights",
            "relatives.weights:preset",
            "rows",
            "none",
            "MWEM without its noise: what the algorithm errs by, were there no privacy to pay for.",
        ),
        System(
            "uniform",
            "Uniform",
            "relatives.uniform:preset",
            "rows",
            "no data",
            "Never looks at the data: what does worse was not worth its ε.",
        ),
    )
}


def system(name: str) -> System:
    """The system of this name. Raises ValueError where there is none."""
    if name not in SYSTEMS:
        raise ValueError(f"there is no system {name!r}: choose from {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
