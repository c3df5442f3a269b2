"""Rows described for other programs: what is said, and that Frictionless, Croissant's reader and pandas read it so."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from releases import files_of

from mwem_core import Domain
from mwem_core.release import Bundle

READ_BY_PANDAS = {"", "NA"}  # as missing, without being told
ADULT = Domain.from_toml((Path(__file__).parents[2] / "sample_data" / "adult.toml").read_text(encoding="utf-8"))
# Whole numbers written as 19.0, decimals, dates, blanks and other marks, beside texts that look like numbers.
WRITTEN = Domain.from_toml("""
[[attribute]]
name = "age"
edges = [17, 30, 45, 60]
decimals = 0
form = "0.0"
missing = ""

[[attribute]]
name = "children"
range = [0, 12]
missing = ["", "NA"]

[[attribute]]
name = "weight"
edges = [40, 60, 80, 100]
decimals = 1

[[attribute]]
name = "height"
edges = [1.5, 1.7, 2.1]
decimals = 2
missing = "?"

[[attribute]]
name = "born"
dates = ["1990-01-01", "1999-12-31"]
by = "year"
missing = "NA"

[[attribute]]
name = "seen"
dates = ["2020-01-01", "2021-12-31"]
by = "year"
other = true

[[attribute]]
name = "smokes"
range = [0, 1]
missing = ""

[[attribute]]
name = "income"
edges = [0, 1000, 2000]
decimals = 2
form = "$0,000.00"

[[attribute]]
name = "gain"
edges = [-5, 0, 6]
decimals = 0
form = "+0"

[[attribute]]
name = "code"
values = ["1", "2", "30"]
missing = ""

