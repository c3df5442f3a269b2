"""Classifiers trained on synthetic rows and judged on real rows that no system has seen.

NOT PRIVATE: an error is counted on the real rows, for exploring, teaching and public data. Rows can teach a target from
another attribute only if they were made for a workload that asks of the two together: which one, the caller chooses.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast

import numpy as np

from mwem_core.algorithm import Drawn
from mwem_core.checks import hint
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.evaluation.classifiers import CLASSIFIERS
from mwem_core.model.average import Model
from mwem_core.privacy.noise import Seeded
from mwem_core.release.synthesis import rounded
from mwem_core.systems import system
from mwem_core.workload.workload import Workload

REAL, MAJORITY = "real rows", "majority class"  # the ceiling and the floor
HELD_OUT = 0.2  # share of the records that is kept for judging
SPLIT_SEED = 0  # public, as is who is held out
FEWEST = 10  # records in either part
MOST_CLASSES = 50  # a classifier's time grows with them
MOST_ROWS = 10**6  # synthetic ones: more would teach nothing more


@dataclass(frozen=True)
class Target:
    """What is to be predicted: an attribute's value or, where `yes` lists some of them, whether it is one of those."""

    attribute: str
    yes: tuple[str, ...] = ()

    def classes(self, domain: Domain) -> tuple[str, ...]:
        """What the classes are called. Raises ValueError where the domain has no such target, or it is too large."""
        (a,) = domain.attrs(self.attribute)
        attribute = domain.attributes[a]
        if len(domain) == 1:
            raise ValueError(f"there is nothing to predict {self.attribute} from: keep another attribute")
        if not self.yes:
            if attribute.size > MOST_CLASSES:
                raise ValueError(
                    f"{self.attribute} has {attribute.size:,} values, {MOST_CLASSES} classes fit: "
                    "choose some that count as yes"
                )
            return attribute.labels
        if unknown := [value for value in self.yes if value not in attribute.labels]:
            raise ValueError(f"{self.attribute} has no value {unknown[0]!r}{hint(unknown[0], attribute.labels)}")
        if len(set(self.yes)) == attribute.size:
            raise ValueError(f"every value of {self.attribute} counts as yes: leave at least one out")
        one, rest = (self.yes[0], f"not {self.yes[0]}") if len(self.yes) == 1 else ("yes", "no")
        return rest, one

    def of(self, rows: Records) -> np.ndarray:
        """Each row's class: (m,) indices of `classes`."""
        (a,) = rows.domain.attrs(self.attribute)
        if not self.yes:
            return rows.codes[a]
        return np.isin(rows.domain.attributes[a].labels, self.yes).astype(np.uint8)[rows.codes[a]]


@dataclass(frozen=True)
class Score:
    """How a classifier did on the held-out real records: NOT private.

    `error` is the share it got wrong; `balanced_accuracy` the share it got right of each class, averaged over the
    classes there are, which guessing cannot raise above 1/classes.
    """

    classifier: str
    error: float
    balanced_accuracy: float


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What was learned from rows: of a system, by its name, or REAL or MAJORITY.

    `never` are the classes that no row had, so that they are never predicted. Where a system could not make rows,
    `problem` says why in a sentence, and there are no scores.
    """

    rows: str
    seed: int = 0
    scores: tuple[Score, ...] = ()
    never: tuple[str, ...] = ()
    problem: str = ""


def split(B: Records) -> tuple[Records, Records]:
    """A training part and a fifth of the records, held out: each goes by a coin of its own, under a public seed.

    A row that stands for many records is torn. Raises ValueError where a part would have too few records.
    """
    weights = np.ones(len(B.codes[0]), np.int64) if B.weights is None else B.weights
    out = np.random.default_rng(SPLIT_SEED).binomial(weights, HELD_OUT)
    if min(out.sum(), B.total - out.sum()) < FEWEST:
        raise ValueError(f"{B.total:,} records are too few to hold a fifth of them out: it takes about {6 * FEWEST}")
    return _part(B, weights - out), _part(B, out)


def _part(B: Records, times: np.ndarray) -> Records:
    held = times > 0
    return Records(B.domain, tuple(c[held] for c in B.codes), None if B.weights is None else times[held])


def compare(
    B: Records,
    Q: Workload,
    systems: Sequence[str],
    *,
    target: Target,
    epsilon: float,
    delta: float = 0.0,
    seeds: Sequence[int] = (0,),
    classifiers: Iterable[str] | None = None,
) -> Iterator[Learned]:
    """Judge the real rows, the majority class, then each system's rows, seed by seed: yielded as they are done.

    A system is run on the training part alone; what it refuses becomes the `problem` of its `Learned`. Classifiers are
    all of `CLASSIFIERS` unless told. Raises ValueError, on the call, for a target, a classifier or a system that does
    not exist, for too few records, and where scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        raise ValueError("classifiers are scikit-learn's: pip install 'mwem-explorer[classifiers]'")
    target.classes(B.domain)
    names, chosen = [system(name).name for name in systems], list(CLASSIFIERS if classifiers is None else classifiers)
    if unknown := [name for name in chosen if name not in CLASSIFIERS]:
        raise ValueError(f"there is no classifier {unknown[0]!r}: choose from {', '.join(CLASSIFIERS)}")
    training, test = split(B)

    def found() -> Iterator[Learned]:
        yield Learned(rows=REAL, scores=learn(training, test, target, chosen), never=_never(training, target))
        yield Learned(rows=MAJORITY, scores=(majority(training, test, target),))
        for seed in seeds:
            for name in names:
                try:
                    rows = synthetic(name, training, Q, epsilon=epsilon, delta=delta, seed=seed)
                except ValueError as problem:
                    yield Learned(rows=name, seed=seed, problem=str(problem))
                    continue
                scores = learn(rows, test, target, chosen)
                yield Learned(rows=name, seed=seed, scores=scores, never=_never(rows, target))

    return found()


