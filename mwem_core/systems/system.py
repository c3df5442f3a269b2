"""Every system by name: MWEM, the automatic choice and MWEM's relatives, to be run on the same data at the same ε."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from mwem_core.algorithm import Algorithm
from mwem_core.base import change, settings_from
from mwem_core.domain import Domain, PublicTable
from mwem_core.mwem import Rounds
from mwem_core.workload import Workload

DEFAULT_DELTA = 1e-9  # for systems without a pure form, if no δ was given: well below 1/n for up to 10⁸ records


@dataclass(frozen=True)
class System:
    """A system: its name, its title on screen, the preset that makes its settings, and its properties.

    `preset` is "room:name" of a preset function or a class of settings; it is imported when first used, as some need
    libraries that take a second to load. `gives` is the kind of output: rows, or answers only. `privacy` is the notion
    in which its budget adds up: ε; ε, or zCDP if δ > 0; zCDP, which needs δ > 0; none; or no data, if it reads none.
    `differs` says in one sentence how it differs from MWEM.
    """

    name: str
    title: str
    preset: str
    gives: Literal["rows", "answers"]
    privacy: Literal["ε", "ε or zCDP", "zCDP", "none", "no data"]
    differs: str
    takes_T: bool = False  # whether a user may set its number of rounds
    changed: tuple[tuple[str, Any], ...] = ()  # settings that differ from those of the preset

    def settings(
        self,
        workload: Workload,
        *,
        n: float,
        epsilon: float,
        delta: float = 0.0,
        T: Rounds | None = None,
        noisy_n: bool = False,
        public: PublicTable | None = None,
    ) -> Algorithm:
        """The preset's settings for this workload, with those in `changed` replaced, and a `public` start if given.

        They have the δ of `delta_of(delta)`, or 0 where the preset finds that better. Under a `noisy_n` it may not, and
        no sensitivity relies on there being at most n records.
        """
        module, name = self.preset.split(":")
        preset = getattr(import_module(f"mwem_core.{module}"), name)
        arguments = {"workload": workload, "n": n, "epsilon": epsilon, "delta": self.delta_of(delta)}
        settings: Any = settings_from(preset, **arguments, T=T, noisy_n=noisy_n, public=public)
        if public is not None:
            from mwem_core.automatic import starting_from

            settings = starting_from(settings, public, title=self.title)
        return change(settings, dict(self.changed)) if self.changed else settings

    def privacy_at(self, delta: float) -> str:
        """The notion in which its budget adds up, if this δ is requested."""
        if self.privacy == "ε or zCDP":
            return "zCDP" if delta else "ε"
        return self.privacy

    def unkept_rules(self, domain: Domain) -> str:
        """That the schema's rules are not kept, in one sentence; empty if there are none, or if its rows keep them."""
        if not domain.never or self.gives == "rows":
            return ""
        return f"{self.title} gives noisy answers and no rows, so it does not keep the schema's rules."

    def delta_of(self, delta: float) -> float:
        """The δ it runs at: 0 if it is always pure, never 0 if it has no pure form, else the δ requested."""
        if self.privacy == "zCDP":
            return delta or DEFAULT_DELTA
        return delta if self.privacy == "ε or zCDP" else 0.0


