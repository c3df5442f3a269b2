"""What the player looks at, how its numbers read, and what it never gets to see."""

from pathlib import Path

import pytest

from mwem_core import Domain, parse_workload
from ui.run.frames import Picture, suggested

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
