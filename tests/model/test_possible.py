"""Rules on a junction tree, against the whole table cell by cell."""

import itertools

import numpy as np
import pytest
from oracles import domain_of

from mwem_core.domain import Domain, are_possible
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.possible import check_rules, possible_in, possible_table
from mwem_core.model.sampling import drawn_columns, independent_draws
from mwem_core.weighted import WeightedRecords, redrawn, with_planted_rows

SIZES = (3, 4, 2, 3)
SETS = [(0, 1), (1, 2), (2, 3), (0, 1)]


def with_rules(sizes, sets, rng) -> Domain:
    """A domain with a rule on each set: a random third of its cells, and never all."""
    domain, rules = domain_of(sizes), []
    for S in sets:
        cells = list(itertools.product(*(range(sizes[a]) for a in S)))
        chosen = rng.choice(len(cells), max(1, len(cells) // 3), replace=False)
        terms = (" and ".join(f"{domain.names[a]} == {x}" for a, x in zip(S, cells[i], strict=True)) for i in chosen)
        rules.append(" or ".join(terms))
    return Domain(domain.attributes, tuple(rules))


def some_domain(seed: int) -> Domain:
    return with_rules(SIZES, SETS, np.random.default_rng(seed))


def brute_force(domain: Domain) -> np.ndarray:
    cells = np.array(list(itertools.product(*map(range, domain.shape))))
    return are_possible(list(cells.T), domain.possible).reshape(domain.shape)


@pytest.mark.parametrize("seed", range(10))
def test_the_base_measure_is_uniform_over_the_allowed_cells(seed):
    domain = some_domain(seed)
    allowed = brute_force(domain)
    assert (possible_table(domain) == allowed).all()
    A = LogLinear.uniform(domain.shape, 100.0, domain.possible)
    assert A.marginal((0, 1, 2, 3)) == pytest.approx(100 * allowed / allowed.sum(), abs=1e-12)
    for S in ((0, 1), (1, 2), (0, 3), (0, 2, 3)):
        others = tuple(a for a in range(4) if a not in S)
        assert ((A.marginal(S) == 0) == (allowed.sum(axis=others) == 0)).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_clique_has_the_cells_that_some_possible_record_has(seed):
    domain = some_domain(seed)
    allowed, tree = brute_force(domain), JunctionTree.over(domain.possible, domain.shape)
    for clique, cells in zip(tree.cliques, possible_in(tree, domain.shape, domain.possible), strict=True):
        others = tuple(a for a in range(4) if a not in clique)
        expected = allowed.any(axis=others).transpose(np.argsort(np.argsort(clique)))
        assert ((np.ones_like(expected) if cells is None else cells) == expected).all()


def test_a_new_tree_keeps_the_rules():
    domain = some_domain(0)
    A = LogLinear.uniform(domain.shape, 1.0, domain.possible)
    wider = A.covering([(0, 3), (1, 3)])
    assert wider.possible.keys() == A.possible.keys()
    assert wider.marginal((0, 1, 2, 3)) == pytest.approx(A.marginal((0, 1, 2, 3)), abs=1e-15)


def test_rules_that_leave_no_record_are_refused():
    domain = domain_of((2, 2, 2))
    a, b, c = domain.names
    never = (f"{a} == 0 and {b} == 0", f"{a} == 0 and {b} == 1", f"{a} == 1 and {c} == 0", f"{a} == 1 and {c} == 1")
    with pytest.raises(ValueError, match="leave no possible record: remove one of them"):
        check_rules(Domain(domain.attributes, never))


def test_rules_that_link_too_many_cells_are_refused():
    domain = domain_of((900, 900, 900))
    a, b, c = domain.names
    never = (f"{a} == 0 and {b} == 0", f"{b} == 0 and {c} == 0", f"{c} == 0 and {a} == 0")
    check_rules(Domain(domain.attributes, never[:2]))
    with pytest.raises(ValueError, match="a table of 729,000,000 cells, and a model may hold 1,000,000 for rules"):
        check_rules(Domain(domain.attributes, never))


def test_draws_take_no_cell_of_share_zero_even_where_rounding_ends():
    class Ends:
        def random(self, size):
            return np.full(size, 1 - 2**-53)

    shares = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    cells = independent_draws(Ends())(np.array([0, 1]), shares, [2], [])
    assert cells.tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_no_row_breaks_a_rule_when_rows_are_drawn_redrawn_and_planted(seed):
    domain, rng = some_domain(seed), np.random.default_rng(seed)
    A = LogLinear.uniform(domain.shape, 500.0, domain.possible)
    columns = drawn_columns(A, 10_000, independent_draws(rng))
    assert are_possible(columns, domain.possible).all()
    rows = WeightedRecords.drawn_from(A, 2000, rng)
    table = np.full((SIZES[0], SIZES[1]), 30.0)  # asks for rows in forbidden cells too
    for _ in range(3):
        rows = redrawn(with_planted_rows(rows, [Measurement((0, 1), table, 1.0)], rng), rng)
        assert are_possible(rows.codes, domain.possible).all()
        assert rows.weights.sum() == pytest.approx(500.0)
