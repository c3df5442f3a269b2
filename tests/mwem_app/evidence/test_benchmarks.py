"""The benchmarks' records, read for drawing."""

from benchmark_records import RECORDS, compared_record, write_records

from mwem_app.evidence.benchmarks import (
    Competitor,
    Spread,
    benchmark_records,
    comparisons,
    growths,
    large_table,
)


def test_the_newest_record_of_a_seed_counts_and_an_unfinished_line_does_not(tmp_path):
    path = write_records(tmp_path, [compared_record("ours", 9.0, 0.5), compared_record("ours", 1.0, 0.1)])
    with path.open("a") as file:
        file.write('{"row": "T1", "sys')
    ours = benchmark_records(path)["T1"]["ours"]
    assert [record["wall"] for record in ours] == [1.0]


def test_a_spread_is_minimum_median_and_maximum_over_the_seeds(tmp_path):
    comparison = comparisons(benchmark_records(write_records(tmp_path, RECORDS)))["Adult, pairs"]
    assert comparison.ours == Competitor("Automatic", Spread(1, 2, 3), Spread(0.01, 0.02, 0.03), 3, 1.0, 1.0)
    (peer,) = comparison.peers
    assert (peer.name, peer.mechanism, peer.warm) == ("MWEM+PGM", 100.0, 0.5)
    assert comparison.baselines == {"plain Laplace": 0.05, "uniform": 0.9}


def test_if_some_systems_take_small_marginals_only_all_errors_are_of_those(tmp_path):
    small = {"rows_small": {"mean_tv": 0.3}, "model_small": {"mean_tv": 0.3}}
    path = write_records(tmp_path, [compared_record("ours", 1.0, 0.1, **small)])
    comparison = comparisons(benchmark_records(path))["Adult, pairs"]
    assert (comparison.small_only, comparison.ours.error.middle) == (True, 0.3)


def test_without_records_there_is_nothing_to_draw():
    assert comparisons({}) == {}
    assert [read({}) for read in (growths, large_table)] == [[]] * 2
