"""The command `audit`: its exit codes and its last line."""

import pytest

from mwem_core.__main__ import main
from mwem_core.audit import Extent, Twin, targets

TINY = Extent(pairs=6, draws=30_000, slow_draws=3_000)


@pytest.fixture
def tiny(monkeypatch):
    """An audit of one mechanism and one twin, which is caught."""
    monkeypatch.setattr("mwem_core.cli.evidence_commands.QUICK", TINY)
    monkeypatch.setattr("mwem_core.audit.audit.targets", lambda: targets()[:1])
    monkeypatch.setattr("mwem_core.audit.audit.twins", lambda: (Twin("half of the noise", lambda: "a lower bound"),))


def test_an_audit_that_holds_exits_with_0_and_ends_in_a_sentence(tiny, capsys):
    assert main(["audit", "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "of", "stated", "holds", "found"]
    assert not any(" NO " in line for line in lines)
    assert lines[-1].startswith("All ")
    assert lines[-1].endswith("caught every version that was broken on purpose.")


def test_an_audit_that_finds_a_violation_exits_with_1(tiny, capsys, monkeypatch):
    monkeypatch.setattr("mwem_core.audit.audit.twins", lambda: (Twin("half of the noise", lambda: ""),))
    assert main(["audit", "--quick"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("NOT SAFE: 1 of ")
