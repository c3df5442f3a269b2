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

    monkeypatch.setattr("mwem_core.database.large_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr("mwem_core.cli.arguments.count_file", spy)
    large = people | {"--out": str(tmp_path / "large")}
    assert printed_json(capsys, "run", large) | {"seconds": 0} == in_memory
    assert_script_repeats(tmp_path / "large")
    assert "count_file(" in (tmp_path / "large" / "script.py").read_text(encoding="utf-8")
    assert [table.total for table in tables] == [60]


def test_a_large_file_of_many_distinct_rows_is_counted_on_disk_with_the_same_result(
    people, capsys, tmp_path, monkeypatch
):
    in_memory = printed_json(capsys, "run", people) | {"seconds": 0}
    monkeypatch.setattr("mwem_core.database.large_files.MAX_READ_BYTES", 100)
    monkeypatch.setattr("mwem_core.database.table_parts.MAX_DISTINCT_BYTES", 0)
    assert printed_json(capsys, "run", people) | {"seconds": 0} == in_memory
    adaptive = people | {"--out": str(tmp_path / "out"), "--rounds": "adaptive"}
    assert printed_json(capsys, "run", adaptive)["n"] == 60
    assert (tmp_path / "out" / "rows.csv").exists()


def test_attributes_keep_part_of_the_schema(people, capsys):
    summary = printed_json(capsys, "run", people | {"--workload": "parities:2", "--attributes": "smoker, sex"})
    assert (summary["queries"], summary["attributes"], summary["domain_size"]) == (3, 2, "4")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        (
            "--table",
            b"age,hours,sex,smoker\n20,1,X,0\n",
            "column 'sex' has 1 row outside the schema (for example 'X'):",
        ),
        ("--table", PNG, "people.csv is not a table of text: it holds binary data; export it as CSV or Parquet"),
        ("--schema", PNG, "the schema people.toml is not UTF-8 text: save it as UTF-8"),
        ("--schema", b"[[attribute]\nname", "the schema is not valid TOML: Expected ']]' at the end of an"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(people, capsys, option, content, message):
    """What is refused is held by the tests of tables and of schemas."""
    Path(people[option]).write_bytes(content)
    assert_refused(capsys, "run", people, message, exact=False)


def test_a_path_without_a_file_is_refused_in_one_line(people, capsys, tmp_path):
    gone = str(tmp_path / "gone")
    for option, path, problem in (
        ("--table", gone, "gone cannot be opened: No such file or directory; check the path"),
        ("--schema", gone, f"the schema {gone!r} cannot be read: No such file or directory"),
        ("--table", str(tmp_path), f"{tmp_path.name} is a directory; choose a file in it"),
        ("--table", ".", ". is a directory; choose a file in it"),
        ("--schema", str(tmp_path), f"the schema {str(tmp_path)!r} cannot be read: Is a directory"),
        ("--table", f"{gone}-*.parquet", f"no file matches {gone + '-*.parquet'!r}; check the pattern"),
    ):
        assert_refused(capsys, "run", people | {option: path}, problem)


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
    problem = "--encoding is for a single file: leave it out"
    patterned = people | {"--table": str(tmp_path / "*.csv"), "--encoding": "cp1252"}
    assert_refused(capsys, "run", patterned, problem)
    assert_refused(capsys, "compare", patterned | {"--database": "duckdb://", "--seeds": "2"}, problem, exact=False)


def test_a_database_that_cannot_be_reached_is_refused_in_one_line_without_its_password(people, capsys):
    problem = "the database must be a URL such as postgres://user:password@host/base"
    assert_refused(capsys, "run", people | {"--database": "people"}, problem)
    unreachable = {"--database": "postgres://me:s3cret@127.0.0.1:1/base", "--table": "people"}
    assert call("run", people | unreachable) == 2
    err = capsys.readouterr().err
    assert re.fullmatch(r"mwem: the database cannot be reached: [^\n]+\n", err)
    assert "s3cret" not in err


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--workload", "marginals:5", "k must be at most the number of attributes, 4, got 5"),
        ("--workload", "where:agee >= 25", "no attribute 'agee' in the schema; did you mean 'age'?"),
        ("--epsilon", "0", "epsilon must be a positive number, got 0.0"),
        ("--epsilon", "abc", "epsilon must be a number, got 'abc'"),
        ("--epsilon", "nan", "epsilon must be a positive number, got nan"),
        ("--epsilon", "1e-9", "epsilon must lie between 1e-06 and 1e+06, got 1e-09: 0.1 to 10 is usual"),
        ("--delta", "1", "delta must be at least 0 and less than 1, got 1.0: 0, or well below 1/n"),
        ("--delta", "small", "delta must be a number, got 'small'"),
        ("--seed", "lucky", "seed must be a whole number from 0 up, got 'lucky'"),
        ("--seed", "-1", "seed must be a whole number from 0 up, got '-1'"),
        ("--attributes", "age,sxe", "no attribute 'sxe' in the schema; did you mean 'sex'?"),
        ("--attributes", ",", "no attribute '' in the schema; there are 'age', 'hours', 'sex', 'smoker'"),
    ],
)
def test_a_bad_argument_is_refused_in_one_line(people, capsys, option, text, message):
    assert_refused(capsys, "run", people | {option: text}, message)
