"""The classifiers: scikit-learn's, each on the codes of its attributes, with the domain alone deciding its columns."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mwem_core.domain.domain import Domain

MOST_VALUES = 255  # of an attribute whose values boosted trees take as a set


def _logistic(features: Domain) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _one_hot(features, LogisticRegression(max_iter=1000))


def _svm(features: Domain) -> Any:
    """On the squared hinge loss: the hinge itself converges slowly."""
    from sklearn.svm import LinearSVC

    return _one_hot(features, LinearSVC().set_params(dual=False))


def _one_hot(features: Domain, linear: Any) -> Any:
    """A column a value of the domain, whether any row has it or not."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder().set_params(categories=[np.arange(size) for size in features.shape])
    return Pipeline([("encode", encoder), ("fit", linear)])


def _trees(features: Domain) -> Any:
    """Values without an order are split as sets. A leaf needs no least number of rows: a row may weigh many records."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import Pipeline

    trees = HistGradientBoostingClassifier(
        max_iter=30, learning_rate=0.2, max_leaf_nodes=15, min_samples_leaf=1, l2_regularization=1.0, random_state=0
    )
    sets = [not attribute.ordered and attribute.size <= MOST_VALUES for attribute in features.attributes]
    return Pipeline([("fit", trees.set_params(categorical_features=sets, early_stopping=False))])


# Made for the attributes it sees, whose codes it takes as an (m, d) array. Weights go in as `fit__sample_weight`.
CLASSIFIERS: dict[str, Callable[[Domain], Any]] = {
    "logistic regression": _logistic,
    "linear SVM": _svm,
    "boosted trees": _trees,
}
