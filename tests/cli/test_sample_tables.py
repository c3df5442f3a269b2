"""A bundled table's name stands for its file, its schema and its column of counts."""

import pytest
from command_line import assert_refused, people_csv, printed_json

from mwem_core.cli.sample_tables import SAMPLE_TABLES

QUESTION = {"--workload": "marginals:1", "--epsilon": "1", "--seed": "0", "--algorithm": "planner-clean"}
N = {"adult": 48_842, "czech": 1_841, "rochdale": 665, "class_survey": 200}


@pytest.mark.parametrize("name", SAMPLE_TABLES)
def test_a_run_by_name_is_the_run_by_files(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = SAMPLE_TABLES[name]
    files = {"--table": str(table.file), "--schema": str(table.schema), "--count": table.count or "none"}
    by_name = printed_json(capsys, "run", QUESTION | {"--table": name})
    assert by_name | {"seconds": 0} == printed_json(capsys, "run", QUESTION | files) | {"seconds": 0}
    assert by_name["n"] == N[name]


def test_options_that_are_given_come_before_the_tables_own(people, capsys):
    schema = people["--schema"]
    assert_refused(
        capsys, "run", QUESTION | {"--table": "czech", "--schema": schema}, "the table has no column 'age'", exact=False
    )


def test_a_file_of_a_bundled_name_comes_first(people, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "czech").write_text(people_csv(7))
    assert printed_json(capsys, "run", people | {"--table": "czech"})["n"] == 7


def test_a_table_that_is_not_bundled_needs_a_schema(people, capsys):
    del people["--schema"]
    needed = (
        "a table needs --schema, unless it is bundled, as adult, czech, rochdale and class_survey are: "
        "mwem schema --table FILE --out schema.toml proposes one from the table"
    )
    assert_refused(capsys, "run", people, needed)
