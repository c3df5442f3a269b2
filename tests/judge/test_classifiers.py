"""Each classifier learns what its rows contain, on columns that the domain decides, and counts a row's weight."""

import numpy as np
import pytest
from oracles import random_records
from separable import DOMAIN, separable

from mwem_core.domain import Records
from mwem_core.judge.classification import CLASSIFIERS, Target, predict_majority, train_and_test

pytest.importorskip("sklearn")
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def one_row_per_record(rows: Records) -> Records:
    return Records(rows.domain, tuple(np.repeat(c, rows.weights) for c in rows.codes))


@every_classifier
@pytest.mark.parametrize("target", [Target("c"), Target("a"), Target("a", ("1", "3"))], ids=str)
def test_a_row_of_weight_k_counts_as_k_records(classifier, target):
    rng = np.random.default_rng(1)
    rows, test = (random_records(DOMAIN, 300, rng).distinct() for _ in range(2))
    expanded_rows, expanded_test = one_row_per_record(rows), one_row_per_record(test)
    weighted = train_and_test(rows, test, target, [classifier])
    assert weighted == train_and_test(expanded_rows, expanded_test, target, [classifier])
    assert predict_majority(rows, test, target) == predict_majority(expanded_rows, expanded_test, target)


@every_classifier
def test_a_value_that_no_training_row_has_can_be_classified(classifier):
    B = separable()
    rows = Records(DOMAIN, tuple(c[B.codes[1] == 0] for c in B.codes))
    (score,) = train_and_test(rows, B, Target("c"), [classifier])
    assert score.error == 0


@every_classifier
def test_rows_of_one_class_predict_that_class(classifier):
    B = separable()
    rows = Records(DOMAIN, (B.codes[0], B.codes[1], np.zeros(B.total, np.uint8)))
    (score,) = train_and_test(rows, B, Target("c"), [classifier])
    assert (score.error, score.balanced_accuracy) == (pytest.approx(B.codes[2].mean()), 0.5)
