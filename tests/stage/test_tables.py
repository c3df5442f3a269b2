"""The tables of a picture are those of the workload, counted by brute force, few enough cells and merged in order."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from bundled_tasks import TASKS, bundled_task
from messages import exactly

from mwem_core import Attribute, Domain, Records, parse_workload
from mwem_core.algorithm import Answers
from mwem_core.domain import parse_question
from mwem_core.stage.tables import MAX_CELLS, MAX_CELLS_TOGETHER, counts, marginals, tables_of
from mwem_core.stage.tracks import track
from mwem_core.values import BinsToMeasure, Dates, Edges, Range, Values


@pytest.mark.parametrize("name", TASKS)
def test_a_picture_has_the_tables_of_the_workload_within_its_limits(name):
    _, Q = bundled_task(name)
    tables = tables_of(Q)
    assert [table.attrs for table in tables] == list(Q.sets)
    assert max(table.size for table in tables) <= MAX_CELLS
    assert sum(table.size for table in tables) <= MAX_CELLS_TOGETHER
    assert [table.size for table in tables] == [np.prod([len(labels) for labels in table.labels]) for table in tables]


@pytest.mark.parametrize("name", ["capital losses", "Czech", "class"])
def test_cells_are_counted_row_by_row_as_their_conditions_say(name):
    B, Q = bundled_task(name)
    for table, cells in zip(tables_of(Q), np.split(*_cells_and_ends(B, Q)), strict=True):
        weights = np.ones(len(B.codes[0])) if B.weights is None else B.weights
        holds = [
            [parse_question(term, B.domain, max_cells=10**5).mask[B.codes[a]] for term in terms]
            for a, terms in zip(table.attrs, table.terms, strict=True)
        ]
        rows, columns = holds if len(holds) == 2 else (holds[0], [np.ones(len(weights), bool)])
        assert cells.tolist() == [10 * weights[row & column].sum() for row in rows for column in columns]


def _cells_and_ends(B, Q):
    tables = tables_of(Q)
    return counts(tables, B), np.cumsum([table.size for table in tables])[:-1]


def test_every_value_has_a_condition_that_selects_it_and_no_other():
    kinds = (
        Attribute("a b", Values(('say "yes"', "it's"))),
        Attribute("income", Edges((0, 0.5, 10, 1e6)), missing="?"),
        Attribute("year", Range(1900, 2250, 1), other=True),
        Attribute("day", Dates(("2020-01-01", "2022-12-31"), "day")),
        Attribute("amount", Range(0, 9_999_999, 9_999)),
    )
    domain = Domain(kinds)
    tables = tables_of(parse_workload("marginals:1", domain))
    assert len(tables) == len(kinds)
    for table in tables:
        (a,), (terms,), (starts,) = table.attrs, table.terms, table.starts
        assert len(starts) <= 202
        codes, size = np.arange(domain.shape[a]), domain.shape[a]
        for term, first, end in zip(terms, starts, [*starts[1:], size], strict=True):
            if term or domain.names[a] != "amount":  # of which the numbers have more digits than a condition takes
                mask = parse_question(term, domain, max_cells=size).mask
                assert mask.tolist() == ((first <= codes) & (codes < end)).tolist()


def test_a_label_with_both_kinds_of_quotes_has_no_condition():
    domain = Domain((Attribute("a", Values(("\"'", "b"))),))
    assert tables_of(parse_workload("marginals:1", domain))[0].terms == (["", 'a == "b"'],)


def listed(*sizes: int) -> Domain:
    """A domain of categories."""
    return Domain(tuple(Attribute(f"a{i}", Values(tuple(map(str, range(k))))) for i, k in enumerate(sizes)))


def test_larger_sets_are_drawn_by_their_pairs_and_crowded_pairs_by_their_attributes():
    domain = Domain(
        tuple(
            Attribute(name, Values(tuple(f"{i}" for i in range(k)))) for name, k in zip("abc", (3, 4, 5), strict=True)
        )
    )
    assert [t.attrs for t in tables_of(parse_workload("marginals:3", domain))] == list(combinations(range(3), 2))
    wide = listed(40, 40)
    assert [t.attrs for t in tables_of(parse_workload("marginals:2", wide))] == [(0,), (1,)]
    ordered = Domain(tuple(Attribute(name, Range(0, 99, 1)) for name in "ab"))
    assert [t.shape for t in tables_of(parse_workload("marginals:2", ordered))] == [(25, 25)]


def test_bins_that_a_run_measures_are_refused():
    domain = Domain((Attribute("age", BinsToMeasure(Range(0, 99, 1), 5)),))
    Q, B = parse_workload("marginals:1", domain), Records(domain, (np.zeros(3, np.uint8),))
    sentence = "the bins of age are measured by each run, so runs have no tables in common: declare edges in the schema"
    for refused in (partial(tables_of, Q), partial(track, B, Q, "mwem", 1.0)):
        with pytest.raises(ValueError, match=exactly(sentence)):
            refused()


def test_answers_without_a_model_give_the_tables_that_they_hold_and_refuse_others():
    B, Q = bundled_task("class")
    answers = Answers(Q, Q.answers(B), B.total)
    for found, S in zip(marginals(answers, [(0, 1), (2,), ()]), [(0, 1), (2,), ()], strict=True):
        assert found == pytest.approx(B.marginal(S))
    with pytest.raises(
        ValueError,
        match=exactly(
            "all 2-way marginals were answered, and no table with year × sleep × drink: choose a system that gives rows"
        ),
    ):
        marginals(answers, [(0, 1, 2)])


def test_too_many_cells_together_are_left_out_in_order():
    domain = listed(*6 * [30])
    B = Records(domain, tuple(np.zeros(1, np.uint8) for _ in range(6)))
    tables = tables_of(parse_workload("marginals:2", domain))
    assert [table.attrs for table in tables] == list(combinations(range(6), 2))[:8]
    assert counts(tables, B).sum() == 8 * 10
