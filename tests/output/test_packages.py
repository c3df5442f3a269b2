"""Descriptions of the rows for other programs: what they say, and that Frictionless accepts it."""

import json
from hashlib import sha256

import pytest
from releases import files_of
from workloads import MIXED

from mwem_core import Domain

ALL_KINDS = Domain.from_toml("""
[[attribute]]
name = "=sum"
values = ["-1", "a, b", 'say "c"']

[[attribute]]
name = "weight"
edges = [0, 0.5, 1, 2.25]
missing = "NA"

[[attribute]]
name = "born"
dates = ["2000-01-01", "2001-12-31"]
by = "month"

[[attribute]]
name = "told"
range = [0, 2]
special = ["refused"]
other = true

[[attribute]]
name = "bit"
range = [0, 1]
""")


def test_the_package_names_each_table_with_its_digest_and_its_columns():
    files = files_of("marginals:1", MIXED, copies=2)
    package = json.loads(files["datapackage.json"])
    assert [resource["path"] for resource in package["resources"]] == ["rows.csv", "intervals.csv", "copies.csv"]
    for resource in package["resources"]:
        content = files[resource["path"]]
        names = [field["name"] for field in resource["schema"]["fields"]]
        assert names == content.decode().splitlines()[0].split(",")
        assert (resource["bytes"], resource["hash"]) == (len(content), f"sha256:{sha256(content).hexdigest()}")


def test_croissant_has_a_field_for_each_column_of_the_file():
    files = files_of("marginals:1", MIXED)
    described = json.loads(files["croissant.json"])
    (file,), (records,) = described["distribution"], described["recordSet"]
    assert file["sha256"] == sha256(files["rows.csv"]).hexdigest()
    assert [field["source"]["extract"]["column"] for field in records["field"]] == list(MIXED.names)
    assert (described["name"], described["alternateName"]) == ("people", "people")


def test_texts_that_a_spreadsheet_would_run_are_described_where_they_are_as_they_are():
    files = files_of("marginals:1", ALL_KINDS)
    assert json.loads(files["datapackage.json"])["resources"][0]["path"] == "rows.plain.csv"
    assert json.loads(files["croissant.json"])["distribution"][0]["@id"] == "rows.plain.csv"


def test_decimal_commas_are_declared_and_croissant_which_cannot_say_them_is_left_out():
    files = files_of("marginals:1", ALL_KINDS, decimal=",")
    assert "croissant.json" not in files
    rows, intervals = json.loads(files["datapackage.json"])["resources"]
    assert (rows["dialect"]["delimiter"], intervals["dialect"]["delimiter"]) == (";", ",")
    assert {field["name"]: field.get("decimalChar") for field in rows["schema"]["fields"]}["weight"] == ","


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of a program that is only asked here
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("domain", [MIXED, ALL_KINDS])
def test_frictionless_accepts_the_package(domain, decimal, tmp_path):
    frictionless = pytest.importorskip("frictionless")
    for name, content in files_of("marginals:1", domain, decimal=decimal, copies=2).items():
        (tmp_path / name).write_bytes(content)
    found = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert found.valid, found.flatten(["taskNumber", "rowNumber", "fieldName", "note"])[:5]
    assert len(found.tasks) == 3
    damaged = (tmp_path / "intervals.csv").read_text(encoding="utf-8").replace("95%", "95%,")
    (tmp_path / "intervals.csv").write_text(damaged, encoding="utf-8")
    assert not frictionless.validate(str(tmp_path / "datapackage.json")).valid
