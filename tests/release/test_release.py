"""What a run leaves behind is what it says it is."""

import copy
import dataclasses
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mwem_core import MWEM, Domain, Records, Run, Seeded, default, encode, parse_workload, read_table, rounded
from mwem_core.release.files import answers_csv, rows_csv, rows_parquet, weights_csv
from mwem_core.release.manifest import manifest, to_json, transcript
from mwem_core.release.script import script
from mwem_core.systems import SYSTEMS

SAMPLES = Path(__file__).parents[2] / "sample_data"
AWKWARD = r'''
[[attribute]]
name = 'quote " and """ three'
values = ["back\\slash", "{brace}", "a,b", "ünïcode", ""]

[[attribute]]
name = "weight"
edges = [0, 2.5, 10]
missing = "?"

[[attribute]]
name = "grid"
range = [0, 29]
width = 10
'''


def run_on(domain, records, spec="marginals:2", *, seed=7, table="czech.csv", stop=None, **settings):
    workload = parse_workload(spec, domain)
    chosen = MWEM(epsilon=1.0, **settings) if settings else default(workload, n=records.total, epsilon=1.0)
    rounds = tuple(chosen.rounds(records, workload, noise=Seeded(seed)))[:stop]
    return Run(workload, chosen, "default", rounds, seed, table)


@pytest.fixture(scope="module")
def czech():
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text())
    return encode(read_table(SAMPLES / "czech.csv"), domain)


@pytest.fixture(scope="module")
def run(czech):
    return run_on(czech.domain, czech)


@pytest.fixture
def rows(run):
    rng = np.random.default_rng(run.seed)
    return rounded(run.domain, run.model, round(run.model.total), rng), rng


def awkward():
    domain = Domain.from_toml(AWKWARD)
    rng = np.random.default_rng(0)
    return Records(domain, tuple(rng.integers(size, size=60).astype(np.uint8) for size in domain.shape))


@pytest.mark.parametrize("write", [rows_csv, rows_parquet])
def test_rows_hold_the_schema_s_columns_and_encode_to_themselves(run, rows, write, tmp_path):
    table, rng = rows
    path = tmp_path / ("rows.csv" if write is rows_csv else "rows.parquet")
    path.write_bytes(write(table, rng))
    back = encode(read_table(path), run.domain)
    assert back.total == 1841
    assert tuple(read_table(path).column_names) == run.domain.names
    assert all(np.array_equal(one, other) for one, other in zip(back.codes, table.codes, strict=True))


@pytest.mark.parametrize("write", [rows_csv, rows_parquet])
def test_quotes_empty_values_bins_and_missing_numbers_survive_a_file(write, tmp_path):
    records = awkward()
    path = tmp_path / ("rows.csv" if write is rows_csv else "rows.parquet")
    path.write_bytes(write(records, np.random.default_rng(1)))
    back = encode(read_table(path), records.domain)
    assert all(np.array_equal(one, other) for one, other in zip(back.codes, records.codes, strict=True))


def test_csv_and_parquet_of_the_same_generator_hold_the_same_values():
    records, rng = awkward(), np.random.default_rng(1)
    csv = pd.read_csv(io.BytesIO(rows_csv(records, copy.deepcopy(rng))), dtype=str, keep_default_na=False)
    parquet = pd.read_parquet(io.BytesIO(rows_parquet(records, copy.deepcopy(rng))))
    assert (csv == parquet.astype(str)).all(axis=None)


def test_weights_are_the_model_s_and_sum_to_its_total(run):
    weights = pd.read_csv(io.BytesIO(weights_csv(run)))
    assert tuple(weights.columns) == (*run.domain.names, "weight")
    assert len(weights) == run.domain.size
    assert weights["weight"].sum() == pytest.approx(run.model.total)
    smokers = weights.groupby("smoking")["weight"].sum()[["no", "yes"]]
    assert smokers.to_numpy() == pytest.approx(run.model.marginal((0,)))


def test_an_attribute_called_weight_keeps_its_column_among_the_weights():
    records = awkward()
    weights = pd.read_csv(io.BytesIO(weights_csv(run_on(records.domain, records))))
    assert set(weights["weight"]) == set(records.domain.attributes[1].labels)
    assert weights["A(x)"].sum() == pytest.approx(60)


def test_weights_of_a_large_domain_are_refused_with_advice(run, monkeypatch):
    monkeypatch.setattr("mwem_core.release.files.MOST_WEIGHTS", 63)
    with pytest.raises(ValueError, match="the domain has 64 cells, weights are written for up to 63: take the rows"):
        weights_csv(run)


def test_a_seeded_manifest_says_not_private_and_what_was_spent(run):
    written = json.loads(to_json(manifest(run)))
    assert written["statement"].startswith("NOT PRIVATE")
    assert written["seeded"] is True
    assert (written["epsilon"], written["delta"]) == (1.0, 0.0)
    assert written["epsilon_spent"] == pytest.approx(1.0)
    assert written["settings"] == {key: getattr(run.settings, key) for key in written["settings"]}
    assert {"python", "numpy", "opendp", "mwem-explorer"} <= set(written["versions"])
    assert Domain.from_toml(written["schema"]) == run.domain
    assert parse_workload(written["workload"], run.domain).size == written["queries"] == run.workload.size


def test_an_unseeded_manifest_says_exploratory_and_gives_no_seed(czech):
    written = manifest(run_on(czech.domain, czech, seed=None))
    assert written["statement"].startswith("EXPLORATORY")
    assert written["seeded"] is False
    assert "seed" not in written


