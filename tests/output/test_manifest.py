"""The manifest and the transcript say what was done and spent, and depend on nothing but releases."""

import dataclasses
import json

import numpy as np
import pytest
from oracles import Following, Recording, domain_of, random_records
from runs import run_of, run_on

from mwem_core import MWEM, Domain, Halvings, HistogramStart, Records, Seeded, Staged, Tables, parse_workload
from mwem_core.output.manifest import json_text, json_values, manifest, settings_fields, transcript
from mwem_core.output.script import script
from mwem_core.systems import SYSTEMS
from mwem_core.tables import Reading


def test_a_seeded_manifest_says_not_private_and_what_was_spent(run):
    read = json.loads(json_text(manifest(run)))
    assert read["statement"] == run.publication.headline
    assert [(line["reason"], line["remedy"]) for line in read["reasons"]] == [
        (reason.text, reason.remedy) for reason in run.publication.reasons
    ]
    assert read["schema_provenance"] == "unknown"
    assert read["seeded"] is True
    assert (read["epsilon"], read["delta"]) == (1.0, 0.0)
    assert read["epsilon_spent"] == pytest.approx(1.0)
    assert read["settings"] == dataclasses.asdict(run.settings) | {"start": {"type": "UniformStart"}}
    assert set(read["versions"]) == {"python", "numpy", "opendp", "mwem-explorer"}
    assert Domain.from_toml(read["schema"]) == run.domain
    assert parse_workload(read["workload"], run.domain).size == read["queries"] == run.workload.size
    assert (read["rounds"], read["total"], read["domain_size"]) == (run.rounds[-1].index, 1841, "64")


def test_a_manifest_names_the_class_of_a_setting_that_has_settings_of_its_own(czech):
    def staged(epsilon):
        return Staged(share=0.6, then=MWEM(epsilon=epsilon, T=2, candidates=Tables(penalty="noise")))

    written = json.loads(json_text(manifest(run_on(czech, of=staged))))
    replay = {"type": "Replay", "step": 0.5, "sweeps": 100, "tolerance": 0.0, "in_order": True}
    replay |= {"near_prior": False, "rows_from": 1.0}
    tables = {"type": "Tables", "penalty": "noise", "within": "workload", "by_cells": False, "one_way_first": False}
    assert (written["algorithm"], set(written["settings"])) == ("Staged", {"share", "then"})
    then = written["settings"]["then"]
    assert set(then) == {"type", *(field.name for field in dataclasses.fields(MWEM))}
    assert (then["type"], then["T"], then["update"], then["candidates"]) == ("MWEM", 2, replay, tables)
    written = json.loads(json_text(manifest(run_on(czech, T=1, start=HistogramStart(0.2)))))
    assert written["settings"]["start"] == {"type": "HistogramStart", "share": 0.2}


def test_a_manifest_without_a_seed_says_exploratory_and_names_no_seed(czech):
    run = run_on(czech, seed=None)
    assert manifest(run)["statement"] == run.publication.headline == "EXPLORATORY: do not publish."
    assert manifest(run)["seeded"] is False
    assert "seed" not in manifest(run)


@pytest.mark.parametrize("encoding", ["cp1252", None])
def test_a_manifest_names_the_encoding_in_which_the_file_was_read(run, encoding):
    assert manifest(dataclasses.replace(run, reading=Reading(encoding)))["encoding"] == encoding


def test_a_measured_total_changes_what_neighbours_agree_on(run, czech):
    assert manifest(run)["neighbours"] == "add or remove one record, total taken as public, as in the paper"
    measured = manifest(run_on(czech, T=1, measured=True))
    assert measured["neighbours"] == "add or remove one record, a noisy total, measured"


def test_where_the_total_is_measured_the_manifest_has_the_settings_that_it_chose(czech):
    run = run_on(czech, measured=True)
    noisy, chosen = run.rounds[0].model.total, run.chosen
    assert noisy != czech.total
    assert chosen == run.settings.settings(run.workload, noisy)
    assert manifest(run)["algorithm"] == "Planned"
    assert manifest(run)["settings"] == {field.name: getattr(chosen, field.name) for field in settings_fields(chosen)}
    assert manifest(run)["total"] == run.model.total
    first = transcript(run)[0]
    assert (first["chosen"], first["attributes"], float(first["measured"])) == ("number of records", [], noisy)
    assert first["noise_scale"] == pytest.approx(1 / first["spent"]["start"])


def test_a_gaussian_run_states_its_delta_and_never_spends_more_than_epsilon(czech):
    run = run_on(czech, delta=1e-6, T=3)
    assert manifest(run)["delta"] == 1e-6
    assert 0.999 < manifest(run)["epsilon_spent"] <= 1.0
    assert {line["noise"] for line in transcript(run)[1:]} == {"gaussian"}


KEYS = {"round", "spent", "chosen", "attributes", "whole_marginal", "measured", "noise", "noise_scale"}
KEYS |= {"residual", "moved", "declined"}


