import contextlib
import itertools
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.data.proposal import left_out, propose
from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values

SAMPLES = Path(__file__).parents[2] / "sample_data"
NLTCS = Path(__file__).parents[3] / "shared" / "data" / "reference" / "nltcs_cells.csv"
AGE = Attribute("age", Edges((17, 25, 35, 90)))
SEX = Attribute("sex", Values(("F", "M")))
PEOPLE = Domain((AGE, SEX))


def exactly(message: str) -> str:
    return f"^{re.escape(message)}$"


def parquet(**columns) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def people(csv: str | bytes) -> Records:
    return encode(read_table(csv if isinstance(csv, bytes) else csv.encode()), PEOPLE)


def codes(records: Records) -> list[list[int]]:
    return [column.tolist() for column in records.codes]


def sample(table: str, schema: str) -> Records:
    return encode(read_table(SAMPLES / table), Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8")))


def random_records(rng: np.random.Generator, shape: tuple[int, ...], rows: int, *, weighted: bool) -> Records:
    domain = Domain(tuple(Attribute(f"x{i}", Range(0, size - 1)) for i, size in enumerate(shape)))
    columns = tuple(rng.integers(size, size=rows).astype(np.uint8) for size in shape)
    return Records(domain, columns, rng.integers(1, 9, size=rows) if weighted else None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
def test_delimiter_is_told_from_the_first_rows(delimiter):
    rows = [["age", "sex", "note"], ["20", "F", "a b"], ["30", "M", "c"]]
    table = read_table("\n".join(delimiter.join(row) for row in rows).encode())
    assert table.column_names == ["age", "sex", "note"]
    assert codes(encode(table, PEOPLE)) == [[0, 1], [0, 1]]


def test_a_comma_inside_cells_does_not_outvote_the_semicolon_between_them():
    assert read_table(b"a;b\n1,5;2,5\n3,5;4,5\n").column("a").to_pylist() == ["1,5", "3,5"]


TEXT = "ville;nom\nOrléans;Zoé\nBesançon;René\nNîmes;Hélène\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encoding_is_told_from_the_bytes(encoding):
    table = read_table(TEXT.encode(encoding))
    assert table.column("ville").to_pylist() == ["Orléans", "Besançon", "Nîmes"]
    assert table.schema.metadata[b"delimiter"] == b"semicolon"


def test_encoding_is_told_from_the_first_line_that_is_not_ascii_however_late():
    text = "city\n" + "Paris\n" * 400_000 + "東京\n大阪\n札幌市\n"
    assert read_table(text.encode("shift_jis")).column("city").to_pylist()[-3:] == ["東京", "大阪", "札幌市"]


def test_quoted_cells_may_hold_delimiters_quotes_and_line_breaks():
    table = read_table(b'a,"b, ""c"""\n"1\n2","x,y"\r\n3,""\r\n\r\n')
    assert table.to_pydict() == {"a": ["1\n2", "3"], 'b, "c"': ["x,y", ""]}


def test_blanks_around_values_and_headers_do_not_count():
    assert codes(people(" age, sex\n 20 ,F\n30,  M \n20,F ")) == [[0, 1, 0], [0, 1, 0]]


def test_columns_the_schema_does_not_name_are_ignored():
    assert people("id,sex,age\n1,F,20\n2,M,30\n").domain == PEOPLE


def test_cells_stay_text_so_that_leading_zeros_count():
    domain = Domain((Attribute("zip", Values(("007", "7"))),))
    assert codes(encode(read_table(b"zip\n007\n7\n"), domain)) == [[0, 1]]


def test_a_wide_table_is_read():
    names = [f"a_rather_long_name_{i}" for i in range(3000)]
    table = read_table("\n".join([",".join(names), ",".join(["01"] * 3000)]).encode())
    assert table.column_names == names
    assert table.column(names[-1]).to_pylist() == ["01"]


def test_parquet_values_print_as_they_would_in_a_text_table():
    columns = {
        "whole": pa.array([39, -1, None], pa.int16()),
        "fraction": [39.0, 0.5, None],
        "infinite": [float("nan"), float("inf"), float("-inf")],
        "truth": [True, False, None],
        "text": [" a ", "a", None],
        "dictionary": pa.array(["b", None, "b "]).dictionary_encode(),
        "codebook": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), pa.array([10, 20])),
        "constant": pa.array(["c"] * 3, pa.large_string()),
        "date": pa.array([0, 1, None], pa.date32()),
        "nothing": pa.nulls(3),
        "decimal": pa.array([Decimal("39.0"), Decimal("1.5"), None]),
        "bytes": pa.array([b"a", b"\xc3\xa9", None]),
    }
    assert read_table(parquet(**columns)).to_pydict() == {
        "whole": ["39", "-1", ""],
        "fraction": ["39", "0.5", ""],
        "infinite": ["nan", "inf", "-inf"],
        "truth": ["1", "0", ""],
        "text": ["a", "a", ""],
        "dictionary": ["b", "", "b"],
        "codebook": ["20", "10", ""],
        "constant": ["c"] * 3,
        "date": ["1970-01-01", "1970-01-02", ""],
        "nothing": [""] * 3,
        "decimal": ["39.0", "1.5", ""],
        "bytes": ["a", "é", ""],
    }


