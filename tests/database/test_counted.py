"""Both ways to count a table give the marginals of its records."""

import itertools
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from awkward_table import DOMAIN, TENTHS, assert_same_marginals, error_of, write

from mwem_core import Records, Seeded, default, parse_workload
from mwem_core.database import RecordsOnDisk, count_file, table_parts
from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.tables import read_table
from mwem_core.values import Codes, Dates, Range, Values

UP_TO_PAIRS = [attrs for k in range(3) for attrs in itertools.combinations(range(len(DOMAIN)), k)]
UNSORTED_AND_LARGER = [(4, 2), (2,), (4, 2, 0), (5, 6, 7, 8)]


def test_marginals_of_distinct_rows_are_those_of_the_table_in_memory(awkward):
    counted = count_file(awkward, DOMAIN)
    assert isinstance(counted, Records)
    assert_same_marginals(counted, encode(read_table(awkward), DOMAIN), [*UP_TO_PAIRS, *UNSORTED_AND_LARGER])


def test_marginals_on_disk_are_those_of_the_table_in_memory(awkward, on_disk):
    counted = count_file(awkward, DOMAIN)
    assert isinstance(counted, RecordsOnDisk)
    assert_same_marginals(counted, encode(read_table(awkward), DOMAIN), [*UP_TO_PAIRS[::5], *UNSORTED_AND_LARGER])


def test_a_marginal_of_too_many_cells_is_refused(tmp_path, on_disk):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "ab"))
    counted = count_file(write(tmp_path / "t.csv", "a,b\n1,2\n"), domain)
    message = "the marginal a × b has 1,000,000,000,000 cells, more than 268,435,456"
    assert error_of(lambda: counted.marginal((0, 1))) == message


def test_a_table_of_few_distinct_rows_over_a_large_domain_is_held_as_records(tmp_path):
    domain = Domain(tuple(Attribute(name, Range(0, 999_999)) for name in "abcd"))
    path = write(tmp_path / "t.csv", "a,b,c,d\n" + "1,2,3,4\n5,6,7,8\n" * 9)
    assert isinstance(count_file(path, domain), Records)


def test_a_column_of_many_different_numbers_and_texts_has_few_codes(tmp_path):
    x = np.random.default_rng(0).random(5000)
    table = pa.table({"x": x, "y": x.astype(np.float32), "z": [f"{value:.9f}" for value in x], "t": map(str, x)})
    domain = Domain((*(Attribute(name, TENTHS) for name in "xyz"), Attribute("t", Values(("a", "b")), other=True)))
    counted = count_file(write(tmp_path / "x.parquet", table), domain)
    assert isinstance(counted, Records)
    assert 10 <= len(counted.codes[0]) <= 10 + 3 * 9  # rounding may move y and z to the next cell


@pytest.mark.parametrize(("rows", "type"), [(5000, RecordsOnDisk), (50_000, Records)])
def test_too_many_distinct_rows_are_noticed_while_they_are_read(tmp_path, monkeypatch, on_disk, rows, type):
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(name, Range(0, 99)) for name in "abcd"))
    path = write(tmp_path / "t.parquet", pa.table({name: rng.integers(100, size=20_000) for name in "abcd"}))
    monkeypatch.setattr(table_parts, "MAX_DISTINCT_BYTES", 12 * rows)
    counted = count_file(path, domain)
    assert isinstance(counted, type)
    assert_same_marginals(counted, encode(read_table(path), domain), [(0, 1), (2,), (1, 3)])


def test_a_seeded_run_gives_the_same_answers_on_records_and_on_counted_tables(awkward, monkeypatch):
    domain = DOMAIN.project(["label", "whole", "real", "bits"])
    Q = parse_workload("marginals:2", domain)
    sources = [encode(read_table(awkward), domain), count_file(awkward, domain)]
    monkeypatch.setattr(table_parts, "MAX_DISTINCT_BYTES", 0)
    sources.append(count_file(awkward, domain))
    assert isinstance(sources[-1], RecordsOnDisk)
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
