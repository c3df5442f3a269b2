"""Estimates of conditions are the models' own answers, the truth is counted, and a place is by attributes."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from bundled_tasks import bundled_task

from mwem_core import Seeded, parse_workload
from mwem_core.domain import parse_question
from mwem_core.stage.tables import count, estimates, place_of
from mwem_core.stage.tracks import track
from mwem_core.systems import system


def random_condition(domain, attrs, rng):
    """A condition that names these attributes, as a text and as a function of their codes."""
    texts, listed = [], []
    for a in attrs:
        labels = domain.attributes[a].labels
        values = rng.choice(len(labels), rng.integers(1, len(labels)), replace=False).tolist()
        negated = rng.random() < 0.3
        names = ", ".join(f'"{labels[value]}"' for value in values)
        texts.append(f"{domain.names[a]} {'not ' if negated else ''}in ({names})")
        listed.append((values, negated))
    word = "and" if rng.random() < 0.7 else "or"

    def holds(codes) -> bool:
        each = [(code in values) != negated for code, (values, negated) in zip(codes, listed, strict=True)]
        return all(each) if word == "and" else any(each)

    return f" {word} ".join(texts), holds


def test_fifty_questions_to_adult_are_counted_row_by_row_and_answered_by_the_model(adult):
    """Half of them inside the pairs, a quarter next to them, a quarter far."""
    Q, rng = parse_workload("marginals:2", adult.domain), np.random.default_rng(51)
    *_, last = system("mwem").settings(Q, n=adult.total, epsilon=1.0).rounds(adult.distinct(), Q, noise=Seeded(1))
    columns = [column.tolist() for column in adult.codes]
    sizes = {"inside": (1, 2), "next": (3,), "far": (4,)}
    asked = []
    for i in range(50):
        place = "inside" if i % 2 else "next" if i % 4 else "far"
        attrs = tuple(sorted(rng.choice(8, rng.choice(sizes[place]), replace=False).tolist()))
        text, holds = random_condition(adult.domain, attrs, rng)
        predicate = parse_question(text, adult.domain, max_cells=10**6)
        assert predicate.attrs == attrs
        assert place_of(attrs, Q) == place
        rows = Counter(zip(*(columns[a] for a in attrs), strict=True))
        assert count(adult, predicate) == sum(times for row, times in rows.items() if holds(row))
        own = float((last.model.marginal(attrs) * predicate.mask).sum())
        assert estimates([last], predicate) == pytest.approx([own], rel=1e-12, abs=1e-9)
        asked.append(place)
    assert [asked.count(place) for place in sizes] == [25, 12, 13]


@pytest.mark.parametrize("method", ["mwem", "automatic", "mwem-paper"])
def test_estimates_are_sums_over_the_cells_of_the_domain(method):
    B, Q = bundled_task("Czech")
    _, rounds = track(B, Q, method, 1.0)
    cells, rng = np.indices(B.domain.shape).reshape(len(B.domain), -1), np.random.default_rng(1)
    for k in (1, 2, 3, 4, 6):
        text, holds = random_condition(B.domain, range(k), rng)
        found = estimates(rounds, parse_question(text, B.domain, max_cells=100))
        satisfied = np.array([holds(codes) for codes in cells[:k].T.tolist()])
        brute = [each.model.total * each.model.probability(tuple(cells))[satisfied].sum() for each in rounds]
        assert found == pytest.approx(brute, abs=1e-6)


def test_a_predicate_that_the_workload_asks_has_the_workloads_answer():
    B, _ = bundled_task("Czech")
    text = 'smoking == "yes" and systolic_bp_over_140 == "yes"'
    Q = parse_workload(f"where:{text}", B.domain)
    found, rounds = track(B, Q, "mwem", 1.0)
    answers = [float(Q.answers(each.model)[0]) for each in rounds]
    assert estimates(rounds, parse_question(text, B.domain, max_cells=100)) == pytest.approx(answers)
    assert found.max_error == pytest.approx(np.abs(np.array(answers) - Q.answers(B)[0]) / B.total)


def test_a_question_is_inside_next_to_or_far_from_the_workload():
    _, pairs = bundled_task("Czech")
    for k, place in ((1, "inside"), (2, "inside"), (3, "next"), (4, "far"), (6, "far")):
        assert {place_of(attrs, pairs) for attrs in combinations(range(6), k)} == {place}
    two = pairs.only(np.array([S in ((0, 1), (2, 3)) for S in pairs.sets]))
    assert (place_of((0, 2), two), place_of((0, 1, 2), two), place_of((0, 1, 2, 3), two)) == ("next", "next", "far")
    assert (place_of((4,), two), place_of((0, 4), two), place_of((), two)) == ("far", "far", "inside")
    _, ages = bundled_task("ages")
    age, hours = ages.domain.attrs("age"), ages.domain.attrs("hours-per-week")
    assert place_of(age, ages) == "inside"
    assert place_of(hours, ages) == "far"
    assert place_of(tuple(sorted((*age, *hours))), ages) == "far"