def test_parquet_and_csv_of_one_table_make_the_same_records():
    csv = people("age,sex\n20,F\n30,M\n35,M\n")
    arrow = encode(read_table(parquet(age=[20.0, 30.0, 35.0], sex=["F", "M", "M"])), PEOPLE)
    assert codes(csv) == codes(arrow)


def test_parquet_in_many_row_groups_is_one_table(tmp_path):
    texts = [f"v{i % 7}" for i in range(1000)]
    pq.write_table(pa.table({"x": texts}), tmp_path / "x.parquet", row_group_size=100)
    assert read_table(tmp_path / "x.parquet").column("x").to_pylist() == texts


def test_a_parquet_file_is_known_by_its_content_whatever_its_name(tmp_path):
    (tmp_path / "people.csv").write_bytes(parquet(age=[20], sex=["F"]))
    assert read_table(tmp_path / "people.csv").num_rows == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv is empty; it needs a header and at least one row"),
        (b" \n\r\n", "t.csv is empty; it needs a header and at least one row"),
        (b"\xef\xbb\xbf", "t.csv is empty; it needs a header and at least one row"),
        (b"a,b\n", "t.csv has a header but no rows; it needs at least one"),
        (parquet(a=pa.array([], pa.int8())), "t.csv has a header but no rows; it needs at least one"),
        (b"\x89PNG\r\n\x1a\n\0\0", "t.csv is a PNG image, not a table; export it as CSV or Parquet"),
        (
            b"PK\x03\x04\x14\0\x06\0",
            "t.csv is an Excel workbook or a zip archive, not a table; export it as CSV or Parquet",
        ),
        (b"a,b\n\0\1,2\n", "t.csv is not a table of text: it holds binary data; export it as CSV or Parquet"),
        (parquet(a=[1, 2])[:-20], "t.csv is a damaged Parquet file; write it again or export it as CSV"),
        (b"PAR1", "t.csv is a damaged Parquet file; write it again or export it as CSV"),
        (b"a,b,a\n1,2,3\n", "t.csv has two columns named 'a'; rename one"),
        (
            b"a,b\n1,2\n\n3\n4,5\n",
            "t.csv line 4 has 1 cell where the header has 2;"
            " add or remove delimiters, or quote the cell that holds one",
        ),
        (
            b'a,b\n"1\n1",2\n3,4,5\n',
            "t.csv line 4 has 3 cells where the header has 2;"
            " add or remove delimiters, or quote the cell that holds one",
        ),
        (
            b'a,b\n1,"x\n2,y\n3,z\n',
            "t.csv line 2 opens a quote that does not close at its cell's end; close it, or double it inside",
        ),
        (
            b'a,"b',
            "t.csv line 1 opens a quote that does not close at its cell's end; close it, or double it inside",
        ),
        (b"a,b", "t.csv has a header but no rows; it needs at least one"),
        (
            b"a,b\n1,2\n3,\x81\x8d\xff\x8f\x90\xff\n",
            "t.csv line 3: byte 0x81 is not utf-8 text; save the file as UTF-8",
        ),
        (b"\xff\xfea\0,\0\xd8", "t.csv line 1: byte 0xd8 is not utf-16-le text; save the file as UTF-8"),
    ],
    ids=lambda value: "" if isinstance(value, str) else None,
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(data, name="t.csv")


