"""What two runs released is compared field by field, to the last bit."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from mwem_core import Seeded
from mwem_core.audit.neighbour_replay import difference
from mwem_core.audit.twins import sound_case


@dataclass(frozen=True, eq=False)
class Held:
    label: str
    values: np.ndarray


SAME = [
    (1.5, 1.5),
    (float("nan"), float("nan")),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    ({"a": [1, (2, "x")]}, {"a": [1, (2, "x")]}),
    (Held("a", np.arange(3)), Held("a", np.arange(3))),
    (SimpleNamespace(a=np.arange(3)), SimpleNamespace(a=np.arange(3))),
]
OTHER = [
    (1.5, np.nextafter(1.5, 2), ""),
    (1, 1.0, ""),
    (np.array([1.0]), np.array([1.0], np.float32), ""),
    (np.array([1.0]), np.array([[1.0]]), ""),
    ([1, 2], [1, 2, 3], ""),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ""),
    ({"a": [1, (2, "x")]}, {"a": [1, (2, "y")]}, "a.1.1"),
    (Held("a", np.arange(3)), Held("a", np.array([0, 1, 3])), "values"),
    (Held("a", np.arange(3)), Held("b", np.arange(3)), "label"),
    (SimpleNamespace(a=1), SimpleNamespace(a=2), "a"),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME, ids=repr)
def test_equal_values_do_not_differ(ours, theirs):
    assert difference(ours, theirs) is None


@pytest.mark.parametrize(("ours", "theirs", "path"), OTHER, ids=repr)
def test_the_first_field_that_differs_is_named(ours, theirs, path):
    assert difference(ours, theirs) == path


def test_two_runs_with_one_seed_release_the_same_and_a_changed_field_is_seen():
    case = sound_case(0)
    ours, theirs = (list(case.settings.rounds(case.table, case.workload, noise=Seeded(0))) for _ in range(2))
    assert difference(ours, theirs) is None
    theirs[1] = replace(theirs[1], measurement=replace(theirs[1].measurement, scale=0.0))
    assert difference(ours, theirs) == "1.measurement.scale"
