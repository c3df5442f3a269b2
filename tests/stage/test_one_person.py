"""One person: two tables that differ by one record, releases of both, and a guess that judges itself on other seeds."""

from itertools import islice

import numpy as np
import pytest
from bundled_tasks import bundled_task
from messages import exactly

from mwem_core import MeasuredTotal, Seeded, parse_workload
from mwem_core.privacy import cap
from mwem_core.stage.one_person import guess, person, releases


@pytest.mark.parametrize(("name", "row"), [("class", 0), ("class", 11), ("Czech", 5)])
def test_the_tables_differ_by_this_record_and_no_other(name, row):
    B, Q = bundled_task(name)
    found = person(B, Q, row)
    everything = tuple(range(len(B.domain)))
    difference = B.marginal(everything) - found.absent.marginal(everything)
    assert difference[found.codes] == 1
    assert difference.sum() == np.abs(difference).sum() == 1
    assert found.absent.total == found.present.total - 1 == B.total - 1


def test_the_table_is_that_where_the_fewest_share_the_persons_cell():
    B, Q = bundled_task("class")
    found = person(B, Q, 4)
    sharing = {S: B.marginal(S)[tuple(found.codes[a] for a in S)] for S in Q.sets}
    assert found.others + 1 == min(sharing.values()) == sharing[found.attrs]
    assert person(B, Q, 4, attrs=(2,)).attrs == (2,)
    year, _, drink = B.domain.attributes
    named = person(B, Q, 4, attrs=(0, 2))
    assert named.cell == f"year = {year.labels[named.codes[0]]}, drink = {drink.labels[named.codes[2]]}"


def test_a_row_that_there_is_not_is_refused():
    B, Q = bundled_task("class")
    rows = len(B.distinct().codes[0])
    with pytest.raises(
        ValueError,
        match=exactly(f"there are {rows} different records, numbered from 0: choose one of them, got {rows}"),
    ):
        person(B, Q, rows)


@pytest.mark.parametrize("system", ["mwem", "automatic", "laplace"])
def test_releases_are_those_of_a_run_that_measures_n_seed_by_seed(system):
    B, Q = bundled_task("class")
    found = person(B, Q, 3)
    first, second = islice(releases(found, Q, system, 1.0, seeds=(8, 9, 10**9)), 2)  # no more than is asked for
    assert first != second
    for table, value in ((found.present, second[0]), (found.absent, second[1])):
        *_, last = MeasuredTotal(epsilon=1.0, system=system).rounds(table, Q, noise=Seeded(9))
        cells = last.model.answers(parse_workload("marginals:2", B.domain))
        start = int(Q.offsets[Q.sets.index(found.attrs)])
        shape = B.domain.sizes(found.attrs)
        at = np.ravel_multi_index(tuple(found.codes[a] for a in found.attrs), shape)
        assert value == pytest.approx(cells[start + at])


def test_noise_on_the_cell_alone_is_told_apart_as_often_as_the_lesson_says():
    """Of Laplace noise the best threshold is right with probability 1 - e^(-ε/2)/2."""
    rng, m, epsilon = np.random.default_rng(0), 4_000, 1.0
    found = guess(7 + rng.laplace(size=m) / epsilon, 6 + rng.laplace(size=m) / epsilon, epsilon)
    assert found.low < 1 - np.exp(-epsilon / 2) / 2 < found.high < found.most == cap(1.0)


def test_what_has_no_difference_is_not_told_apart_and_what_is_certain_is():
    rng = np.random.default_rng(1)
    shares = [guess(rng.normal(size=100), rng.normal(size=100), 0.1).right for _ in range(200)]
    assert np.mean(shares) == pytest.approx(0.5, abs=0.01)
    certain = guess(np.full(100, 4.0), np.full(100, 3.0), 10.0)
    assert certain.right == 1
    assert certain.low > 0.95
    assert guess(np.full(9, 3.0), np.full(9, 3.0), 1.0).right == 0.5


def test_one_seed_is_too_few_for_a_guess():
    with pytest.raises(
        ValueError,
        match=exactly("a threshold is chosen on one half of the seeds and judged on the other, so two at least; got 1"),
    ):
        guess(np.ones(1), np.zeros(1), 1.0)
