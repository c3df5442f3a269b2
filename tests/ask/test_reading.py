"""A release is read from its folder alone, and a damaged or edited one is refused."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles import random_records
from releases import released, terms_of
from workloads import MIXED, YES_NO

from mwem_core import Seeded, load_release
from mwem_core.ask.release_reader import OTHER_INTERVALS, load_files
from mwem_core.release import bundle

STORED = Path(__file__).parent / "stored"  # of 300 records at ε = 3, by the version that wrote the format first


def files_of(spec, domain, records=300, **settings):
    found = released(
        terms_of(spec, domain, **settings), random_records(domain, records, np.random.default_rng(0)), Seeded(0)
    )
    return found, bundle(found, np.random.default_rng(1))


def test_a_stored_release_is_read_and_asked():
    release = load_release(STORED / "format-2")
    assert release.notes == ()
    assert (release.guarantee.epsilon, release.guarantee.delta) == (3.0, 0.0)
    assert release.domain == MIXED
    assert len(release.rows.codes[0]) == round(release.manifest["total"])
    for question in ("smoker == 1 and age >= 25", "smoker == 1 and age >= 25 and hours < 40"):
        (answer,) = release.ask(f"avg({question})", of="table")
        assert answer.rests_on == "measured together"
        assert answer.low < answer.value < answer.high


@pytest.mark.parametrize(
    ("spec", "domain", "settings"),
    [
        ("marginals:2", MIXED, {"epsilon": 1.0, "delta": 1e-6}),
        ("marginals:2", MIXED, {"epsilon": 1.0, "total": "public"}),
        ("marginals:2", MIXED, {"epsilon": 0.5, "system": "mwem"}),
        ("parities:2", YES_NO, {"epsilon": 1.0, "system": "mwem"}),
        ("ranges:age,hours:20", MIXED, {"epsilon": 1.0}),
        ("where:age >= 25; smoker == 1", MIXED, {"epsilon": 1.0}),
    ],
)
def test_what_is_read_is_what_was_released(spec, domain, settings):
    found, files = files_of(spec, domain, **settings)
    release = load_files(files)
    run = found.run
    assert release.model.answers(run.workload) == pytest.approx(run.model.answers(run.workload), rel=1e-6, abs=1e-6)
    assert release.laplace == (found.rounds[0].ledger.budget.unit == "ε")
    assert (release.public_total is None) == run.measured_total
    apart = any(m.levels or m.q is not None for entry in found.rounds for m in entry.planned)
    assert release.notes == ((OTHER_INTERVALS,) if apart else ())
    tables = [m for entry in found.rounds for m in entry.tables]
    drawn = [m for entry in found.rounds for m in entry.measurements if not (tables and m.centred)]
    expected = [m for m in [*tables, *drawn] if run.workload.tabular or m.of_residuals or m.levels or m.q is not None]
    if spec[:5] != "where":
        assert {m.query for m in release.measurements} <= {m.query for m in expected}
        assert len(release.measurements) == len(drawn) + len(tables) - any(
            m.attrs == () for m in found.rounds[1].planned
        )
        assert all(any(np.array_equal(m.value, own.value) for own in expected) for m in release.measurements)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda folder: (folder / "measurements.json").unlink(), "the release has no measurements.json"),
        (lambda folder: (folder / "report.html").unlink(), "the release has no report.html"),
        (lambda folder: edit(folder / "rows.csv", "1", "2"), "rows.csv is not the file that was released"),
        (lambda folder: edit(folder / "manifest.json", '"epsilon": 3.0', '"epsilon": 0.3'), "manifest.json has been"),
        (lambda folder: edit(folder / "manifest.json", "{", "["), "manifest.json is not JSON"),
        (
            lambda folder: edit(folder / "manifest.json", '"format": 2', '"format": 3'),
            "has the format 3, and this",
        ),
    ],
)
def test_a_damaged_or_edited_folder_is_refused_in_a_sentence(tmp_path, damage, sentence):
    folder = tmp_path / "release"
    shutil.copytree(STORED / "format-2", folder)
    damage(folder)
    with pytest.raises(ValueError, match=sentence):
        load_release(folder)


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is no folder"):
        load_release(tmp_path / "nothing")


@pytest.mark.slow
def test_a_release_is_asked_where_there_is_nothing_but_its_folder(tmp_path):
    """In a process of its own, in a folder with nothing else; it opens no other table, schema or JSON file."""
    shutil.copytree(STORED / "format-2", tmp_path / "release")
    script = """
import sys
from mwem_core import load_release
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
release = load_release("release")
print(*release.ask("avg(age) group by smoker"), *release.ask("logit(smoker == 1 ~ colour)"), sep="\\n")
files = [name for name in opened if ".dist-info" not in name]  # which are what pip knows of a library
own = [name for name in files if name.endswith((".csv", ".json", ".toml", ".parquet"))]
assert own and all(name.startswith("release") for name in own), own
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
