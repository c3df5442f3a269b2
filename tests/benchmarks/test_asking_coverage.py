"""The coverage of answers is judged by the numbers of a file, not by their bins."""

import numpy as np
import pytest


def test_the_truth_of_a_mean_is_that_of_the_file_and_not_of_its_bins():
    import asking_coverage  # by its bare name, see conftest

    rows = asking_coverage.earners(2000)
    questions = [q for q in asking_coverage.every_question(rows.records.domain) if q.kind in ("mean", "mean by")]
    wage = rows.numbers[4]
    truths = {q.statistic.names[0]: q.truth(rows) for q in questions}
    assert truths["mean of wage"] == pytest.approx([np.nanmean(wage)])
    of_bins = next(q.statistic.of(rows.records) for q in questions if q.statistic.names[0] == "mean of wage")
    assert abs(of_bins[0] - np.nanmean(wage)) > 10
    by_sex = next(truth for name, truth in truths.items() if name.startswith("mean of wage where"))
    assert by_sex == pytest.approx([np.nanmean(wage[rows.records.codes[1] == sex]) for sex in (0, 1)])