def test_what_cannot_be_opened_is_refused(tmp_path):
    with pytest.raises(ValueError, match=exactly(f"{tmp_path.name} is a directory; choose a file in it")):
        read_table(tmp_path)
    with pytest.raises(ValueError, match=r"^gone.csv cannot be opened: No such file or directory; check the path$"):
        read_table(tmp_path / "gone.csv")


def test_a_table_over_the_limit_is_refused_before_it_is_read(tmp_path):
    message = (
        "big.csv has 3.0 MB, over the limit of 2.0 MB;"
        " drop unneeded columns, save it as Parquet, or work on your own machine"
    )
    (tmp_path / "big.csv").write_bytes(b"a,b\n" + b" " * 3_000_000)
    for source in (tmp_path / "big.csv", (tmp_path / "big.csv").read_bytes()):
        with pytest.raises(ValueError, match=exactly(message)):
            read_table(source, name="big.csv", max_bytes=2_000_000)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_parquet_file_is_read_or_refused_in_one_sentence(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(parquet(a=[1, 2, 3], b=["x", "y", "z"]))
    for place in rng.integers(4, len(data), size=4):
        data[place] = rng.integers(256)
    with contextlib.suppress(ValueError):  # any other exception fails the test
        assert read_table(bytes(data), name="t.parquet").num_rows == 3


OUTSIDE = "; correct them, or widen the schema, declare them missing, or set other = true"


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        ("age,gender\n20,F\n", "the table has no column 'sex'; add it, or take the attribute out of the schema"),
        ("Age,sex\n20,F\n", "the table has no column 'age'; rename 'Age', or take the attribute out of the schema"),
        (
            "age,sex\n20,x\n20,x\n20,y\n20,\n20,F\n20,z\n",
            "column 'sex' has 5 rows outside the schema (for example 'x', 'y', '', an empty cell):"
            " it expects one of 'F', 'M'" + OUTSIDE,
        ),
        (
            "age,sex\n16.5,F\n20,F\n",
            "column 'age' has 1 row outside the schema (for example '16.5'): it expects a number from 17 to 90"
            + OUTSIDE,
        ),
        (
            "age,sex\ntwenty,F\nNaN,F\n-inf,F\n",
            "column 'age' has 3 rows outside the schema (for example 'twenty', 'NaN', '-inf'):"
            " it expects a number from 17 to 90" + OUTSIDE,
        ),
        (
            "age,sex,count\n20,F,-1\n20,M,1.5\n20,M,\n",
            "column 'count' must hold whole numbers from 0 up, got '-1', '1.5', '', an empty cell;"
            " correct them, or name the column in the schema if it is an attribute",
        ),
        (
            "age,sex,count\n20,F,0\n",
            "column 'count' adds up to 0 records; it must be at least 1 and at most 2^53",
        ),
        (
            f"age,sex,count\n20,F,{2**53}\n20,M,1\n",
            "column 'count' adds up to 9,007,199,254,740,993 records; it must be at least 1 and at most 2^53",
        ),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(csv, message):
    with pytest.raises(ValueError, match=exactly(message)):
        people(csv)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused_in_parquet_unless_declared_missing(bad):
    table = read_table(parquet(age=[20.0, bad]))
    with pytest.raises(ValueError, match=rf"^column 'age' has 1 row outside the schema \(for example '{bad}'\)"):
        encode(table, Domain((AGE,)))
    assert codes(encode(table, Domain((Attribute("age", AGE.value_set, missing=str(bad)),)))) == [[0, 3]]


def test_a_column_of_lists_is_refused_only_when_the_schema_names_it():
    table = read_table(parquet(age=[20], sex=["F"], tags=[["a", "b"]], raw=[b"\xff"]))
    assert encode(table, PEOPLE).total == 1
    with pytest.raises(ValueError, match=r"^column 'tags' holds list<.*>, not text or numbers; leave it out of the"):
        encode(table, Domain((Attribute("tags", Values(("a", "b"))),)))


def test_codes_take_the_smallest_integer_type():
    kinds = {"a": (Range(0, 255), np.uint8), "b": (Range(0, 256), np.uint16), "c": (Range(0, 65536), np.uint32)}
    domain = Domain(tuple(Attribute(name, kind) for name, (kind, _) in kinds.items()))
    records = encode(read_table(b"a,b,c\n255,256,65536\n"), domain)
    assert [column.dtype for column in records.codes] == [dtype for _, dtype in kinds.values()]
    assert codes(records) == [[255], [256], [65536]]


def test_rows_outside_go_to_a_declared_catch_all():
    domain = Domain((Attribute("sex", SEX.value_set, missing="", other=True),))
    assert codes(encode(read_table(b"sex,x\nF,1\n,1\nx,1\n"), domain)) == [[0, 2, 3]]


def test_a_column_named_count_holds_weights_and_empty_cells_hold_nobody():
    records = people("age,sex,count\n20,F,3\n20,M,0\n30,M,4\n")
    assert records.total == 7
    assert records.weights is not None
    assert records.weights.tolist() == [3, 4]
    assert records.marginal((1,)).tolist() == [3.0, 4.0]


def test_a_column_named_count_in_the_schema_is_an_attribute():
    domain = Domain((Attribute("count", Range(0, 9)),))
    records = encode(read_table(b"count\n3\n4\n"), domain)
    assert (records.weights, records.total) == (None, 2)


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weighted"])
def test_marginals_count_what_a_loop_over_rows_counts(weighted):
    records = random_records(np.random.default_rng(3), (2, 3, 1 + 4, 2), 60, weighted=weighted)
    sets = [attrs for k in range(5) for attrs in itertools.combinations(range(4), k)]
    for attrs, counted in zip(sets, records.marginals(sets), strict=True):
        looped = np.zeros(records.domain.sizes(attrs))
        for row in range(60):
            looped[tuple(records.codes[a][row] for a in attrs)] += (
                1 if records.weights is None else records.weights[row]
            )
        assert counted.dtype == np.float64
        assert counted.shape == looped.shape
        assert (counted == looped).all()
        assert (records.marginal(attrs) == looped).all()


def test_the_marginal_over_nothing_is_the_total():
    assert random_records(np.random.default_rng(0), (2, 3), 50, weighted=False).marginal(()) == 50.0


def test_marginals_come_in_the_order_asked():
    records = random_records(np.random.default_rng(0), (2, 3, 4), 50, weighted=False)
    sets = [(1, 2), (0,), (0, 1, 2), (0, 2), (), (1,), (2,), (0, 1), (1, 2), (0,)]
    for attrs, counted in zip(sets, records.marginals(sets), strict=True):
        assert (counted == records.marginal(attrs)).all()


def test_merging_equal_rows_changes_no_marginal_and_not_the_total():
    records = random_records(np.random.default_rng(1), (3, 3, 3), 500, weighted=True)
    merged = records.distinct()
    assert len(merged.codes[0]) == 27
    assert merged.total == records.total
    assert (merged.marginal((0, 1, 2)) == records.marginal((0, 1, 2))).all()
    assert merged.distinct() is merged


def test_merging_rows_works_past_sixty_three_bits():
    rng = np.random.default_rng(2)
    base = random_records(rng, (2,) * 200, 30, weighted=False)
    twice = Records(base.domain, tuple(np.tile(column, 2) for column in base.codes))
    merged = twice.distinct()
    assert merged.weights is not None
    assert merged.weights.tolist() == [2] * 30
    assert {tuple(row) for row in zip(*merged.codes, strict=True)} == {
        tuple(row) for row in zip(*base.codes, strict=True)
    }
    assert base.distinct() is base


def test_projection_keeps_marginals_of_what_it_keeps():
    records = random_records(np.random.default_rng(4), (2, 3, 4), 40, weighted=True)
    kept = records.project(["x2", "x0"])
    assert kept.domain.names == ("x0", "x2")
    assert (kept.marginal((0, 1)) == records.marginal((0, 2))).all()


def test_a_marginal_too_large_to_hold_is_refused():
    domain = Domain(tuple(Attribute(f"x{i}", Range(0, 999)) for i in range(3)))
    records = Records(domain, (np.zeros(2, dtype=np.uint16),) * 3)
    message = "the marginal x0 × x1 × x2 has 1,000,000,000 cells, more than 268,435,456"
    with pytest.raises(ValueError, match=exactly(message)):
        records.marginal((0, 1, 2))


def test_columns_of_records_must_match_the_domain_and_each_other():
    with pytest.raises(ValueError, match=r"^records need one column an attribute, got 1 for 2$"):
        Records(PEOPLE, (np.zeros(3, dtype=np.uint8),))
    with pytest.raises(ValueError, match=r"^the columns of records must be equally long, got lengths \[2, 3\]$"):
        Records(PEOPLE, (np.zeros(3, dtype=np.uint8), np.zeros(2, dtype=np.uint8)))


def test_a_proposed_schema_encodes_its_own_table():
    for table in map(read_table, SAMPLES.glob("*.[cp][sa][vr]*")):
        domain = propose(table)
        assert encode(table, domain).total >= 200
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
        "id": "has another whole number in every row: an identifier",
        "note": "has 60 different texts in 100 rows: an identifier or free text",
        "same": "has the same value in every row",
        "tags": "holds list<element: string>",
    }


