"""The file that Streamlit runs for every page."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_process_that_a_pool_or_a_cluster_starts_from_the_app_runs_it_to_its_end():
    """Such a process runs the main file again, without a session."""
    ended = subprocess.run([sys.executable, "app.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
