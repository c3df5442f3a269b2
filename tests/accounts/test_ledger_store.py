"""Where a ledger cannot be opened, read or written: one sentence, without a path, a URL or a name."""

import os
import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from ledgers import DIGEST, NAME, command, environment, release

from mwem_core.accounts import ledger_store
from mwem_core.accounts.ledger_file import LedgerFile
from mwem_core.accounts.ledger_store import DAMAGE, LOST_LEDGER, NO_LEDGER, NOT_WRITABLE
from mwem_core.privacy import Amount

SECRET = "s3cret-pw"
PAGE = 4096  # bytes, of SQLite
NO_URL = "the ledger must be the path of a file, or a URL such as postgresql://user:password@host/base"
UNREACHABLE = "the ledger's database cannot be reached: check the URL, and that the server runs"


@pytest.fixture
def ledger(tmp_path) -> Path:
    """A ledger with one release."""
    path = tmp_path / "ledger.sqlite"
    assert release(path)
    return path


def use(where: Path | str, *, create: bool) -> None:
    ledger = LedgerFile(where, create=create)
    if create:
        ledger.reserve(NAME, DIGEST, Amount.of(1))
    else:
        ledger.accounts()


def problem(where: Path | str, *, create: bool = True) -> str:
    """Why a release cannot be reserved there, or the accounts not be read."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - each test compares the message
        use(where, create=create)
    message = str(raised.value)
    assert "\n" not in message
    for secret in (SECRET, str(where), NAME, DIGEST):
        assert secret not in message
    return message


def test_a_folder_that_is_not_there(tmp_path):
    assert problem(tmp_path / "no" / "ledger") == (
        "the folder of the ledger does not exist: make it, or name another file"
    )


def test_a_folder_in_place_of_a_file(tmp_path):
    assert problem(tmp_path) == "the ledger must be a file, and this is a folder: name a file in it"


def test_reading_makes_no_ledger(tmp_path):
    path = tmp_path / "ledger.sqlite"
    assert problem(path, create=False) == NO_LEDGER
    path.touch()
    assert problem(path, create=False) == NO_LEDGER
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("content", [b"age,sex\n39,F\n", bytes(5000)], ids=["a table", "zeros"])
def test_a_file_that_is_no_ledger(tmp_path, content, create):
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert problem(path, create=create) == DAMAGE
    assert path.read_bytes() == content


def test_a_file_that_is_no_ledger_is_closed_again(tmp_path, monkeypatch):
    """Whatever the interpreter's collector does: it would hold the file until then."""
    (tmp_path / "people.csv").write_bytes(bytes(5000))
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **options: opened.append(connect(*args, **options)) or opened[-1]
    )
    assert problem(tmp_path / "people.csv") == DAMAGE
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_the_sqlite_file_of_another_program(tmp_path):
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bookmark (address text)")
    assert problem(path) == "this SQLite file belongs to another program: name another file for the ledger"


@pytest.mark.parametrize("start", [0, 0.3, 0.6, 0.9])
def test_a_ledger_that_was_overwritten_in_part(ledger, start):
    content = bytearray(ledger.read_bytes())
    place = int(start * len(content)) // PAGE * PAGE
    content[place : place + PAGE] = b"\xff" * PAGE
    ledger.write_bytes(content)
    for create in (True, False):
        assert problem(ledger, create=create) == DAMAGE


