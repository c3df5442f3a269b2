"""The replay's cases: repeatable, of every kind, and with true neighbours."""

from dataclasses import fields
from types import UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from mwem_core import MWEM, Apart, Counts, Halvings, Nothing, Planned, PublicStart, Staged
from mwem_core.algorithm import Spender
from mwem_core.audit.audit import FULL, QUICK
from mwem_core.audit.cases import BUDGET, DUE, OWN, SETTINGS, SYSTEMS_DUE, Case, case
from mwem_core.audit.random_inputs import FAMILIES
from mwem_core.base import classes_of
from mwem_core.systems import MeasuredBins

TURN = 2 * max(len(DUE), len(SYSTEMS_DUE) * len(FAMILIES))
OF = {each.__name__.lower(): each for each in (MWEM, Staged, Planned, Halvings, Counts, Nothing)}
RANDOM = "start.table"  # a public table: it has no values to list


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """One turn."""
    return [case(number) for number in range(TURN)]


def counts(table):
    """The records in each cell of the domain."""
    return table.marginal(tuple(range(len(table.domain))))


def choices(hint):
    """The values that a type allows, if it lists any."""
    if get_origin(hint) is Literal:
        return {each for arg in get_args(hint) for each in (choices(arg) or {arg})}
    if get_origin(hint) in (Union, UnionType):
        return {each for arg in get_args(hint) for each in choices(arg)}
    return {True, False} if hint is bool else set()


def settings_of(algorithm) -> list[tuple[str, set]]:
    """The names of an algorithm's settings, as `SETTINGS` has them, each with the values that its type lists.

    The settings of another algorithm that it holds are its own too. Those of several classes may have one name.
    """
    found, hints = [], get_type_hints(algorithm)
    for name, classes in classes_of(algorithm).items():
        if any(issubclass(each, Spender) for each in classes.values()):
            found += [setting for each in classes.values() for setting in settings_of(each)]
            continue
        found.append((name, choices(hints[name]) | set(classes)))
        for each in classes.values():
            inner = get_type_hints(each)
            found += [(f"{name}.{field.name}", choices(inner[field.name])) for field in fields(each)]
    return [setting for setting in found if setting[0] != RANDOM]


@pytest.mark.parametrize("of", OF)
def test_every_setting_of_an_algorithm_is_covered_with_every_value_that_its_type_lists(of):
    settings = settings_of(OF[of])
    assert {name for name, _ in settings} == {*BUDGET, *OWN[of]}
    for name, values in settings:
        assert values <= set(SETTINGS[name])


def test_every_algorithm_is_covered_with_and_without_parts_apart_and_no_setting_has_one_value_alone():
    """The share of the parts apart is called `asked`; the settings of the first part are those of its algorithm."""
    assert set(SETTINGS["of"]) == set(OWN) == set(OF)
    assert set(SETTINGS) == {"of", "asked", *BUDGET, *(name for names in OWN.values() for name in names)}
    (share, *others), first = fields(Apart), classes_of(Apart)["first"]
    assert (share.name, [field.name for field in others]) == ("share", ["first"])
    assert first.items() <= OF.items()
    assert all(len(values) == len(set(values)) > 1 for values in SETTINGS.values())


@pytest.mark.sweep
def test_one_turn_of_cases_covers_every_value_every_system_and_every_family(cases):
    assert {setting for c in cases for setting in c.chosen.items()} >= set(DUE)
    assert {c.system for c in cases if not c.chosen} == set(SYSTEMS_DUE)
    for measured in (False, True):
        half = [c for c in cases if c.measures_n == measured]
        assert TURN / 3 < len(half) < 2 * TURN / 3
        assert {c.workload.family for c in half} == set(FAMILIES)


@pytest.mark.sweep
def test_a_system_runs_on_each_family_that_it_serves(cases):
    families = {}
    for c in cases:
        if not c.chosen:
            families.setdefault(c.system, set()).add(c.workload.family)
    assert families["mwem"] == families["laplace"] == families["privbayes"] == set(FAMILIES)
    assert families["planner"] == {"marginals", "cuboids"}
    assert families["dawa"] == {"ranges"}


def stated(settings) -> dict:
    """The settings of an algorithm as `SETTINGS` names and states them."""
    if isinstance(settings, Apart):
        return stated(settings.first) | {"asked": settings.share}
    if isinstance(settings, Staged):
        return stated(settings.then) | {"of": "staged", "share": settings.share}
    found = {"of": type(settings).__name__.lower(), "asked": 0.0}
    for name, classes in classes_of(type(settings)).items():
        value = getattr(settings, name)
        words = [word for word, each in classes.items() if isinstance(value, each)]
        found[name] = words[0] if words else "public" if isinstance(value, PublicStart) else value
        found |= {f"{name}.{field.name}": getattr(value, field.name) for field in (fields(value) if words else ())}
    return {name: value for name, value in found.items() if name != RANDOM}


def test_settings_chosen_at_random_are_those_of_the_run(cases):
    for c in cases:
        if c.chosen and not c.measures_n:
            assert stated(c.settings) == c.chosen
        if c.chosen and c.measures_n:
            assert (c.settings.epsilon, c.settings.delta) == (c.chosen["epsilon"], c.chosen["delta"])
            of_rest = c.settings.inner if isinstance(c.settings, MeasuredBins) else c.settings
            settings = of_rest.settings(c.workload, 50)
            assert settings.guarantee == of_rest.rest
            rest = {"epsilon": settings.guarantee.epsilon, "delta": settings.guarantee.delta}
            assert stated(settings) == c.chosen | rest


def test_a_case_is_the_same_each_time(cases):
    for number in (3, 4):
        again = case(number)
        assert again.settings == cases[number].settings
        assert again.workload.spec == cases[number].workload.spec
        assert np.array_equal(counts(again.table), counts(cases[number].table))


def test_neighbours_differ_by_the_records_that_they_say(cases):
    for c in cases[:60]:
        for neighbour in c.neighbours:
            gap = counts(neighbour.table) - counts(c.table)
            assert np.abs(gap).sum() in ((0, 2) if neighbour.distance == 2 else (1,))
            assert gap.sum() == {"more": 1, "fewer": -1, "replaced": 0}[neighbour.change.split()[-1]]


def test_neighbours_have_the_same_n_if_it_is_public_and_their_own_if_it_is_measured(cases):
    for c in cases:
        gaps = [neighbour.table.total - c.table.total for neighbour in c.neighbours]
        assert gaps == ([1, -1] if c.measures_n else [0, 0, 0])


def test_a_quick_audit_covers_every_value_of_every_setting_and_every_system(cases):
    needed = cases[: 2 * max(len(DUE), len(SYSTEMS_DUE))]
    assert QUICK.pairs >= sum(len(c.neighbours) for c in needed)
    assert FULL.pairs == 10_000
