"""The system, its preset, its rounds and its settings are those that the arguments name."""

import json
from dataclasses import fields

import pytest
from command_line import assert_refused, call, printed_json

from mwem_core.mwem.mwem import MWEM
from mwem_core.systems import MWEM_SYSTEMS, SYSTEMS


def settings_written(people, folder, *more) -> dict:
    """The settings in the manifest of a run."""
    assert call("run", people | {"--out": str(folder)}, *more) == 0
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["settings"]


@pytest.mark.parametrize(
    ("pairs", "settings"),
    [
        (["split=0.25", "sweeps=7"], {"split": 0.25, "sweeps": 7}),
        (["T=adaptive", "in_order=true"], {"T": "adaptive", "in_order": True}),
        (["T=2", "penalty=none"], {"T": 2, "penalty": "none"}),
        (["step=1", "step=2"], {"step": 2.0}),
    ],
)
def test_set_changes_the_settings_it_names_and_no_other(people, tmp_path, pairs, settings):
    unchanged = settings_written(people, tmp_path / "unchanged")
    written = settings_written(people, tmp_path / "changed", *(word for pair in pairs for word in ("--set", pair)))
    assert written == unchanged | settings
    assert all(type(written[name]) is type(value) for name, value in settings.items())


@pytest.mark.parametrize("name", MWEM_SYSTEMS)
def test_a_system_has_its_settings_under_its_name(people, capsys, tmp_path, name):
    arguments = people | {"--algorithm": name, "--workload": "ranges:age,hours:all", "--out": str(tmp_path / "out")}
    assert printed_json(capsys, "run", arguments)["algorithm"] == name
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["system"], manifest["settings"]["replay"]) == (name, name != "figure-1")
    assert manifest["settings"]["sweeps"] == {"automatic": 60, "mwem": 60}.get(name, 100)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "automatic"),
        ({"--rounds": "2"}, "mwem"),
        ({"--preset": "default"}, "automatic"),
        ({"--preset": "default", "--rounds": "2"}, "mwem"),
        ({"--preset": "paper"}, "mwem-paper"),
        ({"--preset": "paper", "--algorithm": "mwem"}, "mwem-paper"),
        ({"--preset": "figure-1"}, "figure-1"),
    ],
)
def test_without_a_system_what_runs_is_automatic_or_what_a_script_of_0_3_meant(people, capsys, arguments, name):
    assert printed_json(capsys, "run", people | arguments)["algorithm"] == name


@pytest.mark.parametrize("rounds", ["1", "5", "theorem", "adaptive"])
def test_rounds_are_a_number_or_a_rule(people, capsys, tmp_path, rounds):
    arguments = people | {"--rounds": rounds, "--workload": "ranges:age,hours:all", "--out": str(tmp_path / "out")}
    summary = printed_json(capsys, "run", arguments)
    T = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["settings"]["T"]
    assert T == (int(rounds) if rounds.isdigit() else rounds)
    assert not rounds.isdigit() or summary["rounds"] == int(rounds)
    assert summary["epsilon_spent"] <= 1


def test_a_positive_delta_gives_gaussian_noise(people, capsys, tmp_path):
    summary = printed_json(capsys, "run", people | {"--rounds": "3", "--delta": "1e-9", "--out": str(tmp_path / "out")})
    assert (summary["delta"], summary["privacy"]) == (1e-9, "zCDP")
    assert summary["epsilon_spent"] == pytest.approx(1)
    assert summary["epsilon_spent"] <= 1
    transcript = json.loads((tmp_path / "out" / "transcript.json").read_text(encoding="utf-8"))
    assert {line["noise"] for line in transcript[1:]} == {"gaussian"}


MWEM_SETTINGS = ", ".join(field.name for field in fields(MWEM))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--algorithm": "nwem"}, f"there is no system 'nwem': choose from {', '.join(SYSTEMS)}"),
        ({"--preset": "best"}, "there is no preset 'best': name a system by --algorithm instead"),
        (
            {"--preset": "paper", "--algorithm": "weights"},
            "--preset and --algorithm weights name two systems: leave --preset out",
        ),
        ({"--rounds": "0"}, "rounds must be a whole number of at least 1, theorem or adaptive, got 0"),
        ({"--rounds": "7"}, "rounds must be at most 6, the number of marginals, as none is asked twice; got 7"),
        ({"--rounds": "many"}, "rounds must be a whole number from 0 up, got 'many'"),
        ({"--rounds": "2.5"}, "rounds must be a whole number from 0 up, got '2.5'"),
        ({"--algorithm": "uniform", "--rounds": "3"}, "uniform takes no number of rounds: leave --rounds out"),
        ({"--algorithm": "weights", "--rounds": "0"}, "T must be a whole number of at least 1, got 0"),
        ({"--set": "split"}, "--set takes KEY=VALUE, got 'split'"),
        ({"--set": "split=1"}, "split must lie between 0 and 1, both excluded, got 1.0"),
        ({"--set": "split=half"}, "split must be a number, got 'half'"),
        ({"--set": "T=2.5"}, "T must be a whole number or theorem or adaptive, got '2.5'"),
        ({"--set": "replay=yes"}, "replay must be true or false, got 'yes'"),
        ({"--set": "select=all"}, "select must be queries or tables, got 'all'"),
        ({"--set": "speed=1"}, f"automatic has no setting 'speed': it has {MWEM_SETTINGS}"),
        ({"--algorithm": "uniform", "--set": "T=1"}, "uniform has no setting 'T': it has none"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_settings_that_do_not_exist_or_do_not_fit_are_refused_in_one_line(people, capsys, changed, message):
    assert_refused(capsys, "run", people | changed, message)


def test_weights_are_read_as_numbers_with_commas_between_them(tmp_path):
    bits = {
        "--table": "sample_data/czech.csv",
        "--schema": "sample_data/czech.toml",
        "--workload": "parities:1",
        "--algorithm": "relaxed-projection",
        "--epsilon": "1",
        "--delta": "1e-6",
    }
    written = settings_written(bits, tmp_path / "out", "--set", "weights=1,1,2,0.5,0,3")
    assert written["weights"] == [1, 1, 2, 0.5, 0, 3]


def test_weights_that_are_no_numbers_are_refused(people, capsys):
    relaxed = people | {"--algorithm": "relaxed-projection", "--delta": "1e-6", "--set": "weights=1,two"}
    message = "weights must be numbers with commas between them or none, got '1,two'"
    assert_refused(capsys, "run", relaxed, message)
