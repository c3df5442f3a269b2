"""What a classifier learns from synthetic rows, beside the original's rows and the baselines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mwem_core.data.numbers import Rows
from mwem_core.data.records import Records
from mwem_core.evaluation.classification import (
    ClassifierScore,
    check_installed,
    hold_out,
    predict_majority,
    train_and_test,
)
from mwem_core.evaluation.target import Target

USED = ("logistic regression", "boosted trees")
MAX_TRAINED_ROWS = 50_000  # of each source, drawn at random: more would lower errors little
MAX_TRAINED_VALUES = 400_000  # so fewer rows of many columns: all of 300 columns took a minute and a half


@dataclass(frozen=True)
class Learned:
    """The errors in predicting a target on held-out records of the original, by what was trained on."""

    target: Target
    tested: int  # held-out records
    scores: dict[str, tuple[ClassifierScore, ...]]
    majority: ClassifierScore


def learn(
    original: Rows, synthetic: Rows, independent: Rows, uniform: Rows, target: Target, rng: np.random.Generator
) -> Learned:
    """Train on four fifths of the original, and on each other source; test on the fifth that is left. NOT PRIVATE.

    The synthetic rows may come from all of the original, also from the held-out fifth. Raises ValueError for a target
    that cannot be predicted, for too few records, and where scikit-learn is not installed.
    """
    check_installed()
    target.classes(original.records.domain)
    training, test = hold_out(original.records)
    sources = {"original rows": training, "synthetic rows": synthetic.records}
    sources |= {"independent columns": independent.records, "uniform": uniform.records}
    scores = {name: train_and_test(_drawn(rows, rng), test, target, USED) for name, rows in sources.items()}
    return Learned(target, test.total, scores, predict_majority(training, test, target))


def _drawn(rows: Records, rng: np.random.Generator) -> Records:
    """As many of the rows as `MAX_TRAINED_ROWS` and `MAX_TRAINED_VALUES` allow."""
    most = min(MAX_TRAINED_ROWS, MAX_TRAINED_VALUES // len(rows.domain))
    if rows.total <= most:
        return rows
    weights = None if rows.weights is None else rows.weights / rows.total
    chosen = rng.choice(len(rows.codes[0]), most, p=weights)
    return Records(rows.domain, tuple(column[chosen] for column in rows.codes))
