"""Releases that only draw a breath: for tests of the ledger in threads and in processes."""

import os
import sys
from pathlib import Path

from mwem_core.accounts import LedgerFile
from mwem_core.privacy import Amount, Cap

NAME, DIGEST = "census 2026", "the digest of a table"
CAP = Cap.of(10, 0)  # at δ = 0, so that no process imports OpenDP
ROOT = Path(__file__).parents[2]


def release(where: str | Path, *, epsilon: float = 1, cap: Cap | None = CAP) -> bool:
    """Release once, if the cap has room for it."""
    try:
        with LedgerFile(where).reserve(NAME, DIGEST, Amount.of(epsilon), cap=cap) as reservation:
            reservation.begin_drawing()
            reservation.settle()
    except ValueError as refusal:
        if "above the cap" not in str(refusal):
            raise
        return False
    return True


def command(code: str, *arguments: str) -> list[str]:
    """A Python process that runs some code, with this module's names."""
    return [sys.executable, "-c", f"from ledgers import *\n{code}", *arguments]


def environment() -> dict[str, str]:
    """The environment in which such a process finds the project and this module."""
    return os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'helpers'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
