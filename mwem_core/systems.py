"""Every system by name: MWEM's presets and its relatives, on the same data, the same ε, the same axes."""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from mwem_core.algorithm import Algorithm
from mwem_core.mwem.mwem import Rounds
from mwem_core.workload.workload import Workload

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
    takes_T: bool = False  # whether it has rounds that a user may count
    changed: tuple[tuple[str, Any], ...] = ()  # settings that are not its paper's

    def settings(
        self, workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None
    ) -> Algorithm:
        """Its settings for this workload, its paper's but for what is `changed`; `delta_of` says which δ that is."""
        module, function = self.maker.split(":")
        make = getattr(import_module(f"mwem_core.{module}"), function)
        settings = make(workload, n=n, epsilon=epsilon, delta=self.delta_of(delta), T=T)
        return replace(settings, **dict(self.changed)) if self.changed else settings

    def privacy_at(self, delta: float) -> str:
        """The notion its budget adds up in where this δ is asked for."""
        if self.privacy == "ε or zCDP":
            return "zCDP" if delta else "ε"
        return self.privacy

    def delta_of(self, delta: float) -> float:
        """The δ it runs at: as given, 0 where it is always pure, and where it has no pure form never 0."""
        if self.privacy == "zCDP":
            return delta or DELTA
        return delta if self.privacy == "ε or zCDP" else 0.0


SYSTEMS = {
    system.name: system
    for system in (
        System(
            "mwem",
            "MWEM",
            "mwem.presets:default",
            "rows",
            "ε or zCDP",
            "Whole tables, expected-noise penalty, replay to convergence.",
            takes_T=True,
        ),
        System(
            "mwem-paper",
            "MWEM (2012)",
            "mwem.presets:paper",
            "rows",
            "ε or zCDP",
            "As published: one query a round, half of the budget to choose it, a hundred sweeps.",
            takes_T=True,
        ),
        System(
            "mwem-pgm",
            "MWEM+PGM",
            "relatives.mwem_pgm:mwem_pgm",
            "rows",
            "ε or zCDP",
            "Whole tables, as many rounds as attributes, and a fit of greatest entropy instead of weights.",
            takes_T=True,
        ),
        System(
            "aim",
            "AIM",
            "relatives.aim:aim",
            "rows",
            "zCDP",
            "One-way tables first, every subset of the workload to choose from, noise that anneals.",
        ),
        System(
            "privbayes",
            "PrivBayes",
            "relatives.privbayes.privbayes:preset",
            "rows",
            "ε",
            "Learns a Bayesian network by noisy choices, then its conditionals; never asks the workload.",
        ),
        System(
            "barak",
            "Barak et al.",
            "relatives.barak:preset",
            "rows",
            "ε",
            "Measures every parity once instead of choosing, then replays.",
        ),
        System(
            "barak-lp",
            "Barak et al. (linear programme)",
            "relatives.barak:original",
            "rows",
            "ε",
            "As published in 2007: all Fourier coefficients, made consistent by a linear programme over the domain.",
        ),
        System(
            "laplace",
            "Laplace",
            "relatives.direct:laplace",
            "answers",
            "ε",
            "Noise on every query at once: no choice, no model.",
        ),
        System(
            "gaussian",
            "Gaussian",
            "relatives.direct:gaussian",
            "answers",
            "zCDP",
            "Noise on every query at once, under (ε, δ): no choice, no model.",
        ),
        System(
            "laplace-clean",
            "Laplace, cleaned",
            "relatives.direct:laplace",
            "answers",
            "ε",
            "Noise on every query at once, then the nearest answers that tables of n records could give.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "gaussian-clean",
            "Gaussian, cleaned",
            "relatives.direct:gaussian",
            "answers",
            "zCDP",
            "Noise on every query at once under (ε, δ), then the nearest answers that tables of n records could give.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "laplace-cells",
            "Laplace on cells",
            "relatives.direct:laplace_cells",
            "answers",
            "ε",
            "Noise on every cell of the domain: good for few cells, hopeless for many.",
        ),
        System(
            "planner",
            "Optimal Gaussian marginals",
            "relatives.planner:preset",
            "answers",
            "zCDP",
            "Measures residuals of marginals at noise chosen before the data is seen: the best that needs no choice.",
        ),
        System(
            "planner-clean",
            "Optimal Gaussian marginals, cleaned",
            "relatives.planner:preset",
            "answers",
            "zCDP",
            "The same, then the nearest marginals that tables of n records could have.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "relaxed-projection",
            "Relaxed projection",
            "relatives.projection.relaxed_projection:preset",
            "answers",
            "zCDP",
            "Noise on every parity at once, then the nearest point of a convex body: no choice, answers only.",
        ),
        System(
            "boosting",
            "Boosting for queries",
            "relatives.projection.boosting:preset",
            "answers",
            "zCDP",
            "Many small synopses, each for the queries that the ones before served worst; the median answers.",
            takes_T=True,
        ),
        System(
            "net",
            "Net mechanism",
            "relatives.net:preset",
            "rows",
            "ε",
            "Chooses among all small tables at once: the existence proof that MWEM made practical.",
        ),
        System(
            "weights",
            "Multiplicative weights",
            "relatives.weights:preset",
            "rows",
            "none",
            "MWEM without its noise: what the algorithm errs by, were there no privacy to pay for.",
            takes_T=True,
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
