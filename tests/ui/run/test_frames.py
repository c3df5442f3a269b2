"""What the player looks at, how its numbers read, and what it never gets to see."""

import re
from pathlib import Path

import numpy as np
import pytest

from mwem_core import Domain, Records, figure_1, parse_workload
from ui.run.frames import reference_lines
from ui.run.picture import Picture, suggested
from ui.session.runner import Plan, start_step

ADULT = Domain.from_toml((Path(__file__).parents[3] / "sample_data" / "adult.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("marginals:1", "native-country"),
        ("marginals:2", "workclass × marital-status"),
        ("marginals:3", "workclass × marital-status"),
        ("ranges:age:10", "age"),
        ("where:sex == 'Male' and race == 'White'", "race × sex"),
    ],
)
def test_suggested_is_what_is_asked_with_the_number_of_cells_nearest_to_64(spec, named):
    assert ADULT.label(suggested(parse_workload(spec, ADULT))) == named


def test_what_is_suggested_can_be_drawn_even_where_nothing_that_is_asked_can():
    values = ", ".join(f'"{i}"' for i in range(2000))
    domain = Domain.from_toml(
        f"[[attribute]]\nname = 'code'\nvalues = [{values}]\n[[attribute]]\nname = 'a'\nrange=[0, 1]"
    )
    assert suggested(parse_workload("marginals:2", domain)) == (1,)


def test_neighbours_share_a_cell_and_a_category_of_its_own_keeps_its_own():
    domain = Domain.from_toml('[[attribute]]\nname = "age"\nrange = [0, 999]\nmissing = "?"')
    view = Picture.of(domain, (0,)).view(None)
    assert (view.x[0], view.x[-2], view.x[-1]) == ("0 … 4", "995 … 999", "?")


@pytest.mark.parametrize(("epsilon", "n", "below_1"), [(1.0, 10**3, False), (1.0, 10**6, True)])
def test_theorem_2_3_is_a_level_below_1_and_else_a_sentence(epsilon, n, below_1):
    domain = Domain.from_toml('[[attribute]]\nname = "a"\nrange = [0, 3]\n[[attribute]]\nname = "b"\nrange = [0, 3]')
    B, Q = Records(domain, (np.zeros(n, int), np.ones(n, int))), parse_workload("marginals:1", domain)
    settings = figure_1(epsilon=epsilon)
    plan = Plan(records=B, workload=Q, settings=settings, preset="figure-1", seed=1, source="test", table="t.csv")
    lines = reference_lines(plan, [start_step(plan)], show_truth=True)
    if below_1:
        assert 0 < lines.bound < 1
        assert lines.note is None
    else:
        assert lines.bound is None
        assert re.fullmatch(r"Theorem 2\.3 has no line: its bound, \d\.\d, exceeds the largest .* error, 1", lines.note)
    assert reference_lines(plan, [start_step(plan)], show_truth=False).note is None
