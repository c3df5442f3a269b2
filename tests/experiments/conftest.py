"""Folders of tables that do not come with the program."""

from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[3] / "shared" / "data" / "reference"


@pytest.fixture(scope="session")
def reference():
    if not (REFERENCE / "mildew_cells.csv").exists():
        pytest.skip("the reference tables are not ours to bundle")
    return REFERENCE