def test_a_ledger_that_was_cut_short(ledger):
    os.truncate(ledger, ledger.stat().st_size // 2)
    assert problem(ledger) == problem(ledger, create=False) == DAMAGE


@pytest.mark.parametrize("amount", ["much", "1/0", "-3", "0"])
def test_an_amount_that_no_release_wrote(ledger, amount):
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("DROP TRIGGER mwem_release_no_UPDATE")
        connection.execute("UPDATE mwem_release SET amount = ?", (amount,))
    assert problem(ledger) == problem(ledger, create=False) == DAMAGE


def test_the_key_is_for_its_owner_alone_and_recognised(ledger):
    key = ledger.with_name("ledger.sqlite.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert LedgerFile(ledger).key == key.read_bytes()
    assert key.read_bytes() not in ledger.read_bytes()
    key.write_bytes(bytes(32))
    assert problem(ledger) == "the key beside the ledger belongs to another ledger: restore the right one"
    key.unlink()
    assert problem(ledger) == "the key of the ledger cannot be read: put the file that ends in .key beside it"
    assert not key.exists()


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("lose", [lambda path: os.truncate(path, 0), Path.unlink], ids=["emptied", "deleted"])
def test_a_ledger_that_is_lost_beside_its_key_does_not_start_at_nothing(ledger, lose, create):
    """Whoever has spent all of a cap could begin anew: the sentence says how the ledger is restored."""
    whole, key = ledger.read_bytes(), ledger.with_name("ledger.sqlite.key")
    lose(ledger)
    assert problem(ledger, create=create) == LOST_LEDGER
    assert not ledger.exists() or ledger.stat().st_size == 0
    ledger.write_bytes(whole)
    assert len(LedgerFile(ledger, create=False).account(NAME).entries) == 1
    lose(ledger)
    key.unlink()
    assert LedgerFile(ledger).accounts() == ()


def test_the_ledger_of_another_table_is_refused_beside_a_key_that_is_not_its_own(ledger, tmp_path):
    other = tmp_path / "other.sqlite"
    assert release(other)
    shutil.copy(other, ledger)
    for create in (True, False):
        assert (
            problem(ledger, create=create)
            == "the key beside the ledger belongs to another ledger: restore the right one"
        )


def test_a_key_that_was_written_in_part_is_of_no_ledger_and_written_again(tmp_path):
    key = tmp_path / "ledger.sqlite.key"
    key.write_bytes(b"written in part")
    assert LedgerFile(tmp_path / "ledger.sqlite").key == key.read_bytes()
    assert len(key.read_bytes()) == 32


def test_no_row_of_a_ledger_lacks_a_fact_or_points_to_nothing(ledger):
    """Every column but the key, which a file keeps beside it, must be filled; rows refer to rows that are there."""
    with closing(sqlite3.connect(ledger)) as connection, connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in tables}
        references = {
            (name, own): (table, column)
            for name in tables
            for _, _, table, own, column, *_ in connection.execute(f"PRAGMA foreign_key_list({name})")
        }
    optional = [(name, column) for name in tables for _, column, _, filled, _, _ in columns[name] if not filled]
    assert optional == [("mwem_ledger", "key")]
    assert all(sum(key for *_, key in columns[name]) == 1 for name in tables)
    assert references == {
        ("mwem_content", "dataset"): ("mwem_dataset", "id"),
        ("mwem_cap", "dataset"): ("mwem_dataset", "id"),
        ("mwem_release", "dataset"): ("mwem_dataset", "id"),
        ("mwem_event", "release"): ("mwem_release", "id"),
        ("mwem_columns", "content"): ("mwem_content", "digest"),
        ("mwem_declared", "release"): ("mwem_release", "id"),
    }


def test_a_ledger_of_a_later_version(ledger):
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("DROP TRIGGER mwem_ledger_no_UPDATE")
        connection.execute("UPDATE mwem_ledger SET format = 2")
    assert problem(ledger) == "a newer version of this program made the ledger: install that version"


def test_a_ledger_that_another_program_keeps_locked(ledger, monkeypatch):
    monkeypatch.setattr(ledger_store, "WAIT_SECONDS", 0.05)
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        assert problem(ledger) == "another program keeps the ledger locked: end it, or try again"
        assert LedgerFile(ledger, create=False).accounts()


def test_a_read_only_ledger_can_be_shown_and_not_released_on(ledger):
    """Root may write anywhere, so a process of another user tries."""
    folder = ledger.parent
    for path in (folder, *folder.parents[:-2]):
        path.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    code = """
import sys
accounts = LedgerFile(sys.argv[1], create=False).accounts()  # Python imports what it needs as long as it is root
if os.geteuid() == 0:
    os.setuid(65534)
assert LedgerFile(sys.argv[1], create=False).accounts() == accounts
try:
    release(sys.argv[1])
except ValueError as refusal:
    print(refusal)
"""
    result = subprocess.run(
        command(code, str(ledger)), env=environment(), cwd="/", capture_output=True, text=True, check=False
    )
    folder.chmod(0o755)
    assert (result.stdout, result.stderr) == (f"{NOT_WRITABLE}\n", "")


def test_a_copy_of_a_ledger_and_its_key_is_a_ledger(ledger, tmp_path):
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in (ledger.name, f"{ledger.name}.key"):
        shutil.copy(ledger.with_name(name), folder / name)
    assert LedgerFile(folder / ledger.name).accounts() == LedgerFile(ledger).accounts()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://me:s3cret-pw@host/base", NO_URL),
        ("://me:s3cret-pw", NO_URL),
        ("postgresql://me:s3cret-pw@127.0.0.1:1/base", UNREACHABLE),
        ("postgres://me:s3cret-pw@/base?host=/nowhere", UNREACHABLE),
        ("postgresql://me:s3cret-pw@[bad/base", UNREACHABLE),
        ("postgresql://me:s3cret-pw@host:port/base", NO_URL),
    ],
)
def test_a_url_that_leads_nowhere(url, sentence):
    assert problem(url) == sentence


def test_without_a_driver_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(ledger_store, "find_spec", lambda name: None)
    assert problem("postgresql://host/base") == (
        "a ledger on a server needs a driver: pip install 'mwem-explorer[database]'"
    )
