"""The proposer and the encoder need NumPy and the standard library alone: a browser has no more."""

import csv
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mwem_core.domain import Domain
from mwem_core.encoding import encode
from mwem_core.forms import decimal_of
from mwem_core.schemas import suggestions
from mwem_core.tables import read_table

SAMPLES = Path(__file__).parents[2] / "sample_data"
CASES = Path(__file__).parents[3] / "shared" / "cases"
FILES = sorted({*SAMPLES.glob("*.csv"), *CASES.glob("*.csv")})
SCRIPT = """
import csv, hashlib, io, json, sys
sys.modules |= dict.fromkeys(("pyarrow", "pandas", "polars"))
import numpy as np
from mwem_core.domain import Domain
from mwem_core.schemas import suggestions

def proposed(text, decimal, names):
    columns = {}
    for name, cells in zip(names, zip(*csv.reader(io.StringIO(text)))):
        at = {}
        index = np.array([at.setdefault(cell, len(at)) for cell in cells])
        columns[name] = list(at), index
    found = suggestions(columns, decimal)
    own = tuple(each.attribute for each in found.values() if each.attribute)
    codes = [a.encode(a.as_declared(columns[a.name][0], decimal))[columns[a.name][1]] for a in own]
    digests = [hashlib.sha1(each.astype("<i8").tobytes()).hexdigest() for each in codes]
    return Domain(own).to_toml(), digests, {name: each.says for name, each in found.items()}

print(json.dumps({name: proposed(*table) for name, table in json.load(sys.stdin).items()}))
"""


@pytest.fixture(scope="module")
def tables():
    return {file.name: read_table(file) for file in FILES}


@pytest.fixture(scope="module")
def without_arrow(tables):
    """The schema, the codes' digests and the sentences of each table, in a process without Arrow and pandas."""
    given = {}
    for name, table in tables.items():
        columns, text = [column for column in table.column_names if column], io.StringIO()
        csv.writer(text).writerows(zip(*(table[column].to_pylist() for column in columns), strict=True))
        given[name] = text.getvalue(), decimal_of(table), columns
    return json.loads(subprocess.check_output([sys.executable, "-c", SCRIPT], input=json.dumps(given), text=True))


@pytest.mark.parametrize("name", [file.name for file in FILES])
def test_the_schema_and_the_codes_are_those_of_arrow(name, tables, without_arrow):
    table = tables[name]
    schema, codes, says = without_arrow[name]
    found = suggestions(table.select([column for column in table.column_names if column]))
    domain = Domain(tuple(each.attribute for each in found.values() if each.attribute))
    assert schema == domain.to_toml()
    assert says == {column: each.says for column, each in found.items()}
    own = encode(table, domain, count=None).codes
    assert codes == [hashlib.sha1(column.astype("<i8").tobytes()).hexdigest() for column in own]