def test_a_gaussian_run_states_its_delta_and_never_spends_more_than_epsilon(czech):
    run = run_on(czech.domain, czech, delta=1e-6, T=3)
    written = manifest(run)
    assert written["delta"] == 1e-6
    assert 0.999 < written["epsilon_spent"] <= 1.0
    assert {line["noise"] for line in transcript(run)[1:]} == {"gaussian"}


ROUND = {"round", "spent", "chosen", "attributes", "whole_marginal", "measured", "noise", "noise_scale"}
ROUND |= {"residual", "moved", "declined"}


@pytest.mark.parametrize("settings", [{}, {"T": 4}, {"T": 4, "output": "average"}])
def test_a_transcript_adds_up_and_holds_nothing_but_what_was_released(czech, settings):
    run = run_on(czech.domain, czech, **settings)
    lines = json.loads(to_json(transcript(run)))
    assert set(lines[0]) == {"round", "spent"}
    assert all(set(line) == ROUND for line in lines[1:])
    assert sum(lines[-1]["spent"][part] for part in ("start", "select", "measure")) == pytest.approx(1.0)


class Replayed:
    """Noise that makes a run say what another has said: its choices and its measurements, whatever the table."""

    def __init__(self, rounds):
        self.choices = [entry.chosen for entry in rounds[1:]]
        self.values = [entry.measurement.value for entry in rounds[1:]]

    def choose(self, weights):
        return self.choices.pop(0)

    def laplace(self, exact, scale):
        return self.values.pop(0)

    gaussian = laplace


def test_a_neighbouring_table_that_draws_the_same_answers_leaves_the_same_files(czech):
    """All that is written follows from choices and noisy answers: with those equal, one record leaves no trace."""
    run = run_on(czech.domain, czech)
    weights = np.append(czech.weights, 1)
    more = Records(czech.domain, tuple(np.append(column, column[0]) for column in czech.codes), weights)
    assert more.total == czech.total + 1
    object.__setattr__(more, "total", czech.total)  # n is public, as in the paper: the neighbours agree on it
    rounds = tuple(run.settings.rounds(more, run.workload, noise=Replayed(run.rounds)))
    other = Run(run.workload, run.settings, run.preset, rounds, run.seed, run.table)
    for write in (transcript, manifest):
        assert to_json(write(run)) == to_json(write(other))
    assert weights_csv(run) == weights_csv(other)
    assert script(run) == script(other)


def repeat(run, folder):
    (folder / "repeat.py").write_text(script(run), encoding="utf-8")
    done = subprocess.run([sys.executable, "-W", "error", "repeat.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "synthetic.csv").read_bytes()


@pytest.mark.parametrize("stop", [None, 3])
def test_the_script_repeats_a_seeded_run_to_the_byte_even_a_stopped_one(czech, tmp_path, stop):
    run = run_on(czech.domain, czech, stop=stop)
    (tmp_path / "czech.csv").write_bytes((SAMPLES / "czech.csv").read_bytes())
    rng = np.random.default_rng(run.seed)
    table = rounded(run.domain, run.model, round(run.model.total), rng)
    assert repeat(run, tmp_path) == rows_csv(table, rng)


def constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_leaves_a_script_that_repeats_it_and_papers_of_its_own(name, czech, tmp_path, monkeypatch):
    few = czech.project(czech.domain.names[:3])
    workload = parse_workload("marginals:2", few.domain)
    settings = SYSTEMS[name].settings(workload, n=few.total, epsilon=1.0)
    rounds = tuple(settings.rounds(few, workload, noise=Seeded(7)))
    done = Run(workload, settings, name, rounds, 7, str(SAMPLES / "czech.csv"))

    monkeypatch.chdir(tmp_path)
    exec(compile(script(done), "repeat.py", "exec"), {"__name__": "__main__"})
    (written,) = tmp_path.iterdir()
    if SYSTEMS[name].gives == "rows":
        rng = np.random.default_rng(7)
        assert written.read_bytes() == rows_csv(rounded(few.domain, done.model, few.total, rng), rng)
    else:
        assert written.read_bytes() == answers_csv(workload, done.model)

    written = json.loads(to_json(manifest(done)), parse_constant=constant)
    lines = json.loads(to_json(transcript(done)), parse_constant=constant)
    assert written["statement"].startswith("NOT PRIVATE")
    assert written["neighbours"] == "add or remove one record, total taken as public, as in the paper"
    assert (written["algorithm"], written["preset"]) == (type(settings).__name__, name)
    assert set(written["settings"]) == {field.name for field in dataclasses.fields(settings)}
    assert written["delta"] == SYSTEMS[name].delta_of(0.0)
    noises = {line["noise"] for line in lines if "noise" in line}
    assert noises <= {"none" if SYSTEMS[name].privacy == "none" else "gaussian" if written["delta"] else "laplace"}


def test_without_noise_it_is_not_private_with_or_without_a_seed(czech):
    workload = parse_workload("marginals:1", czech.domain)
    settings = SYSTEMS["weights"].settings(workload, n=czech.total, epsilon=1.0, T=2)
    for seed in (None, 7):
        run = Run(workload, settings, "weights", tuple(settings.rounds(czech, workload, noise=Seeded(seed))), seed)
        assert run.statement.startswith("NOT PRIVATE: it reads exact answers")
        assert manifest(run)["epsilon"] == float("inf")


def test_the_script_survives_an_awkward_schema_and_keeps_a_measured_total(tmp_path):
    records = awkward()
    (tmp_path / 'a "table".csv').write_bytes(rows_csv(records, np.random.default_rng(1)))
    run = run_on(records.domain, records, table='a "table".csv', T=3, measured_total=0.2)
    assert len(pd.read_csv(io.BytesIO(repeat(run, tmp_path)))) == round(run.model.total) != records.total
