"""Rows for other programs: Frictionless, Croissant's reader, pandas and SDMetrics accept and read what rows.csv has.

The truth is rows.csv, read under its schema. Small files that are not part of the project are read too, where they are.
"""

import json
import math
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from hashlib import sha256
from itertools import compress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from releases import files_of

from mwem_core import Domain, Records, read_table
from mwem_core.encoding import read_rows
from mwem_core.forms import POINT, from_cell
from mwem_core.output import croissant, data_package, rows_csv, sdmetrics_metadata
from mwem_core.release import Bundle
from mwem_core.schemas import first_schema
from mwem_core.tables import Reading, distinct_texts, read_delimited
from mwem_core.values import Dates

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "cases"
ADULT = Domain.from_toml((ROOT / "sample_data" / "adult.toml").read_text(encoding="utf-8"))
# Whole numbers written as 19.0, decimals, dates, blanks and other marks, beside texts that look like numbers.
WRITTEN = Domain.from_toml("""
[[attribute]]
name = "ages"
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
OTHERS = Domain.from_toml("""
[[attribute]]
name = "years"
range = [0, 120]
special = ["refused", "999"]
missing = "."

[[attribute]]
name = "run"
edges = [0, 600, 3600]
decimals = 0
form = "H:MM:SS"

[[attribute]]
name = "joined"
dates = ["1990-01-01", "1999-12-31"]
by = "year"
form = "DD.MM.YYYY"
missing = ""

[[attribute]]
name = "arrived"
dates = ["2020-01-01", "2020-12-31"]
by = "month"
form = "MM/DD/YYYY HH:MM"

[[attribute]]
name = "opens"
dates = ["06:00", "22:00"]
by = "hour"
form = "HH:MM"

[[attribute]]
name = "a name, with signs (%)"
values = ["0.50", "1.25"]
""")
TYPES = {  # of the fields that are no texts
    **dict.fromkeys(("children", "smokes", "gain", "years", "run", "age", "hours-per-week"), "integer"),
    **dict.fromkeys(("ages", "weight", "height"), "number"),
    **dict.fromkeys(("born", "seen", "joined"), "date"),
    **{"income": "number", "arrived": "datetime", "opens": "time"},
}
FILES = (  # of `SHARED`, without their ends
    "arabic_digits birth_two_digit dates dates_other dup_header int_nan leading_zero_ddmmyyyy likert"
    " merged_region_cells money negative_unicode_minus nnbsp_french numbers redcap_labels refused scientific"
    " time_of_day two_sentinels tz_mixed weeks_long"
)
CASES = {
    "written": (WRITTEN, POINT),
    "others": (OTHERS, ","),
    "adult": (ADULT.project(["age", "hours-per-week", "education"]), POINT),
}


@dataclass(frozen=True)
class Case:
    """The folder of a release and its schema, with the decimal mark of rows.csv."""

    folder: Path
    domain: Domain
    files: Bundle
    decimal: str = POINT

    @property
    def file(self) -> str:
        """Of the rows that are described."""
        return "rows.plain.csv" if "rows.plain.csv" in self.files else "rows.csv"

    @property
    def values(self) -> dict[str, list]:
        """By column, what each cell of rows.csv stands for: a number, an ISO date, a text, or None if it is missing."""
        table = read_delimited(self.files["rows.csv"], "rows.csv", Reading(decimal=self.decimal))
        rows, found = read_rows(table, self.domain), {}
        for attribute in self.domain.attributes:
            kind = attribute.value_set
            texts, text_of = distinct_texts(table[attribute.name], attribute.name)
            column: list = [from_cell(texts[i]) for i in text_of]
            if attribute.numeric or (isinstance(kind, Dates) and kind.unit not in ("year", "month", "week")):
                write = kind.written if isinstance(kind, Dates) else float
                column = [value(write(x)) if math.isfinite(x) else None for x in rows.numbers[attribute.name].tolist()]
            missing = attribute.missing_texts
            found[attribute.name] = [None if isinstance(x, str) and x in missing else x for x in column]
        return found


def made(folder: Path, domain: Domain, files: Bundle, decimal: str = POINT) -> Case:
    """A case whose files are in the folder."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Case(folder, domain, files, decimal)


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory) -> Case:
    """A release of random records, with copies; one has decimal commas."""
    domain, decimal = CASES[request.param]
    files = files_of("marginals:1", domain, epsilon=5.0, copies=2, decimal=decimal)
    return made(tmp_path_factory.mktemp("release"), domain, files, decimal)


