"""The laws in the browser against those of the core, on a grid of weights; the worst neighbour against all others."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_core.privacy import laws

LAWS = Path(__file__).parents[3] / "mwem_app" / "charts" / "pieces" / "laws.js"
GRID = [list(weights) for weights in itertools.product([-3.0, 0.0, 0.01, 2.5, 30.0], repeat=4)] + [[0.0], [1.0] * 9]

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)


@pytest.fixture(scope="module")
def script(chromium):
    """A page that knows the laws alone."""
    page = chromium.new_page()
    page.add_script_tag(content=LAWS.read_text(encoding="utf-8"))
    yield page
    page.close()


@pytest.mark.parametrize(
    ("name", "law"), [("exponentialLaw", laws.exponential_law), ("permuteAndFlipLaw", laws.permute_and_flip_law)]
)
def test_a_law_of_the_browser_is_that_of_the_core(script, name, law):
    """Also in relative terms, as the lamp compares probabilities of any size."""
    found = script.evaluate(f"grid => grid.map(weights => {name}(weights))", GRID)
    for weights, probabilities in zip(GRID, found, strict=True):
        assert probabilities == pytest.approx(law(np.array(weights)), rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("name", "law"), [("exponentialLaw", laws.exponential_law), ("permuteAndFlipLaw", laws.permute_and_flip_law)]
)
@pytest.mark.parametrize("slip", [1, 2])
def test_the_worst_neighbour_is_the_worst_of_all_and_within_e_to_the_epsilon_without_the_slip(script, name, law, slip):
    """The lamp's figure against all 3^4 ways in which one person moves the scores by -1, 0 or 1."""
    epsilon, grid = 0.8, GRID[:625:60]
    step = slip * epsilon / 2
    found = script.evaluate(
        f"([grid, step]) => grid.map(weights => worstNeighbour(weights, step, {name}).ratio)", [grid, step]
    )
    for weights, ratio in zip(grid, found, strict=True):
        here = np.log(law(np.array(weights)))
        ways = itertools.product([-step, 0, step], repeat=len(weights))
        worst = max(np.abs(np.log(law(np.array(weights) + way)) - here).max() for way in ways)
        assert math.log(ratio) == pytest.approx(worst, rel=1e-9)
        if slip == 1:
            assert ratio <= math.exp(epsilon) * (1 + 1e-9)
    if slip == 2:
        assert max(found) > math.exp(epsilon)
