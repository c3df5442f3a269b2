"""The stored answers of the front page are those of runs, and the files are what a browser is told."""

import numpy as np
import pytest

from mwem_app.front import EPSILONS, FRONTS, SEEDS, SYSTEMS, Answers, file_of, from_gz, records_of, run_answers, to_gz
from mwem_core import Seeded, parse_workload
from mwem_core.judge import Trial, settings_of


def stored(title: str) -> Answers:
    return from_gz(file_of(title).read_bytes())


def task(title: str):
    B = records_of(title)
    return B, parse_workload("marginals:2", B.domain)


@pytest.mark.parametrize("title", FRONTS)
def test_the_stored_truth_counts_the_file(title):
    """By a loop over the records, without a marginal of the program."""
    B, _ = task(title)
    codes, weights = B.distinct().codes, B.distinct().weights
    expected = []
    for a in range(len(B.domain)):
        for b in range(a + 1, len(B.domain)):
            table = np.zeros(B.domain.sizes((a, b)))
            np.add.at(table, (codes[a], codes[b]), weights)
            expected += table.ravel().tolist()
    assert stored(title).truth.tolist() == expected


@pytest.mark.parametrize(("title", "systems", "epsilons", "seeds"), [
    ("Class survey", SYSTEMS, EPSILONS, (1, 2, 20)),
    ("Czech car workers", SYSTEMS, (0.03, 1.0, 10.0), (1, 7)),
    ("Adult", ("mwem",), (0.03,), (1,)),
])  # fmt: skip
def test_committed_answers_are_those_of_the_runs(title, systems, epsilons, seeds):
    """To a record, and exactly where the answer is not nearly half way between two: processors round differently."""
    (B, Q), answers = task(title), stored(title)
    for name in systems:
        for epsilon in epsilons:
            for seed in seeds:
                settings = settings_of(Trial(system=name, epsilon=epsilon, delta=0.0, seed=seed), Q, B.total)
                (*_, last) = settings.rounds(B.distinct(), Q, noise=Seeded(seed))
                found = last.model.answers(Q)
                at = SYSTEMS.index(name), slice(None), EPSILONS.index(epsilon), SEEDS.index(seed)
                difference = np.abs(answers.truth + answers.off[at] - found)
                assert difference.max() <= 0.5 + 1e-3


def test_errors_by_round_end_with_those_of_the_stored_answers():
    for title in FRONTS:
        answers = stored(title)
        for s, name in enumerate(SYSTEMS):
            for e, (largest, mean) in enumerate(answers.rounds[name]):
                off = np.abs(answers.off[s, :, e, 0])
                assert len(largest) == len(mean) >= 2
                assert largest[-1] == pytest.approx(off.max(), rel=0.005, abs=0.5)
                assert mean[-1] == pytest.approx(off.mean(), rel=0.01, abs=0.3)


def test_a_file_gives_back_the_answers_that_were_written():
    B, Q = task("Class survey")
    answers = run_answers(B, Q)
    again = from_gz(to_gz(answers))
    assert np.array_equal(again.truth, answers.truth)
    assert np.array_equal(again.off, answers.off)
    assert again.rounds == answers.rounds
    assert answers.off.shape == (len(SYSTEMS), 27, len(EPSILONS), len(SEEDS))


def test_all_files_take_less_than_four_megabytes():
    assert sum(file_of(title).stat().st_size for title in FRONTS) < 4e6