def test_a_table_of_identifiers_has_no_proposal():
    with pytest.raises(ValueError, match=r"^no column can be proposed as an attribute \('id' has another whole number"):
        propose(read_table(("id\n" + "\n".join(map(str, range(50)))).encode()))


@pytest.mark.parametrize(
    ("table", "schema", "total"),
    [
        ("adult.parquet", "adult.toml", 48842),
        ("adult.parquet", "adult_unbinned.toml", 48842),
        ("czech.csv", "czech.toml", 1841),
        ("rochdale.csv", "rochdale.toml", 665),
        ("class_survey.csv", "class_survey.toml", 200),
    ],
)
def test_bundled_tables_fit_their_schemas(table, schema, total):
    records = sample(table, schema)
    assert records.total == total
    assert all(len(column) == len(records.codes[0]) for column in records.codes)


def test_adult_has_the_sizes_of_the_paper():
    records = sample("adult.parquet", "adult_unbinned.toml")
    eight = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    assert records.project(eight).domain.shape == (9, 16, 7, 15, 6, 5, 2, 42)
    assert records.project(["capital-loss"]).domain.shape == (4357,)
    train = Records(records.domain, tuple(column[:32561] for column in records.codes)).project(eight)
    missing = [a.ordered_size if a.missing else a.size for a in train.domain.attributes]
    whole = np.all([column != code for column, code in zip(train.codes, missing, strict=True)], axis=0)
    without_missing = Records(train.domain, tuple(column[whole] for column in train.codes))
    assert without_missing.total == 30162
    assert len(without_missing.distinct().codes[0]) == 7722


@pytest.mark.parametrize(("name", "filled", "cells"), [("czech", 63, 64), ("rochdale", 91, 256)])
def test_contingency_tables_have_as_many_filled_cells_as_published(name, filled, cells):
    records = sample(f"{name}.csv", f"{name}.toml")
    joint = records.marginal(range(len(records.domain)))
    assert (np.count_nonzero(joint), joint.size) == (filled, cells)


@pytest.mark.skipif(not NLTCS.exists(), reason="the survey is not ours to bundle")
def test_nltcs_has_as_many_distinct_rows_as_published():
    table = read_table(NLTCS)
    records = encode(table, Domain(tuple(Attribute(name, BITS) for name in table.column_names if name != "count")))
    assert (records.total, len(records.distinct().codes[0])) == (21574, 3152)
    triples = list(itertools.combinations(range(16), 3))
    assert all(marginal.sum() == 21574 for marginal in records.marginals(triples))
