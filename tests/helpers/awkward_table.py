"""A table with every kind of attribute and awkward values, for tests that count it in a database."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mwem_core import Records
from mwem_core.database import RecordsOnDisk
from mwem_core.domain import Attribute, Attrs, Domain
from mwem_core.values import BITS, Edges, Range, Values

ROWS = 3000

TENTHS = Edges(tuple(i / 10 for i in range(11)))

ATTRIBUTES = {
    "label": Attribute("label", Values(("F", "M", "it's", "é"))),
    "free": Attribute("free", Values(("F", "M")), missing="?", other=True),
    "spaced": Attribute("spaced", Values(("F", "M")), missing="", other=True),
    "whole": Attribute("whole", Edges((0, 10, 20.5, 99))),
    "tiny": Attribute("tiny", Edges((-1000, 0, 0.5, 0.75, 50, 1000)), missing=""),
    "closed": Attribute("closed", Edges((0, 5, 9))),
    "real": Attribute("real", TENTHS),
    "single": Attribute("single", TENTHS),
    "far": Attribute("far", TENTHS, missing="-1", other=True),
    "nan": Attribute("nan", TENTHS, missing="nan", other=True),
    "money": Attribute("money", TENTHS, missing="7.00", other=True),
    "grid": Attribute("grid", Range(-5, 104, 7)),
    "floats": Attribute("floats", Range(-5, 104, 7), missing=""),
    "sparse": Attribute("sparse", Range(0, 9), missing="-9", other=True),
    "fraction": Attribute("fraction", Range(0, 9), other=True),
    "bits": Attribute("bits", BITS),
    "big": Attribute("big", Edges((-(2**53), 0, 2**53))),
    "words": Attribute("words", Edges((0, 1, 5, 10)), missing="n/a", other=True),
    "day": Attribute("day", Values(("1970-01-01", "1970-01-02")), other=True),
}

DOMAIN = Domain(tuple(ATTRIBUTES.values()))


def awkward_table() -> pa.Table:
    """Every kind of attribute with awkward values: ends of cells, blanks, infinities, nulls, texts beside numbers."""
    rng = np.random.default_rng(0)

    def pick(*values):
        return [values[i] for i in rng.integers(len(values), size=ROWS)]

    near = np.repeat(np.arange(11) / 10, 3)
    near[1::3], near[2::3] = np.nextafter(near[1::3], 2), np.nextafter(near[2::3], -1)
    near = near[(near >= 0) & (near <= 1)]
    inside = np.concatenate([near, rng.random(50)])
    single = np.concatenate([near.astype(np.float32), rng.random(50).astype(np.float32)])
    single = [x for x in single.tolist() if 0 <= float(str(np.float32(x))) <= 1]
    return pa.table(
        {
            "label": pick("F", "M ", " it's", "é", "\u00a0F"),
            "free": pick("F", " M", "x", "X y", "?", " ? ", "", "\u00a0M", "other", "émile", *map(str, range(50))),
            "spaced": pick("F", None, "", "  ", "M\t", "zzz"),
            "whole": pa.array(pick(*range(100)), pa.int64()),
            "tiny": pa.array(pick(-128, -1, 0, 1, 49, 50, 127, None), pa.int8()),
            "closed": pa.array(pick(*range(10)), pa.uint16()),
            "real": pick(*inside.tolist()),
            "single": pa.array(pick(*single), pa.float32()),
            "far": pick(*inside.tolist(), -1.0, -2.0, 1e300, float("nan"), float("inf"), None, 1.0000000000000002),
            "nan": pick(*inside.tolist(), float("nan"), float("inf"), -5.0),
            "money": pa.array(
                pick(*(Decimal(i) / 100 for i in range(0, 120, 7)), Decimal("7.00"), None), pa.decimal128(9, 2)
            ),
            "grid": pa.array(pick(*range(-5, 105)), pa.int32()),
            "floats": pick(*map(float, range(-5, 105)), None),
            "sparse": pa.array(pick(*range(10), -9, -8, 500, None), pa.int16()),
            "fraction": pick(0.0, 9.0, 3.5, 9.5, -0.0, float("nan")),
            "bits": pick(True, False),
            "big": pa.array(pick(-(2**53), -1, 0, 2**53 - 1, 2**53), pa.int64()),
            "words": pick(
                "0", "1.0", " 5 ", "1e0", "9.99", "+3", "007", "10", "10.5", "1_0", "n/a", "nan", "", "x", "٣"
            ),
            "day": pa.array(pick(0, 1, 2, None), pa.date32()),
            "ignored": pick([1], [2]),
        }
    )


def as_csv(table: pa.Table) -> bytes:
    """A table as CSV, with a blank before each name of the header but the first."""

    def cell(value) -> str:
        text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
        return f'"{text}"' if set(text) & set(',"\n[ ') else text

    columns = [table[name].to_pylist() for name in table.column_names]
    lines = [",".join(map(cell, row)) for row in zip(*columns, strict=True)]
    return "\n".join([", ".join(table.column_names), *lines]).encode()


def write(path: Path, content: str | bytes | pa.Table) -> Path:
    """Write text, bytes, or a table as Parquet; returns the path."""
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def error_of(call: Callable[[], object]) -> str:
    """The message of the ValueError that a call raises: one line."""
    with pytest.raises(ValueError, match=r".") as error:
        call()
    assert "\n" not in str(error.value)
    return str(error.value)


def assert_same_marginals(counted: Records | RecordsOnDisk, expected: Records, sets: Sequence[Attrs]) -> None:
    """The total and the marginals over these attribute sets agree exactly, in shape and type too."""
    assert counted.total == expected.total
    for attrs, a, b in zip(sets, counted.marginals(sets), expected.marginals(sets), strict=True):
        assert a.dtype == np.float64
        assert a.shape == counted.domain.sizes(attrs)
        assert (a == b).all(), counted.domain.label(attrs)


AB = Domain((Attribute("a", Values(("1", "2", "3")), missing="", other=True), Attribute("b", Range(0, 9))))
