"""The benchmarks in words."""

import pytest
from benchmark_records import compared_record, write_records

from ui.results import benchmark_words
from ui.results.benchmarks import Growth, comparisons, load


@pytest.mark.parametrize(
    ("wall", "tv", "sentence"),
    [
        (200.0, 0.04, "is 200 times as fast as MWEM+PGM and errs half as much"),
        (2.5, 0.08, "is 2.5 times as fast as MWEM+PGM and errs a quarter as much"),
        (2.0, 0.01, "is 2.0 times as fast as MWEM+PGM but errs 2.0 times as much"),
        (1.02, 0.04, "is as fast as MWEM+PGM and errs half as much"),
        (0.5, 0.02, "takes 2.0 times as long as MWEM+PGM but errs as much"),
        (0.5, 0.01, "takes 2.0 times as long as MWEM+PGM and errs 2.0 times as much"),
    ],
)
def test_a_title_says_who_is_faster_and_who_errs_less(tmp_path, wall, tv, sentence):
    path = write_records(tmp_path, [compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", wall, tv)])
    assert benchmark_words.headline(comparisons(load(path))["Adult, pairs"]) == f"MWEM Explorer {sentence}"


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.02, "hardly grows with n"), (0.5, "more slowly than n"), (1.0, "in proportion to n"), (1.3, "faster than n")],
)
def test_an_exponent_in_words(exponent, words):
    assert words in benchmark_words.pace(Growth("work", "n", (1, 2), (), exponent, 0.1))
