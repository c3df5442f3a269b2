"""Trials survive their file."""

from mwem_app.course.numbers.committed import from_csv, to_csv
from mwem_app.course.numbers.rounds import Trial


def test_trials_survive_their_file():
    results = [Trial(0.01, False, 3, 0, 0.125), Trial(1.28, True, 2, 1, 0.25)]
    text = to_csv(results)
    assert text.splitlines()[0] == "epsilon,adaptive,rounds,seed,error"
    assert from_csv(text, Trial) == results
