"""The expected error that people read."""

import pytest

from mwem_core.mwem.choice import best_plan
from mwem_core.mwem.expected import PURE_GAIN, expected_tv, idle_tv
from mwem_core.mwem.forecast import forecast
from mwem_core.mwem.presets import default, figure_1, mwem_by_rule, paper
from mwem_core.mwem.subsets import subsets_of
from mwem_core.samples import sample


def adult(spec):
    table = sample("adult")
    return table
