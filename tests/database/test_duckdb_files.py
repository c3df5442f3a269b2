"""Tables counted by DuckDB: the same counts, and the same sentences, as reading the whole table gives."""

import itertools
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stored_tables import AB, DOMAIN, KINDS, TENTHS, agree, raw, told

from mwem_core import Records, Seeded, default, parse_workload
from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.database import counted as large
from mwem_core.database import duckdb_files as duck
from mwem_core.database.counted import Counted
from mwem_core.database.duckdb_files import count_file
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import Range, Values


def as_csv(table: pa.Table) -> bytes:
    def cell(value) -> str:
        text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
        return f'"{text}"' if set(text) & set(',"\n[ ') else text

    columns = [table[name].to_pylist() for name in table.column_names]
    lines = [",".join(map(cell, row)) for row in zip(*columns, strict=True)]
    return "\n".join([", ".join(table.column_names), *lines]).encode()


@pytest.fixture(scope="module", params=["parquet", "csv"])
def awkward(request, tmp_path_factory) -> Path:
    path, table = tmp_path_factory.mktemp("awkward") / f"raw.{request.param}", raw()
    if request.param == "csv":
        path.write_bytes(as_csv(table))
    else:
        pq.write_table(table, path, row_group_size=700)
    return path


@pytest.fixture
def hardly_repeating(monkeypatch):
    """As if distinct rows never fitted."""
    monkeypatch.setattr(large, "MOST_BYTES", 0)
    monkeypatch.setattr(large, "MOST_TOGETHER", 60)
    monkeypatch.setattr(large, "MOST_SETS", 7)


def written(path: Path, content: str | bytes | pa.Table) -> Path:
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_attribute_is_counted_as_it_is_encoded(awkward, name):
    domain = DOMAIN.project([name])
    counted = count_file(awkward, domain)
    assert isinstance(counted, Records)
    agree(counted, encode(read_table(awkward), domain), [(0,)])


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_attribute_is_counted_alike_where_rows_hardly_repeat(awkward, name, hardly_repeating):
    domain = DOMAIN.project([name])
    counted = count_file(awkward, domain)
    assert isinstance(counted, Counted)
    agree(counted, encode(read_table(awkward), domain), [(0,)])


PAIRS = [attrs for k in range(3) for attrs in itertools.combinations(range(len(DOMAIN)), k)]
SOME = [*PAIRS[::5], (4, 2), (2,), (4, 2, 0), (5, 6, 7, 8)]


def test_marginals_are_those_of_the_table_read_whole(awkward):
    agree(count_file(awkward, DOMAIN), encode(read_table(awkward), DOMAIN), [*PAIRS, *SOME])


def test_marginals_are_the_same_where_rows_hardly_repeat(awkward, hardly_repeating):
    agree(count_file(awkward, DOMAIN), encode(read_table(awkward), DOMAIN), SOME)


def test_numbers_of_one_cell_come_back_as_one_value(tmp_path):
    """What keeps a column of a million different numbers from being a million groups."""
    x = np.random.default_rng(0).random(5000)
    table = pa.table({"x": x, "y": x.astype(np.float32), "z": [f"{value:.9f}" for value in x], "t": map(str, x)})
    path = written(tmp_path / "x.parquet", table)
    kinds = Attribute("x", TENTHS), Attribute("y", TENTHS), Attribute("z", TENTHS)
    counted = count_file(path, Domain((*kinds, Attribute("t", Values(("a", "b")), other=True))))
    assert len(counted.codes[0]) <= 10 + 3 * 9


def test_many_files_are_one_table(tmp_path):
    whole = raw()
    for i in range(3):
        pq.write_table(whole.slice(i * 1000, 1000), tmp_path / f"part-{i}.parquet")
    counted = count_file(tmp_path / "part-*.parquet", DOMAIN)
    agree(counted, encode(read_table(written(tmp_path / "whole.parquet", whole)), DOMAIN), SOME)
    for i in range(3):
        written(tmp_path / f"part-{i}.csv", as_csv(whole.slice(i * 1000, 1000)))
    csv = written(tmp_path / "whole.csv", as_csv(whole))
    agree(count_file(tmp_path / "part-?.csv", DOMAIN), encode(read_table(csv), DOMAIN), SOME)


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path):
    domain = Domain((Attribute("a", Values(("x", "y"))),))
    for name, content in {"t[1].csv": "a\nx\n", "t1.csv": "a\ny\ny\n", "it's.csv": "a\nx\n"}.items():
        written(tmp_path / name, content)
        written(tmp_path / name.replace("csv", "parquet"), pa.table({"a": content.split()[1:]}))
    for suffix in ("csv", "parquet"):
        assert count_file(tmp_path / f"t[1].{suffix}", domain).marginal((0,)).tolist() == [1, 0]
        assert count_file(tmp_path / f"it's.{suffix}", domain).marginal((0,)).tolist() == [1, 0]


