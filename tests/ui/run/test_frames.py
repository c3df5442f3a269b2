"""What the player looks at, how its numbers read, and what it never gets to see."""

from pathlib import Path

import numpy as np
import pytest

from mwem_core import Domain, Records, Seeded, default, parse_workload
from ui.run.frames import Picture, suggested
from ui.words.numbers import share

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


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_expected_noise_is_the_l1_norm_that_is_drawn_on_average(delta):
    domain = Domain.from_toml("[[attribute]]\nname = 'a'\nrange = [0, 4999]")
    records = Records(domain, (np.arange(5000, dtype=np.uint16),))
    workload = parse_workload("cuboids:1", domain)
    settings = default(workload, n=records.total, epsilon=1.0, delta=delta, T=1)
    *_, made = settings.rounds(records, workload, noise=Seeded(1))
    drawn = np.abs(made.measurement.value - records.marginal((0,))).sum()
    assert made.expected_noise == pytest.approx(drawn, rel=0.06)  # 5,000 draws: four standard errors


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0184, "0.018"), (0.00034, "0.00034"), (0.684, "0.68"), (1.5, "1.50"), (0, "0"), (1.2e-7, "1.2e-07")],
)
def test_a_share_has_two_telling_digits(value, text):
    assert share(value) == text
