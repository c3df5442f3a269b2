"""The script repeats a run, on public names alone, and the scripts of version 0.3 still run."""

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
    Annealed,
    Apart,
    Counts,
    Direct,
    Domain,
    Halvings,
    HistogramStart,
    Implicit,
    Newest,
    Nothing,
    Planned,
    PublicStart,
    PublicTable,
    Queries,
    Records,
    Replay,
    Run,
    Seeded,
    Staged,
    Tables,
    encode,
    nearest_rows,
    parse_workload,
    read_table,
)
from mwem_core.mwem.presets import REPLAY
from mwem_core.release.files import answers_csv, rows_csv
from mwem_core.release.script import script
from mwem_core.systems import SYSTEMS

BEFORE_0_5 = "read_table(Path('czech.csv')), domain)\n"  # how a script reads the table without a word on `count`


def execute(text: str, folder: Path) -> None:
    """Run a script as a user does: in a new process, in the folder of the table. Warnings are errors.

    But for the one of a script before 0.5, which does not say what the column `count` is.
    """
    (folder / "repeat.py").write_text(text, encoding="utf-8")
    old = ["-W", "default:the column 'count' is taken:FutureWarning"]
    command = [sys.executable, "-W", "error", *(old if BEFORE_0_5 in text else []), "repeat.py"]
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


ROUNDS = MWEM(epsilon=1.0, T=2, candidates=Tables(penalty="noise", by_cells=True), update=Implicit(near_prior=True))


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("marginals:2", Staged(share=0.6, then=ROUNDS)),
        ("marginals:2 + where:smoking == 'no'", Apart(share=0.2, first=ROUNDS)),
        ("marginals:2 + where:smoking == 'no'", Apart(share=0.2, first=Planned(epsilon=1.0, plan="residuals"))),
        ("marginals:2", MWEM(epsilon=1.0, T=Annealed(3), repeats=True, update=Newest(), start=HistogramStart(0.2))),
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
heaps = 50
heaped = 0.3

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


# Scripts verbatim as version 0.3 wrote them. They import from modules, some of which have become packages.
MWEM_SCRIPT_OF_0_3 = '''"""Repeats a run of MWEM.

NOT PRIVATE: drawn from a known seed, which takes the noise away again. For teaching, tests and
public data.
"""

from pathlib import Path

import numpy as np

from mwem_core import Domain, Seeded, encode, nearest_rows, parse_workload, read_table, rows_csv
from mwem_core.mwem import MWEM

domain = Domain.from_toml("""
[[attribute]]
name = "smoking"
values = ["no", "yes"]

[[attribute]]
name = "strenuous_mental_work"
values = ["no", "yes"]

[[attribute]]
name = "strenuous_physical_work"
values = ["no", "yes"]
""")
records = encode(read_table(Path('czech.csv')), domain)
workload = parse_workload('marginals:2', domain)
settings = MWEM(
    epsilon=1.0,
    T=4,
)

for step in settings.rounds(records, workload, noise=Seeded(7)):
    print(step.index, step.label, f"residual {step.residual:,.0f} records, spent {step.ledger.spent:.4g}")

rng = np.random.default_rng(7)
rows = nearest_rows(workload, step.model, round(step.model.total), rng)
Path("synthetic.csv").write_bytes(rows_csv(rows, rng))
'''

DIRECT_SCRIPT_OF_0_3 = '''"""Repeats a run of Direct.

NOT PRIVATE: drawn from a known seed, which takes the noise away again. For teaching, tests and
public data.
"""

from pathlib import Path

from mwem_core import Domain, Seeded, encode, parse_workload, read_table
from mwem_core.release import answers_csv
from mwem_core.relatives.direct import Direct

domain = Domain.from_toml("""
[[attribute]]
name = "smoking"
values = ["no", "yes"]

[[attribute]]
name = "strenuous_mental_work"
values = ["no", "yes"]

[[attribute]]
name = "strenuous_physical_work"
values = ["no", "yes"]
""")
records = encode(read_table(Path('czech.csv')), domain)
workload = parse_workload('marginals:2', domain)
settings = Direct(
    epsilon=1.0,
)

for step in settings.rounds(records, workload, noise=Seeded(7)):
    print(step.index, step.label, f"residual {step.residual:,.0f} records, spent {step.ledger.spent:.4g}")

Path("answers.csv").write_bytes(answers_csv(workload, step.model))
'''


