"""Train classifiers on synthetic rows and test them on real records that no system has read. NOT PRIVATE.

Errors are counted on real records: for exploring, teaching and public data. Rows can teach a target from another
attribute only if their workload has queries on both; the caller chooses the workload."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from mwem_core.algorithm import RowSource
from mwem_core.base import hint
from mwem_core.domain import Domain, Records
from mwem_core.judge.trials import Trial, run_system
from mwem_core.output import nearest_rows
from mwem_core.systems import system
from mwem_core.weighted import Model
from mwem_core.workload import Workload

MAX_CLASSES = 50  # a classifier's time grows with them


@dataclass(frozen=True)
class Target:
    """What to predict: an attribute's value or, given `yes`, whether the value is one of these."""

    attribute: str
    yes: tuple[str, ...] = ()

    def classes(self, domain: Domain) -> tuple[str, ...]:
        """Names of the classes. Raises ValueError where the domain lacks this target, or it has too many classes."""
        (a,) = domain.attrs(self.attribute)
        attribute = domain.attributes[a]
        if len(domain) == 1:
            raise ValueError(f"there is nothing to predict {self.attribute} from: keep another attribute")
        if not self.yes:
            if attribute.size > MAX_CLASSES:
                raise ValueError(
                    f"{self.attribute} has {attribute.size:,} values, and at most {MAX_CLASSES} classes are allowed: "
                    "choose the values that count as yes"
                )
            return attribute.labels
        if unknown := [value for value in self.yes if value not in attribute.labels]:
            raise ValueError(f"{self.attribute} has no value {unknown[0]!r}{hint(unknown[0], attribute.labels)}")
        if len(set(self.yes)) == attribute.size:
            raise ValueError(f"every value of {self.attribute} counts as yes: leave at least one out")
        return (f"not {self.yes[0]}", self.yes[0]) if len(self.yes) == 1 else ("no", "yes")

    def of(self, rows: Records) -> np.ndarray:
        """Each row's class, as an index into `classes`: (m,)."""
        (a,) = rows.domain.attrs(self.attribute)
        if not self.yes:
            return rows.codes[a]
        return np.isin(rows.domain.attributes[a].labels, self.yes).astype(np.uint8)[rows.codes[a]]


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


REAL, MAJORITY = "real rows", "majority class"  # sources of predictions besides systems: an upper and a lower limit
TEST_SHARE = 0.2  # of the records
HOLD_OUT_SEED = 0  # public: everybody may know which records are held out
MIN_PART_RECORDS = 10  # in the training part and in the test part
MAX_TRAINING_ROWS = 10**6  # synthetic rows per system; more would not lower the error


@dataclass(frozen=True)
class ClassifierScore:
    """A classifier's performance on the held-out real records: NOT PRIVATE.

    `error` is the share of records misclassified. `balanced_accuracy` is the share of each class classified correctly,
    averaged over the classes in the test records; guessing cannot raise it above 1/classes.
    """

    classifier: str
    error: float
    balanced_accuracy: float


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Scores of classifiers trained on one source of rows: a system's name, REAL, or MAJORITY for no training.

    `unseen` are the classes without a row, which are never predicted. If a system could not make rows, there are no
    scores and `problem` says why.
    """

    source: str
    seed: int = 0
    scores: tuple[ClassifierScore, ...] = ()
    unseen: tuple[str, ...] = ()
    problem: str = ""


def hold_out(B: Records) -> tuple[Records, Records]:
    """Split B into training and test records, one record at a time, with a fixed public seed.

    Each record is held out for the test with probability `TEST_SHARE`, so a weighted row is divided between the parts.
    Raises ValueError where a part would have fewer than `MIN_PART_RECORDS`.
    """
    weights = np.ones(len(B.codes[0]), np.int64) if B.weights is None else B.weights
    test = np.random.default_rng(HOLD_OUT_SEED).binomial(weights, TEST_SHARE)
    if min(test.sum(), B.total - test.sum()) < MIN_PART_RECORDS:
        raise ValueError(f"{B.total:,} records are too few to hold out a fifth: it takes about {6 * MIN_PART_RECORDS}")
    return _reweighted(B, weights - test), _reweighted(B, test)


def _reweighted(B: Records, weights: np.ndarray) -> Records:
    kept = weights > 0
    return Records(B.domain, tuple(c[kept] for c in B.codes), None if B.weights is None else weights[kept])


def evaluate_rows(
    B: Records,
    Q: Workload,
    systems: Sequence[str],
    *,
    target: Target,
    epsilon: float,
    delta: float = 0.0,
    seeds: Sequence[int] = (0,),
    classifiers: Iterable[str] | None = None,
) -> Iterator[Evaluation]:
    """Evaluate the real rows, the majority class, then each system's rows at each seed; yield as they finish.

    Systems read the training records only. If a system raises ValueError, its evaluation has the `problem`. By default
    all `CLASSIFIERS` are used. Raises ValueError, on the call, for an unknown target, classifier or system, for too few
    records, and where scikit-learn is not installed.
    """
    _check_installed()
    target.classes(B.domain)
    names, chosen = [system(name).name for name in systems], list(CLASSIFIERS if classifiers is None else classifiers)
    if unknown := [name for name in chosen if name not in CLASSIFIERS]:
        raise ValueError(f"there is no classifier {unknown[0]!r}: choose from {', '.join(CLASSIFIERS)}")
    training, test = hold_out(B)

    def evaluations() -> Iterator[Evaluation]:
        scores = train_and_test(training, test, target, chosen)
        yield Evaluation(source=REAL, scores=scores, unseen=_unseen(training, target))
        yield Evaluation(source=MAJORITY, scores=(predict_majority(training, test, target),))
        for seed in seeds:
            for name in names:
                try:
                    rows = synthetic_rows(training, Q, Trial(system=name, epsilon=epsilon, delta=delta, seed=seed))
                except ValueError as problem:
                    yield Evaluation(source=name, seed=seed, problem=str(problem))
                    continue
                scores = train_and_test(rows, test, target, chosen)
                yield Evaluation(source=name, seed=seed, scores=scores, unseen=_unseen(rows, target))

    return evaluations()


def _check_installed() -> None:
    """Raises ValueError where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise ValueError("classifiers need scikit-learn: pip install 'mwem-explorer[classifiers]'")


