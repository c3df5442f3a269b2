"""The chart of classifiers' errors."""

import pytest

from mwem_app.base import PRIVATE
from mwem_app.compare.classifier_charts import errors_by_system
from mwem_core.judge import MAJORITY, REAL, ClassifierScore, Evaluation


def evaluations(source, *errors, classifier="linear SVM"):
    return [
        Evaluation(source=source, seed=seed, scores=(ClassifierScore(classifier, error, 1 - error),))
        for seed, error in enumerate(errors)
    ]


def test_the_chart_has_one_point_per_system_between_the_lines_of_real_rows_and_of_the_majority_class():
    chart = errors_by_system(
        [
            *evaluations(REAL, 0.1),
            *evaluations(MAJORITY, 0.5, classifier=MAJORITY),
            *evaluations("mwem", 0.2, 0.1, 0.4),
            *evaluations("uniform", 0.6),
        ],
        "Errors in predicting <b>income</b>",
    )
    (points,) = chart.figure.data
    assert chart.badge == PRIVATE
    assert list(points.x) == [0.2, 0.6]
    assert list(points.error_x.arrayminus) == [pytest.approx(0.1), 0]
    assert list(points.error_x.array) == [pytest.approx(0.2), 0]
    assert list(chart.figure.layout.yaxis.ticktext) == ["MWEM", "Uniform"]
    assert [line.x0 for line in chart.figure.layout.shapes] == [0.1, 0.5]
    assert chart.alt == (
        "Share of the held-out real records that the best classifier misclassifies: trained on real rows 10.0%; "
        "MWEM 20.0% (linear SVM); Uniform 60.0% (linear SVM); always the majority class 50.0%."
    )
