"""The SQL that groups by cells: every value keeps its code, and the values of a cell become one group."""

import numpy as np
import pyarrow as pa
import pytest
from awkward_table import ATTRIBUTES, DOMAIN, TENTHS, assert_same_marginals, write

from mwem_core import Records
from mwem_core.database import count_file
from mwem_core.database.sql import Column, group_query, quote
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Values


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_every_kind_of_attribute_is_counted_as_it_is_encoded(awkward, name, source_type):
    domain = DOMAIN.project([name])
    counted = count_file(awkward, domain)
    assert isinstance(counted, source_type)
    assert_same_marginals(counted, encode(read_table(awkward), domain), [(0,)])


def test_the_values_of_a_cell_become_one_group(tmp_path):
    """So a column of a million different numbers is not a million groups."""
    x = np.random.default_rng(0).random(5000)
    table = pa.table({"x": x, "y": x.astype(np.float32), "z": [f"{value:.9f}" for value in x], "t": map(str, x)})
    path = write(tmp_path / "x.parquet", table)
    binned = [Attribute(name, TENTHS) for name in "xyz"]
    counted = count_file(path, Domain((*binned, Attribute("t", Values(("a", "b")), other=True))))
    assert isinstance(counted, Records)
    assert 10 <= len(counted.codes[0]) <= 10 + 3 * 9  # rounding may move y and z to the next cell


def test_one_set_is_grouped_plainly_and_several_as_grouping_sets_with_flags():
    columns = [Column(pa.string(), f"c{index}") for index in range(3)]
    one, several = group_query(columns, [(2, 0)]), group_query(columns, [(0,), (2, 0)])
    assert one.startswith("SELECT c0, c2, count(*) AS n FROM ")
    assert one.endswith(" GROUP BY c2, c0")
    assert several.startswith("SELECT c0, c2, GROUPING(c0) AS g0, GROUPING(c2) AS g2, count(*) AS n FROM ")
    assert several.endswith(" GROUP BY GROUPING SETS ((c0), (c2, c0))")


def test_a_quote_in_a_text_is_doubled():
    assert quote("it's") == "'it''s'"
