"""DataFrames and Arrow tables are read as files of the same cells are, and rows come back with the columns' types."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mwem_core import Domain, Seeded, data_frame, default, encode, nearest_rows, parse_workload, read_table
from mwem_core.domain import Attribute
from mwem_core.output.frames import frame_like, frame_of_rows
from mwem_core.output.run_files import rows_csv
from mwem_core.schemas import propose
from mwem_core.tables import as_table
from mwem_core.values import Dates, Edges, Values

N = 40
DAYS = ["2024-03-01", "2024-03-15", "2024-05-02", "2024-10-27"] * (N // 4)
FRAME = pd.DataFrame(
    {
        "whole": [1, 2, 3, 4] * (N // 4),
        "small": np.array([1, 2] * (N // 2), np.uint8),
        "gaps": pd.array([1, None, 3, 4] * (N // 4), dtype="Int64"),
        "part": [0.5, np.nan, 2.25, 4.0] * (N // 4),
        "truth": [True, False] * (N // 2),
        "maybe": pd.array([True, None] * (N // 2), dtype="boolean"),
        "grade": pd.Categorical(["b", "a"] * (N // 2), categories=["b", "a", "c"], ordered=True),
        "code": pd.Categorical([10, 20] * (N // 2)),
        "bin": pd.cut([1, 5] * (N // 2), [0, 3, 6]),
        "day": pd.to_datetime(DAYS),
        "zoned": pd.to_datetime(DAYS).tz_localize("Europe/Budapest"),
        "month": pd.PeriodIndex(DAYS, freq="M"),
        "text": pd.array(["x", "y"] * (N // 2), dtype="string"),
        "object": pd.Series(["x", None] * (N // 2), dtype=object),
    }
)


def drawn(data, domain: Domain):
    """Rows of a run on data, as it is itself."""
    B = encode(data, domain)
    workload = parse_workload("marginals:1", domain)
    *_, last = default(workload, n=B.total, epsilon=50.0).rounds(B, workload, noise=Seeded(0))
    rng = np.random.default_rng(0)
    return data_frame(nearest_rows(workload, last.model, N, rng), rng, like=data)


def test_cells_of_a_dataframe_are_those_of_its_file():
    table = as_table(FRAME)
    firsts = [(name, *table[name].to_pylist()[:2]) for name in table.column_names]
    numbers = [("whole", "1", "2"), ("small", "1", "2"), ("gaps", "1", ""), ("part", "0.5", ""), ("truth", "1", "0")]
    categories = [("maybe", "1", ""), ("grade", "b", "a"), ("code", "10", "20"), ("bin", "(0, 3]", "(3, 6]")]
    days = [(name, "2024-03-01", "2024-03-15") for name in ("day", "zoned")]
    assert firsts == [
        *numbers,
        *categories,
        *days,
        ("month", "2024-03", "2024-03"),
        ("text", "x", "y"),
        ("object", "x", ""),
    ]


def test_a_table_that_was_read_stays_as_it_is():
    table = read_table(b"a,b\n1,x\n,y\n")
    assert as_table(table).equals(table)


def test_a_row_changes_how_no_other_row_is_read():
    values = [1.0, 0.1, True, "a", dt.datetime(2024, 3, 1), np.int64(5), b"b"]
    whole = as_table(pd.DataFrame({"x": pd.Series(values, dtype=object)}))["x"].to_pylist()
    assert whole == ["1", "0.1", "1", "a", "2024-03-01", "5", "b"]
    for i, text in enumerate(whole):
        assert as_table(pd.DataFrame({"x": pd.Series([values[i]], dtype=object)}))["x"].to_pylist() == [text]
    times = pd.to_datetime(["2024-03-01", "2024-03-01 12:30"], format="ISO8601")
    assert as_table(pd.DataFrame({"x": times}))["x"].to_pylist() == ["2024-03-01", "2024-03-01 12:30:00"]


def test_rows_have_the_types_of_a_pandas_dataframe_and_its_values():
    back = drawn(FRAME, propose(FRAME))
    assert dict(back.dtypes) == dict(FRAME.dtypes)
    for name in FRAME.columns.drop(["day", "zoned"]):  # which are drawn within weeks
        assert set(back[name].dropna()) <= set(FRAME[name].dropna()), name
        assert back[name].isna().any() == FRAME[name].isna().any(), name


def test_rows_have_the_types_of_an_arrow_table():
    arrow = pa.Table.from_pandas(FRAME.drop(columns=["bin", "month"]), preserve_index=False)
    back = drawn(arrow, propose(arrow))
    assert back.schema.types == arrow.schema.types
    assert set(back["gaps"].to_pylist()) == {1, None, 3, 4}


def test_times_of_a_zone_that_the_machine_does_not_know_are_read_and_written_in_utc():
    """As on a system without a database of zones, where that is every zone with a name."""
    times = pa.array([dt.datetime(2024, 3, 1, hour) for hour in (7, 8)] * (N // 2), pa.timestamp("us"))
    table = pa.table({"at": times.cast(pa.timestamp("us", tz="Mars/Olympus"))})
    texts = ["2024-03-01 07:00:00", "2024-03-01 08:00:00"]
    assert as_table(table)["at"].to_pylist()[:2] == texts
    back = drawn(table, Domain.from_toml(f'[[attribute]]\nname = "at"\nvalues = {texts}'))
    assert back.schema == table.schema
    assert set(back["at"].cast(pa.timestamp("us")).to_pylist()) == set(times.to_pylist())


def test_rows_have_the_types_of_a_polars_dataframe():
    pl = pytest.importorskip("polars")
    frame = pl.from_arrow(pa.Table.from_pandas(FRAME.drop(columns=["bin", "month", "code"]), preserve_index=False))
    frame = frame.with_columns(pl.col("grade").cast(pl.Enum(["b", "a", "c"])), pl.col("day").cast(pl.Date))
    back = drawn(frame, propose(frame))
    assert back.schema == frame.schema
    assert set(back["grade"]) == {"a", "b"}
    assert back["gaps"].null_count() > 0


def test_what_a_type_cannot_hold_is_missing_and_no_category_is_lost():
    columns = {
        "whole": np.array(["1", "other", "12.4"], object),
        "grade": np.array(["a", "new", ""], object),
        "text": np.array(["x", "other", ""], object),
        "added": np.array([1, 2, 3]),
    }
    back = frame_like(columns, FRAME)
    assert back["whole"].tolist() == [1, pd.NA, 12]
    assert back["whole"].dtype == "Int64"
    assert back["grade"].cat.categories.tolist() == ["b", "a", "c", "new"]
    assert back["grade"].isna().tolist() == [False, False, True]
    assert back["text"].tolist() == ["x", "other", pd.NA]
    assert back["added"].tolist() == [1, 2, 3]


def test_whole_numbers_in_bins_come_back_whole_and_dates_as_dates():
    domain = Domain(
        (
            Attribute("whole", Edges((0, 2.5, 10))),
            Attribute("day", Dates(("2024-01-01", "2024-12-31"), by="month")),
            Attribute("object", Values(("x",)), missing=""),
        )
    )
    back = drawn(FRAME, domain)
    assert dict(back.dtypes) == dict(FRAME[["whole", "day", "object"]].dtypes)
    assert back["whole"].between(0, 10).all()
    assert back["day"].dt.year.eq(2024).all()


def test_the_rows_of_a_file_come_back_too():
    domain = propose(FRAME)
    records = encode(FRAME, domain)
    file = rows_csv(records, np.random.default_rng(0), decimal=",")
    back = frame_of_rows(file, FRAME, decimal=",")
    pd.testing.assert_frame_equal(back, data_frame(records, np.random.default_rng(0), like=FRAME))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1]}, "^a table must be a DataFrame of pandas or Polars, an Arrow table, .*, got dict;"),
        (pd.DataFrame([[1, 2]], columns=["a", "a "]), "^the table has two columns named 'a'; rename one$"),
    ],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        as_table(data)
    lists = pd.DataFrame({"x": [[1], [2]], "y": ["a", "b"]})
    assert encode(lists, Domain((Attribute("y", Values(("a", "b"))),))).total == 2
    with pytest.raises(ValueError, match=r"^column 'x' holds list"):
        encode(lists, Domain((Attribute("x", Values(("a", "b"))),)))
