"""A column called `count` is asked for on the command line, and what it means is written into the files."""

import json

import pytest
from command_line import assert_refused, assert_script_repeats, call, printed_json

ASK = "the table has a column 'count' that is no attribute: say whether it holds the number of records of each row"
SCHEMA = '[[attribute]]\nname = "sex"\nvalues = ["F", "M"]\n'
PROTECTED = "Each row of the table stands for as many records as its column 'count' says. One record is protected, not"


@pytest.fixture
def asked(tmp_path) -> dict[str, str]:
    """Arguments for a table of 26 people, each with a number of their own from 0 to 2: 25 in all."""
    rows = "".join(f"{'FM'[i % 2]},{i % 3}\n" for i in range(26))
    (tmp_path / "people.csv").write_text(f"sex,count\n{rows}")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    files = {"--table": str(tmp_path / "people.csv"), "--schema": str(tmp_path / "schema.toml")}
    return files | {"--workload": "marginals:1", "--epsilon": "1"}


@pytest.mark.parametrize(("said", "n"), [("count", 25), ("none", 26)])
def test_a_run_asks_and_takes_what_is_said(asked, capsys, tmp_path, said, n):
    assert_refused(capsys, "run", asked, ASK, exact=False)
    out = tmp_path / "out"
    assert printed_json(capsys, "run", asked | {"--count": said, "--out": str(out)})["n"] == n
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["count"] == (said if said == "count" else None)
    assert manifest.get("rows", "").startswith(PROTECTED) == (said == "count")
    assert f"domain, count={manifest['count']!r})" in (out / "script.py").read_text()


def test_an_attribute_is_not_asked_for(asked, capsys, tmp_path):
    (tmp_path / "schema.toml").write_text(SCHEMA + '[[attribute]]\nname = "count"\nrange = [0, 2]\n')
    assert printed_json(capsys, "run", asked)["n"] == 26
    both = "column 'count' is an attribute of the schema and cannot also be the number of records of each row: take"
    assert_refused(capsys, "run", asked | {"--count": "count"}, both, exact=False)


def test_other_commands_ask_too(asked, capsys, tmp_path):
    compare = asked | {"--systems": "uniform", "--seeds": "1"}
    assert_refused(capsys, "compare", compare, ASK, exact=False)
    assert printed_json(capsys, "compare", compare | {"--count": "count"})["n"] == 25
    report = {name: asked[name] for name in ("--table", "--schema")} | {"--rows": str(tmp_path / "rows.csv")}
    (tmp_path / "rows.csv").write_text("sex\n" + "F\nM\n" * 20)
    assert call("report", report) == 2
    assert ASK in capsys.readouterr().err
    assert call("report", report | {"--count": "count"}) == 0


def test_a_release_says_in_words_what_it_protects(asked, capsys, tmp_path):
    release = asked | {"--ledger": str(tmp_path / "l.sqlite"), "--name": "p", "--out": str(tmp_path / "out")}
    assert_refused(capsys, "release", release, ASK, exact=False)
    assert call("release", release | {"--count": "count"}) == 0
    assert PROTECTED in capsys.readouterr().out
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows"].startswith(PROTECTED)
    assert {"fact": "column with the number of records of each row", "from": "the user: count"} in manifest["public"]
    assert "One record is protected, not one row" in (tmp_path / "out" / "report.html").read_text()


def test_a_proposed_schema_has_the_column_unless_it_is_named(asked, capsys):
    assert call("schema", {"--table": asked["--table"]}) == 0
    out, err = capsys.readouterr()
    assert 'name = "count"\nrange = [0, 2]' in out
    assert "column 'count' is an attribute: if it holds the number of records of each row, name it with --count" in err
    assert call("schema", {"--table": asked["--table"], "--count": "count"}) == 0
    out, err = capsys.readouterr()
    assert "count" not in out
    assert "left out: column 'count' holds the number of records of each row" in err


def test_what_a_spreadsheet_would_run_is_guarded_and_is_as_it_is_in_a_plain_file(asked, capsys, tmp_path):
    (tmp_path / "people.csv").write_text("-x\n" + "-\n=1+1\n" * 20)
    (tmp_path / "schema.toml").write_text('[[attribute]]\nname = "-x"\nvalues = ["=1+1"]\nmissing = "-"\n')
    out = tmp_path / "out"
    assert call("run", asked | {"--out": str(out), "--epsilon": "50", "--seed": "1"}) == 0
    said = "has an apostrophe before it ('=1+1 for =1+1): rows.plain.csv has it as it is."
    assert said in capsys.readouterr().err
    guarded, plain = ((out / name).read_text() for name in ("rows.csv", "rows.plain.csv"))
    assert set(guarded.split()) == {"-x", "-", "'=1+1"}
    assert plain == guarded.replace("'", "").replace("\n-", '\n""')
    assert_script_repeats(out)
