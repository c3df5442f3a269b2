"""Tables, schemas and numbers are read, and a bad one is refused in one line."""

from pathlib import Path

import pytest
from command_line import assert_refused, assert_script_repeats, call, printed_json


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
