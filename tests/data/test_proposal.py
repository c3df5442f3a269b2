from pathlib import Path

import numpy as np
import pytest
from messages import exactly
from people import parquet

from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.data.proposal import left_out, propose
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.mark.parametrize(
    ("name", "total"),
    [("adult.parquet", 48842), ("czech.csv", 1841), ("rochdale.csv", 665), ("class_survey.csv", 200)],
)
def test_a_proposed_schema_encodes_its_own_table(name, total):
    table = read_table(SAMPLES / name)
    domain = propose(table)
    assert encode(table, domain).total == total
    assert {*domain.names, *left_out(table)} == {*table.column_names}
    assert Domain.from_toml(domain.to_toml()) == domain


def test_a_proposal_suits_each_column():
    rng = np.random.default_rng(0)
    columns = {
        "id": np.arange(1000, 1100),
        "note": [f"text {i % 60}" for i in range(100)],
        "same": ["x"] * 100,
        "flag": [i % 2 for i in range(100)],
        "age": [str(20 + i % 50) if i % 10 else "?" for i in range(100)],
        "pay": rng.integers(0, 99, size=100) * 1000 + 137,
        "size": rng.uniform(-0.2, 1.3, size=100),
        "colour": ["red", "green", "", "blue", "NA"] * 20,
        "zip": ["007", "010"] * 50,
        "grade": [10, 20, 30, 40] * 25,
        "tags": [["a"]] * 100,
    }
    table = read_table(parquet(**columns))
    assert propose(table).attributes == (
        Attribute("flag", BITS),
        Attribute("age", Range(21, 69), missing="?"),
        Attribute("pay", Edges(tuple(range(0, 110_000, 10_000)))),
        Attribute("size", Edges((-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4))),
        Attribute("colour", Values(("blue", "green", "red")), missing="", other=True),
        Attribute("zip", Values(("007", "010"))),
        Attribute("grade", Values(("10", "20", "30", "40"))),
    )
    assert left_out(table) == {
        "id": "has a different whole number in every row: an identifier",
        "note": "has 60 different texts in 100 rows: an identifier or free text",
        "same": "has the same value in every row",
        "tags": "holds list<element: string>",
    }


def test_a_table_of_identifiers_has_no_proposal():
    reason = "'id' has a different whole number in every row: an identifier"
    message = f"no column can be proposed as an attribute ({reason}); write the schema by hand"
    with pytest.raises(ValueError, match=exactly(message)):
        propose(read_table(("id\n" + "\n".join(map(str, range(50)))).encode()))
