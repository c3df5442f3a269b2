"""The script repeats a run, on public names alone."""

import ast
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from runs import SAMPLES, awkward_records, run_of, run_on

import mwem_core
from mwem_core import (
    MWEM,
    Annealing,
    Apart,
    Domain,
    HistogramStart,
    Newest,
    Planned,
    Records,
    Replay,
    Run,
    Staged,
    Tables,
    encode,
    nearest_rows,
    read_table,
)
from mwem_core.output.run_files import answers_csv, rows_csv
from mwem_core.output.script import script
from mwem_core.systems import SYSTEMS


def execute(text: str, folder: Path) -> None:
    """Run a script as a user does: in a new process, in the folder of the table. Warnings are errors."""
    (folder / "repeat.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-W", "error", "repeat.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def released(run: Run) -> bytes:
    """The file that the run's script writes: synthetic.csv, or answers.csv if the system gives no rows."""
    if SYSTEMS.get(run.system, SYSTEMS["mwem"]).gives == "answers":
        return answers_csv(run.workload, run.model)
    rng = np.random.default_rng(run.seed)
    return rows_csv(nearest_rows(run.workload, run.model, round(run.model.total), rng), rng)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "czech.csv").write_bytes((SAMPLES / "czech.csv").read_bytes())
    return tmp_path


@pytest.mark.parametrize("stop", [None, 3])
def test_the_script_repeats_a_seeded_run_to_the_byte_even_a_stopped_run(czech, folder, stop):
    run = run_on(czech, stop=stop)
    execute(script(run), folder)
    assert (folder / "synthetic.csv").read_bytes() == released(run)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_script_of_every_system_repeats_its_run_to_the_byte(name, tmp_path, monkeypatch):
    run = run_of(name)
    monkeypatch.chdir(tmp_path)
    exec(compile(script(run), "repeat.py", "exec"), {"__name__": "__main__"})
    (file,) = tmp_path.iterdir()
    assert file.name == ("synthetic.csv" if SYSTEMS[name].gives == "rows" else "answers.csv")
    assert file.read_bytes() == released(run)


ROUNDS = MWEM(epsilon=1.0, T=2, candidates=Tables(penalty="noise", by_cells=True), update=Replay(near_prior=True))


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("marginals:2", Staged(share=0.6, then=ROUNDS)),
        ("marginals:2 + where:smoking == 'no'", Apart(share=0.2, first=ROUNDS)),
        ("marginals:2 + where:smoking == 'no'", Apart(share=0.2, first=Planned(epsilon=1.0, plan="residuals"))),
        ("marginals:2", MWEM(epsilon=1.0, T=Annealing(3), repeats=True, update=Newest(), start=HistogramStart(0.2))),
    ],
    ids=["staged", "apart", "apart from a plan", "annealed"],
)
def test_the_script_of_settings_that_hold_settings_repeats_its_run_to_the_byte(
    czech, folder, monkeypatch, spec, settings
):
    run, made = run_on(czech, spec, of=lambda epsilon: settings), {"__name__": "__main__"}
    monkeypatch.chdir(folder)
    exec(compile(script(run), "repeat.py", "exec"), made)
    assert made["settings"] == settings
    assert (folder / "synthetic.csv").read_bytes() == released(run)


@pytest.mark.parametrize("seed", [7, None])
def test_the_script_of_a_seeded_run_says_where_it_repeats_it_exactly(czech, seed):
    title = ast.get_docstring(ast.parse(script(run_on(czech, seed=seed)))).split("\n\n")[0].replace("\n", " ")
    where = ": exactly with the same packages on the same kind of processor, elsewhere within its noise"
    assert title == f"Repeats a run of Automatic{where if seed else ''}."


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_script_of_every_system_imports_public_names_alone(name):
    """Public names stay when modules move, so a script that a user has kept still runs."""
    imports = [node for node in ast.walk(ast.parse(script(run_of(name)))) if isinstance(node, ast.ImportFrom)]
    modules = {node.module: {alias.name for alias in node.names} for node in imports}
    assert set(modules) == {"pathlib", "mwem_core"}
    assert modules["mwem_core"] <= set(mwem_core.__all__)
    assert all(hasattr(mwem_core, public) for public in modules["mwem_core"])


def test_the_script_survives_an_awkward_schema_and_keeps_a_measured_total(tmp_path):
    records = awkward_records()
    (tmp_path / 'a "table".csv').write_bytes(rows_csv(records, np.random.default_rng(1)))
    run = run_on(records, table='a "table".csv', T=3, measured=True)
    execute(script(run), tmp_path)
    rows = (tmp_path / "synthetic.csv").read_bytes()
    assert rows == released(run)
    assert len(pd.read_csv(io.BytesIO(rows))) == round(run.model.total) != records.total


KINDS_SCHEMA = """
[[attribute]]
name = "day"
dates = ["2023-01-01", "2023-12-31"]
by = "month"
form = "DD.MM.YYYY"
missing = ""

[[attribute]]
name = "pay"
edges = "0..5000 log"
decimals = 2

[[attribute]]
name = "code"
values = ["A00", "A01", "B20", "B21"]
prefix = 1
"""


def test_the_script_repeats_rows_with_dates_decimals_and_codes_to_the_byte(tmp_path, monkeypatch):
    domain = Domain.from_toml(KINDS_SCHEMA)
    rng = np.random.default_rng(0)
    records = Records(domain, tuple(rng.integers(size, size=300).astype(np.uint8) for size in domain.shape))
    (tmp_path / "kinds.csv").write_bytes(rows_csv(records, rng))
    run = run_on(records, table="kinds.csv")
    monkeypatch.chdir(tmp_path)
    exec(compile(script(run), "repeat.py", "exec"), {"__name__": "__main__"})
    rows = (tmp_path / "synthetic.csv").read_bytes()
    assert rows == released(run)
    assert encode(read_table(rows), domain).total == 300
