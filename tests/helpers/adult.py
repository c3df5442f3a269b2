"""Adult, which several folders of tests read."""

from pathlib import Path

import pytest

from mwem_core import Domain, encode, read_table

SAMPLES = Path(__file__).parents[2] / "sample_data"
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")


@pytest.fixture(scope="session")
def adult():
    """Adult, eight categorical attributes."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(EIGHT)
    return encode(read_table(SAMPLES / "adult.parquet"), domain)
