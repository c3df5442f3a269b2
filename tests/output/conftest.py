"""A table of 1,841 car workers with six yes/no attributes, and a run on it."""

import pytest
from runs import SAMPLES, run_on

from mwem_core import Domain, Records, Run, encode, read_table


@pytest.fixture(scope="session")
def czech() -> Records:
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text())
    return encode(read_table(SAMPLES / "czech.csv"), domain, count="count")


@pytest.fixture(scope="session")
def run(czech) -> Run:
    return run_on(czech)
