"""Both ways to count a table give the marginals of its records."""

import itertools
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from awkward_table import AB, DOMAIN, assert_same_marginals, error_of, write

from mwem_core import Records, Seeded, default, parse_workload
from mwem_core.database import DatabaseTable, count_file, sql_table as module
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Codes, Dates, Range

UP_TO_PAIRS = [attrs for k in range(3) for attrs in itertools.combinations(range(len(DOMAIN)), k)]
UNSORTED_AND_LARGER = [(4, 2), (2,), (4, 2, 0), (5, 6, 7, 8)]


def test_marginals_of_distinct_rows_are_those_of_the_table_in_memory(awkward):
    counted = count_file(awkward, DOMAIN)
    assert isinstance(counted, Records)
    assert_same_marginals(counted, encode(read_table(awkward), DOMAIN), [*UP_TO_PAIRS, *UNSORTED_AND_LARGER])


def test_marginals_on_demand_are_those_of_the_table_in_memory(awkward, on_demand):
    counted = count_file(awkward, DOMAIN)
    assert isinstance(counted, DatabaseTable)
    assert_same_marginals(counted, encode(read_table(awkward), DOMAIN), [*UP_TO_PAIRS[::5], *UNSORTED_AND_LARGER])


def test_marginals_on_demand_are_read_only_and_those_of_the_last_call_are_kept(tmp_path, on_demand):
    counted = count_file(write(tmp_path / "t.csv", "a,b\n1,2\n2,3\n"), AB)
    assert isinstance(counted, DatabaseTable)
    queries = []

    def query(sql, types):
        queries.append(sql)
        return counted.table.query(sql, types)

    logged = DatabaseTable(replace(counted.table, query=query))
    assert len(queries) == 1  # for the total
    first = logged.marginals([(0,), (1, 0)])
    assert logged.marginals([(0,), (1, 0)]) is first
    assert len(queries) == 2
    with pytest.raises(ValueError, match="read-only"):
        first[0][0] = 1


def test_a_pass_counts_a_limited_number_of_unions_of_limited_size(on_demand):
    pairs = {S for S in UP_TO_PAIRS if S}
    passes = list(module._passes(DOMAIN, pairs))
    assert max(map(len, passes)) == module.MAX_PASS_SETS
    assert sorted(S for unions in passes for sets in unions.values() for S in sets) == sorted(pairs)
    for union, sets in (item for unions in passes for item in unions.items()):
        assert all(set(S) <= set(union) for S in sets)
        assert len(sets) == 1 or DOMAIN.cells(union) <= module.MAX_UNION_CELLS or union in sets


def test_a_marginal_of_too_many_cells_is_refused(tmp_path, on_demand):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "ab"))
    counted = count_file(write(tmp_path / "t.csv", "a,b\n1,2\n"), domain)
    message = "the marginal a × b has 1,000,000,000,000 cells, more than 268,435,456"
    assert error_of(lambda: counted.marginal((0, 1))) == message


def test_a_table_of_few_distinct_rows_over_a_large_domain_is_held_as_records(tmp_path):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "abcd"))
    path = write(tmp_path / "t.csv", "a,b,c,d\n" + "1,2,3,4\n5,6,7,8\n" * 9)
    assert isinstance(count_file(path, domain), Records)


def test_too_many_distinct_rows_are_noticed_in_the_sample_or_while_they_are_read(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(name, Range(0, 99)) for name in "abcd"))
    path = write(tmp_path / "t.parquet", pa.table({name: rng.integers(100, size=20_000) for name in "abcd"}))
    monkeypatch.setattr(module, "MAX_DISTINCT_BYTES", 12 * 5000)
    for sampled_rows in (2000, 10**6):  # the small sample underestimates the number of distinct rows
        monkeypatch.setattr(module, "SAMPLED_ROWS", sampled_rows)
        counted = count_file(path, domain)
        assert isinstance(counted, DatabaseTable)
        assert_same_marginals(counted, encode(read_table(path), domain), [(0, 1), (2,), (1, 3)])


def test_a_seeded_run_gives_the_same_answers_on_records_and_on_counted_tables(awkward, monkeypatch):
    domain = DOMAIN.project(["label", "whole", "real", "bits"])
    Q = parse_workload("marginals:2", domain)
    sources = [encode(read_table(awkward), domain), count_file(awkward, domain)]
    monkeypatch.setattr(module, "MAX_DISTINCT_BYTES", 0)
    sources.append(count_file(awkward, domain))
    assert isinstance(sources[-1], DatabaseTable)
    answers = []
    for B in sources:
        *_, last = default(Q, n=B.total, epsilon=1.0).rounds(B, Q, noise=Seeded(0))
        answers.append(Q.answers(last.model))
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()


def test_dates_and_codes_are_counted_as_they_are_read_whatever_type_the_file_has(tmp_path):
    rng = np.random.default_rng(0)
    times = [datetime(2023, 1, 1) + timedelta(minutes=int(minute)) for minute in rng.integers(0, 60 * 24 * 700, 300)]
    columns = {
        "day": [time.date() for time in times],
        "at": times,
        "text": [f"{time:%d.%m.%Y}" for time in times],
        "icd": [f"A{code:02}" for code in rng.integers(0, 30, 300)],
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    domain = Domain(
        (
            Attribute("day", Dates(("2023-01-01", "2024-12-31"), "month")),
            Attribute("at", Dates(("2023-01-01", "2024-12-31"), "week", "YYYY-MM-DD HH:MM:00.000000")),
            Attribute("text", Dates(("2023-01-01", "2023-07-01", "2024-12-31"), form="DD.MM.YYYY"), other=True),
            Attribute("icd", Codes(tuple(f"A{code:02}" for code in range(30)), 2)),
        )
    )
    counted = count_file(tmp_path / "t.parquet", domain)
    records = encode(read_table(tmp_path / "t.parquet"), domain)
    assert_same_marginals(counted, records, [(0,), (1,), (2,), (3,), (0, 3)])
