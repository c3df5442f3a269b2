"""What rows are counted by: tables, predicates and halvings as columns, and rows that are exchanged by all of them."""

import numpy as np
import pytest
from models import chain_model
from oracles import domain_of, random_records

from mwem_core import parse_workload
from mwem_core.output.exchange import Groups, smallest
from mwem_core.output.synthesis import nearest_rows, round_rows

SIZES, MOST = (3, 4, 6, 2), 10**6


def asked(spec):
    return parse_workload(spec, domain_of(SIZES))


def table():
    return random_records(domain_of(SIZES), 500, np.random.default_rng(0))


def test_tables_and_columns_count_the_records_of_each_group():
    """By hand: the cells of a pair, a predicate that reads two attributes, and intervals of six values: 3, 3 ..."""
    Q, B = asked("cuboids:4 + where:a == 0 or c >= 4 + ranges:c:all"), table()
    groups = Groups.of(Q, MOST)
    a, _, c, _ = B.codes
    inside = int(((a == 0) | (c >= 4)).sum())
    halves = [int((c < 3).sum()), int((c >= 3).sum())]
    quarters = np.bincount(np.searchsorted([0, 1, 3, 4], c, side="right") - 1)
    eighths = np.bincount(np.searchsorted([0, 0, 1, 2, 3, 3, 4, 5], c, side="right") - 1)
    expected = [*Q.terms[0].workload.answers(B), B.total - inside, inside, *halves, *quarters, *eighths]
    assert groups.wanted(Released(B)).tolist() == expected
    assert groups.workload.answers(groups.with_columns(B)).tolist() == expected
    assert groups.workload.parts == 5
    assert groups.importance.tolist() == [1, 1, 1, 1, 1]
    assert groups.without_columns(groups.with_columns(B)).codes == B.codes


class Released:
    """Records as a released result."""

    def __init__(self, B):
        self.B, self.total = B, float(B.total)

    def answers(self, Q):
        return Q.answers(self.B)


def test_boxes_are_halved_along_both_sides():
    first, *_ = Groups.of(asked("marginals:1 + ranges:b,c:5@1"), MOST).columns
    S, column = first
    assert S == (1, 2)
    assert column.reshape(4, 6).tolist() == [[0, 0, 0, 1, 1, 1]] * 2 + [[2, 2, 2, 3, 3, 3]] * 2


def test_a_column_counts_as_much_as_all_tables():
    groups = Groups.of(asked("marginals:2 + where:a == 0; b == 1"), MOST)
    assert groups.importance.tolist() == [1.0] * 6 + [6.0] * 2
    assert Groups.of(asked("where:a == 0; b == 1"), MOST).importance.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("spec", ["ranges:c:all", "ranges:b,c:5@1"])
def test_ranges_alone_need_no_groups(spec):
    assert Groups.of(asked(spec), MOST) is None


def test_what_reads_too_many_cells_has_no_groups_and_large_tables_are_left_out():
    Q = asked("marginals:2 + where:a == 0 and b == 1 and c == 2")
    assert Groups.of(Q, 71) is None
    assert Groups.of(Q, 72).workload.parts == 6
    pairs = asked("marginals:2")
    assert Groups.of(pairs, 14).tables.part_cells.tolist() == [6, 8]
    assert Groups.of(pairs, 5) is None
    assert smallest(np.array([5, 1, 4, 1]), 6).tolist() == [False, True, True, True]
    all_of_them = Groups.of(pairs, MOST)
    assert all_of_them.workload is all_of_them.tables
    assert all_of_them.tables.sets == pairs.sets


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["where:a == 0 and b == 1; c >= 2 and d == 0", "marginals:1 + where:a == 0 and b == 1; c >= 2 and d == 0"]
)
def test_rows_are_exchanged_for_predicates(spec):
    """In the mean of 20 models, predicates are nearly the nearest whole numbers; those of one rounding are not."""
    Q, gaps = asked(spec), []
    for seed in range(20):
        A = chain_model(np.random.default_rng(seed), SIZES)
        rng = np.random.default_rng(seed)
        wanted = A.answers(Q)[-2:] * (400 / A.total)
        made = [make(*args, rng) for make, args in ((nearest_rows, (Q, A, 400)), (round_rows, (Q.domain, A, 400)))]
        found = [np.round(wanted), *(Q.answers(rows)[-2:] for rows in made)]
        gaps.append([np.abs(each - wanted).sum() for each in found])
    least, exchange_rows, once = np.mean(gaps, axis=0)
    assert least <= exchange_rows < 1.2 * least
    assert once > 1.5 * least


def test_rows_are_made_where_a_predicate_holds_of_every_record_or_of_none():
    Q, rng = asked("where:a >= 0; b < 0; c == 1"), np.random.default_rng(0)
    rows = nearest_rows(Q, chain_model(rng, SIZES), 40, rng)
    assert Q.answers(rows)[:2].tolist() == [40, 0]
