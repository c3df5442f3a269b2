"""A console or a file of an old encoding, as on Windows, ends no command; files are the same bytes on every system."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper

import pytest
from command_line import call, words

from mwem_core.__main__ import main
from mwem_core.accounts import LedgerFile
from mwem_core.domain import Domain
from mwem_core.privacy import Amount

ENCODINGS = pytest.mark.parametrize("encoding", ["cp1252", "ascii"])


@contextmanager
def console(encoding: str) -> Iterator[BytesIO]:
    """What is written to a stdout of this encoding that ends lines as Windows does."""
    written = BytesIO()
    out, err = (TextIOWrapper(into, encoding, newline="\r\n") for into in (written, BytesIO()))
    with redirect_stdout(out), redirect_stderr(err):
        yield written
        out.flush()
        out.detach()  # or it would close what was written


def printed(encoding: str, *words: str) -> str:
    """What a command writes to such a stdout; it must end well."""
    with console(encoding) as written, suppress(SystemExit):  # of --help
        assert main(words) == 0
    return written.getvalue().decode(encoding)


@pytest.fixture
def ledger(tmp_path):
    where = tmp_path / "ledger.sqlite"
    LedgerFile(where).reserve("people of Łódź", "digest", Amount.of(1), note="marginals:2")
    return str(where)


@ENCODINGS
@pytest.mark.parametrize("command", ["run", "compare"])
def test_results_are_written_to_it(people, command, encoding, monkeypatch):
    monkeypatch.setattr("mwem_core.judge.pool", lambda workers: ThreadPoolExecutor(1))
    seed = people.pop("--seed")
    own = {"--seed": seed} if command == "run" else {"--seeds": "1", "--systems": "mwem,laplace"}
    assert "epsilon" in printed(encoding, command, *words(people | own))


@ENCODINGS
def test_a_ledger_is_written_to_it(ledger, encoding):
    assert "spent  epsilon = 1" in printed(encoding, "ledger", "--ledger", ledger)


@ENCODINGS
@pytest.mark.parametrize("command", ["release", "run", "compare"])
def test_the_help_of_a_command_is_written_to_it(command, encoding):
    assert "epsilon" in printed(encoding, command, "--help")


@ENCODINGS
def test_a_schema_is_utf_8_with_its_own_line_ends(encoding, tmp_path):
    (tmp_path / "t.csv").write_text("city\n" + "Łódź\nBrno\n" * 9, encoding="utf-8")
    with console(encoding) as written:
        assert main(["schema", "--table", str(tmp_path / "t.csv")]) == 0
    text = written.getvalue().decode("utf-8")
    assert "\r" not in text
    assert list(Domain.from_toml(text).attributes[0].labels) == ["Brno", "Łódź"]


def test_the_files_of_a_run_are_the_same_bytes_whatever_ends_a_line_of_the_system(people, tmp_path, monkeypatch):
    written = []
    for end in ("\n", "\r\n"):
        monkeypatch.setattr(os, "linesep", end)
        out = tmp_path / str(len(end))
        assert call("run", people | {"--out": str(out)}) == 0
        written.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert written[0] == written[1]
    assert written[0].keys() >= {"rows.csv", "manifest.json", "script.py"}
