"""A run runs what is missing, keeps what is done, and tells how it differs from committed trials."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from mwem_core.experiments import results
from mwem_core.experiments.claim import Batch, Method
from mwem_core.experiments.contingency import FIGURE3
from mwem_core.experiments.runs import Run

PLAIN = Method("plain", "mwem-paper", (("update", "newest"), ("repeats", True)), Ts=(2, 3))
BATCHES = [
    Batch("czech", "parities:2", (PLAIN, Method("uniform", "uniform")), (0.5, 2.0), 2),
    Batch("mildew", "parities:2", (PLAIN,), (0.5,), 1),
]
TRIALS = 2 * (2 + 1) * 2


def finished(run):
    with ThreadPoolExecutor(1) as executor:
        rows = list(run.go(executor))
    return rows, run.frame


@pytest.fixture(scope="module")
def done():
    run = Run(FIGURE3, BATCHES, None)
    rows, frame = finished(run)
    assert len(rows) == TRIALS
    return run, frame


def test_every_trial_of_a_table_at_hand_runs_and_the_missing_table_is_named(done):
    run, frame = done
    assert run.tables.keys() == {"czech"}
    assert list(run.missing) == ["mildew"]
    trials = frame[frame["system"] != ""]
    assert len(trials) == TRIALS
    assert trials["relative_entropy"].notna().all()
    assert set(frame[frame["system"] == ""]["method"]) == {f"floor, {order}-way fit" for order in (1, 2)}
    assert set(trials["changed"]) == {"", '{"update": "newest", "repeats": true}'}


def test_a_file_holds_the_frame_and_what_it_was_computed_on(done, tmp_path):
    run, frame = done
    results.write(tmp_path / "r.parquet", frame, run.tables)
    again = results.read(tmp_path / "r.parquet")
    assert again.equals(frame)
    assert again.attrs["tables"] == run.tables
    assert {"python", "numpy"} <= again.attrs["versions"].keys()


def test_a_file_is_whole_where_its_replacement_was_cut_short(done, tmp_path, monkeypatch):
    run, frame = done
    results.write(tmp_path / "r.parquet", frame, run.tables)

    def cut_short(table, path, **options):
        path.write_text("PAR1")
        raise KeyboardInterrupt

    monkeypatch.setattr(results.pq, "write_table", cut_short)
    with pytest.raises(KeyboardInterrupt):
        results.write(tmp_path / "r.parquet", frame[:1], run.tables)
    assert results.read(tmp_path / "r.parquet").equals(frame)


def test_a_resumed_run_repeats_nothing_and_ends_as_one_without_a_break(done, tmp_path):
    run, frame = done
    first = frame[(frame["seed"] != 1) | frame["seed"].isna()]
    results.write(tmp_path / "part.parquet", first, run.tables)
    resumed = Run(FIGURE3, BATCHES, None)
    resumed.resume(results.read(tmp_path / "part.parquet"))
    rows, whole = finished(resumed)
    assert {row["seed"] for row in rows} == {1}
    assert whole.equals(frame)
    assert resumed.waiting == [(BATCHES[0], {})]


def test_trials_of_another_table_are_not_resumed(done, tmp_path):
    run, frame = done
    results.write(tmp_path / "r.parquet", frame, {"czech": run.tables["czech"] | {"digest": "0"}})
    with pytest.raises(ValueError, match="of another table czech"):
        Run(FIGURE3, BATCHES, None).resume(results.read(tmp_path / "r.parquet"))


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "r.parquet").write_text("nothing")
    with pytest.raises(ValueError, match="is not a file of this command's results"):
        results.read(tmp_path / "r.parquet")


def test_the_difference_counts_the_trials_that_differ(done):
    _, frame = done
    metrics = ["relative_entropy"]
    assert results.difference(frame, frame, metrics) == f"0 of {len(frame)} committed trials differ."
    other = frame.copy()
    other.loc[0, "relative_entropy"] *= 2
    told = f"1 of {len(frame)} committed trials differ by more than 1e-05 of a number, at most by 5.0e-01. "
    assert results.difference(other, frame, metrics).startswith(told)
    assert results.difference(frame, frame[:3], metrics) == "0 of 3 committed trials differ."


def test_a_difference_names_the_processor_and_the_versions_as_a_cause(done):
    _, frame = done
    other = frame.assign(relative_entropy=frame["relative_entropy"] * 1.001)
    words = results.difference(other, frame, ["relative_entropy"])
    assert "On another kind of processor, or with other versions, the last bits" in words
    assert f"numpy {np.__version__}." in words


def test_methods_of_a_batch_give_different_trials():
    batch = replace(BATCHES[0], methods=(PLAIN, replace(PLAIN, name="other", changed=())))
    assert len(batch.trials) == 2 * 2 * 2 * 2
