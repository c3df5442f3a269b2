"""Targets name their classes, and classify rows by them."""

import numpy as np
import pytest
from oracles import domain_of
from separable import DOMAIN, separable

from mwem_core.domain import Domain
from mwem_core.judge.classification import Target

WIDE = Domain.from_toml('[[attribute]]\nname = "loss"\nrange = [0, 99]\n[[attribute]]\nname = "c"\nbits = true')


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        (Target("a"), ("0", "1", "2", "3")),
        (Target("a", ("2",)), ("not 2", "2")),
        (Target("a", ("2", "3")), ("no", "yes")),
    ],
    ids=str,
)
def test_classes_are_the_values_or_whether_a_value_counts_as_yes(target, classes):
    B = separable()
    assert target.classes(DOMAIN) == classes
    for row, index in enumerate(target.of(B)):
        value = str(B.codes[0][row])
        assert classes[index] == (value if not target.yes else classes[value in target.yes])


def test_rows_of_a_value_that_counts_as_yes_are_of_class_1():
    B = separable()
    assert np.array_equal(Target("a", ("2", "3")).of(B), B.codes[2])


@pytest.mark.parametrize(
    ("domain", "target", "message"),
    [
        (DOMAIN, Target("d"), "no attribute 'd' in the schema; there are 'a', 'b', 'c'"),
        (DOMAIN, Target("c", ("9",)), "c has no value '9'; there are '0', '1'"),
        (DOMAIN, Target("c", ("0", "1")), "every value of c counts as yes: leave at least one out"),
        (
            WIDE,
            Target("loss"),
            "loss has 100 values, and at most 50 classes are allowed: choose the values that count as yes",
        ),
        (domain_of([4]), Target("a"), "there is nothing to predict a from: keep another attribute"),
    ],
)
def test_a_target_that_the_domain_lacks_or_cannot_predict_is_refused(domain, target, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        target.classes(domain)


def test_a_target_of_many_values_is_accepted_where_some_count_as_yes():
    assert Target("loss", ("0",)).classes(WIDE) == ("not 0", "0")