def test_names_that_differ_in_case_only_are_different_columns(tmp_path):
    domain = Domain((Attribute("A", Values(("x", "y"))), Attribute("a", Values(("1", "2")))))
    parquet = written(tmp_path / "t.parquet", pa.table({" a ": [1, 2, 2], "A": ["x", "y", "y"]}))
    csv = written(tmp_path / "t.csv", "a ,A\n1,x\n2,y\n2,y\n")
    for path in (parquet, csv):
        assert count_file(path, domain).marginal((0, 1)).tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    "text",
    [
        'a,b\r\n1,2\r\n"2",3\r\n\r\n',
        'a,b\n"1\n1",2\r\n3,4\r\n',
        "\ufeffa;b\n1;2\n;3\n",
        "a\tb\n1\t2\nNULL\t3",
        'a,b\n"3"",4",5\n"",4\n',
        "a|b\r1|2\r",
        'a,b\n5" pipe,2\n1,3\n',
    ],
)
def test_text_is_cut_into_cells_as_read_table_cuts_it(tmp_path, text):
    path = written(tmp_path / "t.csv", text)
    agree(count_file(path, AB), encode(read_table(path), AB), [(0,), (1,), (0, 1)])


def test_blank_lines_of_a_single_column_are_no_rows(tmp_path):
    path = written(tmp_path / "t.csv", 'a\n1\n\n""\n2\n\n')
    domain = AB.project(["a"])
    assert count_file(path, domain).total == encode(read_table(path), domain).total == 3


WEIGHTED = "a,b,count\n1,2,3\n2,2,0\n1,2,4\n3,9,0\n1,3,1\n"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_named_count_holds_weights(tmp_path, kind):
    path = written(tmp_path / "t.csv", WEIGHTED)
    expected = encode(read_table(path), AB)
    if kind == "parquet":
        path = written(
            tmp_path / "t.parquet", pa.table({"a": list("12131"), "b": [2, 2, 2, 9, 3], "count": [3, 0, 4, 0, 1]})
        )
    counted = count_file(path, AB)
    assert counted.total == 8
    agree(counted, expected, [(), (0,), (1,), (0, 1)])


def test_weights_count_where_rows_hardly_repeat(tmp_path, hardly_repeating):
    path = written(tmp_path / "t.csv", WEIGHTED)
    counted = count_file(path, AB)
    assert isinstance(counted, Counted)
    agree(counted, encode(read_table(path), AB), [(), (0,), (1,), (0, 1)])


BAD = {
    "missing column": "a,c\n1,2\n",
    "column of another case": "a,B\n1,2\n",
    "one value outside": "a,b\n1,2\n1,10\n1,10\n",
    "no number": "a,b\n1,2\n1,two\n",
    "empty cell": "a,b\n1,2\n1,\n",
    "fraction": "a,b\n1,2.5\n",
    "negative weight": "a,b,count\n1,2,-1\n1,2,4\n",
    "fractional weight": "a,b,count\n1,2,1.5\n",
    "nobody": "a,b,count\n1,2,0\n",
    "too many": f"a,b,count\n1,2,{2**53}\n1,3,1\n",
    "beyond integers": f"a,b,count\n1,2,{10**30}\n",
    "twice a name": "a,b,a\n1,2,3\n",
    "nothing": "",
    "blanks": " \n\r\n",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0",
    "zeros": b"a,b\n\0\1,2\n",
    "damaged": b"PAR1abc",
    "open quote": 'a,b\n1,"x\n2,y\n3,z\n',
}


@pytest.mark.parametrize("lazy", [False, True], ids=["distinct rows", "hardly repeating"])
@pytest.mark.parametrize("bad", BAD)
def test_bad_tables_are_refused_in_the_same_sentence(tmp_path, request, bad, lazy):
    if lazy:
        request.getfixturevalue("hardly_repeating")
    path = written(tmp_path / "t.csv", BAD[bad])
    assert told(lambda: count_file(path, AB)) == told(lambda: encode(read_table(path), AB))


def test_values_outside_are_counted_and_the_most_frequent_shown(tmp_path):
    path = written(tmp_path / "t.csv", "a,b\n" + "1,x\n" * 3 + "1,y\n" * 2 + "1,z\n" * 4 + "1,\n1,5\n")
    assert told(lambda: count_file(path, AB)) == (
        "column 'b' has 10 rows outside the schema (for example 'z', 'x', 'y'): it expects a whole number from 0 to 9;"
        " correct them, or widen the schema, declare them missing, or set other = true"
    )


def test_identifiers_taken_for_an_attribute_are_counted_to_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr(duck, "BATCH", 500)
    path = written(tmp_path / "t.parquet", pa.table({"a": ["1"] * 5000, "b": range(5000)}))
    assert told(lambda: count_file(path, AB)).startswith("column 'b' has 4,990 rows outside the schema (for example '")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n", "t.csv has no rows; it needs at least one"),
        ("a,b", "t.csv has no rows; it needs at least one"),
        (
            pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())}),
            "t.csv has no rows; it needs at least one",
        ),
        (
            "a,b\n1,2\n3\n",
            "t.csv has a row of 1 cell where the header has 2: '3'; add or remove delimiters, or quote the cell that"
            " holds one",
        ),
        (b"a,b\n1,\xff\n", "t.csv is not UTF-8 text throughout; save the file as UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv is utf-16 text; save the file as UTF-8"),
    ],
    ids=["header only", "header without end", "empty Parquet", "ragged", "legacy", "utf-16"],
)
def test_what_only_large_tables_are_told(tmp_path, content, message):
    assert told(lambda: count_file(written(tmp_path / "t.csv", content), AB)) == message


