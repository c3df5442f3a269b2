"""The cases of the replay: small random tables, workloads and settings, with neighbours. Case i is always the same.

Even cases run MWEM, or another of the algorithms that Automatic chooses among, each with the value of a setting that is
due and all other settings at random, so that every value of every setting comes up equally often. Odd cases run a
private system by its own rules, all in turn, on every family of workloads in turn. In half of all cases n is measured,
so that neighbours differ in n. In half of these, for what a release may run, so are the offsets of numbers in bins."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from mwem_core.algorithm import Algorithm, Spender
from mwem_core.audit.draws import Draw, Proof, usual_proof
from mwem_core.audit.random_inputs import FAMILIES, Neighbour, in_bins, neighbours, random_records, random_workload
from mwem_core.automatic import Apart, Counts, Halvings, Nothing, Planned, Staged, from_table, with_epsilon
from mwem_core.base import change, classes_of
from mwem_core.domain import OfTotal, PublicTable, Records, Table
from mwem_core.mwem import MWEM
from mwem_core.relatives import SCORES
from mwem_core.systems import RELEASABLE, SYSTEMS, MeasuredBins, MeasuredTotal
from mwem_core.workload import Workload

# The values of each setting that the replay covers, by the names of `settings.change`. "of" is the algorithm, and
# "asked" the share of the budget for parts of a mixed workload that are asked by themselves.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "of": ("mwem", "staged", "planned", "halvings", "counts", "nothing"),
    "asked": (0.0, 0.3),
    "epsilon": (0.1, 1.0, 10.0),
    "delta": (0.0, 1e-6),
    "T": (1, 2, 4, "theorem", "adaptive", "annealing"),
    "T.T": (2, 4),
    "candidates": ("queries", "tables"),
    "candidates.one_way_first": (False, True),
    "candidates.penalty": ("none", "cells", "noise"),
    "candidates.within": ("workload", "lower", "closure"),
    "candidates.by_cells": (False, True),
    "selection": ("exponential", "permute-and-flip"),
    "split": (0.1, 0.5, 0.9),
    "repeats": (False, True),
    "update": ("replay", "newest"),
    "update.step": (0.5, 3.0),
    "update.sweeps": (1, 10),
    "update.tolerance": (0.0, 0.01),
    "update.in_order": (True, False),
    "update.near_prior": (False, True),
    "update.rows_from": (1.0, 0.0),
    "start": ("uniform", "histogram", "public"),
    "start.share": (0.2, 0.6),
    "output": ("last", "average"),
    "cell_budget": (10**6, 12),
    "share": (0.6, 0.9),
    "plan": ("one-way", "residuals", "marginals", "cells"),
    "within": ("workload", "lower"),
    "tolerance": (0.0005, 0.01),
}
BUDGET = ("epsilon", "delta")
OF_ALL = ("of", "asked", *BUDGET)
OF_ROUNDS = tuple(name for name in SETTINGS if name not in (*OF_ALL, "share", "plan", "within", "tolerance"))
OWN = {  # the settings of each algorithm
    "mwem": OF_ROUNDS,
    "staged": ("share", *OF_ROUNDS),
    "planned": ("plan", "within", "tolerance", "start"),
    "halvings": (),
    "counts": ("start",),
    "nothing": ("start",),
}
DUE = [(name, value) for name, values in SETTINGS.items() for value in values]
USUAL = 0.6  # of the settings that are not due, the share that keep the first value
SYSTEMS_DUE = [name for name, system in SYSTEMS.items() if system.privacy not in ("none", "no data")]
EPSILONS, DELTAS = (0.1, 1.0, 10.0), (0.0, 1e-6)
MAX_RECORDS = 300
OFFSETS = 0.1  # of the budget, for the offsets of numbers
TRIES, NEIGHBOUR_TRIES = 10_000, 20


@dataclass(frozen=True, eq=False)
class Case:
    """A system with its settings, a workload, a table and its neighbours.

    `chosen` holds the settings that were chosen at random; it is empty where a system's rules chose.
    """

    number: int
    system: str
    settings: Algorithm
    workload: Workload
    table: Table
    neighbours: Sequence[Neighbour]
    chosen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures_n(self) -> bool:
        """Whether n is private, and the run buys a noisy one first."""
        return isinstance(self.settings, MeasuredTotal | MeasuredBins)

    @property
    def subject(self) -> str:
        """What is replayed: a system by its own rules, or any settings at random."""
        name = f"{self.system}, any settings" if self.chosen else self.system
        name = f"{name}, n measured" if self.measures_n else name
        return f"{name}, offsets too" if isinstance(self.settings, MeasuredBins) else name

    def proof(self, i: int, draw: Draw) -> Proof:
        """The proof of draw i: its mechanism's, unless the algorithm has its own.

        DAWA first draws noise on the costs of intervals, of which only the cheapest partition is used
        (`mechanisms.noisy_costs`). Under PrivBayes' score F, of Δ = 1/2, all moves lie in a range.
        """
        if self.system == "dawa" and i == int(self.measures_n):
            return "entries"
        if self.system == "privbayes" and draw.selects and draw.sensitivity == SCORES["F"].sensitivity:
            return "range"
        return usual_proof(draw)


def case(number: int) -> Case:
    """Case i of the replay."""
    rng, turn = np.random.default_rng([2012, number]), number // 2
    measured, chosen = bool(rng.random() < 0.5), {}
    settings: Algorithm
    if number % 2:
        system, family = SYSTEMS_DUE[turn % len(SYSTEMS_DUE)], turn // len(SYSTEMS_DUE) % len(FAMILIES)
        settings, Q = _own_settings(system, list(FAMILIES)[family], measured, rng)
    else:
        settings, Q, chosen = _any_settings(*DUE[turn % len(DUE)], measured, rng)
        system = "mwem" if chosen["of"] == "mwem" else "automatic"
    B = random_records(Q.domain, _number(rng), rng)
    public = chosen.get("start") == "public"  # a table of other values
    if isinstance(settings, MeasuredTotal) and system in RELEASABLE and turn // 2 % 2 and not public:
        Q, B = in_bins(Q, B, np.random.default_rng([2026, number]))
        settings = _with_offsets(settings)
    table = B if measured else OfTotal(B, B.total)
    return Case(number, system, settings, Q, table, _telling(B, Q, rng, n_is_public=not measured), chosen)


def _with_offsets(settings: MeasuredTotal) -> MeasuredBins:
    """The same run after a measurement of offsets, at the same budget in all."""

    def choose(epsilon: float, delta: float) -> MeasuredTotal:
        return replace(settings, epsilon=epsilon, delta=delta)

    return MeasuredBins.of(choose, epsilon=settings.epsilon, delta=settings.delta, share=0.0, offsets=OFFSETS)


def _telling(B: Records, Q: Workload, rng: np.random.Generator, *, n_is_public: bool) -> list[Neighbour]:
    """Neighbours of which at least one has other answers to Q, where there are such: others teach nothing."""
    for _ in range(NEIGHBOUR_TRIES):
        found = list(neighbours(B, rng, n_is_public=n_is_public))
        if any((Q.answers(each.table) != Q.answers(B)).any() for each in found):
            break
    return found


def _any_settings(
    name: str, value: Any, measured: bool, rng: np.random.Generator
) -> tuple[Algorithm, Workload, dict[str, Any]]:
    """An algorithm with this value of this setting and the others at random, on a workload that it serves."""
    for _ in range(TRIES):
        drawn = {other: values[0] for other, values in SETTINGS.items()}
        for other, values in SETTINGS.items():
            if rng.random() > USUAL:
                drawn[other] = _any(values, rng)
        drawn[name] = value
        chosen = {other: drawn[other] for other in SETTINGS if _has(drawn, other)}
        if name not in chosen:
            continue
        Q = random_workload(_any(list(FAMILIES), rng), rng)
        try:
            settings: Algorithm = _made(chosen, Q, rng)
            if measured:
                settings = AfterTotal(epsilon=chosen["epsilon"], delta=chosen["delta"], then=settings)
            settings.check(Q)
        except ValueError:
            continue
        return settings, Q, chosen
    raise ValueError(f"no workload fits {name} = {value!r}")


def _has(drawn: Mapping[str, Any], name: str) -> bool:
    """Whether the algorithm drawn has this setting, and the class that a setting holds this field."""
    if name not in (*OF_ALL, *OWN[drawn["of"]]):
        return False
    own, dot, within = name.partition(".")
    held = classes_of(MWEM)[own].get(drawn[own]) if dot else None
    return not dot or (held is not None and within in {field.name for field in fields(held)})


def _made(chosen: Mapping[str, Any], Q: Workload, rng: np.random.Generator) -> Spender:
    """The algorithm with these settings. Raises ValueError for settings that do not go together."""
    of, asked, budget = chosen["of"], chosen["asked"], {name: chosen[name] for name in BUDGET}
    own = {name: value for name, value in chosen.items() if name not in (*OF_ALL, "share")}
    public = PublicTable("a public table", random_records(Q.domain, _number(rng), rng))
    start = own.pop("start", "uniform")
    if of in ("mwem", "staged"):
        changes = own | ({"start": start} if start == "histogram" else {})
        settings: Any = change(MWEM(**budget), changes)
        settings = Staged(share=chosen["share"], then=settings) if of == "staged" else settings
    else:
        settings = {"planned": Planned, "halvings": Halvings, "counts": Counts, "nothing": Nothing}[of](**budget, **own)
        if start == "histogram":
            raise ValueError("only rounds start from a histogram")
    if asked and of in ("counts", "nothing"):
        raise ValueError("other parts are asked after tables or ranges")
    settings = Apart(share=asked, first=settings) if asked else settings
    if start == "public":
        settings = from_table(settings, public)
    return settings


@dataclass(frozen=True, kw_only=True)
class AfterTotal(MeasuredTotal):
    """A noisy n, and then these settings with the rest of the budget."""

    then: Spender

    def settings(self, workload: Workload, n: float) -> Algorithm:  # noqa: ARG002
        """`then`, whatever n is."""
        return with_epsilon(self.then, self.rest.epsilon)


def _own_settings(name: str, family: str, measured: bool, rng: np.random.Generator) -> tuple[Algorithm, Workload]:
    """A system's own settings for a workload: of this family, or of another where it does not serve it."""
    others = rng.permutation(list(FAMILIES)).tolist()
    for each in [family] * (TRIES // 100) + others * TRIES:
        Q, asked = random_workload(each, rng), {"epsilon": _any(EPSILONS, rng), "delta": _any(DELTAS, rng)}
        try:
            if measured:
                settings: Algorithm = MeasuredTotal(system=name, **asked)
            else:
                settings = SYSTEMS[name].settings(Q, n=_number(rng), **asked)
            settings.check(Q)
        except ValueError:
            continue
        return settings, Q
    raise ValueError(f"{name} serves none of the audit's workloads")


def _number(rng: np.random.Generator) -> int:
    """A number of records, log-uniform from 2."""
    return round(math.exp(rng.uniform(math.log(2), math.log(MAX_RECORDS))))


def _any(values: Sequence[Any], rng: np.random.Generator) -> Any:
    return values[int(rng.integers(len(values)))]
