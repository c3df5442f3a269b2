"""What the player looks at, how its numbers read, and what it never gets to see."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from synthetic_rows import DOMAIN, ORIGINAL

from mwem_app.run.picture import Picture, suggested_attrs
from mwem_app.run.round_frames import direct, reference_lines
from mwem_app.session import Plan, start_step
from mwem_app.stage import SCRIPTS
from mwem_core import MWEM, Domain, Records, Replay, figure_1, parse_workload
from mwem_core.domain import Attribute
from mwem_core.mwem import NAME
from mwem_core.values import Edges, Values

ADULT = Domain.from_toml((Path(__file__).parents[3] / "sample_data" / "adult.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("marginals:1", "age"),
        ("marginals:2", "workclass × marital-status"),
        ("marginals:3", "workclass × marital-status"),
        ("ranges:age:10", "age"),
        ("where:sex == 'Male' and race == 'White'", "race × sex"),
    ],
)
def test_suggested_is_what_is_asked_with_the_number_of_cells_nearest_to_64_among_the_readable(spec, named):
    assert ADULT.label(suggested_attrs(parse_workload(spec, ADULT))) == named


def test_what_is_suggested_can_be_drawn_even_where_nothing_that_is_asked_can():
    values = ", ".join(f'"{i}"' for i in range(2000))
    domain = Domain.from_toml(
        f"[[attribute]]\nname = 'code'\nvalues = [{values}]\n[[attribute]]\nname = 'a'\nrange=[0, 1]"
    )
    assert suggested_attrs(parse_workload("marginals:2", domain)) == (1,)


def test_neighbours_share_a_cell_and_a_category_of_its_own_keeps_its_own():
    domain = Domain.from_toml('[[attribute]]\nname = "age"\nrange = [0, 999]\nmissing = "?"')
    view = Picture.of(domain, (0,)).view(None)
    assert (view.x[0], view.x[-2], view.x[-1]) == ("0 … 4", "995 … 999", "?")


def lines_of(settings, *, n, shape=(4, 4), show_truth=True):
    domain = Domain(tuple(Attribute(f"a{i}", Values(tuple(map(str, range(size))))) for i, size in enumerate(shape)))
    B, Q = Records(domain, (np.zeros(n, int),) * len(shape)), parse_workload("marginals:1", domain)
    plan = Plan(records=B, workload=Q, settings=settings, system="figure-1", seed=1, source="test", table="t.csv")
    return reference_lines(plan, [start_step(plan)], show_truth=show_truth)


@pytest.mark.parametrize(("epsilon", "n", "below_1"), [(1.0, 10**3, False), (1.0, 10**6, True)])
def test_theorem_2_3_is_a_level_below_1_and_else_a_sentence(epsilon, n, below_1):
    lines = lines_of(figure_1(epsilon=epsilon), n=n)
    if below_1:
        assert 0 < lines.bound < 1
        assert lines.note is None
    else:
        assert lines.bound is None
        assert re.fullmatch(r"Theorem 2\.3 has no line: its bound, \d\.\d, is above 1, where it .*", lines.note)
    assert lines_of(figure_1(epsilon=epsilon), n=n, show_truth=False).note is None


@pytest.mark.parametrize(
    "change", [{"update": Replay()}, {"repeats": False}, {"output": "last"}, {"split": 0.1}, {"T": 17}], ids=str
)
def test_theorem_2_3_is_about_figure_1_to_the_letter_at_any_number_of_rounds(change):
    lines = lines_of(replace(figure_1(epsilon=1.0, T=16), **change), n=10**6)
    assert (lines.bound is not None) == ("T" in change)


def test_theorem_2_3_has_no_line_where_the_model_may_not_hold_every_cell():
    lines = lines_of(figure_1(epsilon=1.0, T=60), n=10**6, shape=(3000, 3000))
    assert lines.bound is None
    assert "it is about models of all 9,000,000 cells, and this one holds 4,194,304" in lines.note


def test_the_legend_says_with_which_probability_theorem_2_3_holds():
    charts = next(file for file in SCRIPTS if file.name == "player_charts.js")
    assert f'name: "{NAME}"' in charts.read_text(encoding="utf-8")


def test_bars_carry_the_widths_of_their_bins_and_a_heat_map_none():
    heights = Attribute("height", Edges((120, 140, 150, 160)), missing="NA")
    domain = Domain((heights, Attribute("smokes", Values(("n", "y")))))
    view = Picture.of(domain, (0,)).view(None)
    assert view.widths == pytest.approx([1.5, 0.75, 0.75])
    assert view.x[len(view.widths) :] == ["NA"]
    assert Picture.of(domain, (0, 1)).view(None).widths is None


def plan(epsilon=1.0):
    workload, settings = parse_workload("marginals:1", DOMAIN), MWEM(epsilon=epsilon, T=2)
    return Plan(
        records=ORIGINAL,
        workload=workload,
        settings=settings,
        system="mwem-paper",
        seed=1,
        source="test",
        table="t.csv",
    )


def test_the_mean_error_of_laplace_noise_is_its_scale():
    mean, largest = direct(plan())
    assert mean == pytest.approx(3 / 500)  # sensitivity 3: each record is in one cell of each marginal
    assert largest > mean


def test_the_error_is_inversely_proportional_to_epsilon():
    assert direct(plan(0.1)) == pytest.approx([10 * error for error in direct(plan())])
