"""The system, its rounds and its settings are those that the arguments name."""

import json
from dataclasses import fields

import pytest
from command_line import assert_refused, call, printed_json

from mwem_core import MWEM, Planned
from mwem_core.systems import SYSTEMS


def settings_written(people, folder, *more) -> dict:
    """The settings in the manifest of a run."""
    assert call("run", people | {"--out": str(folder)}, *more) == 0
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["settings"]


TABLES = {"type": "Tables", "penalty": "cells", "within": "workload", "by_cells": False, "one_way_first": False}


@pytest.mark.parametrize(
    ("name", "pairs", "settings"),
    [
        ("mwem-paper", ["split=0.25", "update.sweeps=7"], {"split": 0.25, "update": {"sweeps": 7}}),
        ("mwem-paper", ["T=adaptive", "update.in_order=false"], {"T": "adaptive", "update": {"in_order": False}}),
        ("mwem-paper", ["T=2", "candidates=tables", "candidates.penalty=cells"], {"T": 2, "candidates": TABLES}),
        ("mwem-paper", ["update.step=1", "update.step=2"], {"update": {"step": 2.0}}),
        ("mwem-paper", ["T=annealing", "T.T=3", "repeats=true"], {"T": {"type": "Annealing", "T": 3}, "repeats": True}),
        (
            "mwem-paper",
            ["update=newest", "start=histogram", "start.share=0.2"],
            {"update": {"type": "Newest", "step": 0.5}, "start": {"type": "HistogramStart", "share": 0.2}},
        ),
        ("mwem", ["update.near_prior=false", "split=0.5"], {"update": {"near_prior": False}, "split": 0.5}),
        ("automatic", ["plan=residuals", "tolerance=0"], {"plan": "residuals", "tolerance": 0.0}),
    ],
)
def test_set_changes_the_settings_it_names_and_no_other(people, tmp_path, name, pairs, settings):
    """Of a setting that has fields, those that are not named stay too, unless another class is named."""
    arguments = people | {"--algorithm": name}
    unchanged = settings_written(arguments, tmp_path / "unchanged")
    written = settings_written(arguments, tmp_path / "changed", *(word for pair in pairs for word in ("--set", pair)))
    within = {key: value for key, value in settings.items() if isinstance(value, dict) and "type" not in value}
    expected = unchanged | settings | {key: unchanged[key] | value for key, value in within.items()}
    assert expected != unchanged
    assert json.dumps(written, sort_keys=True) == json.dumps(expected, sort_keys=True)  # types too


@pytest.mark.parametrize(("arguments", "name"), [({}, "automatic"), ({"--rounds": "2"}, "mwem")])
def test_without_a_system_what_runs_is_automatic_or_mwem_where_rounds_are_given(people, capsys, arguments, name):
    assert printed_json(capsys, "run", people | arguments)["algorithm"] == name


@pytest.mark.parametrize("rounds", ["1", "5", "theorem", "adaptive"])
def test_rounds_are_a_number_or_a_rule(people, capsys, tmp_path, rounds):
    arguments = people | {"--rounds": rounds, "--workload": "ranges:age,hours:all", "--out": str(tmp_path / "out")}
    summary = printed_json(capsys, "run", arguments)
    T = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["settings"]["T"]
    assert T == (int(rounds) if rounds.isdigit() else rounds)
    assert not rounds.isdigit() or summary["rounds"] == int(rounds)
    assert summary["epsilon_spent"] <= 1


MWEM_SETTINGS, PLAN_SETTINGS = (", ".join(field.name for field in fields(each)) for each in (MWEM, Planned))
ROUNDS = {"--algorithm": "mwem"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--algorithm": "nwem"}, f"there is no system 'nwem': choose from {', '.join(SYSTEMS)}"),
        ({"--rounds": "0"}, "rounds must be a whole number of at least 1, theorem or adaptive, got 0"),
        ({"--rounds": "7"}, "rounds must be at most 6, the number of marginals, as none is asked twice; got 7"),
        ({"--rounds": "many"}, "rounds must be a whole number from 0 up, got 'many'"),
        ({"--algorithm": "uniform", "--rounds": "3"}, "uniform takes no number of rounds: leave --rounds out"),
        ({"--set": "split"}, "--set takes KEY=VALUE, got 'split'"),
        (ROUNDS | {"--set": "split=1"}, "split must lie between 0 and 1, both excluded, got 1.0"),
        (ROUNDS | {"--set": "split=half"}, "split must be a number, got 'half'"),
        (ROUNDS | {"--set": "T=2.5"}, "T must be a whole number or theorem or adaptive or annealing, got '2.5'"),
        (ROUNDS | {"--set": "repeats=yes"}, "repeats must be true or false, got 'yes'"),
        (ROUNDS | {"--set": "candidates=all"}, "candidates must be queries or tables, got 'all'"),
        (ROUNDS | {"--set": "speed=1"}, f"mwem has no setting 'speed': it has {MWEM_SETTINGS}"),
        (
            ROUNDS | {"--set": "update.speed=7"},
            "update has no setting 'speed': it has step, sweeps, tolerance, in_order, near_prior, rows_from",
        ),
        (ROUNDS | {"--set": "start.share=0.2"}, "start has no setting 'share': it has none"),
        ({"--set": "speed=1"}, f"automatic has no setting 'speed': it has {PLAN_SETTINGS}"),
        ({"--algorithm": "uniform", "--set": "T=1"}, "uniform has no setting 'T': it has none"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_settings_that_do_not_exist_or_do_not_fit_are_refused_in_one_line(people, capsys, changed, message):
    assert_refused(capsys, "run", people | changed, message)
