"""Classifiers learn from rows what these contain, and are tested on real records that no system has read."""

import numpy as np
import pytest
from oracles import random_records
from separable import DOMAIN, one_cell, separable

from mwem_core.domain import Records
from mwem_core.judge import classification
from mwem_core.judge.classification import (
    CLASSIFIERS,
    MAJORITY,
    MIN_PART_RECORDS,
    REAL,
    Target,
    evaluate_rows,
    hold_out,
)
from mwem_core.relatives import Uniform
from mwem_core.workload import parse_workload

pytest.importorskip("sklearn")

LINEAR = [next(iter(CLASSIFIERS))]


def evaluations_of(systems, B=None, spec="marginals:2", **options):
    B = separable() if B is None else B
    options = {"target": Target("c"), "epsilon": 1.0} | options
    return list(evaluate_rows(B, parse_workload(spec, B.domain), systems, **options))


def errors_of(evaluations, source, classifier):
    scores = [score for evaluation in evaluations if evaluation.source == source for score in evaluation.scores]
    return [score.error for score in scores if score.classifier == classifier]


# ---- training and test records ----
@pytest.mark.parametrize("B", [separable(), separable().distinct()], ids=["rows", "weights"])
def test_training_and_test_records_make_up_the_table_and_are_always_the_same(B):
    training, test = hold_out(B)
    assert training.total + test.total == B.total
    everything = (0, 1, 2)
    assert (training.marginal(everything) + test.marginal(everything) == B.marginal(everything)).all()
    for part, again in zip((training, test), hold_out(B), strict=True):
        assert all(np.array_equal(*columns) for columns in zip(part.codes, again.codes, strict=True))
        assert part.weights is None if B.weights is None else np.array_equal(part.weights, again.weights)


def test_a_weighted_row_is_divided_between_the_parts_like_single_records():
    n = 10_000  # the standard deviation of a binomial share of a fifth is 0.4 / √n; five of them are allowed
    for B in (one_cell(n), separable(n)):
        assert hold_out(B)[1].total / n == pytest.approx(0.2, abs=5 * 0.4 / np.sqrt(n))


def test_a_system_reads_the_training_records_only(monkeypatch):
    B, tables, rounds = separable(), [], Uniform.rounds

    def spy(self, table, Q, *, noise):
        tables.append(table)
        return rounds(self, table, Q, noise=noise)

    monkeypatch.setattr(Uniform, "rounds", spy)
    evaluations_of(["uniform"], B, classifiers=LINEAR)
    training, _ = hold_out(B)
    assert [table.total for table in tables] == [training.total]
    assert (tables[0].marginal((0, 1, 2)) == training.marginal((0, 1, 2))).all()


def test_each_part_has_the_least_number_of_records_or_the_table_is_refused():
    for n in range(1, 200):
        try:
            assert min(part.total for part in hold_out(one_cell(n))) >= MIN_PART_RECORDS
        except ValueError:
            assert n < 6 * MIN_PART_RECORDS + 40  # five standard deviations of a fifth of a hundred are 20 records


# ---- what is learned ----
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_target_that_is_a_function_of_another_attribute_is_learned_from_real_rows_and_accurate_ones(classifier):
    evaluations = evaluations_of(["mwem"], epsilon=100.0, classifiers=[classifier])
    assert errors_of(evaluations, REAL, classifier) == [0.0]
    # Noise of 1/100 record leaves the rounding to whole rows: at most one in a hundred may be on the wrong side.
    assert errors_of(evaluations, "mwem", classifier) == [pytest.approx(0.0, abs=0.01)]


@pytest.mark.slow
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_uniform_rows_teach_no_more_than_guessing(classifier):
    # Training on uniform rows splits the 12 cells at random. The error varies by about 0.2 over seeds, so the mean of
    # 20 seeds by 0.05, about the 0.5 of guessing.
    evaluations = evaluations_of(["uniform"], classifiers=[classifier], seeds=range(20))
    errors = errors_of(evaluations, "uniform", classifier)
    assert len(errors) == 20
    assert np.mean(errors) == pytest.approx(0.5, abs=0.15)
    assert errors_of(evaluations, MAJORITY, MAJORITY) == [pytest.approx(0.5, abs=0.05)]


def test_a_workload_without_the_targets_pairs_cannot_teach_it():
    evaluations = evaluations_of(["mwem"], spec="marginals:1", epsilon=100.0, classifiers=LINEAR, seeds=range(5))
    assert np.mean(errors_of(evaluations, "mwem", LINEAR[0])) > 0.2


def test_scores_are_their_definitions():
    metrics = pytest.importorskip("sklearn.metrics")
    test = random_records(DOMAIN, 500, np.random.default_rng(2))
    predicted = np.random.default_rng(3).integers(3, size=500)  # never the fourth value of a
    score = classification._score("guess", predicted, test, Target("a"))
    assert score.error == pytest.approx(1 - metrics.accuracy_score(test.codes[0], predicted))
    assert score.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(test.codes[0], predicted))


def test_classes_without_a_row_are_listed():
    B = separable()
    B = Records(DOMAIN, (B.codes[0], B.codes[1], np.zeros(B.total, np.uint8)))  # no row has c = 1
    for target, unseen in ((Target("c"), ("1",)), (Target("c", ("1",)), ("1",)), (Target("a"), ())):
        real, majority = evaluations_of([], B, target=target, classifiers=LINEAR)
        assert (real.source, real.unseen) == (REAL, unseen)
        assert (majority.source, majority.unseen) == (MAJORITY, ())


# ---- what is refused ----
@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (500, {"target": Target("d")}, "no attribute 'd' in the schema; there are 'a', 'b', 'c'$"),
        (20, {}, "20 records are too few to hold out a fifth: it takes about 60$"),
        (500, {"systems": ["nobody"]}, "there is no system 'nobody': choose from automatic, "),
        (
            500,
            {"classifiers": ["oracle"]},
            "there is no classifier 'oracle': choose from logistic regression, linear SVM, boosted trees$",
        ),
    ],
)
def test_invalid_arguments_are_refused_on_the_call(n, options, message):
    B = random_records(DOMAIN, n, np.random.default_rng(0))
    options = {"systems": ["uniform"], "target": Target("c"), "epsilon": 1.0} | options
    with pytest.raises(ValueError, match=f"^{message}"):
        evaluate_rows(B, parse_workload("marginals:1", DOMAIN), **options)


def test_a_system_without_rows_has_a_problem_and_the_others_are_scored():
    *_, answers_only, uniform, refused = evaluations_of(
        ["laplace", "uniform", "mwem"], classifiers=LINEAR, epsilon=-1.0
    )
    assert answers_only.problem == "Laplace gives answers and no rows: there is nothing to train on"
    assert (answers_only.source, answers_only.scores) == ("laplace", ())
    assert ([score.classifier for score in uniform.scores], uniform.problem) == (LINEAR, "")
    assert refused.problem.startswith("epsilon must be a positive number")