def value(x):
    """A value as any reader gives it, as `Case.values` has it."""
    if isinstance(x, bytes):
        return x.decode()
    if isinstance(x, date | time):  # also a datetime, and a pandas.Timestamp
        x = x.isoformat()
    if isinstance(x, str):
        return x.removesuffix("T00:00:00")  # midnight, as some give a day
    if isinstance(x, int | float | Decimal | np.number):
        return None if math.isnan(x) else float(x)
    return x


def by_frictionless(case: Case) -> dict[str, list]:
    """The rows, after all tables were found valid."""
    frictionless = pytest.importorskip("frictionless")
    package = frictionless.Package(case.folder / "datapackage.json")
    found = package.validate()
    assert found.valid, found.flatten(["taskNumber", "rowNumber", "fieldName", "note"])[:5]
    assert len(found.tasks) == len(package.resources)
    rows = [row.to_dict() for row in package.get_resource("rows").read_rows()]
    return {name: [row[name] for row in rows] for name in case.domain.names}


def by_croissant(case: Case) -> dict[str, list]:
    """The rows; texts of listed numbers are numbers, as its reader has pandas guess."""
    mlcroissant = pytest.importorskip("mlcroissant")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(case.folder)  # paths of Croissant are beside it
        dataset = mlcroissant.Dataset(jsonld="croissant.json")
        assert not dataset.metadata.ctx.issues.errors
        rows = list(dataset.records("rows"))
    fields = json.loads(case.files["croissant.json"])["recordSet"][0]["field"]
    return {each["source"]["extract"]["column"]: [row[each["@id"]] for row in rows] for each in fields}


def by_pandas(case: Case) -> dict[str, list]:
    """The rows as docs/releases.md says, with numbers where SDMetrics is told of numbers."""
    rows = pd.read_csv(case.folder / case.file, keep_default_na=False, na_values=[""])
    for name, column in json.loads(case.files["sdmetrics.json"])["columns"].items():
        if column["sdtype"] == "numerical":
            assert pd.api.types.is_numeric_dtype(rows[name]), name
        if column["sdtype"] == "datetime":
            pd.to_datetime(rows[name], format=column["datetime_format"])
    return {name: rows[name].tolist() for name in rows.columns}


READERS = {"frictionless": by_frictionless, "croissant": by_croissant, "pandas": by_pandas}


def differences(case: Case, reader: str) -> dict[str, list]:
    """The first cells of each column that a reader has read as something else than rows.csv has."""
    found, columns, read = {}, case.values, READERS[reader](case)
    kept = [any(x is not None for x in row) for row in zip(*columns.values(), strict=True)]  # a blank row is left out
    for name, values in columns.items():
        values = [*compress(values, kept)] if reader == "frictionless" else values
        pairs = list(zip(values, map(value, read[name]), strict=True))
        if isinstance(next((x for x in values if x is not None), None), str) and reader != "frictionless":
            pairs = [(x, x if same_text(x, y) else y) for x, y in pairs]
        if different := [(x, y) for x, y in pairs if x != y]:
            found[name] = different[:3]
    return found


def same_text(text: str | None, read: object) -> bool:
    """Whether a reader has read the text that takes 2.50 and 007 for numbers, and NA for a missing one."""
    try:
        return text == read or float(text or "nan") == float(read)
    except (TypeError, ValueError):
        return text is not None and read is None and text in ("NA", "None", "n/a", "nan", "null", "NULL")


def test_the_rows_have_what_readers_have_to_tell_apart(case):
    """Or the tests below would tell nothing."""
    for attribute in case.domain.attributes:
        values = case.values[attribute.name]
        assert (None in values) == (attribute.missing is not None or attribute.name == "seen")
        assert len(set(values)) > 1


