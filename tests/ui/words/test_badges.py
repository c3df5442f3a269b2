"""Badges claim no more privacy than a run's seed and statement allow."""

from pathlib import Path

import numpy as np

from mwem_core import Domain, Records, Run, Seeded, default, parse_workload
from ui.words.badges import EXPLORING, PRIVATE, RELEASED, SEEDED, chart_badge, file_badge

DOMAIN = Domain.from_toml('[[attribute]]\nname = "a"\nvalues = ["0", "1"]\n')
RECORDS = Records(DOMAIN, (np.arange(500, dtype=np.uint8) % 2,))


def run(seed):
    workload = parse_workload("marginals:1", DOMAIN)
    settings = default(workload, n=500, epsilon=1.0)
    return Run(workload, settings, "default", tuple(settings.rounds(RECORDS, workload, noise=Seeded(seed))), seed)


def test_a_seed_is_named_on_charts_and_files_and_without_one_a_file_claims_no_more_than_its_statement():
    assert chart_badge(run(seed=1)) == file_badge(run(seed=1)) == SEEDED
    assert chart_badge(run(seed=None)) == RELEASED
    assert file_badge(run(seed=None)) == EXPLORING


def test_only_a_release_is_green():
    kinds = {badge.text: badge.kind for badge in (PRIVATE, SEEDED, EXPLORING, RELEASED)}
    assert [text for text, kind in kinds.items() if kind == "released"] == [RELEASED.text]
    assert SEEDED.kind == PRIVATE.kind == "private"


def test_the_player_s_badges_read_like_those_of_the_page():
    words = (Path(__file__).parents[3] / "ui" / "player" / "words.js").read_text(encoding="utf-8")
    for badge in (PRIVATE, SEEDED, RELEASED):
        assert f'"{badge.text}"' in words
