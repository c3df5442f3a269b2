"""Small tables of people, and files that hold them."""

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Edges, Values

AGE = Attribute("age", Edges((17, 25, 35, 90)))
SEX = Attribute("sex", Values(("F", "M")))
PEOPLE = Domain((AGE, SEX))


def parquet(**columns) -> bytes:
    """A Parquet file of these columns."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def people(csv: str) -> Records:
    """The records of a CSV file with the columns age and sex."""
    return encode(read_table(csv.encode()), PEOPLE)


def codes(records: Records) -> list[list[int]]:
    """The codes of records, column by column."""
    return [column.tolist() for column in records.codes]
