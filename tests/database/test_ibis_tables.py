"""Tables counted in a database: a real PostgreSQL server, started here, and DuckDB through Ibis."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing

import duckdb
import ibis
import postgres
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from awkward_table import AB, ATTRIBUTES, assert_same_marginals, awkward_table, error_of, write
from command_line import assert_script_repeats

from mwem_core import Domain, Records
from mwem_core.__main__ import main
from mwem_core.database import count_table, ibis_tables, open_table
from mwem_core.domain import Attribute
from mwem_core.encoding import encode
from mwem_core.tables import text_column
from mwem_core.values import Edges, Values

needs_server = pytest.mark.skipif(
    postgres.INITDB is None and os.environ.get("CI") != "true",
    reason="POSTGRESQL WAS NOT TESTED: install it (no initdb on the PATH or in /usr/lib/postgresql/*/bin)",
)
# PostgreSQL has no unsigned integers and no integers of one byte.
COLUMNS = [name for name in ATTRIBUTES if name != "closed"]
DOMAIN = Domain(tuple(ATTRIBUTES[name] for name in COLUMNS))
SETS = [(), *((i,) for i in range(len(DOMAIN))), (0, 1), (3, 2), (4, 9, 12), (5, 6, 7, 8), (10, 17)]
TYPES = {
    **{"double": "float8", "float": "float4", "string": "text", "bool": "boolean", "date32[day]": "date"},
    **{"int16": "int2", "int32": "int4", "int64": "int8"},
}


def postgresql_rows() -> pa.Table:
    """The awkward table, in the types that PostgreSQL has."""
    table = awkward_table().select(COLUMNS)
    return table.set_column(table.column_names.index("tiny"), "tiny", table["tiny"].cast(pa.int16()))


def encoded(table: pa.Table, domain: Domain) -> Records:
    return encode(pa.table([text_column(column) for column in table.columns], names=table.column_names), domain)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.serving() as url:
        yield url


@pytest.fixture(scope="module")
def base(server) -> Iterator:
    """A connection to a database with the awkward table, a table with weights, and a table without rows."""
    connection = ibis.connect(server)
    schema = postgresql_rows().schema
    columns = ", ".join(f'"{field.name}" {TYPES.get(str(field.type), "numeric(9, 2)")}' for field in schema)
    with connection.con.cursor() as cursor:
        cursor.execute(f"CREATE TABLE awkward ({columns})")
        with cursor.copy("COPY awkward FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in postgresql_rows().columns), strict=True):
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


@needs_server
def test_postgresql_counts_the_same_marginals_as_records(base, source_type):
    counted = count_table(base.table("awkward"), DOMAIN)
    assert isinstance(counted, source_type)
    assert_same_marginals(counted, encoded(postgresql_rows(), DOMAIN), SETS)


@needs_server
def test_numbers_of_one_cell_are_grouped_by_the_database(base):
    real = DOMAIN.project(["real", "single", "far"])
    table = base.table("awkward")
    rows = zip(*(table[name].to_pyarrow().to_pylist() for name in real.names), strict=True)
    counted = count_table(table, real)
    assert isinstance(counted, Records)
    assert len(counted.codes[0]) <= 10 * 10 * 15 < len({*rows})


@needs_server
def test_a_cell_may_start_at_a_number_that_the_type_of_its_column_cannot_hold(base):
    with base.con.cursor() as cursor:
        cursor.execute("CREATE TABLE short (a int2)")
        cursor.execute("INSERT INTO short VALUES (-5), (5), (6)")
    domain = Domain((Attribute("a", Edges((-40_000, 0, 40_000))),))
    assert count_table(base.table("short"), domain).marginal((0,)).tolist() == [1, 2]


@needs_server
def test_an_expression_is_counted_like_a_table(base):
    table = base.table("awkward")
    young = table.filter(table.whole < 50).mutate(double=table.whole * 2)
    domain = Domain((Attribute("double", Edges((0, 20, 50, 100))), ATTRIBUTES["free"]))
    rows = postgresql_rows().filter(pc.less(postgresql_rows()["whole"], 50))
    expected = encoded(rows.append_column("double", pc.multiply(rows["whole"], 2)), domain)
    assert_same_marginals(count_table(young, domain), expected, [(), (0,), (1,), (0, 1)])


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
def test_a_table_of_another_schema_is_found_by_name_and_its_column_of_counts_is_named(server, base, source_type):
    with open_table(server, "other.weighted") as table:
        counted = count_table(table, AB, count="count")
        assert isinstance(counted, source_type)
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
        ("empty", "the table 'empty' has no records; it needs at least one"),
        ("awkward", "the table has no column 'a'; add it, or take the attribute out of the schema"),
        ("Awkward", "the database has no table 'Awkward'; did you mean 'awkward'?"),
        ("none.weighted", "the database has no table 'none.weighted'"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(server, base, name, message):
    def counting():
        with open_table(server, name) as table:
            count_table(table, AB)

    assert error_of(counting) == message


@needs_server
def test_arrays_are_refused_when_the_schema_names_them(base):
    domain = Domain((Attribute("tags", Values(("1", "2"))),))
    assert error_of(lambda: count_table(base.table("Bad"), domain)).startswith("column 'tags' holds list<")


@needs_server
def test_a_table_dropped_before_counting_is_an_error_of_one_sentence(base):
    with base.con.cursor() as cursor:
        cursor.execute("CREATE TABLE going (a text, b int)")
        table = base.table("going")
        cursor.execute("DROP TABLE going")
    assert re.match("the table 'going' cannot be counted: .*does not exist", error_of(lambda: count_table(table, AB)))


@needs_server
@pytest.mark.parametrize(
    ("old", "new"),
    [(postgres.PASSWORD, "wrong-9"), (f"/{postgres.BASE}?", "/nowhere?"), (f"port={postgres.PORT}", "port=1")],
    ids=["password", "database", "port"],
)
def test_the_error_of_an_unreachable_database_hides_the_password(server, old, new):
    url = server.replace(old, new)

    def opening():
        with open_table(url, "awkward"):
            pass

    message = error_of(opening)
    assert message.startswith("the database cannot be reached: ")
    assert postgres.PASSWORD not in message
    assert "wrong-9" not in message


@pytest.mark.parametrize(
    "url", ["people", "", "postgres:people", "postgres://me:s3cret@[bad/x", "nosuch://me:s3cret@host/x"]
)
def test_the_error_of_an_invalid_url_hides_the_password(url):
    def opening():
        with open_table(url, "awkward"):
            pass

    assert "s3cret" not in error_of(opening)


@needs_server
def test_the_command_line_runs_on_a_table_of_a_database(server, base, tmp_path, capsys):
    schema = tmp_path / "schema.toml"
    schema.write_text(DOMAIN.project(["label", "whole", "real", "free"]).to_toml(), encoding="utf-8")
    words = ["--schema", str(schema), "--workload", "marginals:2", "--epsilon", "1", "--seed", "0"]
    assert (
        main(["run", "--database", server, "--table", "awkward", *words, "--json", "--out", str(tmp_path / "out")]) == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert (result["n"], result["attributes"]) == (3000, 4)
    assert postgres.PASSWORD not in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    assert postgres.PASSWORD not in (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert_script_repeats(tmp_path / "out", MWEM_DATABASE=server)
    assert main(["run", "--database", server, "--table", "akward", *words]) == 2
    assert capsys.readouterr().err == "mwem: the database has no table 'akward'; did you mean 'awkward'?\n"


@pytest.mark.filterwarnings("ignore:fetch_:DeprecationWarning")  # Ibis calls methods that DuckDB has renamed
def test_the_script_of_a_run_on_a_table_in_a_schema_repeats_it(tmp_path):
    url = f"duckdb://{tmp_path / 'base.ddb'}"
    with closing(duckdb.connect(tmp_path / "base.ddb")) as base:
        base.execute("CREATE SCHEMA own")
        base.execute("CREATE TABLE own.people AS SELECT i % 3 AS a, i % 2 AS b FROM range(60) AS r(i)")
    schema = tmp_path / "schema.toml"
    schema.write_text("".join(f'[[attribute]]\nname = "{name}"\nrange = [0, 2]\n' for name in "ab"), encoding="utf-8")
    words = ["--schema", str(schema), "--workload", "marginals:2", "--epsilon", "1", "--seed", "0"]
    assert main(["run", "--database", url, "--table", "own.people", *words, "--out", str(tmp_path / "out")]) == 0
    assert_script_repeats(tmp_path / "out", MWEM_DATABASE=url)


@pytest.mark.filterwarnings("ignore:fetch_:DeprecationWarning")  # Ibis calls methods that DuckDB has renamed
def test_duckdb_through_ibis_counts_the_same_marginals_as_records(tmp_path, source_type):
    domain = Domain(tuple(ATTRIBUTES.values()))
    rows = awkward_table().drop(["ignored"])
    connection = ibis.duckdb.connect()
    table = connection.read_parquet(write(tmp_path / "awkward.parquet", rows))
    counted = count_table(table, domain)
    assert isinstance(counted, source_type)
    assert_same_marginals(counted, encoded(rows, domain), SETS)
    connection.disconnect()


def test_without_ibis_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(ibis_tables, "find_spec", lambda name: None)

    def opening():
        with open_table("postgres://host/base", "people"):
            pass

    message = "tables in a database are counted through Ibis: pip install 'mwem-explorer[database]'"
    assert error_of(opening) == message
