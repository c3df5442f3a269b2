"""Tables counted in a database: a real PostgreSQL server, started here, and DuckDB through Ibis."""

import json
import os
import re
from collections.abc import Iterator

import ibis
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stored_tables import AB, KINDS, agree, raw, told

from mwem_core import Domain, Records
from mwem_core.__main__ import main
from mwem_core.data.encoding import encode
from mwem_core.data.files import as_text
from mwem_core.database import counted as large
from mwem_core.database import ibis_tables as database
from mwem_core.database.counted import Counted
from mwem_core.database.ibis_tables import count_table, opened
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.values import Edges, Values

needs_server = pytest.mark.skipif(
    postgres.INITDB is None and os.environ.get("CI") != "true",
    reason="NOTHING WAS COUNTED IN POSTGRESQL: install it (no initdb on the PATH or in /usr/lib/postgresql/*/bin)",
)
# PostgreSQL has no unsigned integers, nor any of one byte.
STORED = [name for name in KINDS if name != "closed"]
DOMAIN = Domain(tuple(KINDS[name] for name in STORED))
SETS = [(), *((i,) for i in range(len(DOMAIN))), (0, 1), (3, 2), (4, 9, 12), (5, 6, 7, 8), (10, 17)]
TYPES = {
    **{"double": "float8", "float": "float4", "string": "text", "bool": "boolean", "date32[day]": "date"},
    **{"int16": "int2", "int32": "int4", "int64": "int8"},
}


def kept() -> pa.Table:
    """The awkward table, less what PostgreSQL has no type for."""
    table = raw().select(STORED)
    return table.set_column(table.column_names.index("tiny"), "tiny", table["tiny"].cast(pa.int16()))


def records(table: pa.Table, domain: Domain) -> Records:
    return encode(pa.table([as_text(column) for column in table.columns], names=table.column_names), domain)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.serving() as url:
        yield url


