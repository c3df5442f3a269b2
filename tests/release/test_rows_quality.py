"""The quality report's numbers: laws of equal, independent and uniform tables, and oracles of SciPy and NumPy."""

import numpy as np
import pytest
from workloads import MIXED

from mwem_core import Attribute, Domain
from mwem_core.domain import Records
from mwem_core.encoding import rows_of_values
from mwem_core.output import decode
from mwem_core.release.quality import (
    MAX_PAIRS,
    Distance,
    by_column,
    by_pair,
    correlation,
    cramers_v,
    pairs_of,
    quality,
    uniform,
)
from mwem_core.values import Range, Values


def rows_of(records: Records, seed: int = 0) -> Records:
    return rows_of_values(records, decode(records, np.random.default_rng(seed)))


def related_rows(n: int = 4000) -> Records:
    """Hours follow age, colour follows smoker."""
    rng = np.random.default_rng(1)
    age, smoker = rng.integers(0, 3, n), rng.integers(0, 2, n)
    colour = np.where(rng.random(n) < 0.8, 2 * smoker, rng.integers(0, 3, n))
    return rows_of(Records(MIXED, (age, np.where(rng.random(n) < 0.9, age, 0), colour, smoker)))


def test_a_table_beside_itself_errs_nowhere():
    rows = related_rows()
    found = quality(rows, rows)
    assert all(column.distance.synthetic == column.rare.invented == 0 for column in found.columns)
    assert all(pair.distance.synthetic == pair.off == 0 for pair in found.pairs)
    for column in found.columns:
        assert column.numbers is None or column.numbers[0] == column.numbers[1]


def test_independent_columns_keep_every_column_and_relate_none():
    """Each column is drawn by itself: the baseline of pairs is where such rows are."""
    rows, rng = related_rows(), np.random.default_rng(0)
    alone = rows_of(Records(MIXED, tuple(rng.permutation(column) for column in rows.codes)))
    assert all(column.distance.synthetic == 0 for column in by_column(rows, alone, alone))
    for pair in by_pair(rows, alone):
        assert pair.distance.synthetic == pytest.approx(pair.distance.independent, abs=0.04)  # of 4,000 rows
        assert abs(pair.synthetic_related) < 0.06
    related = {pair.name: pair.related for pair in by_pair(rows, rows)}
    assert related["age × hours"] > 0.6
    assert related["colour × smoker"] > 0.5


def test_uniform_rows_are_as_far_as_the_uniform_baseline():
    rows = related_rows()
    chance = uniform(MIXED, 50_000, np.random.default_rng(0))
    for column in by_column(rows, chance, chance):
        assert column.distance.synthetic == pytest.approx(column.distance.uniform, abs=0.01)
        if column.numbers:
            assert column.numbers[1] == column.numbers[2]


def test_another_sample_is_as_far_as_the_formula_says():
    """Of 300 samples of 500 records, over shares from .0005 to .5; the formula is near, and never below by 10%."""
    rng = np.random.default_rng(0)
    p = np.array([0.5, 0.3, 0.15, 0.04, 0.008, 0.001, 0.0005, 0.0005])
    found = [np.abs(rng.multinomial(500, p) / 500 - p).sum() / 2 for _ in range(300)]
    assert Distance.of(p * 500, p, 500).another_sample == pytest.approx(np.mean(found), rel=0.1)


def test_cramers_v_is_scipys_without_its_bias_and_0_for_independent_columns():
    from scipy.stats.contingency import association

    rng = np.random.default_rng(0)
    strong = np.array([[900, 80, 20], [60, 700, 240]])
    assert cramers_v(strong.astype(float)) == pytest.approx(association(strong, method="cramer"), abs=0.002)
    samples = [rng.multinomial(200, np.full(20, 0.05)).reshape(4, 5) for _ in range(200)]
    biased = np.mean([association(table, method="cramer") for table in samples])
    assert np.mean([cramers_v(table.astype(float)) for table in samples]) < biased / 2
    assert cramers_v(np.array([[5.0, 7.0]])) == 0


def test_correlation_is_numpys_of_the_rows_with_both_numbers_and_of_weights():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=100), rng.normal(size=100)
    y += x
    x[:10] = np.nan
    times = rng.integers(1, 4, 100)
    domain = Domain((Attribute("x", Range(0, 1)), Attribute("y", Range(0, 1))))
    codes = (np.zeros(100, int), np.zeros(100, int))
    expected = np.corrcoef(np.repeat(x[10:], times[10:]), np.repeat(y[10:], times[10:]))[0, 1]
    assert correlation(Records(domain, codes, times, numbers={"x": x, "y": y}), "x", "y") == pytest.approx(expected)
    assert correlation(Records(domain, codes, numbers={"x": np.ones(100), "y": y}), "x", "y") == 0


def test_rare_values_are_counted_kept_and_invented_ones_seen():
    domain = Domain((Attribute("v", Values(("many", "few", "one", "none"))),))
    original = rows_of(Records(domain, (np.repeat([0, 1, 2], [990, 9, 1]),)))
    synthetic = rows_of(Records(domain, (np.repeat([0, 1, 3], [95, 3, 2]),)))
    (column,) = by_column(original, synthetic, synthetic)
    rare = column.rare
    assert (rare.values, rare.kept) == (2, 1)
    assert (rare.share, rare.synthetic_share, rare.invented) == pytest.approx((0.01, 0.03, 0.02))


def test_many_columns_are_compared_as_far_as_their_pairs_go():
    wide = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(50)))
    assert len(pairs_of(wide)) == MAX_PAIRS == len(set(pairs_of(wide)))
