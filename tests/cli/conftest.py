"""Arguments for a quick run, on a small table."""

import pytest
from command_line import SCHEMA, people_csv


@pytest.fixture
def people(tmp_path) -> dict[str, str]:
    """Arguments for a run on a small table, which a test may change."""
    (tmp_path / "people.csv").write_text(people_csv())
    (tmp_path / "people.toml").write_text(SCHEMA)
    return {
        "--table": str(tmp_path / "people.csv"),
        "--schema": str(tmp_path / "people.toml"),
        "--workload": "marginals:2",
        "--epsilon": "1",
        "--seed": "0",
    }
