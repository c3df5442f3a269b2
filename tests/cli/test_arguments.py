"""Tables, schemas and numbers are read, and a bad one is refused in one line."""

import re
from pathlib import Path

import pytest
from command_line import assert_refused, assert_script_repeats, call, people_csv, printed_json

from mwem_core.database import count_file


def test_a_pattern_and_a_large_file_are_counted_with_the_same_result(people, capsys, tmp_path, monkeypatch):
    in_memory = printed_json(capsys, "run", people) | {"seconds": 0}
    header, *rows = people_csv().splitlines(keepends=True)
    for part, lines in enumerate((rows[:20], rows[20:])):
        (tmp_path / f"part-{part}.csv").write_text(header + "".join(lines))
    parts = {"--table": str(tmp_path / "part-*.csv"), "--out": str(tmp_path / "out")}
    assert printed_json(capsys, "run", people | parts) | {"seconds": 0} == in_memory
    assert_script_repeats(tmp_path / "out")
    tables = []

    def spy(*args, **named):
        tables.append(count_file(*args, **named))
        return tables[0]

    monkeypatch.setattr("mwem_core.database.duckdb_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr("mwem_core.cli.arguments.count_file", spy)
    large = people | {"--out": str(tmp_path / "large")}
    assert printed_json(capsys, "run", large) | {"seconds": 0} == in_memory
    assert_script_repeats(tmp_path / "large")
    assert "count_file(" in (tmp_path / "large" / "script.py").read_text(encoding="utf-8")
    assert [table.total for table in tables] == [60]


def test_a_large_file_of_many_distinct_rows_is_counted_by_query_with_the_same_result(
    people, capsys, tmp_path, monkeypatch
):
    in_memory = printed_json(capsys, "run", people) | {"seconds": 0}
    monkeypatch.setattr("mwem_core.database.duckdb_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr("mwem_core.database.sql_table.MAX_DISTINCT_BYTES", 0)
    assert printed_json(capsys, "run", people) | {"seconds": 0} == in_memory
    adaptive = people | {"--out": str(tmp_path / "out"), "--rounds": "adaptive"}
    assert printed_json(capsys, "run", adaptive)["n"] == 60
    assert (tmp_path / "out" / "rows.csv").exists()


def test_attributes_keep_part_of_the_schema(people, capsys):
    summary = printed_json(capsys, "run", people | {"--workload": "parities:2", "--attributes": "smoker, sex"})
    assert (summary["queries"], summary["attributes"], summary["domain_size"]) == (3, 2, "4")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
TABLES = {
    "empty": (b"", "people.csv is empty; it needs a header and at least one row"),
    "an image": (PNG, "people.csv is not a table of text: it holds binary data; export it as CSV or Parquet"),
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
    "not text": (PNG, "the schema people.toml is not UTF-8 text: save it as UTF-8"),
    "empty": (b"", "the schema has no attribute; add an [[attribute]] block with a name and its values"),
    "a contradiction": (
        b'[[attribute]]\nname = "age"\nbits = true\nrange = [0, 9]\n',
        "attribute 'age': needs exactly one of values, edges, range, bits, dates; it has range and bits",
    ),
    "one value": (
        b'[[attribute]]\nname = "sex"\nvalues = ["F"]\n',
        "attribute 'sex': has fewer than two possible values, so there is nothing to learn about it; leave it out",
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_bad_table_is_refused_in_one_line(people, capsys, table):
    content, message = TABLES[table]
    Path(people["--table"]).write_bytes(content)
    assert_refused(capsys, "run", people, message)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_bad_schema_is_refused_in_one_line(people, capsys, schema):
    content, message = SCHEMAS[schema]
    Path(people["--schema"]).write_bytes(content)
    assert_refused(capsys, "run", people, message)


def test_a_schema_that_is_not_toml_is_refused_with_the_place(people, capsys):
    Path(people["--schema"]).write_bytes(b"[[attribute]\nname")
    assert_refused(capsys, "run", people, "the schema is not valid TOML: Expected ']]' at the end of an", exact=False)


def test_a_path_without_a_file_is_refused_in_one_line(people, capsys, tmp_path):
    gone = str(tmp_path / "gone")
    problem = "gone cannot be opened: No such file or directory; check the path"
    assert_refused(capsys, "run", people | {"--table": gone}, problem)
    problem = f"the schema {gone!r} cannot be read: No such file or directory"
    assert_refused(capsys, "run", people | {"--schema": gone}, problem)
    problem = f"{tmp_path.name} is a directory; choose a file in it"
    assert_refused(capsys, "run", people | {"--table": str(tmp_path)}, problem)
    assert_refused(capsys, "run", people | {"--table": "."}, ". is a directory; choose a file in it")
    problem = f"the schema {str(tmp_path)!r} cannot be read: Is a directory"
    assert_refused(capsys, "run", people | {"--schema": str(tmp_path)}, problem)


def test_an_encoding_is_used_for_the_table_and_repeated_by_the_script(people, capsys, tmp_path):
    text = Path(people["--table"]).read_text("utf-8").replace("sex", "kön")
    Path(people["--table"]).write_bytes(text.encode("utf-8"))
    Path(people["--schema"]).write_text(
        Path(people["--schema"]).read_text("utf-8").replace("sex", "kön"), encoding="utf-8"
    )
    out = {"--out": str(tmp_path / "out")}
    in_utf_8 = printed_json(capsys, "run", people) | {"seconds": 0}
    Path(people["--table"]).write_bytes(text.encode("mac_roman"))
    assert call("run", people) == 2
    said, refused = capsys.readouterr().err.splitlines()  # what was guessed, and why it cannot be
    assert said.startswith("Read as ")
    assert "the table has no column 'kön'" in refused
    chosen = people | out | {"--encoding": "mac_roman"}
    assert printed_json(capsys, "run", chosen) | {"seconds": 0} == in_utf_8
    assert_script_repeats(tmp_path / "out")
    assert "encoding='mac_roman'" in (tmp_path / "out" / "script.py").read_text(encoding="utf-8")


def test_an_encoding_is_refused_where_there_is_no_single_text_file(people, capsys, tmp_path):
    problem = "an encoding is for a single text file: leave --encoding out"
    patterned = people | {"--table": str(tmp_path / "*.csv"), "--encoding": "cp1252"}
    assert_refused(capsys, "run", patterned, problem)
    assert_refused(capsys, "compare", patterned | {"--database": "duckdb://", "--seeds": "2"}, problem, exact=False)


def test_a_pattern_without_files_is_refused_in_one_line(people, capsys, tmp_path):
    pattern = str(tmp_path / "*.parquet")
    assert_refused(capsys, "run", people | {"--table": pattern}, f"no file matches {pattern!r}; check the pattern")


def test_a_database_that_cannot_be_reached_is_refused_in_one_line_without_its_password(people, capsys):
    problem = "the database must be a URL such as postgres://user:password@host/base"
    assert_refused(capsys, "run", people | {"--database": "people"}, problem)
    unreachable = {"--database": "postgres://me:s3cret@127.0.0.1:1/base", "--table": "people"}
    assert call("run", people | unreachable) == 2
    err = capsys.readouterr().err
    assert re.fullmatch(r"mwem: the database cannot be reached: [^\n]+\n", err)
    assert "s3cret" not in err


BETWEEN = "epsilon must lie between 1e-06 and 1e+06, got {}: 0.1 to 10 is usual"
ARGUMENTS = [
    ({"--workload": "marginals:5"}, "k must be at most the number of attributes, 4, got 5"),
    (
        {"--workload": "everything"},
        "there is no workload 'everything': write marginals:K, cuboids:K, parities:K, ranges:COLUMN:COUNT or "
        "where:PREDICATE",
    ),
    (
        {"--workload": "where:age >="},
        "the predicate 'age >=' cannot be read at its end: expected a number or a text in quotes",
    ),
    ({"--workload": "where:agee >= 25"}, "no attribute 'agee' in the schema; did you mean 'age'?"),
    (
        {"--workload": "where:age >= 30"},
        "age has edges at 17, 25, 35, 90: 30 falls inside [25, 35); compare with an edge",
    ),
    (
        {"--workload": "ranges:sex:5"},
        "ranges need an ordered attribute, but 'sex' is categorical: choose one with edges or a range",
    ),
    (
        {"--workload": "parities:2"},
        "parities need attributes of two values, but 'age' has 3, 'hours' has 4: leave them out, or ask for marginals",
    ),
    ({"--epsilon": "0"}, "epsilon must be a positive number, got 0.0"),
    ({"--epsilon": "-1"}, "epsilon must be a positive number, got -1.0"),
    ({"--epsilon": "abc"}, "epsilon must be a number, got 'abc'"),
    ({"--epsilon": "nan"}, "epsilon must be a positive number, got nan"),
    ({"--epsilon": "inf"}, "epsilon must be a positive number, got inf"),
    ({"--epsilon": "1e-9"}, BETWEEN.format("1e-09")),
    ({"--epsilon": "1e9"}, BETWEEN.format("1e+09")),
    ({"--delta": "1"}, "delta must be at least 0 and less than 1, got 1.0: 0, or well below 1/n"),
    ({"--delta": "small"}, "delta must be a number, got 'small'"),
    ({"--seed": "lucky"}, "seed must be a whole number from 0 up, got 'lucky'"),
    ({"--seed": "-1"}, "seed must be a whole number from 0 up, got '-1'"),
    ({"--attributes": "age,sxe"}, "no attribute 'sxe' in the schema; did you mean 'sex'?"),
    ({"--attributes": ","}, "no attribute '' in the schema; there are 'age', 'hours', 'sex', 'smoker'"),
]


@pytest.mark.parametrize(
    ("changed", "message"), ARGUMENTS, ids=lambda value: str(value) if isinstance(value, dict) else ""
)
def test_a_bad_argument_is_refused_in_one_line(people, capsys, changed, message):
    assert_refused(capsys, "run", people | changed, message)
