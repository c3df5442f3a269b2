"""`release` writes a folder whole or not at all, charges the ledger, and prints nothing of the data."""

import json
import re

import pytest
from command_line import assert_refused, call, people_csv

from mwem_core.accounts import LedgerFile

FILES = {
    "rows.csv",
    "measurements.json",
    "model.json",
    "schema.toml",
    "intervals.csv",
    "manifest.json",
    "report.html",
    "quality.html",
    "datapackage.json",
    "croissant.json",
    "sdmetrics.json",
}


@pytest.fixture
def asked(people, tmp_path):
    own = {"--ledger": str(tmp_path / "ledger.sqlite"), "--name": "people 2026", "--out": str(tmp_path / "out")}
    return without(people, "--seed") | own


def without(asked, *names):
    return {key: value for key, value in asked.items() if key not in names}


def entries(asked) -> list[str]:
    """What the ledger lists: amount and state of each release."""
    accounts = LedgerFile(asked["--ledger"]).accounts()
    return [f"{entry.amount} {entry.state}" for account in accounts for entry in account.entries]


def test_it_writes_all_files_and_charges_the_ledger(asked, tmp_path, capsys):
    assert call("release", asked, "--cap", "1.5") == 0
    out, err = capsys.readouterr()
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["epsilon"] == 1.0
    assert entries(asked) == ["ε = 1 settled"]
    assert err == ""
    said = out.replace("people 2026", "").replace(str(tmp_path), "")  # the folder of this test may be the 60th
    assert not re.search(r"\d\.\d+ s\b|error|60", said)  # no time, no error, no number of records


def test_what_is_refused_leaves_no_folder_and_no_charge(asked, tmp_path, capsys):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").write_text("")
    taken = asked | {"--out": str(tmp_path / "taken")}
    assert_refused(capsys, "release", taken, f"{taken['--out']!r} is not an empty folder: name another one")
    assert_refused(capsys, "release", asked | {"--epsilon": "1"} | {"--cap": "0.5"}, "the release would", exact=False)
    gone = asked | {"--table": str(tmp_path / "gone.csv")}
    assert_refused(capsys, "release", gone, f"the table {gone['--table']!r} is not a file", exact=False)
    assert not (tmp_path / "out").exists()
    assert not LedgerFile(asked["--ledger"]).accounts() or entries(asked) == []


def test_a_value_outside_the_schema_is_not_shown(asked, tmp_path, capsys):
    (tmp_path / "people.csv").write_text(people_csv().replace(",M,", ",SECRET,"))
    message = "column 'sex' has values outside the schema: it expects one of 'F', 'M'"
    assert_refused(capsys, "release", asked, message, exact=False)
    (tmp_path / "people.csv").write_bytes(b"PAR1 SECRET")
    assert_refused(capsys, "release", asked, "the table cannot be read as a table of this schema", exact=False)


@pytest.mark.parametrize("name", ["table", "ledger", "name", "out"])
def test_what_a_release_needs_is_named(asked, capsys, name):
    message = f"a release needs --{name}; --rehearse tries the same terms without it"
    assert_refused(capsys, "release", without(asked, f"--{name}"), message)


def test_a_rehearsal_reads_no_table_and_charges_nothing(asked, tmp_path, capsys):
    terms = without(asked, "--table", "--ledger", "--name", "--out")
    assert call("release", terms, "--rehearse", "--records", "500") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 3
    line = r"n = 500: Automatic \(.+\): mean total variation 0\.\d+"
    assert all(re.search(line, each) for each in out.splitlines()[1:])
    assert call("release", terms, "--rehearse", "--public-table", asked["--table"]) == 0
    assert "the public table people.csv, n = 60: " in capsys.readouterr().out
    assert not (tmp_path / "ledger.sqlite").exists()


def test_unit_and_total_are_the_terms(asked, tmp_path, capsys):
    options = ["--unit", "hours:1", "--total", "public", "--delta", "1e-6", "--attributes", "age,sex"]
    assert call("release", asked, *options) == 0
    said = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert said["neighbours"].startswith("add or remove one person, named by column 'hours'")
    assert "taken as public" in said["number_of_records"]
    assert said["delta"] in (0, 1e-6)
    assert (said["dataset"], said["queries"]) == ("people 2026", 6)
    assert LedgerFile(asked["--ledger"]).accounts()[0].person == "hours"
    capsys.readouterr()
    assert_refused(capsys, "release", asked | {"--unit": "hours"}, "the unit must be COLUMN:C", exact=False)
    several = asked | {"--unit": "hours:3", "--total": "public"}
    assert_refused(capsys, "release", several, "the number of records cannot be public where", exact=False)


