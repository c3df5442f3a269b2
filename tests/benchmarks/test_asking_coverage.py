"""The coverage of answers is judged by the numbers of a file, not by their bins."""

import numpy as np
import pandas as pd
import pytest

from mwem_core import Domain
from mwem_core.encoding import read_rows

SCHEMA = """
attribute = [
  { name = "sex", values = ["female", "male"] },
  { name = "union", values = ["no", "yes"] },
  { name = "wage", edges = [0, 500, 1000, 8000], decimals = 0, missing = "" },
]
"""


def test_the_truth_of_a_mean_is_that_of_the_file_and_not_of_its_bins():
    import asking_coverage  # by its bare name, see conftest

    rng = np.random.default_rng(0)
    sex, wage = rng.random(2000) < 0.5, rng.choice([500, 1000, 1500, 2000], 2000)
    columns = {"sex": np.where(sex, "male", "female"), "union": "no", "wage": np.where(wage < 2000, wage, "")}
    rows = read_rows(pd.DataFrame(columns).astype(str), Domain.from_toml(SCHEMA))
    questions = [q for q in asking_coverage.every_question(rows.domain) if q.kind in ("mean", "mean by")]
    truths = {q.statistic.names[0]: q.truth(rows) for q in questions}
    exact = wage[wage < 2000]
    assert truths["mean of wage"] == pytest.approx([exact.mean()])
    of_bins = next(q.statistic.of(rows) for q in questions if q.statistic.names[0] == "mean of wage")
    assert abs(of_bins[0] - exact.mean()) > 10
    by_sex = next(truth for name, truth in truths.items() if name.startswith("mean of wage where"))
    assert by_sex == pytest.approx([wage[(wage < 2000) & (sex == group)].mean() for group in (0, 1)])
