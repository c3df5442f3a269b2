"""Rows for analysis: what was measured is drawn towards nothing, and what was not stays as it was."""

import numpy as np
import pytest
from releases import released, terms_of

from mwem_core import Domain, Records, Seeded, parse_workload
from mwem_core.ask.unshrunk_fits import without_shrinkage
from mwem_core.domain import Attribute
from mwem_core.intervals import Estimates
from mwem_core.model import LogLinear, Measurement
from mwem_core.release import Terms
from mwem_core.values import Values
from mwem_core.weighted import WeightedRecords

FOUR = Domain(tuple(Attribute(name, Values(tuple("0123"))) for name in "abcd"))


def dependent(n: int = 400) -> Records:
    """Each attribute is that before it in a third of the records, and by itself in the others."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 4, n, np.uint8)]
    for _ in range(3):
        columns.append(np.where(rng.random(n) < 1 / 3, columns[-1], rng.integers(0, 4, n, np.uint8)))
    return Records(FOUR, tuple(columns))


def test_dependence_comes_out_less_weak_for_analysis_in_the_mean_over_the_noise():
    """Over 8 runs: weaker than it is by more than a fifth, and for analysis by less than half of that."""
    B, weaker, (x, y) = dependent(), {}, np.indices((4, 4)) - 1.5

    def covariance(source) -> float:
        return float((source.marginal((0, 1)) * x * y).sum() / B.total)

    for rows in ("nearest", "analysis"):
        terms = terms_of("marginals:2", FOUR, epsilon=0.5, system="tables", total="public", rows=rows)
        found = [covariance(released(terms, B, Seeded(seed)).run.model) for seed in range(8)]
        weaker[rows] = covariance(B) - np.mean(found)
    assert weaker["nearest"] > 0.2 * covariance(B)
    assert abs(weaker["analysis"]) < weaker["nearest"] / 2


def test_exact_measurements_are_fitted_exactly_and_the_rest_stays_as_it_was():
    B, total = dependent(), 400.0
    rng = np.random.default_rng(1)
    theta = {(a, b): rng.normal(size=(4, 4)) / 4 for a, b in ((0, 1), (1, 2), (2, 3))}
    A = LogLinear.of(FOUR.shape, total, theta)
    known = Estimates.by(FOUR, [Measurement((0, 1), B.marginal((0, 1)), 0.01)], 1.0, total=total)
    fitted = without_shrinkage(A, parse_workload("marginals:2", FOUR), known)
    np.testing.assert_allclose(fitted.marginal((0, 1)), B.marginal((0, 1)), atol=0.5)
    given = [model.marginal((1, 2)) / model.marginal((1,))[:, None] for model in (A, fitted)]
    np.testing.assert_allclose(*given, atol=1e-6)  # of what was not measured: c given b


def test_weighted_rows_get_the_weights_of_what_was_measured():
    B, rng = dependent(), np.random.default_rng(0)
    A = WeightedRecords.drawn_from(LogLinear.uniform(FOUR.shape, 400.0), 30_000, rng)
    known = Estimates.by(FOUR, [Measurement((0, 1), B.marginal((0, 1)), 2.0)], 1.0, total=400.0)
    fitted = without_shrinkage(A, parse_workload("marginals:2", FOUR), known)
    assert isinstance(fitted, WeightedRecords)
    np.testing.assert_allclose(fitted.marginal((0, 1)), B.marginal((0, 1)), atol=4.0)


def test_a_model_of_which_nothing_was_measured_stays():
    A = WeightedRecords.drawn_from(LogLinear.uniform(FOUR.shape, 400.0), 100, np.random.default_rng(0))
    assert without_shrinkage(A, parse_workload("marginals:2", FOUR), Estimates.by(FOUR, [], 1.0, total=400.0)) is A


@pytest.mark.parametrize(
    ("spec", "system"), [("marginals:2", "mwem-paper"), ("ranges:a:all", "automatic"), ("where:a == 1", "automatic")]
)
def test_rows_for_analysis_are_refused_where_no_table_is_measured(spec, system):
    ordered = Domain.from_toml('[[attribute]]\nname = "a"\nrange = [0, 3]\n[[attribute]]\nname = "b"\nrange = [0, 3]')
    with pytest.raises(ValueError, match=r"^rows for analysis and copies are fitted to whole tables or parities"):
        terms_of(spec, ordered, epsilon=1.0, system=system, rows="analysis")


def test_rows_for_something_else_are_refused():
    with pytest.raises(ValueError, match=r"^rows are nearest or for analysis, got 'best'$"):
        Terms(dataset="d", workload=parse_workload("marginals:2", FOUR), provenance="file", epsilon=1.0, rows="best")