@pytest.mark.parametrize(
    ("text", "name", "settings", "file"),
    [
        (MWEM_SCRIPT_OF_0_3, "mwem", MWEM(epsilon=1.0, T=4), "synthetic.csv"),
        (DIRECT_SCRIPT_OF_0_3, "laplace", Direct(epsilon=1.0), "answers.csv"),
    ],
    ids=["MWEM", "Direct"],
)
def test_a_script_of_version_0_3_still_runs_and_repeats_its_run(czech, folder, text, name, settings, file):
    execute(text, folder)
    records = czech.project(czech.domain.names[:3])
    workload = parse_workload("marginals:2", records.domain)
    run = Run(workload, settings, name, tuple(settings.rounds(records, workload, noise=Seeded(7))), 7)
    assert (folder / file).read_bytes() == released(run)


# The settings that version 0.3 wrote into a script, as it wrote them, and those of today that they mean.
CLOSE_FIT = Replay(step=3.0, sweeps=60, tolerance=0.01, in_order=False)
SETTINGS_OF_0_3 = [
    (
        "T=3, select='tables', penalty='noise', split=0.25, step=3.0, sweeps=60, tolerance=0.01, in_order=False, "
        "cell_budget=100000",
        MWEM(epsilon=1.0, T=3, candidates=Tables(penalty="noise"), split=0.25, update=CLOSE_FIT, cell_budget=100_000),
    ),
    (
        "T='theorem', repeats=True, replay=False, output='average', cell_budget=4194304",
        MWEM(epsilon=1.0, T="theorem", repeats=True, update=Newest(), output="average", cell_budget=2**22),
    ),
    (
        "delta=1e-06, T=48, select='tables', penalty='noise', candidates='closure', first='one-way', annealing=True, "
        "split=0.1, repeats=True, step=3.0, sweeps=60, tolerance=0.01, in_order=False",
        MWEM(
            epsilon=1.0,
            delta=1e-6,
            T=Annealed(48),
            candidates=Tables(penalty="noise", within="closure", one_way_first=True),
            split=0.1,
            repeats=True,
            update=CLOSE_FIT,
        ),
    ),
    ("T='adaptive', histogram_start=0.2", MWEM(epsilon=1.0, T="adaptive", start=HistogramStart(0.2))),
]


@pytest.mark.parametrize(("flat", "settings"), SETTINGS_OF_0_3, ids=["tables", "Figure 1", "AIM", "histogram"])
def test_a_script_of_version_0_3_has_the_rounds_of_the_settings_that_its_own_mean_today(
    czech, folder, monkeypatch, capsys, flat, settings
):
    assert "    T=4,\n" in MWEM_SCRIPT_OF_0_3
    text, made = MWEM_SCRIPT_OF_0_3.replace("    T=4,\n", f"    {flat},\n"), {"__name__": "__main__"}
    monkeypatch.chdir(folder)
    with pytest.warns(FutureWarning, match="say count='count' for that, or count=None"):
        exec(compile(text, "repeat.py", "exec"), made)
    records = czech.project(czech.domain.names[:3])
    workload = parse_workload("marginals:2", records.domain)
    rounds = tuple(settings.rounds(records, workload, noise=Seeded(7)))
    assert made["settings"] == settings
    assert capsys.readouterr().out.splitlines() == [
        f"{step.index} {step.label} residual {step.residual:,.0f} records, spent {step.ledger.spent:.4g}"
        for step in rounds
    ]
    assert (folder / "synthetic.csv").read_bytes() == released(Run(workload, settings, "mwem", rounds, 7))


