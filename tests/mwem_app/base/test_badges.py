"""Badges claim no more than a run's verdict: an exploring run may not be published."""

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mwem_app.base.badges import EXPLORING, PRIVATE, SEEDED, STAND_IN, run_badge, stand_in_badge
from mwem_app.page import ICONS
from mwem_app.run import files, marginal_bars, report, residual_by_round, rows_of
from mwem_core import Domain, Records, Run, Seeded, default, parse_workload
from mwem_core.output import Provenance
from mwem_core.systems import SYSTEMS

DOMAIN = Domain.from_toml('[[attribute]]\nname = "a"\nvalues = ["0", "1"]\n')
RECORDS = Records(DOMAIN, (np.arange(500, dtype=np.uint8) % 2,))


@pytest.mark.parametrize(("seed", "badge"), [(1, SEEDED), (None, EXPLORING)])
def test_a_seed_is_named_and_without_one_a_run_is_exploratory(seed, badge):
    workload = parse_workload("marginals:1", DOMAIN)
    settings = default(workload, n=500, epsilon=1.0)
    rounds = tuple(settings.rounds(RECORDS, workload, noise=Seeded(seed)))
    run = Run(workload, settings, "default", rounds, seed)
    assert run_badge(run) == badge
    assert (badge.kind == "exploring") is run.publication.private


def test_no_badge_says_that_anything_may_be_published():
    for badge in (PRIVATE, SEEDED, EXPLORING):
        assert "do not publish" in badge.text or badge.text.startswith("not private")


def test_the_player_s_badges_read_like_those_of_the_page():
    words = (Path(__file__).parents[3] / "mwem_app" / "stage" / "words.js").read_text(encoding="utf-8")
    for badge in (PRIVATE, SEEDED, EXPLORING):
        assert f'"{badge.text}"' in words


@pytest.mark.parametrize("name", ["mwem", "privbayes", "weights", "uniform"])
@pytest.mark.parametrize("seed", [1, None])
def test_charts_and_files_of_a_run_have_one_badge_and_without_noise_it_is_private(name, seed):
    workload = parse_workload("marginals:1", DOMAIN)
    settings = SYSTEMS[name].settings(workload, n=500, epsilon=1.0)
    rounds = tuple(settings.rounds(RECORDS, workload, noise=Seeded(seed)))
    run = Run(workload, settings, name, rounds, seed)
    rows, badge = rows_of(run), run_badge(run)
    assert badge == (PRIVATE if name == "weights" else EXPLORING if seed is None else SEEDED)
    charts = residual_by_round(run), marginal_bars(0, rows.table, None, badge)
    made = [*charts, *files(run, rows), report(run, rows, None, None)]
    assert {each.badge for each in made} == {badge}
    assert {report(run, rows, RECORDS, None).badge, report(run, rows, None, []).badge} == {PRIVATE}


@pytest.mark.parametrize("provenance", get_args(Provenance))
def test_a_stand_in_is_as_public_as_its_schema(provenance):
    assert stand_in_badge(provenance) == (STAND_IN if provenance in ("built in", "file") else PRIVATE)


def test_a_badge_of_no_known_kind_looks_private():
    at = AppTest.from_function(_page_with_an_unknown_badge).run()
    icon, color = ICONS["private"]
    assert at.markdown[0].value == f":{color}-badge[{icon} who knows]"


def _page_with_an_unknown_badge():
    from mwem_app.base.badges import Badge
    from mwem_app.page import show_badge

    show_badge(Badge("who knows", "unknown"))
