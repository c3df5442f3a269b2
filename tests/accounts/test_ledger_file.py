"""Reserve, draw, settle: in an SQLite file and on a real PostgreSQL server, alone and many at once."""

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import postgres
import pytest
from ledgers import CAP, DIGEST, NAME, command, environment, release
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from mwem_core.accounts.ledger_file import LedgerFile
from mwem_core.accounts.ledger_likeness import Signs
from mwem_core.privacy import Amount, Cap, TotalCost

ONE = Amount.of(1)
WITHDRAWN = "release {} was withdrawn before it drew any noise, so nothing is spent: release again"
TABLES = "mwem_declared, mwem_columns, mwem_event, mwem_release, mwem_cap, mwem_content, mwem_dataset, mwem_ledger"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.INITDB is None and os.environ.get("CI") != "true":
        pytest.skip("POSTGRESQL WAS NOT TESTED: install it (no initdb on the PATH or in /usr/lib/postgresql/*/bin)")
    with postgres.serving() as url:
        yield url


@pytest.fixture(params=["file", "server"])
def where(request, tmp_path) -> str:
    """A place for a new ledger: a file, or the database of a server."""
    if request.param == "file":
        return str(tmp_path / "ledger.sqlite")
    url = request.getfixturevalue("server")
    with engine_of(url).begin() as connection:
        connection.execute(text(f"DROP TABLE IF EXISTS {TABLES}"))
        connection.execute(text("DROP FUNCTION IF EXISTS mwem_append_only"))
    return url


def engine_of(where: str):
    url = where.replace("postgres:", "postgresql+psycopg:") if "://" in where else f"sqlite:///{where}"
    return create_engine(url, poolclass=NullPool)


def states(where: str) -> list[str]:
    return [entry.state for entry in LedgerFile(where, create=False).account(NAME).entries]


def spent(where: str) -> Fraction:
    return LedgerFile(where, create=False).account(NAME).spent.epsilon


def refusal(function) -> str:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - each test compares the message
        function()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_release_goes_from_reserved_to_drawing_to_settled(where):
    ledger = LedgerFile(where)
    with ledger.reserve(NAME, DIGEST, ONE, cap=CAP, note="marginals:2") as reservation:
        assert states(where) == ["reserved"]
        reservation.begin_drawing()
        assert states(where) == ["drawing"]
        reservation.settle()
    account = LedgerFile(where).account(NAME)
    assert [(entry.amount, entry.state, entry.note) for entry in account.entries] == [(ONE, "settled", "marginals:2")]
    assert (account.cap, account.person, account.spent) == (CAP, "", TotalCost.by([ONE]))


def test_amounts_of_both_units_are_kept_exactly(where):
    amounts = [Amount.of(0.1), Amount.of(1, 1e-9), Amount(Fraction(1, 3), "ε")]
    for amount in amounts:
        LedgerFile(where).reserve(NAME, DIGEST, amount)
    account = LedgerFile(where).account(NAME)
    assert [entry.amount for entry in account.entries] == amounts
    assert account.spent == TotalCost.by(amounts)
    assert account.cap is None


def test_before_the_first_draw_the_amount_is_given_back_and_never_after(where):
    ledger = LedgerFile(where)
    with ledger.reserve(NAME, DIGEST, ONE):
        pass
    assert (states(where), spent(where)) == (["withdrawn"], 0)
    with ledger.reserve(NAME, DIGEST, ONE) as reservation:
        reservation.begin_drawing()
    assert (states(where), spent(where)) == (["withdrawn", "drawing"], 1)
    assert refusal(reservation.withdraw) == "release 2 has begun to draw noise, so it counts in full"
    reservation.settle()
    assert refusal(reservation.withdraw) == "release 2 has ended, so it counts in full"
    assert spent(where) == 1