# Flat settings of every kind that there was before 0.4, with what they mean today.
WITH_TABLES = {"select": "tables", "T": 2}
FLAT = {
    "none": ({}, MWEM(epsilon=1.0)),
    "same": (
        {
            "delta": 1e-6,
            "T": 3,
            "split": 0.2,
            "repeats": True,
            "output": "average",
            "cell_budget": 99,
            "rows_from": 0.5,
        },
        MWEM(epsilon=1.0, delta=1e-6, T=3, split=0.2, repeats=True, output="average", cell_budget=99, rows_from=0.5),
    ),
    "selection": ({"selection": "permute-and-flip"}, MWEM(epsilon=1.0, selection="permute-and-flip")),
    "tables": (WITH_TABLES, MWEM(epsilon=1.0, T=2, candidates=Tables())),
    "penalty": (WITH_TABLES | {"penalty": "counts"}, MWEM(epsilon=1.0, T=2, candidates=Tables(penalty="counts"))),
    "costs": (WITH_TABLES | {"costs": "cells"}, MWEM(epsilon=1.0, T=2, candidates=Tables(by_cells=True))),
    "lower": (WITH_TABLES | {"candidates": "lower"}, MWEM(epsilon=1.0, T=2, candidates=Tables(within="lower"))),
    "closure": (WITH_TABLES | {"candidates": "closure"}, MWEM(epsilon=1.0, T=2, candidates=Tables(within="closure"))),
    "first, of tables": (
        WITH_TABLES | {"first": "one-way"},
        MWEM(epsilon=1.0, T=2, candidates=Tables(one_way_first=True)),
    ),
    "first, of queries": ({"first": "one-way"}, MWEM(epsilon=1.0, candidates=Queries(one_way_first=True))),
    "annealing": ({"T": 16, "annealing": True, "repeats": True}, MWEM(epsilon=1.0, T=Annealed(16), repeats=True)),
    "annealing of 10": ({"annealing": True, "repeats": True}, MWEM(epsilon=1.0, T=Annealed(10), repeats=True)),
    "no replay": ({"replay": False, "step": 1.0}, MWEM(epsilon=1.0, update=Newest(step=1.0))),
    "replay": (
        {"update": "explicit", "step": 2.0, "sweeps": 7, "tolerance": 0.1, "in_order": False},
        MWEM(epsilon=1.0, update=Replay(step=2.0, sweeps=7, tolerance=0.1, in_order=False)),
    ),
    "last fit": ({"last_fit": "prior"}, MWEM(epsilon=1.0, update=Replay(near_prior=True))),
    "implicit": (
        WITH_TABLES | {"update": "implicit", "step": 3.0, "sweeps": 60, "last_fit": "prior"},
        MWEM(epsilon=1.0, T=2, candidates=Tables(), update=Implicit(near_prior=True)),
    ),
    "histogram": ({"histogram_start": 0.2}, MWEM(epsilon=1.0, start=HistogramStart(0.2))),
    "plan one-way": ({"plan": "one-way"}, Planned(epsilon=1.0, plan="one-way", tolerance=0.0)),
    "plan residuals": (
        {"plan": "residuals", "delta": 1e-6},
        Planned(epsilon=1.0, delta=1e-6, plan="residuals", tolerance=0.0),
    ),
    "plan marginals": (
        WITH_TABLES
        | {"plan": "marginals", "candidates": "lower", "tolerance": 0.01, "sweeps": 60, "penalty": "counts"},
        Planned(epsilon=1.0, plan="marginals", within="lower", tolerance=0.01),
    ),
    "plan cells": ({"plan": "cells"}, Planned(epsilon=1.0, plan="cells", tolerance=0.0)),
    "plan queries": ({"plan": "queries"}, Counts(epsilon=1.0)),
    "plan hierarchical": ({"plan": "hierarchical", "delta": 1e-6}, Halvings(epsilon=1.0, delta=1e-6)),
    "plan nothing": ({"plan": "nothing"}, Nothing(epsilon=1.0)),
    "plan share": (
        WITH_TABLES | {"plan": "one-way", "plan_share": 0.6, "penalty": "counts"},
        Staged(share=0.6, then=MWEM(epsilon=1.0, T=2, candidates=Tables(penalty="counts"))),
    ),
    "query share": (
        WITH_TABLES | {"query_share": 0.3},
        Apart(share=0.3, first=MWEM(epsilon=1.0, T=2, candidates=Tables())),
    ),
    "query share, a plan": (
        {"query_share": 0.3, "plan": "residuals"},
        Apart(share=0.3, first=Planned(epsilon=1.0, plan="residuals", tolerance=0.0)),
    ),
    "query share, halvings": (
        {"query_share": 0.3, "plan": "hierarchical"},
        Apart(share=0.3, first=Halvings(epsilon=1.0)),
    ),
    "both shares": (
        WITH_TABLES | {"query_share": 0.3, "plan": "one-way", "plan_share": 0.6},
        Apart(share=0.3, first=Staged(share=0.6, then=MWEM(epsilon=1.0, T=2, candidates=Tables()))),
    ),
}
FROM_A_TABLE = {
    "rounds": ({}, lambda start: MWEM(epsilon=1.0, start=start)),
    "implicit": (
        WITH_TABLES | {"update": "implicit"},
        lambda start: MWEM(epsilon=1.0, T=2, candidates=Tables(), update=REPLAY, start=start),
    ),
    "plan": ({"plan": "cells"}, lambda start: Planned(epsilon=1.0, plan="cells", tolerance=0.0, start=start)),
    "queries": ({"plan": "queries"}, lambda start: Counts(epsilon=1.0, start=start)),
    "nothing": ({"plan": "nothing"}, lambda start: Nothing(epsilon=1.0, start=start)),
    "both shares": (
        WITH_TABLES | {"query_share": 0.3, "plan": "one-way", "plan_share": 0.6},
        lambda start: Apart(
            share=0.3, first=Staged(share=0.6, then=MWEM(epsilon=1.0, T=2, candidates=Tables(), start=start))
        ),
    ),
}
FLAT_SCRIPT = """from mwem_core import MWEM, PublicTable

settings = MWEM(
    epsilon=1.0,
{settings})
"""


