"""The classifiers: scikit-learn's, on the attributes' codes. Their columns depend on the domain, not on the rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mwem_core.domain import Domain

MAX_CATEGORIES = 255  # values of an unordered attribute that boosted trees can split into sets


def _logistic(features: Domain) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _one_hot(features, LogisticRegression(max_iter=1000))


def _svm(features: Domain) -> Any:
    """With the squared hinge loss, as the hinge loss converges slowly."""
    from sklearn.svm import LinearSVC

    return _one_hot(features, LinearSVC().set_params(dual=False))


def _one_hot(features: Domain, linear: Any) -> Any:
    """A linear classifier on one column per value of the domain, also for values that no row has."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder().set_params(categories=[np.arange(size) for size in features.shape])
    return Pipeline([("encode", encoder), ("fit", linear)])


def _trees(features: Domain) -> Any:
    """Unordered attributes are split into sets. A leaf may hold a single row, as this may stand for many records."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import Pipeline

    trees = HistGradientBoostingClassifier(
        max_iter=30, learning_rate=0.2, max_leaf_nodes=15, min_samples_leaf=1, l2_regularization=1.0, random_state=0
    )
    categorical = [not attribute.ordered and attribute.size <= MAX_CATEGORIES for attribute in features.attributes]
    return Pipeline([("fit", trees.set_params(categorical_features=categorical, early_stopping=False))])


# Each makes a classifier for a domain of features. It is fitted on codes, an (m, d) array, with the rows' weights in
# `fit__sample_weight`.
CLASSIFIERS: dict[str, Callable[[Domain], Any]] = {
    "logistic regression": _logistic,
    "linear SVM": _svm,
    "boosted trees": _trees,
}
