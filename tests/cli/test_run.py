"""The command line: what it prints and writes, and one sentence for whatever is wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mwem_core import encode, parse_workload, read_table
from mwem_core.__main__ import main
from mwem_core.database.duckdb_files import count_file
from mwem_core.domain.domain import Domain
from mwem_core.evaluation.metrics import errors
from mwem_core.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
EIGHT = "workclass,education,marital-status,occupation,relationship,race,sex,native-country"
ERRORS = {"max_error", "mean_error", "mean_tv", "max_tv", "mean_squared_error"}
KEYS = ERRORS | {
    *("n", "attributes", "domain_size", "workload", "queries", "preset", "rounds", "epsilon", "delta"),
    *("epsilon_spent", "seconds", "rows", "uniform", "seeded", "statement", "algorithm", "gives", "privacy"),
}

SCHEMA = """
[[attribute]]
name = "age"
edges = [17, 25, 35, 90]
[[attribute]]
name = "hours"
range = [0, 3]
[[attribute]]
name = "sex"
values = ["F", "M"]
[[attribute]]
name = "smoker"
bits = true
"""


def csv(rows: int = 60) -> str:
    rng = np.random.default_rng(0)
    columns = (
        rng.integers(17, 91, rows),
        rng.integers(4, size=rows),
        rng.choice(["F", "M"], rows),
        rng.integers(2, size=rows),
    )
    return "age,hours,sex,smoker\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


@pytest.fixture
def people(tmp_path) -> dict[str, str]:
    """Arguments for a run on a small table, which a test may change."""
    (tmp_path / "people.csv").write_text(csv())
    (tmp_path / "people.toml").write_text(SCHEMA)
    return {
        "--table": str(tmp_path / "people.csv"),
        "--schema": str(tmp_path / "people.toml"),
        "--workload": "marginals:2",
        "--epsilon": "1",
        "--seed": "0",
    }


def run(arguments: dict[str, str], *more: str) -> int:
    return main(["run", *(word for pair in arguments.items() for word in pair), *more])


def summary(capsys, arguments: dict[str, str]) -> dict:
    assert run(arguments, "--json") == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(r"(1 round|\d+ rounds) in \d+\.\d\d s\n", err)
    return json.loads(out)


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
    found = json.loads(adult.stdout)
    assert found.keys() == KEYS
    assert found["rows"].keys() == found["uniform"].keys() == ERRORS
    assert found["seconds"].keys() == {"encode", "run", "sample"}
    assert all(seconds > 0 for seconds in found["seconds"].values())
    assert len(adult.stderr.splitlines()) == 1


def test_json_says_what_was_run(adult):
    found = json.loads(adult.stdout)
    assert (found["n"], found["attributes"], found["domain_size"]) == (48842, 8, "38102400")
    assert (found["queries"], found["workload"], found["preset"]) == (3982, "marginals:2", "default")
    assert (found["epsilon"], found["delta"], found["seeded"]) == (1, 0, True)
    assert found["epsilon_spent"] == pytest.approx(1)
    assert found["epsilon_spent"] <= 1
    assert 1 <= found["rounds"] <= 28
    assert found["statement"].startswith("NOT PRIVATE")


def test_synthetic_adults_are_near_the_real_ones_and_rows_near_the_model(adult):
    found = json.loads(adult.stdout)
    assert found["mean_tv"] < 0.03
    assert found["rows"]["mean_tv"] < found["mean_tv"] + 0.004
    assert found["uniform"]["mean_tv"] == pytest.approx(0.684, abs=5e-4)  # no data: a fact about the table


def test_a_seed_repeats_a_run(people, capsys):
    first, second = summary(capsys, people), summary(capsys, people)
    assert first | {"seconds": 0} == second | {"seconds": 0}
    assert summary(capsys, people | {"--seed": "1"})["mean_tv"] != first["mean_tv"]


def test_without_a_seed_a_run_is_exploratory(people, capsys):
    del people["--seed"]
    found = summary(capsys, people)
    assert not found["seeded"]
    assert found["statement"].startswith("EXPLORATORY")


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


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize(("workload", "queries"), WORKLOADS)
def test_every_workload_runs(people, capsys, workload, queries, preset):
    found = summary(capsys, people | {"--workload": workload, "--preset": preset})
    assert (found["preset"], found["workload"], found["queries"]) == (preset, workload, queries)
    assert found["epsilon_spent"] <= 1
    assert (found["mean_tv"] is None) == workload.startswith(("ranges", "where"))


GIVES = {"rows": "rows.csv", "answers": "answers.csv"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_runs_and_leaves_what_it_gives(people, capsys, tmp_path, name):
    few = {"--attributes": "sex,smoker", "--workload": "marginals:1"}  # what all of them serve, and soon
    found = summary(capsys, people | few | {"--algorithm": name, "--out": str(tmp_path / "out")})
    system, kept = SYSTEMS[name], GIVES[SYSTEMS[name].gives]
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {kept, "manifest.json", "script.py", "transcript.json"}
    assert (found["algorithm"], found["gives"], found["privacy"]) == (name, system.gives, system.privacy_at(0))
    assert found["preset"] == ("default" if name == "mwem" else name)
    assert found["delta"] == system.delta_of(0.0)
    assert (found["rows"] is None) == (system.gives == "answers")
    spent = {"none": None, "no data": 0.0}.get(system.privacy, pytest.approx(1))
    assert (found["epsilon"], found["epsilon_spent"]) == (spent, spent)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["epsilon"], manifest["delta"]) == (found["epsilon"], found["delta"])
    assert manifest["statement"].startswith("NOT PRIVATE")
    transcript = json.loads((tmp_path / "out" / "transcript.json").read_text(encoding="utf-8"))
    assert transcript[-1]["round"] == found["rounds"]


@pytest.mark.parametrize(
    ("algorithm", "file", "repeated"),
    [("mwem", "rows.csv", "synthetic.csv"), ("laplace", "answers.csv", "answers.csv")],
)
def test_the_script_of_a_seeded_run_writes_the_same_bytes(people, capsys, tmp_path, algorithm, file, repeated):
    """The command line writes at most a million rows, but the script writes them all: here there are 60."""
    out = tmp_path / "out"
    summary(capsys, people | {"--algorithm": algorithm, "--seed": "7", "--out": str(out)})
    command = [sys.executable, "-W", "error", str(out / "script.py")]
    done = subprocess.run(command, cwd=Path(people["--table"]).parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / repeated).read_bytes() == (out / file).read_bytes()


def test_answers_are_written_by_name_in_the_workloads_order(people, capsys, tmp_path):
    found = summary(capsys, people | {"--algorithm": "laplace", "--out": str(tmp_path / "out")})
    written = pd.read_csv(tmp_path / "out" / "answers.csv")
    domain = Domain.from_toml(SCHEMA)
    Q, truth = parse_workload("marginals:2", domain), encode(read_table(Path(people["--table"])), domain)
    assert list(written["query"]) == [Q.query(j)[2] for j in range(Q.size)]
    assert errors(Q, written["answer"].to_numpy(), Q.answers(truth), 60).mean_tv == pytest.approx(found["mean_tv"])


def test_a_system_that_does_not_exist_is_told_with_those_that_do(people, capsys):
    refused(capsys, people | {"--algorithm": "nwem"}, f"there is no system 'nwem': choose from {', '.join(SYSTEMS)}")


def test_what_only_answers_says_so(people, capsys):
    assert run(people | {"--algorithm": "gaussian"}) == 0
    out = capsys.readouterr().out
    assert "it answers, and gives no rows" in out
    assert "ε spent 1 of 1 (δ = 1e-09)" in out


def test_without_noise_it_is_not_private_whatever_the_seed(people, capsys):
    del people["--seed"]
    assert summary(capsys, people | {"--algorithm": "weights"})["statement"].startswith("NOT PRIVATE: it reads exact")


@pytest.mark.parametrize(
    ("pairs", "settings"),
    [
        (["split=0.25", "sweeps=7"], {"split": 0.25, "sweeps": 7}),
        (["T=adaptive", "in_order=true"], {"T": "adaptive", "in_order": True}),
        (["T=2", "penalty=none"], {"T": 2, "penalty": "none"}),
        (["step=1", "step=2"], {"step": 2.0}),
    ],
)
def test_settings_are_changed_by_name_and_read_as_what_they_are(people, capsys, tmp_path, pairs, settings):
    words = [word for pair in pairs for word in ("--set", pair)]
    assert run(people | {"--out": str(tmp_path)}, *words) == 0
    kept = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["settings"]
    assert {name: kept[name] for name in settings} == settings
    assert all(type(kept[name]) is type(value) for name, value in settings.items())


def test_parities_run_on_attributes_of_two_values(people, capsys):
    found = summary(capsys, people | {"--workload": "parities:2", "--attributes": "smoker, sex"})
    assert (found["queries"], found["attributes"], found["domain_size"]) == (3, 2, "4")


@pytest.mark.parametrize("rounds", ["1", "5", "theorem", "adaptive"])
def test_rounds_are_a_number_or_a_rule(people, capsys, rounds):
    found = summary(capsys, people | {"--rounds": rounds, "--workload": "ranges:age,hours:all"})
    assert not rounds.isdigit() or found["rounds"] == int(rounds)
    assert found["epsilon_spent"] <= 1


def test_delta_buys_gaussian_noise(people, capsys):
    found = summary(capsys, people | {"--delta": "1e-9"})
    assert found["delta"] == 1e-9
    assert found["epsilon_spent"] == pytest.approx(1)
    assert found["epsilon_spent"] <= 1


def test_a_pattern_is_counted_and_a_large_file_too(people, capsys, tmp_path, monkeypatch):
    read = summary(capsys, people)
    header, *rows = csv().splitlines(keepends=True)
    for part, lines in enumerate((rows[:20], rows[20:])):
        (tmp_path / f"part-{part}.csv").write_text(header + "".join(lines))
    parts = {"--table": str(tmp_path / "part-*.csv"), "--out": str(tmp_path / "out")}
    assert summary(capsys, people | parts) | {"seconds": 0} == read | {"seconds": 0}
    assert not (tmp_path / "out" / "script.py").exists()  # a script reads a single file
    counted = []
    monkeypatch.setattr("mwem_core.database.duckdb_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr(
        "mwem_core.cli.given.count_file", lambda *given: counted.append(count_file(*given)) or counted[0]
    )
    assert summary(capsys, people) | {"seconds": 0} == read | {"seconds": 0}
    assert counted[0].total == 60


def test_a_run_does_without_the_rows_where_they_hardly_repeat(people, capsys, tmp_path, monkeypatch):
    read = summary(capsys, people)
    monkeypatch.setattr("mwem_core.database.duckdb_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr("mwem_core.database.counted.MAX_DISTINCT_BYTES", 0)
    more = {"--out": str(tmp_path / "out"), "--rounds": "adaptive"}
    assert summary(capsys, people) | {"seconds": 0} == read | {"seconds": 0}
    assert summary(capsys, people | more)["n"] == 60
    assert (tmp_path / "out" / "rows.csv").exists()


def test_a_pattern_without_files_is_told_in_one_line(people, capsys, tmp_path):
    none = str(tmp_path / "*.parquet")
    refused(capsys, people | {"--table": none}, f"no file matches {none!r}; check the pattern")


def test_a_database_that_cannot_be_reached_is_told_in_one_line(people, capsys):
    refused(
        capsys,
        people | {"--database": "people"},
        "the database must be a URL such as postgres://user:password@host/base",
    )
    assert run(people | {"--database": "postgres://me:s3cret@127.0.0.1:1/base", "--table": "people"}) == 2
    told = capsys.readouterr().err
    assert re.fullmatch(r"mwem_core: the database cannot be reached: [^\n]+\n", told)
    assert "s3cret" not in told


def test_no_more_synthetic_rows_are_drawn_than_say_anything(people, capsys, monkeypatch):
    monkeypatch.setattr("mwem_core.cli.run.MOST_ROWS", 40)
    assert run(people) == 0
    assert "of the 40 rows" in capsys.readouterr().out


def test_without_json_it_speaks_in_sentences(people, capsys):
    assert run(people) == 0
    out = capsys.readouterr().out
    assert out.startswith("44 queries (all 2-way marginals) over 48 cells in ")
    assert "ε spent 1 of 1" in out
    assert out.rstrip().endswith("For teaching, tests and public data.")


def test_what_is_written_can_be_read_again(people, capsys, tmp_path):
    folder = tmp_path / "made" / "here"
    found = summary(capsys, people | {"--out": str(folder)})
    files = {path.name for path in folder.iterdir()}
    assert files == {"manifest.json", "rows.csv", "script.py", "transcript.json"}

    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    domain = Domain.from_toml(manifest["schema"])
    assert domain == Domain.from_toml(SCHEMA)
    assert (manifest["epsilon_spent"], manifest["rounds"]) == (found["epsilon_spent"], found["rounds"])
    assert manifest["statement"] == found["statement"]

    rows = encode(read_table(folder / "rows.csv"), domain)
    Q, truth = parse_workload(manifest["workload"], domain), encode(read_table(Path(people["--table"])), domain)
    assert rows.total == 60
    assert errors(Q, Q.answers(rows), Q.answers(truth), 60).mean_tv == pytest.approx(found["rows"]["mean_tv"])

    transcript = json.loads((folder / "transcript.json").read_text(encoding="utf-8"))
    assert [line["round"] for line in transcript] == list(range(found["rounds"] + 1))
    spent = transcript[-1]["spent"]
    assert spent["start"] + spent["select"] + spent["measure"] == pytest.approx(1)
    assert all(line["noise"] == "laplace" and line["noise_scale"] > 0 for line in transcript[1:])


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
TABLES = {
    "empty": (b"", "people.csv is empty; it needs a header and at least one row"),
    "an image": (PNG, "people.csv is a PNG image, not a table; export it as CSV or Parquet"),
    "no rows": (b"age,hours,sex,smoker\n", "people.csv has a header but no rows; it needs at least one"),
    "ragged": (
        b"age,hours,sex,smoker\n20,1,F,0\n30,2,M\n",
        "people.csv line 3 has 3 cells where the header has 4; "
        "add or remove delimiters, or quote the cell that holds one",
    ),
    "undecodable": (
        b"\xff\xfeage\xd8",
        "people.csv line 1: byte 0x65 is not utf-16-le text; save the file as UTF-8",
    ),
    "an unknown value": (
        b"age,hours,sex,smoker\n20,1,X,0\n",
        "column 'sex' has 1 row outside the schema (for example 'X'): it expects one of 'F', 'M'; "
        "correct them, or widen the schema, declare them missing, or set other = true",
    ),
    "a missing column": (
        b"age,hours,sex\n20,1,F\n",
        "the table has no column 'smoker'; add it, or take the attribute out of the schema",
    ),
}
SCHEMAS = {
    "not TOML": (b"[[attribute]\nname", None),
    "not text": (PNG, "the schema people.toml is not UTF-8 text: save it as UTF-8"),
    "empty": (b"", "the schema has no attribute; add an [[attribute]] block with a name and its values"),
    "a contradiction": (
        b'[[attribute]]\nname = "age"\nbits = true\nrange = [0, 9]\n',
        "attribute 'age': needs exactly one of values, edges, range, bits; it has range and bits",
    ),
    "one value": (
        b'[[attribute]]\nname = "sex"\nvalues = ["F"]\n',
        "attribute 'sex': has fewer than two possible values, so there is nothing to learn about it; leave it out",
    ),
}
BETWEEN = "epsilon must lie between 1e-06 and 1e+06, got {}: 0.1 to 10 is usual"
ARGUMENTS = [
    ({"--workload": "marginals:5"}, "k must be at most the number of attributes, 4, got 5"),
    ({"--workload": "everything"}, None),
    (
        {"--workload": "where:age >="},
        "the predicate 'age >=' cannot be read at its end: expected a number or a text in quotes",
    ),
    ({"--workload": "where:agee >= 25"}, "no attribute 'agee' in the schema; did you mean 'age'?"),
    ({"--workload": "where:age >= 30"}, None),
    ({"--workload": "ranges:sex:5"}, None),
    ({"--workload": "parities:2"}, None),
    ({"--epsilon": "0"}, "epsilon must be a positive number, got 0.0"),
    ({"--epsilon": "-1"}, "epsilon must be a positive number, got -1.0"),
    ({"--epsilon": "abc"}, "epsilon must be a number, got 'abc'"),
    ({"--epsilon": "nan"}, "epsilon must be a positive number, got nan"),
    ({"--epsilon": "inf"}, "epsilon must be a positive number, got inf"),
    ({"--epsilon": "1e-9"}, BETWEEN.format("1e-09")),
    ({"--epsilon": "1e9"}, BETWEEN.format("1e+09")),
    ({"--delta": "1"}, "delta must be at least 0 and less than 1, got 1.0: 0, or well below 1/n"),
    ({"--delta": "small"}, "delta must be a number, got 'small'"),
    ({"--rounds": "0"}, "rounds must be a whole number of at least 1, theorem or adaptive, got 0"),
    ({"--rounds": "7"}, None),  # there are six marginals
    ({"--rounds": "many"}, "rounds must be a whole number from 0 up, got 'many'"),
    ({"--rounds": "2.5"}, "rounds must be a whole number from 0 up, got '2.5'"),
    ({"--seed": "lucky"}, "seed must be a whole number from 0 up, got 'lucky'"),
    ({"--seed": "-1"}, "seed must be a whole number from 0 up, got '-1'"),
    ({"--preset": "best"}, "there is no preset 'best': choose default or paper"),
    ({"--preset": "paper", "--algorithm": "weights"}, "presets are MWEM's: leave --preset out with weights"),
    ({"--algorithm": "uniform", "--rounds": "3"}, "uniform has no rounds to be counted: leave --rounds out"),
    ({"--algorithm": "weights", "--rounds": "0"}, "T must be a whole number of at least 1, got 0"),
    ({"--set": "split"}, "--set takes KEY=VALUE, got 'split'"),
    ({"--set": "split=1"}, "split must lie between 0 and 1, both excluded, got 1.0"),
    ({"--set": "split=half"}, "split must be a number, got 'half'"),
    ({"--set": "T=2.5"}, "T must be a whole number or theorem or adaptive, got '2.5'"),
    ({"--set": "replay=yes"}, "replay must be true or false, got 'yes'"),
    ({"--set": "select=all"}, "select must be queries or tables, got 'all'"),
    ({"--set": "speed=1"}, None),
    ({"--algorithm": "uniform", "--set": "T=1"}, "uniform has no setting 'T': it has none"),
    ({"--attributes": "age,sxe"}, "no attribute 'sxe' in the schema; did you mean 'sex'?"),
    ({"--attributes": ","}, None),
]


def refused(capsys, arguments: dict[str, str], message: str | None) -> None:
    """Exit code 2, nothing on stdout, and exactly one line on stderr: this one, if it is ours to word."""
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"mwem_core: [^\n]+\n", err)
    assert message is None or err == f"mwem_core: {message}\n"


@pytest.mark.parametrize("table", TABLES)
def test_a_bad_table_is_refused_in_one_line(people, capsys, table):
    data, message = TABLES[table]
    Path(people["--table"]).write_bytes(data)
    refused(capsys, people, message)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_bad_schema_is_refused_in_one_line(people, capsys, schema):
    data, message = SCHEMAS[schema]
    Path(people["--schema"]).write_bytes(data)
    refused(capsys, people, message)


@pytest.mark.parametrize(
    ("changed", "message"), ARGUMENTS, ids=lambda value: str(value) if isinstance(value, dict) else ""
)
def test_a_bad_argument_is_refused_in_one_line(people, capsys, changed, message):
    refused(capsys, people | changed, message)


def test_a_path_that_leads_nowhere_is_refused_in_one_line(people, capsys, tmp_path):
    gone = str(tmp_path / "gone")
    refused(capsys, people | {"--table": gone}, "gone cannot be opened: No such file or directory; check the path")
    refused(capsys, people | {"--schema": gone}, f"the schema {gone!r} cannot be read: No such file or directory")
    refused(capsys, people | {"--table": str(tmp_path)}, f"{tmp_path.name} is a directory; choose a file in it")
    refused(
        capsys, people | {"--schema": str(tmp_path)}, f"the schema {str(tmp_path)!r} cannot be read: Is a directory"
    )


def test_a_folder_that_cannot_be_made_is_refused_before_the_run(people, capsys):
    out = people["--table"]
    refused(capsys, people | {"--out": out}, f"{out!r} cannot be written: File exists")
    refused(capsys, people | {"--out": f"{out}/in"}, f"{f'{out}/in'!r} cannot be written: Not a directory")


def test_a_refused_run_leaves_no_folder_behind(people, capsys, tmp_path):
    refused(capsys, people | {"--out": str(tmp_path / "out"), "--rounds": "0"}, None)
    assert not (tmp_path / "out").exists()


def test_a_process_that_refuses_exits_with_two_and_prints_no_traceback(people):
    words = [word for pair in (people | {"--epsilon": "0"}).items() for word in pair]
    done = subprocess.run(
        [sys.executable, "-m", "mwem_core", "run", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "mwem_core: epsilon must be a positive number, got 0.0\n"


def test_arguments_left_out_are_named(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--table", "t.csv"])
    assert "the following arguments are required: --schema, --workload, --epsilon" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told_in_one_line(people, capsys, tmp_path):
    (tmp_path / "out" / "rows.csv").mkdir(parents=True)
    assert run(people | {"--out": str(tmp_path / "out")}) == 2
    told = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"\d+ rounds in \d+\.\d\d s", told[0])
    assert told[1:] == [f"mwem_core: {str(tmp_path / 'out' / 'rows.csv')!r} cannot be written: Is a directory"]