def made_by(flat, **known):
    """What a script makes of flat settings."""
    code = "".join(f"    {name}={value!r},\n" for name, value in flat.items())
    exec(compile(FLAT_SCRIPT.format(settings=code), "repeat.py", "exec"), known)
    return known["settings"]


@pytest.mark.parametrize(("flat", "settings"), FLAT.values(), ids=FLAT)
def test_flat_settings_make_the_algorithm_that_they_mean_today(flat, settings):
    made = made_by(flat)
    assert (type(made), made) == (type(settings), settings)


@pytest.mark.parametrize(("flat", "expected"), FROM_A_TABLE.values(), ids=FROM_A_TABLE)
def test_flat_settings_with_a_public_table_start_from_it(czech, folder, monkeypatch, flat, expected):
    monkeypatch.chdir(folder)
    public = PublicTable.read("czech.csv", czech.domain, count="count")
    made, settings = made_by(flat | {"public": public}, domain=czech.domain), expected(PublicStart(public))
    assert (type(made), made) == (type(settings), settings)


@pytest.mark.parametrize(
    ("flat", "problem", "message"),
    [
        ({"speed": 1}, TypeError, "MWEM has no setting 'speed'"),
        ({"plan": "cells", "speed": 1}, TypeError, "MWEM has no setting 'speed'"),
        ({"penalty": "cells", "select": "queries"}, ValueError, "select tables"),
        ({"candidates": "closure", "select": "queries"}, ValueError, "select tables"),
        ({"costs": "cells"}, ValueError, "select tables"),
        ({"update": "implicit"}, ValueError, "select tables"),
        ({"annealing": True}, ValueError, "allow repeats with it"),
        ({"plan": "cells", "plan_share": 0.5}, ValueError, "plan_share"),
        ({"plan": "queries", "query_share": 0.5}, ValueError, "not after Counts"),
        ({"sweeps": 0}, ValueError, "sweeps must be a whole number of at least 1, got 0"),
    ],
)
def test_flat_settings_that_were_refused_still_are(flat, problem, message):
    with pytest.raises(problem, match=message):
        made_by(flat)


def test_a_script_of_version_0_3_finds_privbayes_in_its_module():
    from mwem_core.relatives.privbayes import PrivBayes

    assert PrivBayes is mwem_core.PrivBayes
