"""A run on the table of car workers."""

import pytest
from runs import run_on

from mwem_core import Run


@pytest.fixture(scope="session")
def run(czech) -> Run:
    return run_on(czech)
