from pathlib import Path

import numpy as np
import pytest
from messages import exactly
from people import parquet

from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.forms import NumberStyle
from mwem_core.schemas import propose, suggestions
from mwem_core.tables import read_table
from mwem_core.values import BITS, Dates, Edges, Range, Values

SAMPLES = Path(__file__).parents[2] / "sample_data"


def left_out(table):
    """The columns without an attribute, each with the reason."""
    return {name: each.says for name, each in suggestions(table).items() if each.attribute is None}


@pytest.mark.parametrize(
    ("name", "total"),
    [("adult.parquet", 48842), ("czech.csv", 64), ("rochdale.csv", 256), ("class_survey.csv", 200)],
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
        "price": [f"{0.11 * 1.085**i:.2f}".lstrip("0") for i in range(100)],
        "gain": [0] * 70 + [114 * (i + 1) ** 2 for i in range(15)] + [25_000 + i for i in range(5)] + [49_999] * 10,
        "size": rng.uniform(-0.2, 1.3, size=100),
        "seen": [f"{1 + i % 28:02}/{1 + i % 3:02}/2024" for i in range(100)],
        "at": [f"{i % 24}:{i % 60:02}" for i in range(100)],
        "colour": ["red", "green", "", "blue", "NA"] * 20,
        "zip": ["007", "010"] * 50,
        "grade": [10, 20, 30, 40] * 25,
        "tags": [["a"]] * 100,
    }
    table = read_table(parquet(**columns))
    size = min(columns["size"]), max(columns["size"])

    assert propose(table).attributes == (
        Attribute("flag", BITS),
        Attribute("age", Range(21, 69), missing="?"),
        Attribute("pay", Edges((137, *range(10_000, 100_000, 10_000), 98_137), NumberStyle(0))),
        Attribute("price", Edges((0.11, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 353.95), NumberStyle(2, form="0.00"))),
        Attribute(
            "gain", Edges((0, 1, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 49_999, 49_999.5), NumberStyle(0))
        ),
        Attribute("size", Edges((size[0], 0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, size[1]), NumberStyle(14))),
        Attribute("seen", Dates(("2024-01-01", "2024-03-28"), "day", "DD/MM/YYYY")),
        Attribute("at", Dates(("00:00", "23:47"), "hour", "H:MM")),
        Attribute("colour", Values(("blue", "green", "red")), missing="", also_missing=("NA",)),
        Attribute("zip", Values(("007", "010"))),
        Attribute("grade", Values(("10", "20", "30", "40"))),
    )
    assert left_out(table) == {
        "id": "has a different whole number in every row: an identifier",
        "note": "has 60 different texts in 100 rows, 20 of them once: an identifier",
        "same": "has the same value in every row",
        "tags": "holds lists or objects: give each of their values a column of its own",
    }


def test_a_table_of_identifiers_has_no_proposal():
    reason = "'id' has a different whole number in every row: an identifier"
    message = f"no column can be proposed as an attribute ({reason}); write the schema by hand"
    with pytest.raises(ValueError, match=exactly(message)):
        propose(read_table(("id\n" + "\n".join(map(str, range(50)))).encode()))


def test_texts_of_a_few_neighbouring_rows_each_name_groups_such_as_households():
    def reasons(texts):
        return left_out(read_table(("x,y\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(texts))).encode()))

    assert "such as households" in reasons([f"H{i // 3}" for i in range(120)])["x"]
    assert "such as households" in reasons([5000 + i // 3 for i in range(600)])["x"]
    assert reasons([f"H{i % 40}" for i in range(120)]) == {}, "the same codes in any order"
    assert reasons([f"town {chr(97 + i // 5 // 26)}{chr(97 + i // 5 % 26)}" for i in range(300)]) == {}, "no digit"
    assert reasons([f"2024-{1 + i // 84:02d}-{1 + i // 3 % 28:02d}" for i in range(300)]) == {}, "dates in order"
    assert reasons([i // 3 * 37 for i in range(600)]) == {}, "a quantity in order"
    assert reasons([f"{i // 3 / 10}" for i in range(600)]) == {}
