"""The cases of the replay: small random tables, workloads and settings, with neighbours. Case i is always the same.

Even cases run MWEM, each with the value of a setting that is due and all other settings at random, so that every value
of every setting comes up equally often. Odd cases run a private system by its own rules, all in turn, on every family
of workloads in turn. In half of all cases n is measured, so that neighbours differ in n.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mwem_core.algorithm import Algorithm
from mwem_core.audit.draws import Draw
from mwem_core.audit.moves import Proof, usual_proof
from mwem_core.audit.tables import Neighbour, neighbours, random_records
from mwem_core.audit.workloads import FAMILIES, random_workload
from mwem_core.data.public_table import PublicTable
from mwem_core.data.records import Records
from mwem_core.data.table import OfTotal, Table
from mwem_core.measured_total import MeasuredTotal
from mwem_core.mwem.mwem import MWEM
from mwem_core.relatives.privbayes.scores import closeness_sensitivity
from mwem_core.systems import SYSTEMS
from mwem_core.workload.workload import Workload

START = "a public table"  # random, under the schema of the table
SETTINGS: dict[str, tuple[Any, ...]] = {  # of MWEM: the values of each that the replay covers
    "epsilon": (0.1, 1.0, 10.0),
    "delta": (0.0, 1e-6),
    "T": (1, 2, 4, "theorem", "adaptive"),
    "plan": ("select", "one-way", "residuals", "marginals", "cells", "queries", "hierarchical", "nothing"),
    "plan_share": (1.0, 0.6),
    "query_share": (0.0, 0.3),
    "select": ("queries", "tables"),
    "selection": ("exponential", "permute-and-flip"),
    "penalty": ("none", "cells", "noise", "counts"),
    "costs": ("equal", "cells"),
    "candidates": ("workload", "lower", "closure"),
    "first": ("none", "one-way"),
    "annealing": (False, True),
    "split": (0.1, 0.5, 0.9),
    "repeats": (False, True),
    "replay": (True, False),
    "update": ("explicit", "implicit"),
    "step": (0.5, 3.0),
    "sweeps": (1, 10),
    "tolerance": (0.0, 0.01),
    "in_order": (True, False),
    "output": ("last", "average"),
    "histogram_start": (0.0, 0.2),
    "cell_budget": (10**6, 12),
    "rows_from": (1.0, 0.0),
    "last_fit": ("replay", "prior"),
    "public": (None, START),
}
DUE = [(name, value) for name, values in SETTINGS.items() for value in values]
USUAL = 0.6  # of the settings that are not due, the share that keep the first value
SYSTEMS_DUE = [name for name, system in SYSTEMS.items() if system.privacy not in ("none", "no data")]
EPSILONS, DELTAS = (0.1, 1.0, 10.0), (0.0, 1e-6)
MAX_RECORDS = 300
TRIES, NEIGHBOUR_TRIES = 10_000, 20


@dataclass(frozen=True, eq=False)
class Case:
    """A system with its settings, a workload, a table and its neighbours.

    `chosen` holds the settings of MWEM that were chosen at random; it is empty where a system's rules chose.
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
        return isinstance(self.settings, MeasuredTotal)

    @property
    def subject(self) -> str:
        """What is replayed: a system by its own rules, or MWEM with settings at random."""
        name = f"{self.system}, any settings" if self.chosen else self.system
        return f"{name}, n measured" if self.measures_n else name

    def proof(self, i: int, draw: Draw) -> Proof:
        """The proof of draw i: its mechanism's, unless the algorithm has its own.

        DAWA first draws noise on the costs of intervals, of which only the cheapest partition is used
        (`mechanisms.noisy_costs`). Under PrivBayes' score F, of Δ = 1/2, all moves lie in a range.
        """
        if self.system == "dawa" and i == int(self.measures_n):
            return "entries"
        if self.system == "privbayes" and draw.selects and draw.sensitivity == closeness_sensitivity(self.table.total):
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
        system = "mwem"
        settings, Q, chosen = _any_settings(*DUE[turn % len(DUE)], measured, rng)
    B = random_records(Q.domain, _number(rng), rng)
    table = B if measured else OfTotal(B, B.total)
    return Case(number, system, settings, Q, table, _telling(B, Q, rng, n_is_public=not measured), chosen)


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
    """MWEM with this value of this setting and the others at random, on a workload that it serves."""
    for _ in range(TRIES):
        chosen = {other: values[0] for other, values in SETTINGS.items()}
        for other, values in SETTINGS.items():
            if rng.random() > USUAL:
                chosen[other] = _any(values, rng)
        chosen[name] = value
        Q = random_workload(_any(list(FAMILIES), rng), rng)
        start = PublicTable(START, random_records(Q.domain, _number(rng), rng)) if chosen["public"] else None
        asked: dict[str, Any] = chosen | {"public": start}
        try:
            settings = _measuring(asked) if measured else MWEM(**asked)
            settings.check(Q)
        except ValueError:
            continue
        return settings, Q, chosen
    raise ValueError(f"no workload fits settings of MWEM with {name} = {value!r}")


def _measuring(chosen: dict[str, Any]) -> MeasuredTotal:
    """A noisy n, and then MWEM with these settings."""
    changed = tuple((name, value) for name, value in chosen.items() if name not in ("epsilon", "delta"))
    MWEM(**chosen)  # refuses settings that do not go together
    return MeasuredTotal(
        system="mwem", epsilon=chosen["epsilon"], delta=chosen["delta"], T=chosen["T"], changed=changed
    )


def _own_settings(name: str, family: str, measured: bool, rng: np.random.Generator) -> tuple[Algorithm, Workload]:
    """A system's own settings for a workload: of this family, or of another where it does not serve it."""
    for each in [family] * (TRIES // 100) + _shuffled(list(FAMILIES), rng) * TRIES:
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


def _shuffled(values: list[str], rng: np.random.Generator) -> list[str]:
    return [values[i] for i in rng.permutation(len(values))]