SYSTEMS = {
    system.name: system
    for system in (
        System(
            "automatic",
            "Automatic",
            "automatic:default",
            "rows",
            "ε or zCDP",
            "Takes what is expected to err least: MWEM's rounds, one planned measurement of everything, or nothing.",
        ),
        System(
            "mwem",
            "MWEM",
            "automatic:mwem_by_rule",
            "rows",
            "ε or zCDP",
            "Rounds that select, measure and update: whole tables where there are any; T and the split by rule.",
            takes_T=True,
        ),
        System(
            "mwem-paper",
            "MWEM of 2012",
            "mwem:paper",
            "rows",
            "ε or zCDP",
            "As published: one query per round, half of the budget for selection, a hundred sweeps.",
            takes_T=True,
        ),
        System(
            "figure-1",
            "Figure 1",
            "mwem:figure_1",
            "rows",
            "ε or zCDP",
            "The paper's Figure 1 to the letter: each round updates by its own measurement alone; the output is the "
            "average of the rounds.",
            takes_T=True,
        ),
        System(
            "tables",
            "All tables once",
            "automatic:narrowest",
            "rows",
            "ε or zCDP",
            "Measures every table of the workload once, by the plan with the narrowest intervals: to release tables.",
        ),
        System(
            "mwem-pgm",
            "MWEM+PGM",
            "relatives:mwem_pgm",
            "rows",
            "ε or zCDP",
            "Measures whole tables, in as many rounds as attributes, and fits the distribution of maximum entropy.",
            takes_T=True,
        ),
        System(
            "aim",
            "AIM",
            "relatives:aim",
            "rows",
            "zCDP",
            "Measures one-way tables first, selects from all subsets of the workload's sets, anneals the noise.",
        ),
        System(
            "privbayes",
            "PrivBayes",
            "relatives:privbayes_preset",
            "rows",
            "ε",
            "Learns a Bayesian network by noisy choices, then its conditionals; it does not read the workload.",
        ),
        System(
            "barak",
            "Barak et al.",
            "relatives:Barak",
            "rows",
            "ε",
            "Measures every parity once instead of selecting, then replays.",
        ),
        System(
            "barak-lp",
            "Barak et al. (linear programme)",
            "relatives:BarakLP",
            "rows",
            "ε",
            "As published in 2007: all Fourier coefficients, made consistent by a linear programme over the domain.",
        ),
        System(
            "laplace",
            "Laplace",
            "relatives:Direct",
            "answers",
            "ε",
            "Adds noise to every query at once: no selection, no model.",
        ),
        System(
            "gaussian",
            "Gaussian",
            "relatives:Direct",
            "answers",
            "zCDP",
            "Adds noise to every query at once, under (ε, δ): no selection, no model.",
        ),
        System(
            "laplace-clean",
            "Laplace, cleaned",
            "relatives:Direct",
            "answers",
            "ε",
            "Adds noise to every query, then takes the nearest answers that a table of n records could give.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "gaussian-clean",
            "Gaussian, cleaned",
            "relatives:Direct",
            "answers",
            "zCDP",
            "Adds noise to every query under (ε, δ), then takes the nearest answers that a table of n records could "
            "give.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "laplace-cells",
            "Laplace on cells",
            "relatives:Direct",
            "answers",
            "ε",
            "Adds noise to every cell of the domain: good for few cells, hopeless for many.",
            changed=(("on", "cells"),),
        ),
        System(
            "planner",
            "Optimal Gaussian marginals",
            "relatives:Planner",
            "answers",
            "zCDP",
            "Measures residuals of marginals with noise planned from the workload alone: optimal without selection.",
        ),
        System(
            "planner-clean",
            "Optimal Gaussian marginals, cleaned",
            "relatives:Planner",
            "answers",
            "zCDP",
            "The same, then takes the nearest marginals that a table of n records could have.",
            changed=(("clean", "non-negative"),),
        ),
        System(
            "hierarchical",
            "Hierarchical",
            "relatives:Hierarchical",
            "answers",
            "ε or zCDP",
            "Adds noise to a tree of intervals, then makes them consistent: ranges only, no selection.",
        ),
        System(
            "dawa",
            "DAWA",
            "relatives:Dawa",
            "answers",
            "ε",
            "Finds buckets of nearly equal counts in the data, then measures a tree over them: ranges only.",
        ),
        System(
            "relaxed-projection",
            "Relaxed projection",
            "relatives:RelaxedProjection",
            "answers",
            "zCDP",
            "Adds noise to every parity at once, then projects onto a convex body: no selection, answers only.",
        ),
        System(
            "boosting",
            "Boosting for queries",
            "relatives:boosting_preset",
            "answers",
            "zCDP",
            "Builds relaxed projections one after another, each for the queries that the earlier ones answered worst, "
            "and answers by their median. It is here to be seen: its largest error was above that of one relaxed "
            "projection in 12 of 14 settings, and its guarantee exceeds n in all of them, so it says nothing.",
            takes_T=True,
        ),
        System(
            "net",
            "Net mechanism",
            "relatives:net_preset",
            "rows",
            "ε",
            "Chooses among all small tables at once: the existence proof that MWEM made practical.",
        ),
        System(
            "weights",
            "Multiplicative weights",
            "relatives:Weights",
            "rows",
            "none",
            "MWEM without noise: the error of the algorithm if privacy cost nothing.",
            takes_T=True,
        ),
        System(
            "uniform",
            "Uniform",
            "relatives:Uniform",
            "rows",
            "no data",
            "Never reads the data: a system with a larger error was not worth its ε.",
        ),
    )
}


METHODS = ("mwem", "automatic", "mwem-paper", "figure-1")  # of a run: MWEM in three forms, and the automatic choice
RELEASABLE = (*METHODS, "tables")  # what a release may run
QUERY_BY_QUERY = ("mwem-paper", "figure-1")  # of these, what measures single queries, and no table


def system(name: str) -> System:
    """The system of this name. Raises ValueError if there is none."""
    if name not in SYSTEMS:
        raise ValueError(f"there is no system {name!r}: choose from {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
