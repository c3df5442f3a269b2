"""Systems by name: the δ they run at, the notion of privacy, and the settings that their presets make."""

import pytest
from messages import exactly
from oracles import domain_of

from mwem_core.relatives import Direct, Planner, Weights
from mwem_core.systems.system import DEFAULT_DELTA, SYSTEMS, System, system
from mwem_core.workload import families

DELTAS_AND_NOTIONS = [  # privacy, requested δ, δ of the run, notion in which the budget adds up
    ("ε", 0.0, 0.0, "ε"),
    ("ε", 1e-6, 0.0, "ε"),
    ("ε or zCDP", 0.0, 0.0, "ε"),
    ("ε or zCDP", 1e-6, 1e-6, "zCDP"),
    ("zCDP", 0.0, DEFAULT_DELTA, "zCDP"),
    ("zCDP", 1e-6, 1e-6, "zCDP"),
    ("none", 1e-6, 0.0, "none"),
    ("no data", 1e-6, 0.0, "no data"),
]


@pytest.mark.parametrize(("privacy", "requested", "delta", "notion"), DELTAS_AND_NOTIONS)
def test_the_delta_and_the_notion_of_privacy_follow_from_the_requested_delta(privacy, requested, delta, notion):
    entry = System("name", "Title", "module:preset", "rows", privacy, "It differs.")
    assert entry.delta_of(requested) == delta
    assert entry.privacy_at(requested) == notion


def test_every_notion_of_privacy_is_that_of_some_system():
    assert {entry.privacy for entry in SYSTEMS.values()} == {privacy for privacy, *_ in DELTAS_AND_NOTIONS}


def test_names_and_titles_are_unique_and_a_system_is_found_by_its_name():
    assert len({entry.title for entry in SYSTEMS.values()}) == len(SYSTEMS)
    for name, entry in SYSTEMS.items():
        assert system(name) is entry
        assert entry.name == name


def test_an_unknown_name_is_refused_with_the_list_of_names():
    message = f"there is no system 'nwem': choose from {', '.join(SYSTEMS)}"
    with pytest.raises(ValueError, match=exactly(message)):
        system("nwem")


def test_a_preset_gets_the_workload_n_epsilon_T_and_the_delta_of_the_run(monkeypatch):
    Q = families.marginals(domain_of([2, 3]), 1)

    def preset(workload, *, n, epsilon, delta, T="the default"):
        return workload, n, epsilon, delta, T

    monkeypatch.setattr("mwem_core.automatic.mwem_by_rule", preset)
    monkeypatch.setattr("mwem_core.relatives.aim", preset)
    assert system("mwem").settings(Q, n=20, epsilon=0.5, delta=1e-6, T=3) == (Q, 20, 0.5, 1e-6, 3)
    assert system("mwem").settings(Q, n=20, epsilon=0.5) == (Q, 20, 0.5, 0.0, "the default")
    assert system("aim").settings(Q, n=20, epsilon=0.5) == (Q, 20, 0.5, DEFAULT_DELTA, "the default")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("laplace", Direct(epsilon=0.5)),
        ("laplace-clean", Direct(epsilon=0.5, clean="non-negative")),
        ("laplace-cells", Direct(epsilon=0.5, on="cells")),
        ("gaussian", Direct(epsilon=0.5, delta=DEFAULT_DELTA)),
        ("gaussian-clean", Direct(epsilon=0.5, delta=DEFAULT_DELTA, clean="non-negative")),
        ("planner-clean", Planner(epsilon=0.5, delta=DEFAULT_DELTA, clean="non-negative")),
        ("weights", Weights(T=100)),
    ],
)
def test_settings_are_those_of_the_preset_with_the_changed_ones_replaced(name, settings):
    assert system(name).settings(families.marginals(domain_of([2, 3]), 1), n=20, epsilon=0.5) == settings


def test_changed_settings_differ_from_those_of_the_preset():
    Q = families.marginals(domain_of([2, 3]), 1)
    changed = [entry for entry in SYSTEMS.values() if entry.changed]
    assert [entry.name for entry in changed] == ["laplace-clean", "gaussian-clean", "laplace-cells", "planner-clean"]
    for entry in changed:
        of_preset = System("name", "Title", entry.preset, entry.gives, entry.privacy, "It differs.")
        settings = of_preset.settings(Q, n=20, epsilon=0.5)
        for name, value in entry.changed:
            assert getattr(settings, name) != value