def test_a_release_draws_once_and_only_while_it_is_reserved(where):
    ledger = LedgerFile(where)
    reservation = ledger.reserve(NAME, DIGEST, ONE)
    assert refusal(reservation.settle) == "release 1 has not begun to draw noise, so it cannot be settled"
    reservation.begin_drawing()
    assert refusal(reservation.begin_drawing) == "release 1 has begun to draw noise, so it counts in full"
    withdrawn = ledger.reserve(NAME, DIGEST, ONE)
    withdrawn.withdraw()
    assert refusal(withdrawn.begin_drawing) == WITHDRAWN.format(2)


def test_a_release_whose_process_is_gone_is_withdrawn_by_its_number_and_a_row_says_so(where):
    LedgerFile(where).reserve(NAME, DIGEST, Amount.of(9), cap=CAP)
    assert not release(where, epsilon=2)
    LedgerFile(where, create=False).withdraw(1)
    assert (states(where), spent(where)) == (["withdrawn"], 0)
    assert release(where, epsilon=10)
    with engine_of(where).connect() as connection:
        assert connection.execute(text("SELECT amount FROM mwem_release")).scalars().all() == ["9", "10"]
        events = connection.execute(text("SELECT release, event FROM mwem_event ORDER BY id")).all()
    assert events == [(1, "withdrawn"), (2, "drawing"), (2, "settled")]


def test_what_has_begun_to_draw_or_is_withdrawn_or_unknown_cannot_be_withdrawn(where):
    ledger = LedgerFile(where)
    drawing, settled, withdrawn = (ledger.reserve(NAME, DIGEST, ONE) for _ in range(3))
    for reservation in (drawing, settled):
        reservation.begin_drawing()
    settled.settle()
    withdrawn.withdraw()
    for id, sentence in {
        drawing.id: "release 1 has begun to draw noise, so it counts in full",
        settled.id: "release 2 has ended, so it counts in full",
        withdrawn.id: WITHDRAWN.format(3),
        4: "the ledger has no release 4: its history shows the number of each release",
        10**30: f"the ledger has no release {10**30}: its history shows the number of each release",
    }.items():
        assert refusal(lambda id=id: ledger.withdraw(id)) == sentence
    assert (states(where), spent(where)) == (["drawing", "settled", "withdrawn"], 2)


def test_of_a_withdrawal_and_a_first_draw_at_the_same_time_exactly_one_happens(where):
    ledger, barrier = LedgerFile(where), Barrier(2)
    reservations = [ledger.reserve(NAME, DIGEST, ONE) for _ in range(8)]

    def race(step) -> str:
        """The refusal; empty if it was done."""
        barrier.wait()
        try:
            step()
        except ValueError as refused:
            return str(refused)
        return ""

    with ThreadPoolExecutor(2) as threads:
        for reservation in reservations:
            draw = threads.submit(race, reservation.begin_drawing)
            withdraw = threads.submit(race, lambda id=reservation.id: LedgerFile(where).withdraw(id))
            refusals = draw.result(), withdraw.result()
            drawn = states(where)[reservation.id - 1] == "drawing"
            lost = "release {} has begun to draw noise, so it counts in full" if drawn else WITHDRAWN
            assert refusals[drawn] == lost.format(reservation.id)
            assert refusals[not drawn] == ""
    assert spent(where) == states(where).count("drawing")


def test_what_is_reserved_counts_against_the_cap(where):
    ledger = LedgerFile(where)
    ledger.reserve(NAME, DIGEST, Amount.of(7), cap=CAP)
    assert refusal(lambda: ledger.reserve(NAME, DIGEST, Amount.of(4))) == (
        "the release would bring the cost of all to ε = 11, above the cap of ε = 10: ε = 3 is left"
    )
    ledger.reserve(NAME, DIGEST, Amount.of(3))
    assert spent(where) == 10


def test_a_refused_release_leaves_no_trace(where):
    ledger = LedgerFile(where)
    refusal(lambda: ledger.reserve(NAME, DIGEST, Amount.of(11), cap=CAP))
    assert ledger.accounts() == ()


