"""What measurements say together is what least squares over all of them would say."""

import itertools

import numpy as np
import pytest
from oracles import domain_of

from mwem_core import parse_workload
from mwem_core.intervals.known import Known
from mwem_core.model import Measurement, centred
from mwem_core.workload import signs

SIZES = (2, 3, 2)
DOMAIN = domain_of(SIZES)
UNIT = 2.0  # variance of noise of scale 1


def marginal_rows(S) -> np.ndarray:
    """The marginal over S as a matrix on the cells of D."""
    cells = np.eye(12).reshape(12, *SIZES)
    return cells.sum(axis=tuple(1 + a for a in range(3) if a not in S)).reshape(12, -1).T


def random_measurements(rng) -> list[Measurement]:
    """Two tables that share an attribute, one of them twice, a marginal of one attribute, and a residual."""
    whole = [((0, 1), 1.5), ((1, 2), 0.7), ((1, 2), 2.0), ((0,), 0.9)]
    measured = [Measurement(S, 100 * rng.random(DOMAIN.sizes(S)), scale) for S, scale in whole]
    return [*measured, Measurement((0, 1), centred(30 * rng.random((2, 3))), 0.8, centred=True)]


def least_squares(measured, total, target) -> tuple[np.ndarray, np.ndarray]:
    """Of target · t: values and variances, by the pseudo-inverse of all equations, each divided by its deviation."""
    rows, values = [np.ones((1, 12)) / total[1] ** 0.5], [[total[0] / total[1] ** 0.5]]
    for m in measured:
        basis = np.eye(m.value.size)
        if m.centred:
            projection = np.array([centred(e.reshape(m.value.shape)).ravel() for e in basis])
            basis = np.linalg.svd(projection)[2][: np.linalg.matrix_rank(projection)]
        deviation = UNIT**0.5 * m.scale
        rows.append(basis @ marginal_rows(m.attrs) / deviation)
        values.append(basis @ m.value.ravel() / deviation)
    inverse = np.linalg.pinv(np.concatenate(rows))
    return target @ inverse @ np.concatenate(values), ((target @ inverse) ** 2).sum(axis=1)


def known_by(domain, total, measured) -> Known:
    """n is measured with this variance; a tiny one stands for a public n."""
    n, variance = total
    if variance < 1e-6:
        return Known.by(domain, measured, UNIT, total=n)
    return Known.by(domain, [Measurement((), np.array(n), (variance / UNIT) ** 0.5), *measured], UNIT)


@pytest.mark.parametrize("total", [(400.0, 25.0), (400.0, 1e-8)], ids=["measured", "public"])
@pytest.mark.parametrize("S", [(), (0,), (1,), (2,), (0, 1), (1, 2)])
def test_a_table_is_that_of_least_squares_with_its_variance(S, total):
    measured = random_measurements(np.random.default_rng(3))
    known = known_by(DOMAIN, total, measured)
    value, variance = known.table(S)
    expected, variances = least_squares(measured, total, marginal_rows(S))
    assert value.ravel() == pytest.approx(expected, abs=1e-4)
    assert np.full(expected.shape, variance) == pytest.approx(variances, abs=1e-6)


def test_a_predicate_is_that_of_least_squares_and_is_unknown_where_no_table_has_it():
    measured, total = random_measurements(np.random.default_rng(4)), (300.0, 9.0)
    known = known_by(DOMAIN, total, measured)
    Q = parse_workload("where:b == 0 or b == 2; a == 1 and b <= 1; a == 0 and c == 1", DOMAIN)
    for j in (0, 1):
        S, q, _ = Q.query(j)
        expected, variances = least_squares(measured, total, (q.ravel() @ marginal_rows(S))[None])
        assert known.answer(S, q) == pytest.approx((expected[0], variances[0]))
    assert known.answer(*Q.query(2)[:2]) is None
    assert known.largest_within((0, 2)) == [(0,), (2,)]
    assert known.largest_within((0, 1, 2)) == [(0, 1), (1, 2)]


def test_a_measured_parity_is_known_with_the_scale_it_was_measured_at_and_repeats_are_averaged():
    domain = domain_of((2, 2, 2))
    for S, answer in itertools.product([(1,), (0, 2)], [40.0, -7.0]):
        m = Measurement(S, np.array(answer), 3.0, signs(len(S)))
        known = Known.by(domain, [m], UNIT, total=100.0)
        assert known.answer(S, signs(len(S))) == pytest.approx((answer, UNIT * 9))
        twice = Known.by(domain, [m, Measurement(S, np.array(answer + 4), 3.0, m.q)], UNIT, total=100.0)
        assert twice.answer(S, signs(len(S))) == pytest.approx((answer + 2, UNIT * 9 / 2))


def test_other_queries_are_known_by_themselves():
    q = np.array([1.0, 0.0, 1.0])
    known = Known.by(DOMAIN, [Measurement((1,), np.array(31.0), 2.0, q)], UNIT, total=100.0)
    assert known.answer((1,), q) == (31.0, UNIT * 4)
    assert known.answer((1,), np.array([1.0, 1.0, 0.0])) is None
