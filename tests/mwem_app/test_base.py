"""Badges claim no more than a run's verdict; how numbers read."""

import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mwem_app.base import (
    EXPLORATION,
    PRIVATE,
    SEEDED_RUN,
    STAND_IN,
    count,
    duration,
    percent,
    records,
    run_badge,
    share,
    size,
    stand_in_badge,
    three_digits,
)
from mwem_app.page import ICONS
from mwem_app.run import files, marginal_bars, rows_of
from mwem_core import Domain, Records, Run, Seeded, parse_workload
from mwem_core.output import Provenance
from mwem_core.systems import SYSTEMS

DOMAIN = Domain.from_toml('[[attribute]]\nname = "a"\nvalues = ["0", "1"]\n')
RECORDS = Records(DOMAIN, (np.arange(500, dtype=np.uint8) % 2,))


def test_no_badge_says_that_anything_may_be_published():
    for badge in (PRIVATE, SEEDED_RUN, EXPLORATION):
        assert "do not publish" in badge.text or badge.text.startswith("not private")


def test_the_player_s_badges_read_like_those_of_the_page():
    words = (Path(__file__).parents[2] / "mwem_app" / "stage" / "round.js").read_text(encoding="utf-8")
    for badge in (PRIVATE, SEEDED_RUN, EXPLORATION):
        assert f'"{badge.text}"' in words


@pytest.mark.parametrize("name", ["mwem", "privbayes", "weights", "uniform"])
@pytest.mark.parametrize("seed", [1, None])
def test_charts_and_files_of_a_run_have_one_badge_and_without_noise_it_is_private(name, seed):
    workload = parse_workload("marginals:1", DOMAIN)
    settings = SYSTEMS[name].settings(workload, n=500, epsilon=1.0)
    rounds = tuple(settings.rounds(RECORDS, workload, noise=Seeded(seed)))
    run = Run(workload, settings, name, rounds, seed)
    rows, badge = rows_of(run), run_badge(run)
    assert name in ("weights", "uniform") or run.publication.private == (seed is None)
    assert badge == (PRIVATE if name == "weights" else EXPLORATION if seed is None else SEEDED_RUN)
    made = [marginal_bars(0, rows.table, None, badge), *files(run, rows)]
    assert {each.badge for each in made} == {badge}


@pytest.mark.parametrize("provenance", get_args(Provenance))
def test_a_stand_in_is_as_public_as_its_schema(provenance):
    assert stand_in_badge(provenance) == (STAND_IN if provenance in ("built in", "file") else PRIVATE)


def test_a_badge_of_no_known_kind_looks_private():
    at = AppTest.from_function(_page_with_an_unknown_badge).run()
    icon, color = ICONS["private"]
    assert at.markdown[0].value == f":{color}-badge[{icon} who knows]"


def _page_with_an_unknown_badge():
    from mwem_app.base import Badge
    from mwem_app.page import show_badge

    show_badge(Badge("who knows", "unknown"))


READ = {
    share: [(0.5, "0.50"), (0.018, "0.018"), (0.00034, "0.00034"), (3e-7, "3e-07"), (0.0, "0"), (12.3, "12.30")],
    percent: [(0.0003, "0.030%"), (0.012, "1.2%"), (0.12, "12%"), (1.0, "100%")],
    records: [(1234.5, "1,234"), (9.94, "9.9"), (0.5, "0.5"), (0.0123, "0.012")],
    size: [(64, "64"), (10**9 - 1, "999,999,999"), (10**9, "1.0·10⁹"), (23 * 10**14, "2.3·10¹⁵")],
    three_digits: [(0.01823, "0.0182"), (1.0399, "1.04"), (12345.4, "12,345")],
    duration: [(0.2, "1 s"), (7.4, "7 s"), (38, "40 s"), (99, "100 s"), (100, "2 min"), (605, "10 min")],
}


@pytest.mark.parametrize(("read", "value", "text"), [(read, *case) for read, cases in READ.items() for case in cases])
def test_a_number_has_the_digits_that_its_kind_is_read_with(read, value, text):
    assert read(value) == text


def test_a_share_that_is_no_number_still_reads():
    assert [share(math.nan), share(math.inf)] == ["nan", "inf"]


def test_a_count_takes_the_plural_unless_it_is_one():
    assert (count(1, "query", "queries"), count(0, "query", "queries")) == ("1 query", "0 queries")
    assert count(3982, "round") == "3,982 rounds"