def test_a_cap_can_be_lowered_and_not_raised(where):
    ledger = LedgerFile(where)
    ledger.reserve(NAME, DIGEST, ONE, cap=Cap.of(3, 1e-6))
    for raised in (Cap.of(4, 1e-6), Cap.of(3, 1e-5), Cap.of(4, 1e-9)):
        message = refusal(lambda cap=raised: ledger.reserve(NAME, DIGEST, ONE, cap=cap))
        assert message == "the cap of this data set is ε = 3 at δ = 1e-06: it can be lowered, not raised"
    ledger.reserve(NAME, DIGEST, ONE, cap=Cap.of(2, 1e-6))
    assert ledger.account(NAME).cap == Cap.of(2, 1e-6)
    refusal(lambda: ledger.reserve(NAME, DIGEST, ONE))


def test_a_data_set_is_recognised_by_its_content_under_any_name(where):
    ledger = LedgerFile(where)
    ledger.reserve(NAME, DIGEST, ONE)
    message = refusal(lambda: ledger.reserve("another name", DIGEST, ONE))
    assert message == f"the ledger knows this table under the name {NAME!r}: release it under that name"
    assert ledger.account_of(DIGEST) == ledger.account(NAME)
    assert ledger.account_of("another digest") is None
    ledger.reserve("another name", "another digest", ONE)
    assert "under the name 'another name'" in refusal(lambda: ledger.reserve(NAME, "another digest", ONE, changed=True))


def test_a_table_that_has_changed_goes_on_with_its_account_only_if_the_user_says_so(where):
    ledger = LedgerFile(where)
    ledger.reserve(NAME, DIGEST, ONE)
    assert refusal(lambda: ledger.reserve(NAME, "corrected", ONE)) == (
        "the table has changed since the last release under this name: if it still has records of the same people,"
        " say that it has changed, and all costs add up; otherwise choose a new name"
    )
    ledger.reserve(NAME, "corrected", ONE, changed=True)
    ledger.reserve(NAME, "corrected", ONE)
    ledger.reserve(NAME, DIGEST, ONE)
    assert spent(where) == 4


def test_a_table_under_a_new_name_that_looks_like_another_is_refused_unless_its_people_are_others(where):
    ledger, signs = LedgerFile(where), Signs(frozenset("abc"), frozenset({"age", "sex"}))
    ledger.reserve(NAME, DIGEST, ONE, signs=signs)
    more = Signs(frozenset("abcd"), frozenset({"town"}))
    assert refusal(lambda: ledger.reserve("other", "wider", ONE, signs=more)) == (
        f"the table looks like {NAME!r} in the ledger: it has 3 of the 3 columns of a table that was released then; if"
        " it has records of the same people, release it under that name and say that it has changed; otherwise say that"
        " its people are others"
    )
    assert [account.name for account in ledger.accounts()] == [NAME]  # a refused release leaves no trace
    ledger.reserve(NAME, "wider", ONE, signs=more, changed=True)
    ledger.reserve("other", "others", ONE, signs=more, others=True)
    ledger.reserve("other", "others", ONE, signs=more)  # the ledger knows it by now
    assert spent(where) == 2


def test_a_ledger_of_an_earlier_version_gets_the_tables_that_it_lacks(where):
    LedgerFile(where).reserve(NAME, DIGEST, ONE)
    with engine_of(where).begin() as connection:
        for table in ("mwem_declared", "mwem_columns"):
            connection.execute(text(f"DROP TABLE {table}"))
    signs = Signs(frozenset("abc"))
    assert LedgerFile(where, create=False).alike("other", signs) is None
    LedgerFile(where).reserve(NAME, DIGEST, ONE, signs=signs)
    assert LedgerFile(where, create=False).alike("other", signs)
    with pytest.raises(SQLAlchemyError, match="append-only"), engine_of(where).begin() as connection:
        connection.execute(text("DELETE FROM mwem_columns"))
    assert spent(where) == 2