[[attribute]]
name = "town"
values = ["Ulm", "Bonn, am Rhein", "=sum"]
missing = "=NA()"
""")
TEXT, WHOLE, NUMBER, DAY = str, int, float, date.fromisoformat
KINDS = {  # what each cell of a column is that is not missing, and what its missing cells are
    "age": (NUMBER, {""}),
    "children": (WHOLE, {"", "NA"}),
    "weight": (NUMBER, set()),
    "height": (NUMBER, {"?"}),
    "born": (DAY, {"NA"}),
    "seen": (TEXT, set()),
    "smokes": (WHOLE, {""}),
    "income": (TEXT, set()),
    "gain": (WHOLE, set()),
    "code": (TEXT, {""}),
    "town": (TEXT, {"=NA()"}),
}
OF_ADULT = {name: (WHOLE, set()) for name in ("age", "hours-per-week")} | {"education": (TEXT, set())}
CASES = {"written": (WRITTEN, KINDS), "adult": (ADULT.project(list(OF_ADULT)), OF_ADULT)}


@dataclass(frozen=True)
class Case:
    """The folder of a release, the file of its rows, the kinds of its columns, and its rows by their texts."""

    folder: Path
    files: Bundle
    file: Path
    kinds: dict[str, tuple[Callable[[str], object], set[str]]]

    @property
    def values(self) -> list[dict[str, object]]:
        """What each cell of the file stands for, None where it is missing."""
        rows = csv.DictReader(io.StringIO(self.file.read_text(encoding="utf-8"), newline=""))
        return [
            {name: None if row[name] in missing else kind(row[name]) for name, (kind, missing) in self.kinds.items()}
            for row in rows
        ]


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory) -> Case:
    """A release of random records, with copies."""
    folder, (domain, kinds) = tmp_path_factory.mktemp("release"), CASES[request.param]
    files = files_of("marginals:1", domain, epsilon=5.0, copies=2)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Case(folder, files, folder / ("rows.plain.csv" if "rows.plain.csv" in files else "rows.csv"), kinds)


def test_the_rows_have_what_readers_have_to_tell_apart(case):
    """Or the tests below would tell nothing."""
    for name, (_, missing) in case.kinds.items():
        values = [row[name] for row in case.values]
        assert (None in values) == bool(missing)
        assert len(set(values)) > 1


def test_the_descriptions_name_each_table_with_its_digest_and_its_columns(case):
    package = json.loads(case.files["datapackage.json"])
    assert [resource["path"] for resource in package["resources"]] == [case.file.name, "intervals.csv", "copies.csv"]
    for resource in package["resources"]:
        content = case.files[resource["path"]]
        names = [field["name"] for field in resource["schema"]["fields"]]
        assert names == content.decode().splitlines()[0].split(",")
        assert (resource["bytes"], resource["hash"]) == (len(content), f"sha256:{sha256(content).hexdigest()}")
    described = json.loads(case.files["croissant.json"])
    (file,), (records,) = described["distribution"], described["recordSet"]
    assert (file["@id"], file["sha256"]) == (case.file.name, sha256(case.files[case.file.name]).hexdigest())
    columns = case.files[case.file.name].decode().splitlines()[0].split(",")
    assert [field["source"]["extract"]["column"] for field in records["field"]] == columns
    assert sorted(columns) == sorted(case.kinds)
    assert (described["name"], described["alternateName"]) == ("people", "people")


@pytest.mark.filterwarnings("ignore")  # of a program that is only asked here
def test_decimal_commas_are_declared_and_croissant_which_cannot_say_them_is_left_out(tmp_path):
    frictionless = pytest.importorskip("frictionless")
    files = files_of("marginals:1", WRITTEN, epsilon=5.0, copies=2, decimal=",")
    assert "croissant.json" not in files
    rows, intervals, _ = json.loads(files["datapackage.json"])["resources"]
    assert (rows["dialect"]["delimiter"], intervals["dialect"]["delimiter"]) == (";", ",")
    assert {field["name"]: field.get("decimalChar") for field in rows["schema"]["fields"]}["weight"] == ","
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert found.valid, found.flatten(["taskNumber", "rowNumber", "fieldName", "note"])[:5]
    damaged = (tmp_path / "intervals.csv").read_text(encoding="utf-8").replace("95%", "95%,")
    (tmp_path / "intervals.csv").write_text(damaged, encoding="utf-8")
    assert not frictionless.validate(str(tmp_path / "datapackage.json")).valid


@pytest.mark.filterwarnings("ignore")  # of a program that is only asked here
def test_frictionless_accepts_each_table_and_reads_the_rows_as_they_are(case):
    frictionless = pytest.importorskip("frictionless")
    package = frictionless.Package(case.folder / "datapackage.json")
    found = package.validate()
    assert found.valid, found.flatten(["taskNumber", "rowNumber", "fieldName", "note"])[:5]
    assert len(found.tasks) == 3
    rows = [row.to_dict() for row in package.get_resource("rows").read_rows()]
    assert [{name: float(x) if isinstance(x, Decimal) else x for name, x in row.items()} for row in rows] == case.values
    types = {TEXT: str, WHOLE: int, NUMBER: Decimal, DAY: date}
    for name, (kind, _) in case.kinds.items():
        assert all(isinstance(row[name], types[kind]) for row in rows if row[name] is not None), name


@pytest.mark.filterwarnings("ignore")  # of a program that is only asked here
def test_croissant_reads_the_rows_as_they_are(case, monkeypatch):
    mlcroissant = pytest.importorskip("mlcroissant")
    monkeypatch.chdir(case.folder)  # paths of Croissant are beside it
    dataset = mlcroissant.Dataset(jsonld="croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    rows = list(dataset.records("rows"))
    assert len(rows) == len(case.values)
    for name, (kind, missing) in case.kinds.items():
        values, read = [row[name] for row in case.values], [row[f"rows/{name}"] for row in rows]
        if missing - READ_BY_PANDAS:  # a mark that its reader does not know: the column is texts, and none is lost
            texts = [str(x) if x is not None else next(iter(missing)) for x in values]
            assert [x.decode() for x in read] == texts
        elif kind is TEXT:  # its reader makes numbers of texts such as 2
            assert [x.decode() if isinstance(x, bytes) else x if x is None else str(x) for x in read] == values
        else:
            assert [x.date() if isinstance(x, pd.Timestamp) else x for x in read] == values
            types = {WHOLE: int, NUMBER: float, DAY: pd.Timestamp}
            assert all(isinstance(x, types[kind]) for x in read if x is not None), name


def test_pandas_reads_the_rows_with_the_marks_of_the_package(case):
    """As docs/releases.md says."""
    package = json.loads((case.folder / "datapackage.json").read_text(encoding="utf-8"))
    marks = {field["name"]: field.get("missingValues", []) for field in package["resources"][0]["schema"]["fields"]}
    rows = pd.read_csv(case.file, keep_default_na=False, na_values=marks)
    for name, (kind, _) in case.kinds.items():
        shown = [x and x.isoformat() if kind is DAY else x for x in (row[name] for row in case.values)]
        assert [None if pd.isna(x) else x for x in rows[name]] == (
            shown if name != "code" else [x and float(x) for x in shown]
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of a program that is only asked here
def test_sdmetrics_takes_numbers_as_numbers_whatever_marks_those_that_are_missing(case):
    reports = pytest.importorskip("sdmetrics.reports.single_table")  # there is none for Python 3.14 yet
    metadata = json.loads(case.files["sdmetrics.json"])
    kinds = {name: column["sdtype"] for name, column in metadata["columns"].items()}
    sdtypes = {WHOLE: "numerical", NUMBER: "numerical", DAY: "datetime", TEXT: "categorical"}
    assert kinds == {name: sdtypes[kind] for name, (kind, _) in case.kinds.items()}
    marks = {name: sorted(missing) for name, (_, missing) in case.kinds.items()}
    rows = pd.read_csv(case.file, keep_default_na=False, na_values=marks)
    for report in (reports.DiagnosticReport(), reports.QualityReport()):
        report.generate(rows, rows, metadata, verbose=False)
        assert report.get_score() == pytest.approx(1)
    shapes = report.get_details("Column Shapes").set_index("Column")["Metric"]
    assert {name for name in shapes.index if shapes[name] == "TVComplement"} == {
        name for name, (kind, _) in case.kinds.items() if kind is TEXT
    }
