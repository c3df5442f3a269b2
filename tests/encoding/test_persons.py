"""At most c records of each person, whoever else is in the table."""

from collections import Counter

import numpy as np
import pytest
from messages import exactly
from people import PEOPLE, codes, parquet
from scipy import stats

from mwem_core.encoding import encode, encode_unit
from mwem_core.privacy import RECORD, Unit
from mwem_core.tables import read_table

KEY = b"a key"
Row = tuple[str, str, str]  # the person, the age and the sex


def table(rows: list[Row]):
    return read_table(("id,age,sex\n" + "".join(f"{','.join(row)}\n" for row in rows)).encode())


def kept(rows: list[Row], records: int, key: bytes = KEY) -> Counter:
    """How often each record is kept."""
    return Counter(zip(*codes(encode_unit(table(rows), PEOPLE, Unit("id", records), key=key)), strict=True))


def random_rows(rng: np.random.Generator, rows: int, persons: int) -> list[Row]:
    """Few distinct records, so that persons have equal ones, and persons of many and of few records."""
    who = (persons * rng.random(rows) ** 2).astype(int)
    return [(f"p{i}", rng.choice(["20", "30", "40"]), rng.choice(["F", "M"])) for i in who]


@pytest.mark.parametrize("records", [1, 2, 5])
def test_without_a_person_the_others_keep_the_same_records_and_counts_move_by_at_most_c(records):
    rng = np.random.default_rng(records)
    for _ in range(30):
        rows = random_rows(rng, rows=60, persons=9)
        everyone = kept(rows, records)
        for person in sorted({row[0] for row in rows}):
            own = [row for row in rows if row[0] == person]
            others = kept([row for row in rows if row[0] != person], records)
            assert everyone - others == kept(own, records)
            assert not others - everyone
            assert (everyone - others).total() == min(records, len(own))


@pytest.mark.parametrize("unit", [RECORD, Unit("id"), Unit("id", 3)])
def test_of_no_rows_no_record_is_kept(unit):
    empty = read_table(b"id,age,sex\n", min_rows=0)
    assert encode_unit(empty, PEOPLE, unit).total == 0
    assert encode_unit(empty.slice(0, 0), PEOPLE, unit).total == 0


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(0)
    rows = random_rows(rng, rows=80, persons=9)
    for _ in range(20):
        assert kept([rows[i] for i in rng.permutation(len(rows))], 3) == kept(rows, 3)


def test_each_record_of_a_person_is_equally_likely_to_be_kept_and_equal_records_count_each():
    """1,000 keys: which of four records is kept is uniform, so that of three equal ones one is kept 3/4 of the time."""
    rows = table([("p", "20", "F")] * 3 + [("p", "30", "M")])
    records = (encode_unit(rows, PEOPLE, Unit("id"), key=b"%d" % i) for i in range(1000))
    choices = Counter(tuple(codes(record)[0]) for record in records)
    assert set(choices) == {(0,), (1,)}
    assert stats.binomtest(choices[0,], 1000, 3 / 4).pvalue > 1e-4


def test_the_key_decides_what_is_kept_and_without_one_it_is_drawn_anew():
    rows = [("p", str(age), sex) for age in range(17, 90) for sex in "FM"]
    unit = Unit("id", 20)
    assert kept(rows, 20) == kept(rows, 20) != kept(rows, 20, key=b"another key")
    first, second = (codes(encode_unit(table(rows), PEOPLE, unit)) for _ in range(2))
    assert first != second


def test_records_that_name_no_person_are_dropped():
    assert kept([("", "20", "F"), ("nan", "20", "F"), ("p", "30", "M")], 5) == {(1, 1): 1}
    of_parquet = read_table(parquet(id=[1.0, float("nan"), None], age=[20, 20, 20], sex=["F", "F", "F"]))
    assert encode_unit(of_parquet, PEOPLE, Unit("id", 5)).total == 1


def test_a_csv_file_and_a_parquet_file_keep_the_same_records():
    rows = random_rows(np.random.default_rng(1), rows=60, persons=5)
    ids, ages, sexes = zip(*rows, strict=True)
    of_parquet = read_table(parquet(id=ids, age=[float(age) for age in ages], sex=sexes))
    csv, arrow = (encode_unit(t, PEOPLE, Unit("id", 2), key=KEY) for t in (table(rows), of_parquet))
    assert codes(csv) == codes(arrow)
    assert csv.total == 10


def test_the_person_may_be_an_attribute_too():
    rows = [("p", "20", "F")] * 3 + [("q", "20", "M")]
    records = encode_unit(table(rows), PEOPLE, Unit("sex", 2), key=KEY)
    assert records.marginal((1,)).tolist() == [2.0, 1.0]


def test_a_record_as_the_unit_keeps_all_of_them():
    rows = table([("p", "20", "F")] * 3)
    assert codes(encode_unit(rows, PEOPLE, RECORD)) == codes(encode(rows, PEOPLE))


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        (
            "ids,age,sex\n1,20,F\n",
            "the table has no column 'id' that names the person of each record; did you mean 'ids'?",
        ),
        (
            "id,age,sex,count\n1,20,F,2\n",
            "column 'count' is named as the number of records of each row, which merges those of several persons: give"
            " each record its own row, or take the column as an attribute",
        ),
    ],
)
def test_a_table_without_persons_is_refused(csv, message):
    with pytest.raises(ValueError, match=exactly(message)):
        encode_unit(read_table(csv.encode()), PEOPLE, Unit("id", 2), count="count" if "count" in csv else None)
