"""Whatever may be asked, a run is forecast and ends well, or is refused by a sentence before it is charged.

`pytest -m sweep` has more of the questions, of the runs and of the releases.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from random_questions import Question, answered, forecasts, question

from mwem_core.algorithm import Algorithm
from mwem_core.audit import FAMILIES, random_records, random_workload
from mwem_core.domain import Records
from mwem_core.intervals import intervals
from mwem_core.mwem import MWEM
from mwem_core.output import gives_rows, nearest_rows
from mwem_core.privacy import NoiseSource, Seeded
from mwem_core.release import Bundle, ReleaseRun, bundle
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

EPSILONS, DELTAS = (0.01, 1.0, 30.0), (0.0, 1e-6)
MAX_RECORDS, MAX_CHANGED, TRIES, ROWS = 200, 4, 200, 20
NUMBERS = {int: (1, 2, 3, 7), float: (0.0, 0.01, 0.3, 0.9, 1.0, 4.0)}  # for settings of these types
FIXED = {"epsilon", "delta", "public", "noisy_n"}  # not to be changed: the rule has read them


@dataclass(frozen=True, eq=False)
class RandomRun:
    """A system's settings, of which some may be changed, with a workload and a table."""

    settings: Algorithm
    workload: Workload
    table: Records

    def __str__(self) -> str:
        Q = self.workload
        return f"{self.settings} for {Q.spec} on {self.table.total} records of {Q.domain.shape}"


def random_run(number: int) -> RandomRun:
    """Run i: the systems take turns, and each family of workloads that a system serves comes up."""
    rng, system = np.random.default_rng([45, number]), list(SYSTEMS.values())[number % len(SYSTEMS)]
    for _ in range(TRIES):
        Q = random_workload(rng.choice(list(FAMILIES)), rng)
        B = random_records(Q.domain, int(rng.integers(1, MAX_RECORDS)), rng)
        epsilon, delta = float(rng.choice(EPSILONS)), float(rng.choice(DELTAS))
        try:
            settings = _changed(system.settings(Q, n=B.total, epsilon=epsilon, delta=delta), rng)
            settings.check(Q)
        except ValueError:
            continue
        return RandomRun(settings, Q, B)
    raise AssertionError(f"no legal settings of {system.name} were found")


def to_the_end(run: RandomRun, noise: NoiseSource) -> None:
    """Run, and read what was released: the answers must be numbers, and rows and intervals must come of it."""
    Q, rounds = run.workload, tuple(run.settings.rounds(run.table, run.workload, noise=noise))
    model = rounds[-1].model
    assert np.isfinite(model.answers(Q)).all()
    if gives_rows(model):
        assert nearest_rows(Q, model, ROWS, np.random.default_rng(0)).total == ROWS
    if isinstance(run.settings, MWEM):
        found = intervals(Q, run.settings, rounds)
        assert (found.low <= found.high).all()


class Totalling(Seeded):
    """A seeded source whose first draw, which is the number of records, comes out as this n."""

    def __init__(self, n: int, seed: int):
        super().__init__(seed)
        self._first = [n]

    def laplace(self, exact: np.ndarray, epsilon: Any, sensitivity: Any) -> np.ndarray:
        return np.array(float(self._first.pop())) if self._first else super().laplace(exact, epsilon, sensitivity)

    def gaussian(self, exact: np.ndarray, rho: Any, sensitivity: Any) -> np.ndarray:
        return np.array(float(self._first.pop())) if self._first else super().gaussian(exact, rho, sensitivity)


def release_of(asked: Question) -> Bundle:
    """The files of a release that measures n, where it comes out as `asked.n`."""
    rng, Q = np.random.default_rng(asked.number), asked.workload
    B, terms = random_records(Q.domain, int(rng.integers(1, MAX_RECORDS)), rng), asked.terms("measured")
    settings = terms.settings(B.total)
    rounds = tuple(settings.rounds(B, Q, noise=Totalling(asked.n, asked.number)))
    return bundle(ReleaseRun.of(terms, settings, rounds), rng)


def _changed(settings: Any, rng: np.random.Generator) -> Any:
    """The settings with up to `MAX_CHANGED` fields replaced, each by a value that its type allows."""
    hints = get_type_hints(type(settings))
    free = [field.name for field in fields(settings) if field.init and field.name not in FIXED]
    names = rng.permutation(free)[: rng.integers(0, MAX_CHANGED + 1)].tolist()
    return replace(settings, **{name: _any(_values(hints[name]), rng) for name in names})


def _values(hint: Any) -> Sequence[Any]:
    """Values of a type."""
    if get_origin(hint) is Literal:
        return [value for arg in get_args(hint) for value in (_values(arg) or [arg])]
    if get_origin(hint) in (Union, UnionType):
        return [value for arg in get_args(hint) for value in _values(arg)]
    return [True, False] if hint is bool else NUMBERS.get(hint, ())


def _any(values: Sequence[Any], rng: np.random.Generator) -> Any:
    return values[int(rng.integers(len(values)))]


MAX_N = 3_000  # in the suite: as many rows are made
FEW = {"forecast": 15, "run": 2 * len(SYSTEMS), "release": 8}
MANY = {"forecast": 300, "run": 100 * len(SYSTEMS), "release": 300}


def few_or_many(kind):
    """The first cases in the suite, and the others in the sweep."""
    rest = pytest.param(range(FEW[kind], MANY[kind]), marks=pytest.mark.sweep, id="many")
    return pytest.mark.parametrize("numbers", [pytest.param(range(FEW[kind]), marks=pytest.mark.slow, id="few"), rest])


@few_or_many("forecast")
def test_every_check_and_forecast_ends_well_or_in_a_sentence_and_so_before_the_charge(numbers):
    for number in numbers:
        forecasts(question(number))


@pytest.mark.sweep
def test_more_rounds_than_tables_are_forecast():
    """Question 7919 of 20,000: predicates on two tables, each asked several times, in more than three rounds."""
    forecasts(question(7919))


@few_or_many("run")
def test_every_legal_setting_of_every_system_runs_to_the_end(numbers):
    for number in numbers:
        run = random_run(number)
        try:
            to_the_end(run, Seeded(number))
        except Exception as problem:
            raise AssertionError(f"run {number}, {run}") from problem


@few_or_many("release")
def test_a_release_that_was_checked_has_its_files_whatever_its_noisy_n(numbers):
    for number in numbers:
        asked = question(number)
        asked = replace(asked, n=1 + asked.n % MAX_N)
        if answered(asked, lambda: asked.terms("measured").settings(1).check(asked.workload)):  # noqa: B023
            try:
                assert len(release_of(asked)) == 11
            except Exception as problem:
                raise AssertionError(str(asked)) from problem
