"""Badges claim no more than a run's verdict: an exploring run may not be published."""

from pathlib import Path

import numpy as np
import pytest

from mwem_core import Domain, Records, Run, Seeded, default, parse_workload
from ui.words.badges import EXPLORING, PRIVATE, SEEDED, run_badge

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
    words = (Path(__file__).parents[3] / "ui" / "player" / "words.js").read_text(encoding="utf-8")
    for badge in (PRIVATE, SEEDED, EXPLORING):
        assert f'"{badge.text}"' in words
