"""A trial's answers, worked out again."""

import numpy as np
import pytest
from trial_results import PAIRS, B

from mwem_app.compare.recall import answers
from mwem_core.judge import Trial, run_trial


def test_recalled_answers_have_the_error_of_the_trial():
    trial = Trial(system="laplace", epsilon=1.0, seed=3)
    judged, again = run_trial(B, PAIRS, trial), answers(B.distinct(), PAIRS, trial)
    assert np.abs(again - PAIRS.answers(B) / 300).max() == pytest.approx(judged.answers.max_error)