@pytest.fixture(scope="module")
def base(server) -> Iterator:
    """A connection, and in its database the awkward table, one with weights, and one without rows."""
    connection = ibis.connect(server)
    columns = ", ".join(f'"{field.name}" {TYPES.get(str(field.type), "numeric(9, 2)")}' for field in kept().schema)
    with connection.con.cursor() as cursor:
        cursor.execute(f"CREATE TABLE awkward ({columns})")
        with cursor.copy("COPY awkward FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in kept().columns), strict=True):
                copy.write_row(row)
        cursor.execute("CREATE SCHEMA other")
        cursor.execute("CREATE TABLE other.weighted (a text, b int, count bigint)")
        cursor.execute(
            "INSERT INTO other.weighted VALUES ('1', 2, 3), ('2', 2, 0), ('1', 2, 4), ('3', 9, 0), ('x', 3, 1)"
        )
        cursor.execute('CREATE TABLE empty (a text, b int); CREATE TABLE "Bad" (a text, b text, tags int[])')
        cursor.execute("INSERT INTO \"Bad\" VALUES ('1', '2', null), ('1', 'two', null), ('1', 'two', null)")
    yield connection
    connection.disconnect()


@pytest.fixture
def hardly_repeating(monkeypatch):
    monkeypatch.setattr(large, "MOST_BYTES", 0)
    monkeypatch.setattr(large, "MOST_TOGETHER", 60)
    monkeypatch.setattr(large, "MOST_SETS", 7)


@needs_server
def test_postgresql_counts_what_the_rows_say(base):
    counted = count_table(base.table("awkward"), DOMAIN)
    assert isinstance(counted, Records)
    agree(counted, records(kept(), DOMAIN), SETS)


@needs_server
def test_postgresql_counts_marginals_where_rows_hardly_repeat(base, hardly_repeating):
    counted = count_table(base.table("awkward"), DOMAIN)
    assert isinstance(counted, Counted)
    agree(counted, records(kept(), DOMAIN), SETS)


@needs_server
def test_numbers_of_one_cell_are_grouped_by_the_database(base):
    real = DOMAIN.project(["real", "single", "far"])
    table = base.table("awkward")
    rows = zip(*(table[name].to_pyarrow().to_pylist() for name in real.names), strict=True)
    assert len(count_table(table, real).codes[0]) <= 10 * 10 * 15 < len({*rows})


@needs_server
def test_an_expression_is_counted_like_a_table(base):
    table = base.table("awkward")
    young = table.filter(table.whole < 50).mutate(double=table.whole * 2)
    domain = Domain((Attribute("double", Edges((0, 20, 50, 100))), KINDS["free"]))
    rows = kept().filter(pa.compute.less(kept()["whole"], 50))
    expected = records(rows.append_column("double", pa.compute.multiply(rows["whole"], 2)), domain)
    agree(count_table(young, domain), expected, [(), (0,), (1,), (0, 1)])


@needs_server
def test_a_read_only_connection_is_enough(base):
    with base.con.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    try:
        assert count_table(base.table("awkward"), DOMAIN).total == 3000
    finally:
        with base.con.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")


@needs_server
@pytest.mark.parametrize("lazy", [False, True], ids=["distinct rows", "hardly repeating"])
def test_a_table_of_another_schema_and_its_weights_are_found_by_name(server, base, request, lazy):
    if lazy:
        request.getfixturevalue("hardly_repeating")
    with opened(server, "other.weighted") as table:
        counted = count_table(table, AB)
        assert counted.total == 8
        assert counted.marginal((0,)).tolist() == [7, 0, 0, 0, 1]
        assert counted.marginal((0, 1))[:, 2].tolist() == [7, 0, 0, 0, 0]


@needs_server
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Bad",
            "column 'b' has 2 rows outside the schema (for example 'two'): it expects a whole number from 0 to 9;"
            " correct them, or widen the schema, declare them missing, or set other = true",
        ),
        ("empty", "the table 'empty' has no rows; it needs at least one"),
        ("awkward", "the table has no column 'a'; add it, or take the attribute out of the schema"),
        ("Awkward", "the database has no table 'Awkward'; did you mean 'awkward'?"),
        ("none.weighted", "the database has no table 'none.weighted'"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(server, base, name, message):
    def counting():
        with opened(server, name) as table:
            count_table(table, AB)

    assert told(counting) == message


@needs_server
def test_arrays_are_refused_when_the_schema_names_them(base):
    domain = Domain((Attribute("tags", Values(("1", "2"))),))
    assert told(lambda: count_table(base.table("Bad"), domain)).startswith("column 'tags' holds list<")


@needs_server
def test_a_table_gone_meanwhile_is_told_in_one_sentence(base):
    with base.con.cursor() as cursor:
        cursor.execute("CREATE TABLE going (a text, b int)")
        table = base.table("going")
        cursor.execute("DROP TABLE going")
    assert re.match("the table 'going' cannot be counted: .*does not exist", told(lambda: count_table(table, AB)))


@needs_server
@pytest.mark.parametrize(
    ("old", "new"),
    [(postgres.PASSWORD, "wrong-9"), (f"/{postgres.BASE}?", "/nowhere?"), (f"port={postgres.PORT}", "port=1")],
    ids=["password", "database", "port"],
)
def test_a_database_that_cannot_be_reached_is_told_without_the_password(server, old, new):
    url = server.replace(old, new)

    def reaching():
        with opened(url, "awkward"):
            pass

    message = told(reaching)
    assert message.startswith("the database cannot be reached: ")
    assert postgres.PASSWORD not in message
    assert "wrong-9" not in message


@pytest.mark.parametrize(
    "url", ["people", "", "postgres:people", "postgres://me:s3cret@[bad/x", "nosuch://me:s3cret@host/x"]
)
def test_a_url_that_is_none_is_told_without_the_password(url):
    def reaching():
        with opened(url, "awkward"):
            pass

    assert "s3cret" not in told(reaching)


@needs_server
def test_the_command_line_runs_on_a_table_of_a_database(server, base, tmp_path, capsys):
    schema = tmp_path / "schema.toml"
    schema.write_text(DOMAIN.project(["label", "whole", "real", "free"]).to_toml(), encoding="utf-8")
    words = ["--schema", str(schema), "--workload", "marginals:2", "--epsilon", "1", "--seed", "0"]
    assert (
        main(["run", "--database", server, "--table", "awkward", *words, "--json", "--out", str(tmp_path / "out")]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["attributes"]) == (3000, 4)
    assert postgres.PASSWORD not in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    assert main(["run", "--database", server, "--table", "akward", *words]) == 2
    assert capsys.readouterr().err == "mwem_core: the database has no table 'akward'; did you mean 'awkward'?\n"


@pytest.mark.filterwarnings("ignore:fetch_:DeprecationWarning")  # what Ibis calls DuckDB's methods by
def test_duckdb_through_ibis_counts_what_the_rows_say(tmp_path, monkeypatch):
    domain = Domain(tuple(KINDS.values()))
    rows = raw().drop(["ignored"])
    pq.write_table(rows, tmp_path / "awkward.parquet")
    connection = ibis.duckdb.connect()
    table = connection.read_parquet(tmp_path / "awkward.parquet")
    whole = count_table(table, domain)
    monkeypatch.setattr(large, "MOST_BYTES", 0)
    lazy = count_table(table, domain)
    assert isinstance(whole, Records)
    assert isinstance(lazy, Counted)
    for counted in (whole, lazy):
        agree(counted, records(rows, domain), SETS)
    connection.disconnect()


def test_without_ibis_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(database, "find_spec", lambda name: None)

    def reaching():
        with opened("postgres://host/base", "people"):
            pass

    message = "tables in a database are counted through Ibis: pip install 'mwem-explorer[database]'"
    assert told(reaching) == message
