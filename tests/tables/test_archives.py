"""Reading in a process of its own: a table or a sentence comes back, on systems that limit memory and on others."""

import io
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

from mwem_core.tables import archives
from mwem_core.tables.archives import EXIT_DAMAGED, EXIT_REFUSED, write_from_process

TABLE = pa.table({"x": [1, 2]})


def refuse(error):
    raise error


@pytest.fixture
def streams(monkeypatch):
    """What the process reads and writes; no limit is set on the process of the tests."""
    own = SimpleNamespace(
        stdin=SimpleNamespace(buffer=io.BytesIO(b"file")),
        stdout=SimpleNamespace(buffer=io.BytesIO()),
        stderr=io.TextIOWrapper(io.BytesIO(), "cp1252"),  # as on Windows: the sentence is in UTF-8 nevertheless
        exit=sys.exit,
    )
    monkeypatch.setattr(archives, "sys", own)
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows: importing it raises ImportError
    return own


def table_of(streams):
    return pa.ipc.open_stream(streams.stdout.buffer.getvalue()).read_all()


def test_a_file_is_read_where_no_module_limits_memory(streams):
    seen = []
    write_from_process(lambda data: seen.append(data) or TABLE)
    assert seen == [b"file"]
    assert table_of(streams) == TABLE


@pytest.mark.parametrize("error", [ValueError("current limit exceeds maximum limit"), OSError("no such limit")])
def test_a_file_is_read_where_the_limit_is_refused(error, streams, monkeypatch):
    asked = []
    limits = SimpleNamespace(RLIMIT_DATA=2, setrlimit=lambda *limit: asked.append(limit) or refuse(error))
    monkeypatch.setitem(sys.modules, "resource", limits)
    write_from_process(lambda data: TABLE)
    assert len(asked) == 1
    assert table_of(streams) == TABLE


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("Łódź.xls has no table"), EXIT_REFUSED, "Łódź.xls has no table"),
        (UnicodeDecodeError("utf-8", b"secret", 0, 1, "secret"), EXIT_DAMAGED, ""),
    ],
)
def test_an_error_is_a_sentence_or_nothing_is_said_of_it(error, code, said, streams):
    with pytest.raises(SystemExit) as ended:
        write_from_process(lambda data: refuse(error))
    assert ended.value.code == code
    assert (streams.stdout.buffer.getvalue(), streams.stderr.buffer.getvalue().decode()) == (b"", said)
