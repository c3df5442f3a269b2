"""A track is the run: its tables are the models', its errors those of the answers, and it spends the whole budget."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bundled_tasks import TASKS, bundled_task
from messages import exactly

from mwem_core import Records, Seeded, parse_workload
from mwem_core.judge import errors
from mwem_core.stage.tables import tables_of
from mwem_core.stage.tracks import (
    EPSILONS,
    FOLDER,
    MAX_ROUNDS,
    SEED,
    _index,
    from_npz,
    stored_tracks,
    thin_out,
    to_npz,
    track,
    truth_of,
)
from mwem_core.systems import SYSTEMS, system

OF_OTHER_WORKLOADS = ("hierarchical", "dawa", "relaxed-projection", "boosting", "weights")  # or of no noise
COMMITTED = {"Adult": 0.1, "ages": 0.1, "capital losses": 0.2, "Czech": 1.0, "Rochdale": 3.0, "class": 10.0}

DAMAGED = "this is no file of runs, or it is damaged: write it again with benchmarks/stored_results.py"


def same(a, b) -> bool:
    return (a.system, a.epsilon, a.labels) == (b.system, b.epsilon, b.labels) and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("index", "spent", "max_error", "mean_error", "answers")
    )


def agrees(now, stored) -> bool:
    """Whole numbers and words exactly. Another processor may move the last bits of a sum, hence 1e-9.

    Those bits decide which way half a tenth of a record is rounded: such an answer may be one tenth off.
    """
    whole = (now.system, now.epsilon, now.labels, now.index.tolist())
    return (
        whole == (stored.system, stored.epsilon, stored.labels, stored.index.tolist())
        and np.abs(now.answers - stored.answers).max() <= 1
        and all(
            getattr(now, name) == pytest.approx(getattr(stored, name), rel=1e-9)
            for name in ("spent", "max_error", "mean_error")
        )
    )


def tables_by_brute_force(model, domain, tables) -> list[float]:
    """In records, by the probability of every cell of the domain."""
    codes = np.indices(domain.shape).reshape(len(domain), -1)
    weights = model.total * model.probability(tuple(codes))
    cells = []
    for table in tables:
        a, b = table.attrs
        cells += [
            weights[(codes[a] == i) & (codes[b] == j)].sum()
            for i in range(domain.shape[a])
            for j in range(domain.shape[b])
        ]
    return cells


@pytest.mark.parametrize("method", ["mwem", "automatic", "figure-1"])
def test_answers_are_the_models_tables_in_tenths_of_a_record(method):
    B, Q = bundled_task("Czech")
    found, rounds = track(B, Q, method, 1.0, seed=3)
    assert found.answers.dtype == np.int32
    for row, each in zip(found.answers, thin_out(rounds), strict=True):
        assert row / 10 == pytest.approx(tables_by_brute_force(each.model, B.domain, tables_of(Q)), abs=0.05 + 1e-6)


def test_the_truth_is_the_tables_of_the_records():
    B, Q = bundled_task("class")
    (year, sleep, _) = B.codes
    first = [10 * int(((year == i) & (sleep == j)).sum()) for i in range(3) for j in range(3)]
    assert truth_of(B, Q)[:9].tolist() == first
    assert truth_of(B, Q).sum() == 10 * B.total * Q.parts


@pytest.mark.parametrize("method", [name for name in SYSTEMS if name not in OF_OTHER_WORKLOADS])
def test_every_system_begins_with_nothing_spent_ends_with_exactly_all_and_shows_its_answers(method):
    B, Q = bundled_task("class")
    found, rounds = track(B, Q, method, 0.7, delta=1e-6 if SYSTEMS[method].privacy == "zCDP" else 0.0)
    last = rounds[-1]
    assert last.ledger.exact == last.ledger.budget.exact
    if SYSTEMS[method].privacy in ("ε", "ε or zCDP"):
        assert last.ledger.exact == Fraction(7, 10)
    assert found.spent[0] == 0
    assert found.spent[-1] == (0 if method == "uniform" else 1)
    assert (np.diff(found.spent) >= 0).all()
    assert len(found.spent) == len(found.labels) == len(found.max_error) == len(found.answers)
    assert found.labels[0] == ""
    assert all(found.labels[1:])
    assert found.answers[-1] / 10 == pytest.approx(last.model.answers(Q), abs=0.05 + 1e-6)  # all cells of all pairs


def test_a_track_under_zcdp_spends_exactly_its_budget():
    B, Q = bundled_task("class")
    found, rounds = track(B, Q, "mwem", 0.7, delta=1e-6)
    assert rounds[-1].ledger.budget.unit == "ρ"
    assert rounds[-1].ledger.exact == rounds[-1].ledger.budget.exact
    assert (found.spent[0], found.spent[-1]) == (0, 1)


@pytest.mark.parametrize("method", ["mwem", "automatic"])
def test_a_track_is_the_run_with_this_seed_and_its_errors_are_those_of_its_answers(method):
    B, Q = bundled_task("Czech")
    found, rounds = track(B, Q, method, 2.0, seed=5)
    settings = system(method).settings(Q, n=B.total, epsilon=2.0)
    *_, last = settings.rounds(B, Q, noise=Seeded(5))
    own = errors(Q, last.model.answers(Q), Q.answers(B), B.total)
    assert (found.max_error[-1], found.mean_error[-1]) == pytest.approx((own.max_error, own.mean_error), rel=1e-12)
    assert ((found.max_error >= found.mean_error) & (found.mean_error >= 0) & (found.max_error <= 1)).all()
    assert rounds[-1].measurements[0].attrs == last.measurements[0].attrs


def test_a_long_run_keeps_its_first_and_last_rounds_and_some_evenly_between():
    B, Q = bundled_task("class")
    found, rounds = track(B, Q, "figure-1", 1.0, T=27)
    assert len(rounds) == 28
    assert len(found.labels) == MAX_ROUNDS
    assert found.labels[1:] == tuple(each.label for each in thin_out(rounds)[1:])
    assert (found.spent[0], found.spent[-1]) == (0, 1)
    assert np.ptp(np.diff([each.index for each in thin_out(rounds)])) <= 1


def test_a_system_that_reads_no_data_spends_nothing():
    B, Q = bundled_task("class")
    found, _ = track(B, Q, "uniform", 1.0)
    assert found.spent.tolist() == [0, 0]
    assert (found.answers == found.answers[0]).all()


def test_a_system_without_noise_and_too_many_records_are_refused():
    B, Q = bundled_task("class")
    with pytest.raises(
        ValueError,
        match=exactly("Multiplicative weights adds no noise, so it has no budget to show: choose a private system"),
    ):
        track(B, Q, "weights", 1.0)
    many = Records(B.domain, tuple(column[:1] for column in B.codes), np.array([10**9]))
    with pytest.raises(
        ValueError,
        match=exactly(
            "the table has 1,000,000,000 records, but at most 100,000,000 can be drawn: show a sample of them"
        ),
    ):
        truth_of(many, Q)


@pytest.mark.parametrize("name", TASKS)
def test_committed_runs_are_computed_again(name):
    B, Q = bundled_task(name)
    for method in ("mwem", "automatic"):
        before = stored_tracks(B, Q, method)
        assert before is not None
        assert tuple(before) == EPSILONS
        assert {each.answers.shape[1] for each in before.values()} == {len(truth_of(B, Q))}
        assert agrees(track(B, Q, method, COMMITTED[name], seed=SEED)[0], before[COMMITTED[name]])


def test_committed_runs_take_at_most_three_megabytes_and_none_lacks_a_task():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 3_000_000
    assert len(_index(FOLDER)) == len(TASKS)
    assert {file.name for file in FOLDER.glob("*.npz")} == {entry["file"] for entry in _index(FOLDER)}


def test_no_other_table_workload_or_system_has_committed_runs(tmp_path):
    B, Q = bundled_task("class")
    column = B.codes[0].copy()
    column[7] = (column[7] + 1) % B.domain.shape[0]
    assert stored_tracks(Records(B.domain, (column, *B.codes[1:])), Q, "mwem") is None
    assert stored_tracks(B, parse_workload("marginals:1", B.domain), "mwem") is None
    assert stored_tracks(B, Q, "aim") is None
    assert stored_tracks(B, Q, "mwem", tmp_path) is None


def test_a_file_of_tracks_gives_them_back():
    B, Q = bundled_task("class")
    written = [track(B, Q, method, epsilon)[0] for method in ("mwem", "laplace") for epsilon in (0.1, 5.0)]
    found = from_npz(to_npz(written))
    assert all(map(same, found, written))
    assert to_npz(found) == to_npz(written)


def test_a_damaged_file_is_refused_in_one_sentence_or_gives_what_was_written():
    """A changed date in the archive changes nothing."""
    B, Q = bundled_task("class")
    written = track(B, Q, "mwem", 1.0)[0]
    content = to_npz([written])
    for each in (b"", b"PK", content[:-9], content[: len(content) // 2], b"\x80\x04K\x01."):
        with pytest.raises(ValueError, match=exactly(DAMAGED)):
            from_npz(each)
    refused = 0
    for position in np.random.default_rng(0).integers(len(content), size=60):
        try:
            (found,) = from_npz(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        except ValueError:
            refused += 1
            continue
        assert same(found, written)
    assert refused > 30


def test_a_damaged_file_is_named(tmp_path):
    B, Q = bundled_task("class")
    file = tmp_path / "a.npz"
    file.write_bytes(to_npz([track(B, Q, "mwem", 1.0)[0]])[:-9])
    index = (FOLDER / "index.toml").read_text(encoding="utf-8").replace("class_survey_marginals-2.npz", "a.npz")
    (tmp_path / "index.toml").write_text(index, encoding="utf-8")
    with pytest.raises(ValueError, match=exactly(f"{file} cannot be read: {DAMAGED}")):
        stored_tracks(B, Q, "mwem", tmp_path)


def test_columns_of_different_lengths_are_refused():
    B, Q = bundled_task("class")
    whole = track(B, Q, "mwem", 1.0)[0]
    short = replace(whole, spent=whole.spent[:-1])
    with pytest.raises(ValueError, match=r"^this is no file of runs"):
        from_npz(to_npz([short]))