def test_the_descriptions_name_each_table_with_its_digest_and_its_columns(case):
    package = json.loads(case.files["datapackage.json"])
    assert [resource["path"] for resource in package["resources"]] == [case.file, "intervals.csv", "copies.csv"]
    for resource in package["resources"]:
        content = case.files[resource["path"]]
        names = [field["name"] for field in resource["schema"]["fields"]]
        assert names == pd.read_csv(case.folder / resource["path"], nrows=0).columns.tolist()
        assert (resource["bytes"], resource["hash"]) == (len(content), f"sha256:{sha256(content).hexdigest()}")
    described = json.loads(case.files["croissant.json"])
    (file,), (records,) = described["distribution"], described["recordSet"]
    assert (file["@id"], file["sha256"]) == (case.file, sha256(case.files[case.file]).hexdigest())
    assert [field["source"]["extract"]["column"] for field in records["field"]] == list(case.domain.names)
    assert (described["name"], described["alternateName"]) == ("people", "people")


def test_numbers_dates_and_times_are_described_as_such(case):
    fields = json.loads(case.files["datapackage.json"])["resources"][0]["schema"]["fields"]
    types = {each["name"]: each["type"] for each in fields}
    assert types == {name: TYPES.get(name, "string") for name in case.domain.names}
    columns = json.loads(case.files["sdmetrics.json"])["columns"]
    kinds = {"integer": "numerical", "number": "numerical", "date": "datetime", "datetime": "datetime"}
    assert {name: each["sdtype"] for name, each in columns.items()} == {
        name: kinds.get(kind, "categorical") for name, kind in types.items()
    }


@pytest.mark.filterwarnings("ignore")  # of programs that are only asked here
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_accepts_each_table_and_reads_the_rows_as_they_are(case, reader):
    assert differences(case, reader) == {}


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_table_is_refused(tmp_path):
    """A reader that accepts everything would pass the test above."""
    domain, decimal = CASES["adult"]
    files = files_of("marginals:1", domain, epsilon=5.0, copies=2, decimal=decimal)
    damaged = made(tmp_path, domain, files | {"intervals.csv": files["intervals.csv"].replace(b"95%", b"95%,")})
    with pytest.raises(AssertionError):
        by_frictionless(damaged)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the small files are not at {SHARED}")
def test_small_files_of_many_kinds_are_read_as_they_are(tmp_path):
    found = {}
    for name in FILES.split():
        (path,) = SHARED.glob(f"{name}.*")
        domain = first_schema(read_table(path)).domain
        codes = tuple(np.arange(30).astype(np.int64) * 7 % attribute.size for attribute in domain.attributes)
        records = Records(domain, codes)
        own, plain = (rows_csv(records, np.random.default_rng(0), plain=plain) for plain in (False, True))
        files = {
            **{"rows.csv": own, "rows.plain.csv": plain, "sdmetrics.json": sdmetrics_metadata(domain)},
            "datapackage.json": data_package("a table", "of records", domain, {"rows.plain.csv": plain}),
            "croissant.json": croissant("a table", "of records", domain, "rows.plain.csv", plain),
        }
        case = made(tmp_path / name, domain, files)
        found |= {(name, reader): different for reader in READERS if (different := differences(case, reader))}
    assert found == {}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_sdmetrics_takes_numbers_as_numbers_whatever_marks_those_that_are_missing(case):
    reports = pytest.importorskip("sdmetrics.reports.single_table")  # there is none for Python 3.14 yet
    metadata = json.loads(case.files["sdmetrics.json"])
    rows = pd.read_csv(case.folder / case.file, keep_default_na=False, na_values=[""])
    for report in (reports.DiagnosticReport(), reports.QualityReport()):
        report.generate(rows, rows, metadata, verbose=False)
        assert report.get_score() == pytest.approx(1)
    shapes = report.get_details("Column Shapes").set_index("Column")["Metric"]
    assert {name for name in shapes.index if shapes[name] == "TVComplement"} == {
        name for name, column in metadata["columns"].items() if column["sdtype"] == "categorical"
    }
