"""`run` prints a run's errors, in words or as JSON, and writes its release."""

import json
import os
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
from mwem_core.systems import METHODS, SYSTEMS

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
EIGHT = "workclass,education,marital-status,occupation,relationship,race,sex,native-country"
ERRORS = {"max_error", "mean_error", "mean_tv", "max_tv", "mean_squared_error", "error_95"}
ERRORS |= {"mean_cuboid_error", "max_cuboid_error"}
KEYS = ERRORS | {
    *("n", "attributes", "domain_size", "workload", "queries", "ran", "rounds", "early_end", "epsilon", "delta"),
    *(
        "epsilon_spent",
        "seconds",
        "rows",
        "rows_given_up",
        "uniform",
        "seeded",
        "statement",
        "reasons",
        "algorithm",
        "gives",
        "privacy",
    ),
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


def test_without_noise_a_run_is_not_private_whatever_its_seed(people, capsys):
    del people["--seed"]
    summary = printed_json(capsys, "run", people | {"--algorithm": "weights"})
    assert summary["statement"] == NOT_PRIVATE
    assert summary["reasons"][0]["reason"] == "The run reads exact answers and adds no noise"


WORKLOADS = [
    ("marginals:2", 44),
    ("marginals:<=3", 11 + 44 + 76),
    ("cuboids:2", 44),
    ("cuboids:<=2", 55),
    ("ranges:age:all", 6),
    ("ranges:age:prefixes", 3),
    ("ranges:age,hours:20", 20),
    ("ranges:hours:0..1;2..3", 2),
    ("where:age >= 25 and sex == 'F'; smoker == 1", 2),
]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("workload", "queries"), WORKLOADS)
def test_every_variant_of_mwem_runs_every_workload_that_it_serves(people, capsys, workload, queries, name):
    arguments = people | {"--workload": workload, "--algorithm": name}
    if name == "figure-1" and workload.startswith("cuboids"):  # it selects single queries
        problem = "cuboids are selected as whole tables: select tables, or ask for marginals"
        assert_refused(capsys, "run", arguments, problem)
        return
    summary = printed_json(capsys, "run", arguments)
    assert (summary["algorithm"], summary["workload"], summary["queries"]) == (name, workload, queries)
    assert summary["epsilon_spent"] <= 1
    assert (summary["mean_tv"] is None) == workload.startswith(("ranges", "where"))


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
    assert (manifest["epsilon"], manifest["delta"]) == (summary["epsilon"], summary["delta"])
    assert manifest["statement"] == summary["statement"]
    assert manifest["statement"].startswith("NOT PRIVATE")
    transcript = json.loads((tmp_path / "out" / "transcript.json").read_text(encoding="utf-8"))
    assert transcript[-1]["round"] == summary["rounds"]


@pytest.mark.parametrize(
    ("algorithm", "file", "file_of_script"),
    [("mwem", "rows.csv", "synthetic.csv"), ("laplace", "answers.csv", "answers.csv")],
)
def test_the_script_of_a_seeded_run_writes_the_same_bytes(people, capsys, tmp_path, algorithm, file, file_of_script):
    """The command line writes at most a million rows, but the script writes them all: here there are 60."""
    out = tmp_path / "out"
    printed_json(capsys, "run", people | {"--algorithm": algorithm, "--seed": "7", "--out": str(out)})
    command = [sys.executable, "-W", "error", str(out / "script.py")]
    ended = subprocess.run(command, cwd=Path(people["--table"]).parent, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / file_of_script).read_bytes() == (out / file).read_bytes()


def test_answers_are_written_with_their_queries_in_the_workloads_order(people, capsys, tmp_path):
    summary = printed_json(capsys, "run", people | {"--algorithm": "laplace", "--out": str(tmp_path / "out")})
    written = pd.read_csv(tmp_path / "out" / "answers.csv")
    Q, truth = truth_of(people)
    assert list(written["query"]) == [Q.query(j)[2] for j in range(Q.size)]
    assert errors(Q, written["answer"].to_numpy(), truth, 60).mean_tv == pytest.approx(summary["mean_tv"])


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


