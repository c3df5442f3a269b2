"""The replay's cases: repeatable, of every kind, and with true neighbours."""

from dataclasses import fields
from types import UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from mwem_core.audit.audit import FULL, QUICK
from mwem_core.audit.pairs import DUE, SETTINGS, SYSTEMS_DUE, Case, case
from mwem_core.audit.workloads import FAMILIES
from mwem_core.data.public_table import PublicTable
from mwem_core.mwem.mwem import MWEM

TURN = 2 * max(len(DUE), len(SYSTEMS_DUE) * len(FAMILIES))


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


def test_every_setting_of_mwem_is_covered_with_every_value_that_its_type_lists():
    hints = get_type_hints(MWEM)
    assert set(SETTINGS) == {field.name for field in fields(MWEM)}
    for name, values in SETTINGS.items():
        assert choices(hints[name]) <= set(values)
        assert len(values) > 1


def test_one_turn_of_cases_covers_every_value_every_system_and_every_family(cases):
    assert {setting for c in cases for setting in c.chosen.items()} >= set(DUE)
    assert {c.system for c in cases if not c.chosen} == set(SYSTEMS_DUE)
    for measured in (False, True):
        half = [c for c in cases if c.measures_n == measured]
        assert TURN / 3 < len(half) < 2 * TURN / 3
        assert {c.workload.family for c in half} == set(FAMILIES)


def test_a_system_runs_on_each_family_that_it_serves(cases):
    families = {}
    for c in cases:
        if not c.chosen:
            families.setdefault(c.system, set()).add(c.workload.family)
    assert families["mwem"] == families["laplace"] == families["privbayes"] == set(FAMILIES)
    assert families["planner"] == {"marginals", "cuboids"}
    assert families["dawa"] == {"ranges"}


def stated(settings, name: str):
    """A setting as `SETTINGS` states it: a public table is random, and stated by its name."""
    value = getattr(settings, name)
    return value.name if isinstance(value, PublicTable) else value


def test_settings_chosen_at_random_are_those_of_the_run(cases):
    for c in cases:
        if c.chosen and not c.measures_n:
            assert {name: stated(c.settings, name) for name in c.chosen} == c.chosen
        if c.chosen and c.measures_n:
            settings = c.settings.settings(c.workload, 50)
            assert all(
                stated(settings, name) == c.chosen[name] for name in c.chosen if name not in ("epsilon", "delta")
            )


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