def synthetic(name: str, training: Records, Q: Workload, *, epsilon: float, delta: float, seed: int) -> Records:
    """As many rows as there are training records, by a system run on these. Raises ValueError where it gives none."""
    made_by = system(name)
    if made_by.gives != "rows":
        raise ValueError(f"{made_by.title} gives answers and no rows: there is nothing to learn from")
    settings = made_by.settings(Q, n=training.total, epsilon=epsilon, delta=delta)
    last = deque(settings.rounds(training, Q, noise=Seeded(seed)), maxlen=1).pop()
    rng = np.random.default_rng(seed)
    return rounded(training.domain, cast(Model | Drawn, last.model), min(training.total, MOST_ROWS), rng)


def learn(rows: Records, test: Records, target: Target, classifiers: Iterable[str]) -> tuple[Score, ...]:
    """Train each classifier on the rows and judge it on the test records.

    Equal rows are merged into weights, as a classifier takes them: that is what makes it fast.
    """
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    rows = rows.distinct()
    actual, features = target.of(rows), [name for name in rows.domain.names if name != target.attribute]
    given, asked = rows.project(features), test.project(features)
    scores = []
    for name in classifiers:
        if len(np.unique(actual)) == 1:  # no classifier takes it, and there is no other prediction
            predicted = np.broadcast_to(actual[0], len(asked.codes[0]))
        else:
            with threadpool_limits(1):  # where others are at work too, threads that wait for each other take minutes
                fitted = CLASSIFIERS[name](given.domain).fit(_matrix(given), actual, fit__sample_weight=_weights(rows))
                predicted = fitted.predict(_matrix(asked))
        scores.append(_score(name, predicted, test, target))
    return tuple(scores)


def majority(rows: Records, test: Records, target: Target) -> Score:
    """What always predicting the most frequent class comes to: who errs more has learned nothing."""
    most = np.bincount(target.of(rows), _weights(rows)).argmax()
    return _score(MAJORITY, np.broadcast_to(most, len(test.codes[0])), test, target)


def _score(name: str, predicted: np.ndarray, test: Records, target: Target) -> Score:
    actual, weights = target.of(test), _weights(test)
    right = weights * (predicted == actual)
    of_class, right_of_class = np.bincount(actual, weights), np.bincount(actual, right)
    there = of_class > 0
    balanced = (right_of_class[there] / of_class[there]).mean()
    return Score(name, float(1 - right.sum() / weights.sum()), float(balanced))


def _never(rows: Records, target: Target) -> tuple[str, ...]:
    classes = target.classes(rows.domain)
    return tuple(np.array(classes, object)[np.bincount(target.of(rows), minlength=len(classes)) == 0])


def _weights(rows: Records) -> np.ndarray:
    return np.ones(len(rows.codes[0])) if rows.weights is None else rows.weights.astype(float)


def _matrix(rows: Records) -> np.ndarray:
    return np.column_stack([column.astype(np.int64) for column in rows.codes])