def test_persons_are_of_a_file_in_memory_and_named_by_one_of_its_columns(people, capsys):
    for changed, message in (
        ({"--unit": "nobody:2"}, "the table has no column 'nobody' that names the person"),
        ({"--unit": "age"}, "the unit must be COLUMN:C"),
        ({"--unit": "sex:2", "--table": "part-*.csv"}, "records of persons are kept from a single file"),
    ):
        assert_refused(capsys, "run", people | changed, message, exact=False)


@pytest.fixture
def wide(tmp_path) -> dict[str, str]:
    """Attributes of 300, 300 and 400 values: of their three pairs, Automatic may measure one."""
    last = {"a": 299, "b": 299, "c": 399}
    (tmp_path / "wide.csv").write_text("a,b,c\n" + "".join(f"{i},{i},{i}\n" for i in range(300)), encoding="utf-8")
    schema = "".join(f'[[attribute]]\nname = "{name}"\nrange = [0, {last[name]}]\n' for name in last)
    (tmp_path / "wide.toml").write_text(schema, encoding="utf-8")
    files = {"--table": str(tmp_path / "wide.csv"), "--schema": str(tmp_path / "wide.toml")}
    return files | {"--workload": "marginals:2", "--epsilon": "1", "--seed": "0", "--rounds": "2"}


def test_a_run_that_ends_early_says_why_and_what_is_left(wide, capsys, tmp_path):
    reason = (
        "Ended after 1 of 2 planned rounds: no further marginal fits the model's 100,000 cells. "
        "ε = 0.5 of 1 is spent. The other 0.5 is not spent, because a round spends only on what it measures: you "
        "may use it for another release of the same table."
    )
    assert call("run", wide | {"--out": str(tmp_path / "out")}) == 0
    assert capsys.readouterr().out.splitlines()[1] == reason
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["early_end"] == reason


def test_a_release_can_be_read_again(people, capsys, tmp_path):
    folder = tmp_path / "new" / "folder"
    summary = printed_json(capsys, "run", people | {"--out": str(folder)})
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    domain = Domain.from_toml(manifest["schema"])
    assert domain == Domain.from_toml(SCHEMA)
    assert (manifest["epsilon_spent"], manifest["rounds"]) == (summary["epsilon_spent"], summary["rounds"])
    assert manifest["statement"] == summary["statement"]

    rows = encode(read_table(folder / "rows.csv"), domain)
    Q, truth = truth_of(people, manifest["workload"])
    assert rows.total == 60
    assert errors(Q, Q.answers(rows), truth, 60).mean_tv == pytest.approx(summary["rows"]["mean_tv"])

    transcript = json.loads((folder / "transcript.json").read_text(encoding="utf-8"))
    assert [line["round"] for line in transcript] == list(range(summary["rounds"] + 1))
    spent = transcript[-1]["spent"]
    assert spent["start"] + spent["select"] + spent["measure"] == pytest.approx(1)
    assert all(line["noise"] == "laplace" for line in transcript[1:])
    assert all(each["noise_scale"] > 0 for line in transcript[1:] for each in line.get("residuals", [line]))


def test_a_folder_that_cannot_be_made_is_refused_before_the_run(people, capsys):
    file = people["--table"]
    assert_refused(capsys, "run", people | {"--out": file}, f"{file!r} is not an empty folder: name another one")
    inside = f"{file}/in"
    assert_refused(capsys, "run", people | {"--out": inside}, f"{inside!r} cannot be written: Not a directory")


def test_a_run_is_not_written_over_another(people, capsys, tmp_path):
    """The folder of another table's run stays as it was, to the byte."""
    out = tmp_path / "out"
    assert call("run", people | {"--out": str(out)}) == 0
    capsys.readouterr()
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    other = people | {"--out": str(out), "--attributes": "age,sex"}
    assert_refused(capsys, "run", other, f"{str(out)!r} is not an empty folder: name another one")
    assert before == {path.name: path.read_bytes() for path in out.iterdir()}


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
