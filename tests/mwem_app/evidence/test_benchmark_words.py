"""The benchmarks in words."""

import re

import pytest
from benchmark_records import compared_record, write_records

from mwem_app.evidence import benchmark_words
from mwem_app.evidence.benchmarks import Growth, benchmark_records, comparisons


def headline(tmp_path, *records):
    return benchmark_words.headline(comparisons(benchmark_records(write_records(tmp_path, records)))["Adult, pairs"])


def test_a_title_gives_the_whole_process_and_the_mechanism_once_compiled(tmp_path):
    ours, peer = compared_record("ours", 0.44, 0.02), compared_record("mwem+pgm", 86.0, 0.04, warm=0.28)
    assert headline(tmp_path, ours, peer) == (
        "Automatic takes 0.44 s and MWEM+PGM 86 s for a whole process with imports and compilation; "
        "once compiled, the mechanism alone takes 0.22 s and 0.28 s. Our error is half of theirs"
    )


def test_a_title_says_if_no_compiled_run_of_the_peer_was_measured(tmp_path):
    title = headline(tmp_path, compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", 200.0, 0.04))
    assert title.startswith("Automatic takes 1.0 s and MWEM+PGM 200 s for a whole process with imports")
    assert "; the mechanism alone takes 0.50 s and 100 s (a compiled run of MWEM+PGM was not measured). " in title


def test_a_title_without_a_peer_says_what_was_timed(tmp_path):
    assert headline(tmp_path, compared_record("ours", 4.0, 0.02)) == (
        "Automatic takes 4.0 s for a whole process with imports; the mechanism alone takes 2.0 s. "
        "No peer has finished here"
    )


@pytest.mark.parametrize("row", comparisons(benchmark_records()))
def test_the_titles_of_the_committed_results_give_two_times_and_no_ratio_of_times(row):
    title = benchmark_words.headline(comparisons(benchmark_records())[row])
    assert len(re.findall(r"[\d.,]+ s\b", title)) == 4
    assert "whole process" in title
    assert "mechanism alone" in title
    assert "fast" not in title


@pytest.mark.parametrize(
    ("tv", "amount"),
    [
        (0.04, "half of theirs"),
        (0.08, "a quarter of theirs"),
        (0.06, "a third of theirs"),
        (0.02, "as large as theirs"),
        (0.01, "2.0 times theirs"),
        (0.001, "20 times theirs"),
        (0.025, "80% of theirs"),
    ],
)
def test_a_title_says_how_large_our_error_is(tmp_path, tv, amount):
    title = headline(tmp_path, compared_record("ours", 1.0, 0.02), compared_record("mwem+pgm", 2.0, tv))
    assert title.endswith(f". Our error is {amount}")


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.02, "hardly grows with n"), (0.5, "more slowly than n"), (1.0, "in proportion to n"), (1.3, "faster than n")],
)
def test_an_exponent_in_words(exponent, words):
    assert words in benchmark_words.pace(Growth("work", "n", (1, 2), (), exponent, 0.1))