def test_a_table_of_a_header_is_released_like_any_other(asked, tmp_path, capsys):
    (tmp_path / "people.csv").write_text(people_csv(0))
    assert call("release", asked) == 0
    out, err = capsys.readouterr()
    assert (err, out.partition(" release")[0]) == ("", "Differentially private")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_after_a_release_it_says_what_the_cap_leaves_and_what_it_is_on(asked, tmp_path, capsys):
    def said(number: int, *options: str) -> str:
        assert call("release", asked | {"--out": str(tmp_path / str(number)), "--epsilon": "0.25"}, *options) == 0
        return capsys.readouterr().out.splitlines()[-1]

    assert said(1) == "No cap is set, so the ledger counts and refuses nothing: --cap sets one."
    assert said(2, "--cap", "3").startswith("Of the cap of ε = 3 at δ = 1e-09, ε = 2.5 is left. The cap is on what can")
    at_zero = (
        "Of the cap of ε = 2, ε = 1.25 is left. The cap is at δ = 0, so it is on the sum of the ε of all releases."
    )
    assert said(3, "--cap", "2", "--cap-delta", "0") == at_zero
    assert said(4, "--cap", "1").startswith("Of the cap of ε = 1, nothing is left.")  # at the δ of the one before
    message = "the δ of a cap needs its ε: name --cap too"
    assert_refused(capsys, "release", asked | {"--cap-delta": "0"}, message)


def test_a_table_that_looks_like_another_takes_its_name_or_is_said_to_be_of_other_people(asked, tmp_path, capsys):
    assert call("release", asked | {"--out": str(tmp_path / "first")}) == 0
    (tmp_path / "people.csv").write_text(people_csv(90))
    capsys.readouterr()
    renamed = asked | {"--name": "a new one"}
    assert_refused(capsys, "release", renamed, "the table looks like 'people 2026' in the ledger", exact=False)
    assert call("release", renamed, "--other-people") == 0
    assert len(entries(asked)) == 2


def test_a_decimal_comma_has_to_be_declared(asked, tmp_path, capsys):
    lines = people_csv().splitlines()
    comma = [lines[0].replace(",", ";"), *(line.replace(",", ";").replace(";", ",00;", 1) for line in lines[1:])]
    (tmp_path / "people.csv").write_text("\n".join(comma))
    assert_refused(capsys, "release", asked, "the table seems to have decimal commas", exact=False)
    assert call("release", asked, "--decimal", ",") == 0
    rows = (tmp_path / "out" / "rows.csv").read_text().splitlines()
    assert rows[0] == "age;hours;sex;smoker"


def test_a_frame_has_to_be_declared_and_what_is_refused_shows_no_record(asked, tmp_path, capsys):
    header, *rows = people_csv().splitlines()
    (tmp_path / "people.csv").write_text("\n".join([header, *rows, "Total,93,F,1"]))
    leave = "the last rows leave open whether all of them are records, and a release takes that as declared"
    say = "name --footer with the number of rows that are none, which may be 0"
    assert_refused(capsys, "release", asked, f"{leave}: {say}")
    (tmp_path / "people.csv").write_text("\n".join(rows))
    leave = "the first rows leave open which of them have the names of the columns, and a release takes that as"
    say = "declared: name --header with the number of rows that have names, or --no-header if the first row is a record"
    assert_refused(capsys, "release", asked, f"{leave} {say}")
    (tmp_path / "people.csv").write_text("\n".join(["# made today", header, *rows, "Total,93,F,1"]))
    assert call("release", asked, "--footer", "1") == 0
    assert capsys.readouterr().err == ""


def test_the_algorithm_is_what_runs_and_automatic_without_one(asked, tmp_path, capsys):
    for number, (options, name) in enumerate([([], "automatic"), (["--algorithm", "mwem"], "mwem")]):
        assert call("release", asked | {"--out": str(tmp_path / str(number))}, *options) == 0
        said = json.loads((tmp_path / str(number) / "manifest.json").read_text())
        assert said["system"] == name
    assert said["ran"].endswith(("round", "rounds"))
    capsys.readouterr()
    refused = "a release runs no 'aim': choose from mwem, automatic, mwem-paper, figure-1, tables"
    assert_refused(capsys, "release", asked | {"--algorithm": "aim"}, refused)


def test_rows_for_analysis_and_copies_are_written(asked, tmp_path):
    assert call("release", asked, "--rows", "analysis", "--copies", "2") == 0
    assert (tmp_path / "out" / "copies.csv").read_text(encoding="utf-8").startswith("copy,")
    assert "for analysis" in json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["rows_for"]


def test_questions_make_the_workload(asked, tmp_path, capsys):
    questions = without(asked, "--workload") | {"--for": "share(*) group by smoker, sex; avg(age) group by sex"}
    assert call("release", questions) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert f"The workload for these questions: {manifest['workload']}" in capsys.readouterr().out
    assert {fact["fact"]: fact["from"] for fact in manifest["public"]}["what the questions are for"] == (
        "the user: select smoker, sex, count(*) * 1.0 / sum(count(*)) over () from release group by smoker, sex;"
        " select sex, avg(age) from release group by sex"
    )


def test_a_workload_and_questions_are_one_too_many_and_neither_is_one_too_few(asked, capsys):
    one = "name what is released by --workload, or by --for the questions that it will be asked"
    assert_refused(capsys, "release", asked | {"--for": "avg(age)"}, one)
    assert_refused(capsys, "release", without(asked, "--workload"), one)
