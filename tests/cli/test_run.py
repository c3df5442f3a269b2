"""`run` prints a run's errors, in words or as JSON, and writes its release."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from command_line import SCHEMA, assert_refused, assert_script_repeats, call, printed_json
from runs import RANGES_ONLY

from mwem_core import encode, parse_workload, read_table
from mwem_core.domain import Domain
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.output import exchange_limit
from mwem_core.privacy import Unit
from mwem_core.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
EIGHT = "workclass,education,marital-status,occupation,relationship,race,sex,native-country"
ERRORS = {"max_error", "mean_error", "mean_tv", "max_tv", "mean_squared_error", "error_95"}
ERRORS |= {"mean_cuboid_error", "max_cuboid_error"}
KEYS = ERRORS | {
    *("n", "attributes", "domain_size", "workload", "queries", "ran", "rounds", "early_end", "epsilon", "delta"),
    *("epsilon_spent", "seconds", "rows", "rows_given_up", "uniform", "seeded", "statement", "reasons"),
    *("algorithm", "gives", "privacy"),
}
NOT_PRIVATE = "NOT PRIVATE: for teaching, tests and public data."


def truth_of(people, spec="marginals:2"):
    """The workload, and its true answers."""
    domain = Domain.from_toml(SCHEMA)
    Q = parse_workload(spec, domain)
    return Q, Q.answers(encode(read_table(Path(people["--table"])), domain))


@pytest.fixture(scope="module")
def adult():
    """A real process on the bundled census table."""
    words = ["--table", "adult.parquet", "--schema", "adult.toml", "--workload", "marginals:2", "--epsilon", "1"]
    more = ["--attributes", EIGHT, "--seed", "0", "--json"]
    return subprocess.run(
        [sys.executable, "-m", "mwem_core", "run", *words, *more],
        cwd=SAMPLES,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )


def test_a_process_prints_one_json_object_and_nothing_else(adult):
    summary = json.loads(adult.stdout)
    assert summary.keys() == KEYS
    assert summary["rows"].keys() == summary["uniform"].keys() == ERRORS
    assert summary["seconds"].keys() == {"encode", "run", "sample"}
    assert all(seconds > 0 for seconds in summary["seconds"].values())
    assert len(adult.stderr.splitlines()) == 1


def test_json_states_what_was_run(adult):
    summary = json.loads(adult.stdout)
    assert (summary["n"], summary["attributes"], summary["domain_size"]) == (48842, 8, "38102400")
    assert (summary["queries"], summary["workload"], summary["algorithm"]) == (3982, "marginals:2", "automatic")
    assert (summary["epsilon"], summary["delta"], summary["seeded"]) == (1, 0, True)
    assert summary["epsilon_spent"] == pytest.approx(1)
    assert summary["epsilon_spent"] <= 1
    assert 1 <= summary["rounds"] <= 28
    assert summary["statement"] == NOT_PRIVATE
    assert summary["reasons"][0]["reason"] == "Whoever knows the seed can remove the noise"


def test_errors_on_adult_are_small_and_those_of_rows_are_near_those_of_the_model(adult):
    summary = json.loads(adult.stdout)
    assert summary["mean_tv"] < 0.03
    assert summary["rows"]["mean_tv"] < summary["mean_tv"] + 0.004
    assert summary["uniform"]["mean_tv"] == pytest.approx(0.684, abs=5e-4)  # no data: a fact about the table


def test_a_seed_repeats_a_run_to_the_last_byte_and_another_seed_does_not(people, capsys, tmp_path):
    for folder, seed in (("first", "0"), ("second", "0"), ("third", "1")):
        assert call("run", people | {"--seed": seed, "--out": str(tmp_path / folder)}) == 0
    rows = {folder: (tmp_path / folder / "rows.csv").read_bytes() for folder in ("first", "second", "third")}
    transcripts = {folder: (tmp_path / folder / "transcript.json").read_bytes() for folder in rows}
    assert (rows["first"], transcripts["first"]) == (rows["second"], transcripts["second"])
    assert rows["first"] != rows["third"]
    assert transcripts["first"] != transcripts["third"]


def test_without_a_seed_a_run_is_exploratory(people, capsys):
    del people["--seed"]
    summary = printed_json(capsys, "run", people)
    assert not summary["seeded"]
    assert summary["statement"] == "EXPLORATORY: do not publish."


FILES = {"rows": "rows.csv", "answers": "answers.csv"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_runs_and_writes_its_release(people, capsys, tmp_path, name):
    spec = "ranges:smoker:all" if name in RANGES_ONLY else "marginals:1"  # served by all other systems, and fast
    small = {"--attributes": "sex,smoker", "--workload": spec}
    summary = printed_json(capsys, "run", people | small | {"--algorithm": name, "--out": str(tmp_path / "out")})
    system = SYSTEMS[name]
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {FILES[system.gives], "manifest.json", "script.py", "transcript.json"}
    assert (summary["algorithm"], summary["gives"], summary["privacy"]) == (name, system.gives, system.privacy_at(0))
    assert summary["delta"] == system.delta_of(0.0)
    assert (summary["rows"] is None) == (system.gives == "answers")
    spent = {"none": None, "no data": 0.0}.get(system.privacy, pytest.approx(1))
    assert (summary["epsilon"], summary["epsilon_spent"]) == (spent, spent)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    for fact in ("epsilon", "delta", "statement", "rounds"):
        assert manifest[fact] == summary[fact]


@pytest.mark.parametrize("algorithm", ["automatic", "laplace"])
def test_the_errors_are_those_of_what_is_written(people, capsys, tmp_path, algorithm):
    folder = tmp_path / "new" / "folder"
    summary = printed_json(capsys, "run", people | {"--algorithm": algorithm, "--out": str(folder)})
    Q, truth = truth_of(people)
    if algorithm == "laplace":
        shown, answers = summary, pd.read_csv(folder / "answers.csv")["answer"].to_numpy()
    else:
        shown, answers = summary["rows"], Q.answers(encode(read_table(folder / "rows.csv"), Q.domain))
    assert errors(Q, answers, truth, 60).mean_tv == pytest.approx(shown["mean_tv"])


def test_no_more_synthetic_rows_are_drawn_than_the_limit(people, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("mwem_core.cli.run_command.MAX_ROWS", 40)
    assert call("run", people | {"--out": str(tmp_path / "out")}) == 0
    assert ", 40 synthetic rows " in capsys.readouterr().out
    assert len(pd.read_csv(tmp_path / "out" / "rows.csv")) == 40


def test_rows_that_are_not_exchanged_are_said_to_be_and_their_error_stands_beside(people, capsys, monkeypatch):
    assert printed_json(capsys, "run", people)["rows_given_up"] == ""
    monkeypatch.setattr("mwem_core.output.synthesis.MAX_COUNTED", 0)
    summary = printed_json(capsys, "run", people)
    assert call("run", people) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == summary["rows_given_up"] == exchange_limit(truth_of(people)[0], 60)
    assert lines[1].startswith("The rows were not exchanged")
    assert f"60 synthetic rows {summary['rows']['mean_tv']:.4f}" in lines[2]


@pytest.mark.parametrize(
    "changed",
    [{}, {"--delta": "1e-9"}, {"--algorithm": "gaussian"}, {"--workload": "ranges:age:all"}],
    ids=str,
)
def test_the_text_has_the_numbers_of_the_json(people, capsys, changed):
    summary = printed_json(capsys, "run", people | changed)
    assert call("run", people | changed) == 0
    lines = capsys.readouterr().out.splitlines()
    title, metric = (
        ("mean total variation", "mean_tv") if summary["mean_tv"] else ("mean error, share of n", "mean_error")
    )
    rows = f"60 synthetic rows {summary['rows'][metric]:.4f}" if summary["rows"] else "no synthetic rows"
    rounds = "1 round" if summary["rounds"] == 1 else f"{summary['rounds']} rounds"
    Q, _ = truth_of(people, summary["workload"])
    assert lines[0] == f"{Q.size} queries ({Q.name}) over 48 cells, {rounds}"
    assert lines[1] == (
        f"{title}: released answers {summary[metric]:.4f}, {rows}, uniform {summary['uniform'][metric]:.4f}"
    )
    delta = " (δ = 1e-09)" if summary["delta"] else ""
    assert lines[2].startswith(f"ε spent {summary['epsilon_spent']:.4g} of 1{delta}; encode ")
    reasons = [f"{line['reason']}: {line['remedy']}." for line in summary["reasons"]]
    assert lines[3:] == [" ".join([NOT_PRIVATE, *reasons])]


def test_a_mixed_workload_is_reported_by_part_beside_uniform_and_its_script_repeats_it(people, capsys, tmp_path):
    spec = 'marginals:2 + 2*ranges:age:all + where:sex == "F"; age >= 35 and sex == "M"'
    mixed = people | {"--workload": spec, "--epsilon": "5", "--seed": "1", "--out": str(tmp_path / "out")}
    summary, (Q, truth) = printed_json(capsys, "run", mixed), truth_of(people, spec)
    assert summary["workload"] == Q.spec == spec
    uniform = Q.answers(LogLinear.uniform(Q.domain.shape, truth[0] * 0 + summary["n"]))
    for part, term, queries in zip(summary["parts"], Q.terms, Q.term_queries, strict=True):
        assert part["part"] == term.spec
        alone = errors(term.workload, uniform[queries], truth[queries], summary["n"])
        assert part["uniform"] == (alone.mean_tv if term.workload.tabular else alone.mean_error)
        assert 0 <= part["error"] < part["uniform"]
    assert call("run", mixed | {"--out": str(tmp_path / "again")}) == 0
    lines = capsys.readouterr().out.splitlines()[2:5]
    assert [line.split(":")[0].strip() for line in lines] == ["marginals", "2*ranges", "where"]
    written = (tmp_path / "out" / "rows.csv").read_bytes()
    assert_script_repeats(tmp_path / "out")
    script = (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert repr(spec) in script
    assert written.count(b"\n") == 61


VISITS = "who,age,sex\n" + "".join(f"p{i % 40},{17 + i % 60},{'FM'[i % 2]}\n" for i in range(200))  # five each


def test_a_run_that_protects_persons_keeps_some_records_of_each_and_its_script_repeats_it(people, capsys, tmp_path):
    """ε is that of a person: each of two records has half of it."""
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    visits = people | {"--table": str(tmp_path / "visits.csv"), "--epsilon": "2", "--seed": "0"}
    visits, out = visits | {"--attributes": "age,sex"}, tmp_path / "out"
    summary = printed_json(capsys, "run", visits | {"--unit": "who:2", "--out": str(out)})
    assert (summary["n"], summary["epsilon"], summary["epsilon_spent"]) == (80, 2.0, 2.0)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["unit"] == "who:2"
    assert manifest["neighbours"].startswith(Unit("who", 2).neighbours)
    assert manifest["settings"]["epsilon"] == 1.0
    assert_script_repeats(out)
    assert printed_json(capsys, "run", visits)["n"] == 200


def test_persons_are_named_by_a_column_of_the_table(people, capsys):
    for changed, message in (
        ({"--unit": "nobody:2"}, "the table has no column 'nobody' that names the person"),
        ({"--unit": "age"}, "the unit must be COLUMN:C"),
    ):
        assert_refused(capsys, "run", people | changed, message, exact=False)


def test_a_run_that_ends_early_says_why_and_what_is_left(people, capsys, tmp_path):
    """The words are held by the tests of a run."""
    full = people | {
        "--algorithm": "mwem-paper",
        "--rounds": "5",
        "--set": "update=newest",
        "--out": str(tmp_path / "out"),
    }
    assert call("run", full, "--set", "cell_budget=12") == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert re.match(r"Ended after \d of 5 planned rounds: no further query fits the model's 12 cells\. ε = ", line)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["early_end"] == line


def test_a_folder_that_cannot_be_made_is_refused_before_the_run(people, capsys):
    file = people["--table"]
    assert_refused(capsys, "run", people | {"--out": file}, f"{file!r} is not an empty folder: name another one")
    inside = f"{file}/in"
    assert_refused(capsys, "run", people | {"--out": inside}, f"{inside!r} cannot be written: Not a directory")


def test_a_run_is_not_written_over_another(people, capsys, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "rows.csv").write_text("of another run")
    assert_refused(
        capsys, "run", people | {"--out": str(out)}, f"{str(out)!r} is not an empty folder: name another one"
    )
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("rows.csv", "of another run")]


@pytest.mark.parametrize("algorithm", ["automatic", "laplace"])
@pytest.mark.parametrize("relative", [False, True])
def test_the_script_repeats_a_run_from_the_folder_of_the_run(people, tmp_path, monkeypatch, algorithm, relative):
    monkeypatch.chdir(tmp_path)
    table = {"--table": "people.csv"} if relative else {}
    assert call("run", people | table | {"--out": "out", "--algorithm": algorithm}) == 0
    assert_script_repeats(tmp_path / "out")


def test_the_script_of_a_bundled_table_repeats_its_run_from_the_folder_of_the_run(tmp_path):
    bundled = {"--table": "class_survey", "--workload": "marginals:2", "--epsilon": "1", "--seed": "1"}
    assert call("run", bundled | {"--out": str(tmp_path / "out")}) == 0
    assert_script_repeats(tmp_path / "out")


def test_a_refused_run_leaves_no_folder_behind(people, capsys, tmp_path):
    refused = people | {"--out": str(tmp_path / "out"), "--epsilon": "0"}
    assert_refused(capsys, "run", refused, "epsilon must be a positive number, got 0.0")
    refused = people | {"--out": str(tmp_path / "out"), "--algorithm": "mwem-pgm", "--workload": "ranges:age:all"}
    assert call("run", refused) == 2
    assert not (tmp_path / "out").exists()


def test_rules_of_the_schema_are_kept_and_what_breaks_them_is_told(people, capsys, tmp_path):
    schema = tmp_path / "rules.toml"
    schema.write_text(f"{SCHEMA}\n[rules]\nnever = [\"sex == 'F' and smoker == 1\"]\n", encoding="utf-8")
    ruled = people | {"--schema": str(schema)}
    assert call("run", ruled | {"--out": str(tmp_path / "out")}) == 0
    assert "1 rule; records break rule 1 (" in capsys.readouterr().out
    rows = pd.read_csv(tmp_path / "out" / "rows.csv")
    assert not ((rows["sex"] == "F") & (rows["smoker"] == 1)).any()
    written = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert Domain.from_toml(written["schema"]).never == ("sex == 'F' and smoker == 1",)
    assert "never = [" in (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert call("run", ruled | {"--algorithm": "laplace"}) == 0
    assert "Laplace gives noisy answers and no rows, so it does not keep" in capsys.readouterr().out


def test_a_public_start_is_named_in_the_manifest_and_the_script_repeats_the_run(people, capsys, tmp_path):
    (tmp_path / "last year.csv").write_text(Path(people["--table"]).read_text(encoding="utf-8"), encoding="utf-8")
    started = people | {"--public-start": str(tmp_path / "last year.csv"), "--out": str(tmp_path / "out")}
    assert call("run", started) == 0
    written = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["settings"]["start"]["table"]
    assert (written["table"], written["records"], len(written["digest"])) == ("last year.csv", 60, 32)
    assert_script_repeats(tmp_path / "out")
    capsys.readouterr()
    assert_refused(
        capsys,
        "run",
        started | {"--algorithm": "uniform", "--out": str(tmp_path / "other")},
        "Uniform starts from no table: leave the public table out, or choose MWEM",
        exact=False,
    )
