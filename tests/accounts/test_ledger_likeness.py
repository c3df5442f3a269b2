"""A table that looks like one released before is recognised by its columns, by what was declared, and by its name."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ledgers import DIGEST, NAME

from mwem_core.accounts.ledger_file import LedgerFile
from mwem_core.accounts.ledger_likeness import Likeness, Signs
from mwem_core.privacy import Amount

ONE = Amount.of(1)
COLUMNS, DECLARED = frozenset("abcd"), frozenset({"age", "sex", "town"})


@pytest.fixture
def where(tmp_path) -> Path:
    """A ledger with one release, of a table of four columns, three of them declared."""
    LedgerFile(tmp_path / "ledger.sqlite").reserve(NAME, DIGEST, ONE, signs=Signs(COLUMNS, DECLARED))
    return tmp_path / "ledger.sqlite"


def why(where: Path, name: str = "visits", columns: str = "", declared: str = "") -> str:
    """Why a table is like the one in the ledger; empty if it is not."""
    found = LedgerFile(where, create=False).alike(name, Signs(frozenset(columns), frozenset(declared.split())))
    assert found is None or found.dataset == NAME
    return found.why if found else ""


@pytest.mark.parametrize(
    ("columns", "alike"), [("abcde", 4), ("abcdefghijkl", 4), ("abc", 3), ("abcx", 3), ("abxy", 0), ("a", 0), ("", 0)]
)
def test_a_table_with_most_columns_of_one_that_was_released_is_alike_whatever_else_it_has(where, columns, alike):
    expected = f"it has {alike} of the 4 columns of a table that was released then" if alike else ""
    assert why(where, columns=columns) == expected


@pytest.mark.parametrize(("declared", "alike"), [("age sex town job", 3), ("age sex", 2), ("age job", 0)])
def test_a_schema_with_most_columns_of_one_that_was_declared_is_alike_also_where_every_cell_has_changed(
    where, declared, alike
):
    expected = f"it declares {alike} of the 3 columns that a release declared then" if alike else ""
    assert why(where, columns="uvwx", declared=declared) == expected


@pytest.mark.parametrize(
    ("name", "alike"),
    [("Census 2026", True), ("census 2027", True), ("census", True), ("census_2026_v2x", False), ("2026", False)],
)
def test_names_that_differ_in_capitals_digits_or_marks_alone_are_alike(where, name, alike):
    assert bool(why(where, name=name)) == alike


def test_a_name_that_the_ledger_knows_is_no_question(where):
    assert why(where, name=NAME, columns="abcd", declared="age sex town") == ""


def test_a_ledger_of_an_earlier_version_opens_and_takes_signs_from_its_next_release_on(where):
    with closing(sqlite3.connect(where)) as connection, connection:
        connection.executescript("DROP TABLE mwem_columns; DROP TABLE mwem_declared")
    old = LedgerFile(where, create=False)
    assert [entry.amount for entry in old.account(NAME).entries] == [ONE]
    assert why(where, columns="abcd", declared="age sex town") == ""
    assert old.alike("CENSUS", Signs()) == Likeness(NAME, "the names differ in capitals, digits or marks alone")
    LedgerFile(where).reserve(NAME, DIGEST, ONE, signs=Signs(COLUMNS, DECLARED))
    assert why(where, columns="abcd")
    with (
        closing(sqlite3.connect(where)) as connection,
        connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        connection.execute("DELETE FROM mwem_columns")


def test_tables_of_which_the_ledger_knows_no_sign_are_like_none(where):
    LedgerFile(where).reserve("visits", "another", ONE)
    assert LedgerFile(where).alike("letters", Signs()) is None
