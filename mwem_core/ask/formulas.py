"""The formula of a regression, `y ~ a + b`: numbers as they are, categories as a column for each value but one.

A side is an attribute, or a question in brackets or with a comparison, such as `income == ">50K" ~ age + sex`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mwem_core.ask.conditions import COMPARISON, ONE, Feature, condition, groups, number
from mwem_core.domain import Attribute, Domain

PLUS = re.compile(r"\+(?=(?:[^\"'`]|\"[^\"]*\"|'[^']*'|`[^`]*`)*$)")  # outside of quotes
INTERACTION = re.compile(r"[:*](?=(?:[^\"'`]|\"[^\"]*\"|'[^']*'|`[^`]*`)*$)")


def parse_formula(formula: str, domain: Domain, common: Mapping[int, int]) -> tuple[Feature, list[Feature]]:
    """The outcome, and the columns of the design with the constant first. Raises ValueError, in a sentence.

    `common` has the value of each category that the others are compared with: a rare one would make all uncertain.
    """
    left, tilde, right = formula.partition("~")
    if not tilde or not left.strip() or not right.strip():
        raise ValueError(f"a formula reads y ~ a + b, got {formula!r}")
    columns = [ONE]
    for text in PLUS.split(right):
        if INTERACTION.search(text):
            raise ValueError(
                f"the interaction {text.strip()!r} is refused, as a model of what was measured of fewer attributes"
                " would answer: release a table of all of them, and ask for the shares of its cells"
            )
        columns += _columns(text.strip(), domain, common)
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"the formula {formula!r} names an attribute twice: name it once")
    outcome = _columns(left.strip(), domain, {})
    if len(outcome) != 1:
        raise ValueError(f"the outcome {left.strip()!r} has {len(outcome) + 1} values: ask about one, such as x == 'a'")
    return outcome[0], columns


def _columns(text: str, domain: Domain, common: Mapping[int, int]) -> list[Feature]:
    """The columns of one term."""
    name = text.strip("`")
    if not text:
        raise ValueError("a formula has an empty term between two +: remove one")
    if name not in domain.names:
        if not COMPARISON.search(text):
            domain.attrs(name)  # says which attributes there are
        return [condition(text, domain)]
    attribute = domain.attributes[domain.attrs(name)[0]]
    if attribute.number_set is None:
        (a,), each = domain.attrs(name), groups(name, domain)
        base = each.pop(common.get(a, 0))
        return [replace(group, name=f"{group.name} against {base.name.partition(' = ')[2]}") for group in each]
    _check_numbers(attribute)
    return [number(name, domain)[0]]


def _check_numbers(attribute: Attribute) -> None:
    if attribute.size > attribute.ordered_size:
        others = ", ".join(attribute.labels[attribute.ordered_size :])
        raise ValueError(
            f"{attribute.name} is no number for all records (some are {others}), and a regression needs one of each:"
            " ask with a comparison instead"
        )


def outcomes(y: Feature) -> np.ndarray:
    """The table of an outcome of 0 and 1. Raises ValueError for another one."""
    if not set(np.unique(y.table)) <= {0.0, 1.0}:
        raise ValueError(f"a logistic regression needs an outcome of two values, and {y.name} has more: compare it")
    return y.table
