"""Tables counted by a real Spark, in local mode."""

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from awkward_table import AB, DOMAIN, assert_same_marginals, awkward_table, error_of

from mwem_core import Domain, Records
from mwem_core.database import DatabaseTable, count_table, sql_table
from mwem_core.encoding import encode
from mwem_core.tables import text_column

pytestmark = [
    pytest.mark.sweep,  # PySpark is 430 MB to install, and its start takes 5 s
    pytest.mark.skipif(
        find_spec("pyspark") is None or shutil.which("java") is None,
        reason="SPARK WAS NOT TESTED: pip install 'ibis-framework[pyspark]' 'pyspark>=4', and install Java",
    ),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # PySpark leaves sockets to be closed by Python,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # which then warns of them
]
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",  # the default of 200 is for clusters
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SETS = [(), *((i,) for i in range(len(DOMAIN))), (0, 1), (5, 6, 7, 8)]


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator:
    """A connection to Spark, in a folder of its own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config(map=SETTINGS)
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
    process = session.sparkContext._gateway.proc
    yield ibis.pyspark.connect(session)
    session.stop()
    process.stdin.close()  # which ends the Java process
    process.wait()


@pytest.fixture(scope="module")
def awkward_rows(spark, tmp_path_factory):
    """The awkward table in Spark."""
    path = tmp_path_factory.mktemp("awkward") / "awkward.parquet"
    pq.write_table(awkward_table().drop(["ignored"]), path)
    return spark.read_parquet(path)


def encoded(domain: Domain) -> Records:
    rows = awkward_table().select(domain.names)
    return encode(pa.table([text_column(column) for column in rows.columns], names=rows.column_names), domain)


def test_spark_counts_marginals_on_demand_as_records_have_them(awkward_rows, monkeypatch):
    monkeypatch.setattr(sql_table, "MAX_DISTINCT_BYTES", 0)
    on_demand = count_table(awkward_rows, DOMAIN)
    assert isinstance(on_demand, DatabaseTable)
    assert_same_marginals(on_demand, encoded(DOMAIN), SETS)


def test_spark_counts_distinct_rows_and_nan_is_not_null(awkward_rows):
    domain = DOMAIN.project(["label", "tiny", "nan"])
    rows = count_table(awkward_rows, domain)
    assert isinstance(rows, Records)
    assert_same_marginals(rows, encoded(domain), [(0,), (1, 2), (0, 1, 2)])
    assert 0 < rows.marginal((2,))[-2] < rows.total / 10  # NaN is the missing text of this attribute


def test_an_error_of_spark_is_one_sentence(spark):
    table = spark.create_view("going", spark.sql("SELECT '1' AS a, 2 AS b"))
    spark.raw_sql("DROP VIEW going")
    assert error_of(lambda: count_table(table, AB)).startswith("the table 'going' cannot be counted: ")
