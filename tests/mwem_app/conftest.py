"""A run on the table of car workers."""

import pytest
from finished_runs import finished

from mwem_core import Records, Run


@pytest.fixture(scope="session")
def czech_run(czech) -> tuple[Run, Records]:
    """The run, and the rows drawn from it."""
    return finished(czech)
