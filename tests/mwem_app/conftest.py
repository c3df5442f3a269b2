"""A table of 1,841 car workers with six yes/no attributes, and a run on it."""

import pytest
from finished_runs import finished
from runs import SAMPLES

from mwem_core import Domain, Records, Run, encode, read_table


@pytest.fixture(scope="session")
def czech() -> Records:
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / "czech.csv"), domain, count="count")


@pytest.fixture(scope="session")
def czech_run(czech) -> tuple[Run, Records]:
    """The run, and the rows drawn from it."""
    return finished(czech)