@pytest.mark.parametrize("lazy", [False, True], ids=["distinct rows", "hardly repeating"])
@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_parquet_file_is_counted_or_refused_in_one_sentence(tmp_path, request, seed, lazy):
    if lazy:
        request.getfixturevalue("hardly_repeating")
    rng = np.random.default_rng(seed)
    data = bytearray(
        written(tmp_path / "whole", pa.table({"a": ["1", "2", "3"] * 50, "b": [1, 2, 3] * 50})).read_bytes()
    )
    for place in rng.integers(4, len(data) - 500 * (seed % 2), size=6):
        data[place] = rng.integers(256)
    try:
        assert count_file(written(tmp_path / "t.parquet", bytes(data)), AB).total > 0
    except ValueError as problem:
        assert "\n" not in str(problem)  # noqa: PT017 - either outcome will do


def test_what_cannot_be_opened_is_refused(tmp_path):
    gone = tmp_path / "gone.csv"
    assert told(lambda: count_file(gone, AB)) == "gone.csv cannot be opened: No such file or directory; check the path"
    assert told(lambda: count_file(tmp_path, AB)) == f"{tmp_path.name} is a directory; choose a file in it"
    none = tmp_path / "*.csv"
    assert told(lambda: count_file(none, AB)) == f"no file matches {str(none)!r}; check the pattern"


def test_files_of_one_table_need_the_same_columns(tmp_path):
    written(tmp_path / "1.csv", "a,b\n1,2\n")
    written(tmp_path / "2.csv", "b,a\n2,1\n")
    message = "2.csv has other columns than 1.csv; count them apart"
    assert told(lambda: count_file(tmp_path / "?.csv", AB)) == message
    written(tmp_path / "1.parquet", pa.table({"a": ["1"], "b": [1]}))
    written(tmp_path / "2.parquet", pa.table({"a": ["1"], "b": [1.5]}))
    message = "2.parquet has other columns than 1.parquet; count them apart"
    assert told(lambda: count_file(tmp_path / "?.parquet", AB)) == message


def test_lists_are_refused_when_the_schema_names_them(tmp_path):
    path = written(tmp_path / "t.parquet", pa.table({"a": [["1"]], "b": [1]}))
    assert re.match(
        "column 'a' holds list<.*>, not text or numbers; leave it out of the schema$",
        told(lambda: count_file(path, AB)),
    )


def test_a_memory_limit_that_is_none_is_refused(tmp_path):
    path = written(tmp_path / "t.csv", "a,b\n1,2\n")
    assert told(lambda: count_file(path, AB, memory="plenty")).startswith("t.csv cannot be counted: ")


def test_without_duckdb_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(duck, "find_spec", lambda name: None)
    message = "tables larger than memory are counted by DuckDB: pip install 'mwem-explorer[duckdb]'"
    assert told(lambda: count_file(tmp_path / "t.csv", AB)) == message


def test_too_large_a_marginal_is_refused(tmp_path, hardly_repeating):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "ab"))
    counted = count_file(written(tmp_path / "t.csv", "a,b\n1,2\n"), domain)
    message = "the marginal a × b has 1,000,000,000,000 cells, more than 268,435,456"
    assert told(lambda: counted.marginal((0, 1))) == message


def test_a_large_domain_of_few_rows_is_held_as_distinct_rows(tmp_path):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "abcd"))
    path = written(tmp_path / "t.csv", "a,b,c,d\n" + "1,2,3,4\n5,6,7,8\n" * 9)
    assert isinstance(count_file(path, domain), Records)


def test_rows_that_hardly_repeat_are_found_out_before_and_while_they_are_grouped(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(name, Range(0, 99)) for name in "abcd"))
    path = written(tmp_path / "t.parquet", pa.table({name: rng.integers(100, size=20_000) for name in "abcd"}))
    monkeypatch.setattr(large, "MOST_BYTES", 12 * 5000)
    for looked_at in (2000, 10**6):  # the first rows alone tell little
        monkeypatch.setattr(large, "LOOKED_AT", looked_at)
        counted = count_file(path, domain)
        assert isinstance(counted, Counted)
        agree(counted, encode(read_table(path), domain), [(0, 1), (2,), (1, 3)])


def test_a_run_is_the_same_whoever_counts(awkward, monkeypatch):
    domain = DOMAIN.project(["label", "whole", "real", "bits"])
    Q = parse_workload("marginals:2", domain)
    sources = [encode(read_table(awkward), domain), count_file(awkward, domain)]
    monkeypatch.setattr(large, "MOST_BYTES", 0)
    sources.append(count_file(awkward, domain))
    assert isinstance(sources[-1], Counted)
    answers = []
    for B in sources:
        *_, last = default(Q, n=B.total, epsilon=1.0).rounds(B, Q, noise=Seeded(0))
        answers.append(Q.answers(last.model))
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()