@pytest.mark.parametrize("settings", [{"T": 4}, {"T": 4, "output": "average"}])
def test_a_transcript_has_only_released_keys_and_its_spending_adds_up(czech, settings):
    run = run_on(czech, **settings)
    lines = json.loads(json_text(transcript(run)))
    assert [line["round"] for line in lines] == list(range(len(run.rounds)))
    assert set(lines[0]) == {"round", "spent"}
    assert all(set(line) == KEYS for line in lines[1:])
    assert all(list(line["spent"]) == ["unit", "start", "select", "measure"] for line in lines)
    assert {line["spent"]["unit"] for line in lines} == {run.settings.guarantee.budget.unit}
    assert sum(lines[-1]["spent"][part] for part in ("start", "select", "measure")) == pytest.approx(1.0)


def test_a_transcript_of_intervals_has_the_levels_of_every_measurement():
    run = run_on(random_records(domain_of((16, 2)), 400, np.random.default_rng(0)), "ranges:a:20", of=Halvings)
    _, *lines = json.loads(json_text(transcript(run)))
    assert [[each["levels"] for each in line["levels"]] for line in lines] == [[[1]], [[2]], [[3]], [[4]]]
    assert [m.levels for entry in run.rounds[1:] for m in entry.measurements] == [(1,), (2,), (3,), (4,)]


def test_a_transcript_of_a_plan_has_every_measured_residual(czech):
    run = run_on(czech)  # one noisy count for each of 64 cells
    start, *lines = json.loads(json_text(transcript(run)))
    assert set(start) == {"round", "spent"}
    assert [len(line["residuals"]) for line in lines] == [6, 15]
    (cells,) = lines[0].pop("tables")  # as they were drawn, beside their residuals
    assert (len(cells["attributes"]), np.shape(cells["measured"])) == (6, (2,) * 6)
    for line, entry in zip(lines, run.rounds[1:], strict=True):
        assert set(line) == {"round", "spent", "chosen", "noise", "residuals", "residual", "moved", "declined"}
        assert line["noise"] == "laplace"
        for each, m in zip(line["residuals"], entry.planned, strict=True):
            assert each == {
                "attributes": [run.domain.names[a] for a in m.attrs],
                "whole_marginal": False,
                "measured": m.value.tolist(),
                "noise_scale": m.scale,
            }


def test_a_neighbouring_table_with_the_same_noisy_outputs_leaves_the_same_files(czech):
    """All files follow from choices and noisy answers: if those are equal, one more record leaves no trace."""
    run, drawn = run_on(czech, T=6, candidates=Tables()), Recording(Seeded(7))
    assert len(tuple(run.settings.rounds(czech, run.workload, noise=drawn))) == len(run.rounds)
    weights = np.append(czech.weights, 1)
    neighbour = Records(czech.domain, tuple(np.append(column, column[0]) for column in czech.codes), weights)
    assert neighbour.total == czech.total + 1
    object.__setattr__(neighbour, "total", czech.total)  # n is public, as in the paper: the neighbours agree on it
    rounds = tuple(run.settings.rounds(neighbour, run.workload, noise=Following(drawn.draws)))
    repeated = dataclasses.replace(run, rounds=rounds)
    for describe in (transcript, manifest):
        assert json_text(describe(run)) == json_text(describe(repeated))
    assert script(run) == script(repeated)


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_leaves_a_manifest_and_a_transcript_in_strict_json(name):
    system, run = SYSTEMS[name], run_of(name)
    read = json.loads(json_text(manifest(run)), parse_constant=refuse_constant)
    lines = json.loads(json_text(transcript(run)), parse_constant=refuse_constant)
    assert read["statement"].startswith("NOT PRIVATE")
    assert read["neighbours"] == "add or remove one record, total taken as public, as in the paper"
    assert (read["algorithm"], read["system"]) == (type(run.settings).__name__, name)
    assert set(read["settings"]) == {field.name for field in dataclasses.fields(run.settings)}
    assert read["epsilon"] == {"none": None, "no data": 0.0}.get(system.privacy, 1.0)
    assert read["delta"] == system.delta_of(0.0)
    noise = "none" if system.privacy == "none" else "gaussian" if read["delta"] else "laplace"
    assert {line["noise"] for line in lines if "noise" in line} <= {noise}


def test_json_has_lists_for_arrays_and_null_for_numbers_that_are_not_finite():
    value = {"a": np.arange(2), "b": (np.float64(0.5), np.inf), "c": [float("nan"), {"d": np.array(-np.inf)}], "e": "ε"}
    assert json_values(value) == {"a": [0, 1], "b": [0.5, None], "c": [None, {"d": None}], "e": "ε"}
    assert json.loads(json_text(value), parse_constant=refuse_constant) == json_values(value)
    assert "ε" in json_text(value)
