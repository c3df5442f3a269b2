"""Four classifiers of Adult, trained on a trial's rows and tested on records that no system has read."""

from collections.abc import Iterable
from dataclasses import dataclass

from mwem_core.data.records import Records
from mwem_core.evaluation.classification import (
    MAJORITY,
    REAL,
    check_installed,
    hold_out,
    predict_majority,
    synthetic_rows,
    train_and_test,
)
from mwem_core.evaluation.target import Target
from mwem_core.evaluation.trials import Result, Trial
from mwem_core.experiments.experiment import Reference
from mwem_core.workload.workload import Workload

CLASSIFIER = "linear SVM"
DEGREES = ("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate")
TARGETS = {  # of Zhang et al., by the metric's name
    "sex_error": Target("sex"),
    "degree_error": Target("education", DEGREES),
    "income_error": Target("income"),
    "unmarried_error": Target("marital-status", ("Never-married",)),
}


@dataclass(frozen=True, kw_only=True)
class Classified(Result):
    """A trial on the training records, with the share of test records that each classifier mistakes: NOT PRIVATE."""

    sex_error: float
    degree_error: float
    income_error: float
    unmarried_error: float


def judge_classifiers(B: Records, Q: Workload, trial: Trial) -> Classified:
    """Run a trial on four fifths of the records, train on its rows, test on the rest.

    Raises ValueError where the system refuses the settings or the data, or gives no rows.
    """
    training, test = hold_out(B)
    rates = _rates(synthetic_rows(training, Q, trial), test)
    return Classified(
        trial=trial,
        workload=Q.spec,
        n=training.total,
        domain_size=Q.domain.size,
        sex_error=rates["sex_error"],
        degree_error=rates["degree_error"],
        income_error=rates["income_error"],
        unmarried_error=rates["unmarried_error"],
    )


def limits(B: Records) -> Iterable[Reference]:
    """The shares mistaken after training on the real rows, and by the majority class. Needs scikit-learn."""
    check_installed()
    training, test = hold_out(B)
    real = _rates(training, test)
    for metric, target in TARGETS.items():
        yield Reference(REAL, metric, real[metric])
        yield Reference(MAJORITY, metric, predict_majority(training, test, target).error)


def _rates(rows: Records, test: Records) -> dict[str, float]:
    return {name: train_and_test(rows, test, target, [CLASSIFIER])[0].error for name, target in TARGETS.items()}
