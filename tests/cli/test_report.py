"""The command `report`."""

import json

import pytest
from command_line import words

from mwem_core.__main__ import main


@pytest.fixture
def files(people, tmp_path, capsys) -> dict[str, str]:
    assert main(["run", *words(people), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    keep = {name: people[name] for name in ("--table", "--schema")}
    return {**keep, "--rows": str(tmp_path / "out" / "rows.csv")}


def test_report_prints_in_short_and_writes_the_page(files, tmp_path, capsys):
    page = tmp_path / "quality.html"
    assert main(["report", *words(files), "--out", str(page)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Made from the records")
    assert printed[1] == "60 synthetic rows beside 60 records, 4 columns."
    assert printed[-1] == f"The page is {page}."
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_has_every_number_and_its_baselines(files, capsys):
    assert main(["report", *words(files), "--attributes", "age,sex", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [column["name"] for column in found["columns"]] == ["age", "sex"]
    assert set(found["pairs"][0]["distance"]) == {"synthetic", "independent", "uniform", "another_sample"}
    assert len(found["columns"][0]["numbers"]) == 3


def test_a_file_that_is_not_there_is_one_sentence(files, capsys):
    assert main(["report", *words(files | {"--rows": "rows.csv"})]) == 2
    assert "rows.csv cannot be opened" in capsys.readouterr().err


def test_rows_that_do_not_fit_the_schema_name_their_file(files, tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text("age,hours,sex\n20,1,F\n")
    assert main(["report", *words(files | {"--rows": str(other)})]) == 2
    assert capsys.readouterr().err.startswith("mwem: other.csv: the table has no column 'smoker'")


def test_numbers_whose_bins_a_run_measures_are_summarised_too(files, tmp_path, capsys):
    schema = tmp_path / "open.toml"
    schema.write_text('[[attribute]]\nname = "age"\nrange = [0, 99]\nmeasured_bins = 4\n')
    assert main(["report", *words(files | {"--schema": str(schema)}), "--json"]) == 0
    (column,) = json.loads(capsys.readouterr().out)["columns"]
    assert column["numbers"][0]["quantiles"][0] >= 17