def test_costs_for_records_and_for_persons_do_not_add_up(where):
    ledger = LedgerFile(where)
    ledger.reserve(NAME, DIGEST, ONE, person="patient")
    for person in ("", "household"):
        assert "another unit of privacy" in refusal(
            lambda person=person: ledger.reserve(NAME, DIGEST, ONE, person=person)
        )
    ledger.reserve(NAME, DIGEST, ONE, person="patient")
    assert (ledger.account(NAME).person, spent(where)) == ("patient", 2)


@pytest.mark.parametrize("name", ["", " census", "two\nlines", "x" * 101])
def test_a_name_that_no_screen_can_show_is_refused(tmp_path, name):
    message = refusal(lambda: LedgerFile(tmp_path / "ledger").reserve(name, DIGEST, ONE))
    assert message.startswith("the name of a data set must be one line")


def test_the_shortest_and_the_longest_name_and_note_are_kept(tmp_path):
    ledger = LedgerFile(tmp_path / "ledger.sqlite")
    for name, note in (("x", ""), ("y" * 100, "n" * 1000)):
        ledger.reserve(name, name, ONE, note=note)
        assert ledger.account(name).entries[0].note == note
    assert refusal(lambda: ledger.reserve("z" * 101, "z", ONE)).startswith("the name of a data set must be one line")
    message = "the note of a release must have at most 1,000 characters"
    assert refusal(lambda: ledger.reserve("z", "z", ONE, note="n" * 1001)) == message


def test_accounts_are_in_the_order_of_their_first_releases(where):
    ledger, names = LedgerFile(where), ["moths", "ants", "bees"]
    for name in [*names, "ants"]:
        ledger.reserve(name, name, ONE)
    assert [account.name for account in ledger.accounts()] == names


def test_no_row_can_be_changed_or_deleted(where):
    release(where)
    engine = engine_of(where)
    for change in (
        "UPDATE mwem_release SET amount = '0'",
        "DELETE FROM mwem_event",
        "DELETE FROM mwem_release",
        "UPDATE mwem_cap SET epsilon = '99'",
    ):
        with pytest.raises(SQLAlchemyError, match="append-only"), engine.begin() as connection:
            connection.execute(text(change))
    assert spent(where) == 1


@pytest.mark.parametrize("where", ["server"], indirect=True)
def test_racing_releases_spend_exactly_the_cap(where):
    """Also the tables and the key are made in a race."""
    with ThreadPoolExecutor(12) as threads:
        done = list(threads.map(lambda _: release(where), range(20)))
    assert sum(done) == 10
    assert spent(where) == 10
    assert states(where) == ["settled"] * 10


@pytest.mark.parametrize("where", ["file"], indirect=True)
def test_racing_processes_spend_exactly_the_cap(where):
    code = "import sys; print(sum(release(sys.argv[1], epsilon=0.5) for _ in range(12)))"
    racing = [subprocess.Popen(command(code, where), env=environment(), stdout=subprocess.PIPE) for _ in range(2)]
    done = [int(process.communicate()[0]) for process in racing]
    assert sum(done) == 20
    assert spent(where) == 10


@pytest.mark.parametrize("where", ["file"], indirect=True)
def test_a_killed_process_loses_no_entry(where):
    """It prints each step that the ledger has confirmed, and is killed with signal 9 among them."""
    code = """
import sys
ledger = LedgerFile(sys.argv[1])
while True:
    reservation = ledger.reserve(NAME, DIGEST, Amount.of(1))
    print(reservation.id, "reserved", flush=True)
    reservation.begin_drawing()
    print(reservation.id, "drawing", flush=True)
    reservation.settle()
    print(reservation.id, "settled", flush=True)
"""
    with subprocess.Popen(command(code, where), env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(17)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL
    confirmed = dict(line.split() for line in lines if line.endswith("ed\n") or line.endswith("drawing\n"))
    order = ["reserved", "drawing", "settled"]
    entries = {str(entry.id): entry.state for entry in LedgerFile(where).account(NAME).entries}
    assert len(confirmed) >= 6
    for id, state in confirmed.items():
        assert order.index(entries[id]) >= order.index(state)
    assert spent(where) == len(entries)
    assert release(where, cap=None)  # and the ledger goes on
