"""Train classifiers on synthetic rows and test them on real records that no system has read. NOT PRIVATE.

Errors are counted on real records: for exploring, teaching and public data. Rows can teach a target from another
attribute only if their workload has queries on both; the caller chooses the workload.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast

import numpy as np

from mwem_core.algorithm import Drawn
from mwem_core.domain import Records
from mwem_core.judge.classifiers import CLASSIFIERS
from mwem_core.judge.target import Target
from mwem_core.judge.trials import Trial, run_system
from mwem_core.output import nearest_rows
from mwem_core.systems import system
from mwem_core.weighted import Model
from mwem_core.workload import Workload

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
    check_installed()
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


def check_installed() -> None:
    """Raises ValueError where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise ValueError("classifiers need scikit-learn: pip install 'mwem-explorer[classifiers]'")


def synthetic_rows(training: Records, Q: Workload, trial: Trial) -> Records:
    """As many rows as training records, up to `MAX_TRAINING_ROWS`. Raises ValueError where the system gives none."""
    if (entry := system(trial.system)).gives != "rows":
        raise ValueError(f"{entry.title} gives answers and no rows: there is nothing to train on")
    model = cast(Model | Drawn, run_system(training, Q, trial).last.model)
    rng = np.random.default_rng(trial.seed)
    return nearest_rows(Q, model, min(training.total, MAX_TRAINING_ROWS), rng)


def train_and_test(
    rows: Records, test: Records, target: Target, classifiers: Iterable[str]
) -> tuple[ClassifierScore, ...]:
    """Train each classifier on the rows and score it on the test records.

    Equal rows are merged into one weighted row, which classifiers accept: this makes training fast.
    """
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
                classifier.fit(_matrix(training_features), classes, fit__sample_weight=_weights(rows))
                predicted = classifier.predict(_matrix(test_features))
        scores.append(_score(name, predicted, test, target))
    return tuple(scores)


def predict_majority(rows: Records, test: Records, target: Target) -> ClassifierScore:
    """The score of predicting the rows' most frequent class for every test record. A useful classifier errs less."""
    majority = np.bincount(target.of(rows), _weights(rows)).argmax()
    return _score(MAJORITY, np.broadcast_to(majority, len(test.codes[0])), test, target)


def _score(name: str, predicted: np.ndarray, test: Records, target: Target) -> ClassifierScore:
    actual, weights = target.of(test), _weights(test)
    correct = weights * (predicted == actual)
    class_weights, class_correct = np.bincount(actual, weights), np.bincount(actual, correct)
    present = class_weights > 0
    balanced = (class_correct[present] / class_weights[present]).mean()
    return ClassifierScore(name, float(1 - correct.sum() / weights.sum()), float(balanced))


def _unseen(rows: Records, target: Target) -> tuple[str, ...]:
    classes = target.classes(rows.domain)
    return tuple(np.array(classes, object)[np.bincount(target.of(rows), minlength=len(classes)) == 0])


def _weights(rows: Records) -> np.ndarray:
    return np.ones(len(rows.codes[0])) if rows.weights is None else rows.weights.astype(float)


def _matrix(rows: Records) -> np.ndarray:
    return np.column_stack([column.astype(np.int64) for column in rows.codes])