def synthetic_rows(training: Records, Q: Workload, trial: Trial) -> Records:
    """As many rows as training records, up to `MAX_TRAINING_ROWS`. Raises ValueError where the system gives none."""
    if (entry := system(trial.system)).gives != "rows":
        raise ValueError(f"{entry.title} gives answers and no rows: there is nothing to train on")
    model = cast(Model | RowSource, run_system(training, Q, trial).last.model)
    rng = np.random.default_rng(trial.seed)
    return nearest_rows(Q, model, min(training.total, MAX_TRAINING_ROWS), rng)


def train_and_test(
    rows: Records, test: Records, target: Target, classifiers: Iterable[str]
) -> tuple[ClassifierScore, ...]:
    """Train each classifier on the rows and score it on the test records.

    Equal rows are merged into one weighted row, which classifiers accept: this makes training fast. Raises ValueError
    where scikit-learn is not installed.
    """
    _check_installed()
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    rows = rows.distinct()
    classes, features = target.of(rows), [name for name in rows.domain.names if name != target.attribute]
    training_features, test_features = rows.project(features), test.project(features)
    scores = []
    for name in classifiers:
        if len(np.unique(classes)) == 1:  # classifiers refuse a single class, and no other prediction is possible
            predicted = np.broadcast_to(classes[0], len(test_features.codes[0]))
        else:
            classifier = CLASSIFIERS[name](training_features.domain)
            with threadpool_limits(1):  # on a busy machine, threads that wait for each other take minutes
                classifier.fit(_matrix(training_features), classes, fit__sample_weight=rows.times)
                predicted = classifier.predict(_matrix(test_features))
        scores.append(_score(name, predicted, test, target))
    return tuple(scores)


def predict_majority(rows: Records, test: Records, target: Target) -> ClassifierScore:
    """The score of predicting the rows' most frequent class for every test record. A useful classifier errs less."""
    majority = np.bincount(target.of(rows), rows.times).argmax()
    return _score(MAJORITY, np.broadcast_to(majority, len(test.codes[0])), test, target)


def _score(name: str, predicted: np.ndarray, test: Records, target: Target) -> ClassifierScore:
    actual, weights = target.of(test), test.times
    correct = weights * (predicted == actual)
    class_weights, class_correct = np.bincount(actual, weights), np.bincount(actual, correct)
    present = class_weights > 0
    balanced = (class_correct[present] / class_weights[present]).mean()
    return ClassifierScore(name, float(1 - correct.sum() / weights.sum()), float(balanced))


def _unseen(rows: Records, target: Target) -> tuple[str, ...]:
    classes = target.classes(rows.domain)
    return tuple(np.array(classes, object)[np.bincount(target.of(rows), minlength=len(classes)) == 0])


def _matrix(rows: Records) -> np.ndarray:
    return np.column_stack([column.astype(np.int64) for column in rows.codes])
