"""Other programs accept what a release writes: Frictionless, Croissant's checker and SDMetrics."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OTHERS = "frictionless", "mlcroissant", "sdmetrics", "pyarrow"
TERMS = (
    *("--table", "adult", "--attributes", "age,education,hours-per-week,sex", "--workload", "marginals:2"),
    *("--epsilon", "1", "--ledger", "releases.db", "--name", "adult", "--copies", "2", "--out", "release"),
)


@pytest.fixture(scope="module")
def others(tmp_path_factory) -> Path:
    """The Python of an environment with the other programs: one needs pandas below 3, and one changes its types."""
    folder = tmp_path_factory.mktemp("others")
    venv.create(folder, symlinks=True, with_pip=True)
    python = Path(sysconfig.get_path("scripts", vars={"base": str(folder)}), "python")
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *OTHERS]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    if installed.returncode and not os.environ.get("CI"):
        pytest.skip(f"{', '.join(OTHERS)} could not be installed, so nothing was tested: {installed.stderr[-200:]}")
    assert installed.returncode == 0, installed.stderr
    return python


@pytest.mark.slow
def test_other_programs_accept_a_release(others, tmp_path):
    subprocess.run([sys.executable, "-m", "mwem_core", "release", *TERMS], cwd=tmp_path, check=True)
    script, table = ROOT / "benchmarks" / "accepted.py", ROOT / "sample_data" / "adult.parquet"
    unpathed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.run(
        [others, script, tmp_path / "release", table], capture_output=True, text=True, check=False, env=unpathed
    )
    assert said.returncode == 0, said.stderr
    assert "Frictionless: valid = True, 3 tables, 0 errors" in said.stdout
    assert "Croissant: 0 errors" in said.stdout
    assert "SDMetrics, DiagnosticReport: 1.0000" in said.stdout
