"""The systems of the comparison: their catalogue, and the scripts that run without further environments."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mwem_core.systems import SYSTEMS

SCRIPTS = Path(__file__).parents[2] / "benchmarks" / "systems"


def test_every_system_of_a_row_is_in_the_catalogue_with_a_script_and_an_environment():
    import catalogue
    import environments
    from rows import ROWS

    assert {name for row in ROWS.values() for name in row.systems} <= set(catalogue.SYSTEMS)
    for system in catalogue.SYSTEMS.values():
        assert (SCRIPTS / system.script).exists()
        assert system.environment in ("", *environments.PACKAGES)
        if system.script == "ours.py":
            assert system.options.get("system", "automatic") in SYSTEMS


@pytest.mark.parametrize("name", ["ours-aim", "noise"])
def test_a_system_writes_its_answers_rows_and_cost(tmp_path, name):
    from catalogue import SYSTEMS

    rng, sets = np.random.default_rng(0), [[0, 1], [1, 2]]
    np.save(tmp_path / "codes.npy", rng.integers(2, size=(500, 3)))
    task = {"data": str(tmp_path / "codes.npy"), "names": ["a", "b", "c"], "sizes": [2, 2, 2], "sets": sets}
    task |= {"ranges": [], "epsilon": 1.0, "delta": 1e-9, "seed": 0, "again": False, "out": str(tmp_path / "out")}
    (tmp_path / "task.json").write_text(json.dumps(task | {"options": SYSTEMS[name].options}))
    subprocess.run([sys.executable, SCRIPTS / SYSTEMS[name].script, tmp_path / "task.json"], check=True)
    answers = np.load(tmp_path / "out.model.npy").reshape(2, 4)
    record = json.loads((tmp_path / "out.json").read_text())
    assert {"ended", "cpu", "peak_mib", "seconds", "versions"} <= set(record)
    assert (tmp_path / "out.rows.npy").exists() == (name != "noise")
    if name != "noise":
        assert answers.sum(axis=1) == pytest.approx([1, 1])
        assert np.load(tmp_path / "out.rows.npy").shape == (500, 3)
