"""Each broken twin with the check that must catch it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.audit.bounds import lower_bound
from mwem_core.audit.mechanisms import EPSILON, Run, count_and_row, laplace
from mwem_core.audit.pairs import Case
from mwem_core.audit.replay import replayed
from mwem_core.audit.tables import neighbours, random_records
from mwem_core.audit.twins import (
    DomainFromData,
    ExactTotalInRule,
    HalfTheNoise,
    MissingWeight,
    SpendsTwice,
    joined,
    rows_from_noise,
)
from mwem_core.audit.workloads import random_workload
from mwem_core.domain import Records
from mwem_core.privacy import Seeded
from mwem_core.systems import MeasuredTotal

SOUND = MeasuredTotal(system="mwem", epsilon=1.0, T=2, changed=(("repeats", True),))
CASES = 100  # on which a twin is replayed, at most, until it is caught
MAX_RECORDS = 20
DRAWS, ROWS = 20_000, 2_000  # of a twin under attack, on each side


@dataclass(frozen=True)
class Twin:
    """A broken twin. `caught()` says what in the audit catches it; empty if it passes."""

    name: str
    caught: Callable[[], str]


def twins() -> Sequence[Twin]:
    """All of them."""
    return (
        Twin("half of the noise", lambda: attacked(laplace(HalfTheNoise(0)), DRAWS)),
        Twin("doubled sensitivity", lambda: on_cases(_joined)),
        Twin("domain read from the data", lambda: on_cases(lambda c: replace(c, settings=DomainFromData(SOUND)))),
        Twin("exact n in a rule", lambda: on_cases(lambda c: replace(c, settings=ExactTotalInRule(SOUND)))),
        Twin("spent twice, noted once", lambda: on_cases(lambda c: replace(c, settings=SpendsTwice(SOUND)))),
        Twin("NaN in the data", lambda: on_cases(_with_nan)),
        Twin("one seed for noise and rows", lambda: attacked(count_and_row(rows_from_noise), ROWS)),
    )


def attacked(outputs: Run, draws: int) -> str:
    """The lower bound that gives away a mechanism that states `EPSILON`; empty if none does."""
    found = lower_bound(outputs(0, draws), outputs(1, draws)).epsilon
    return f"a lower bound: ε is at least {found:.2f}, not {EPSILON:g}" if found > EPSILON else ""


def on_cases(broken: Callable[[Case], Case], limit: int = CASES) -> str:
    """The first violation that the replay finds in a twin, given what turns a sound case into it; empty if none."""
    for number in range(limit):
        for result in replayed(broken(sound_case(number)), Seeded(number)):
            if result.violations:
                return f"a replay: {result.violations[0]}"
    return ""


def sound_case(number: int) -> Case:
    """MWEM with n measured, on marginals: no replay finds fault with it."""
    rng = np.random.default_rng([2013, number])
    Q = random_workload("marginals", rng)
    B = random_records(Q.domain, int(rng.integers(2, MAX_RECORDS)), rng)
    return Case(number, "mwem", SOUND, Q, B, list(neighbours(B, rng, n_is_public=False)))


def _joined(case: Case) -> Case:
    doubled = [replace(each, table=joined(each.table)) for each in case.neighbours]
    return replace(case, table=joined(case.table), neighbours=doubled)


def _with_nan(case: Case) -> Case:
    more = case.neighbours[0]
    assert isinstance(more.table, Records)
    return replace(case, neighbours=[replace(more, table=MissingWeight(more.table))])
