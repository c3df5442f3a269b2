"""A decade: versions are one piece apart, and the rule decides frames on either side of it."""

from dataclasses import is_dataclass, replace

import pytest

from mwem_core.automatic import default, mwem_by_rule
from mwem_core.experiments.experiment_tables import load
from mwem_core.experiments.pieces import DECADE, HAND, NEW, OLD, PURE, STAIRS, UNIFORM, VERSIONS, ZCDP
from mwem_core.experiments.results import frame_of
from mwem_core.judge import Trial, settings_of
from mwem_core.mwem import REPLAY, paper
from mwem_core.workload import families

N = 10**5
Q = families.marginals(load("adult").domain, 2)


def settings(version):
    trial = Trial(system=version.system, epsilon=1.0, seed=0, T=version.Ts[-1] and 10, changed=version.changed)
    return settings_of(trial, Q, N)


def test_the_first_version_is_the_papers_and_the_last_is_automatic():
    assert settings(PURE[0]) == paper(Q, epsilon=1.0)
    assert settings(PURE[-1]) == default(Q, n=N, epsilon=1.0)
    assert settings(PURE[-2]) == mwem_by_rule(Q, n=N, epsilon=1.0)
    assert settings(PURE[-3]) == replace(settings(PURE[-2]), update=REPLAY)
    assert settings(PURE[-4]).T == 10


def named(settings):
    """The settings, and the fields of those that have fields, by name."""
    found = {}
    for name, value in vars(settings).items():
        if is_dataclass(value):
            found |= {name: type(value)} | {f"{name}.{own}": each for own, each in vars(value).items()}
        else:
            found[name] = value
    return found


def test_every_piece_stays():
    """A setting that a version has replaced keeps its new value up to the rules for T, and differs from 2012's."""
    made = [named(settings(version)) for version in PURE[:-1]]
    of_rounds = ("candidates", "candidates.one_way_first", "split", "selection", "T")
    of_updates = ("update", "update.step", "update.in_order", "update.near_prior")
    for name in (*of_rounds, *of_updates):
        values = [version[name] for version in made if name in version]
        places = [i for i in range(1, len(values)) if values[i] != values[i - 1]]
        assert len(places) <= 1, name
        assert len(values) == len(made)
    assert [version.get("candidates.penalty") for version in made] == [None, *["cells"] * 2, *["noise"] * 5]


def decade(old, hand, new):
    """One table at one ε: MWEM of 2012 at T = 10 and 40, and Automatic; other versions as 2012's."""
    rows = [{"method": m, "mean_tv": old, "T": 10 if m in VERSIONS[:6] else None} for m in VERSIONS[:-2]]
    rows += [{"method": OLD, "mean_tv": hand, "T": 40}, {"method": NEW, "mean_tv": new}]
    rows += [{"method": ZCDP, "mean_tv": new / 2}, {"method": UNIFORM, "mean_tv": 2.0}]
    rows += [{"method": f"{name} on every cell", "mean_tv": 0.3} for name in ("Laplace", "Gaussian")]
    common = {"table": "czech", "epsilon": 1.0, "seed": 0, "T": None}
    frame = frame_of([common | row for row in rows], DECADE.metrics)
    frame.attrs["tables"] = {"czech": {"records": N}}
    return frame


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (decade(0.8, 0.4, 0.2), "holds"),
        (decade(0.8, 0.2, 0.2), "holds with conditions"),  # as good as 2012's at its best T
        (decade(0.2, 0.1, 0.3), "does not hold"),
    ],
)
def test_the_rule(frame, holds):
    assert DECADE.verdict(frame).holds == holds


def test_an_exact_answer_counts_as_one_that_errs_by_a_tenth_of_a_record():
    """Of 100,000 records that is 1e-6."""
    assert "by a factor of 4e+05 to 4e+05" in DECADE.verdict(decade(0.8, 0.4, 0.0)).numbers


def test_the_pieces_share_the_logarithm_of_the_factor():
    verdict = DECADE.verdict(decade(0.8, 0.4, 0.2))
    assert "by a factor of 2 to 2 (geometric mean 2); at T = 10 in 1, by 4 to 4 (4)" in verdict.numbers
    assert "whole marginals 0%" in verdict.numbers
    assert "plans 100%" in verdict.numbers
    assert "nowhere" in verdict.numbers
    assert "error is 2 to 2 times smaller (2)" in verdict.flips
    assert "Laplace noise on every cell errs less than MWEM of 2012 at its best T in 1 of 1 points" in verdict.flips


def test_the_figure_has_a_step_per_version_and_level_lines():
    plot = DECADE.figure(decade(0.8, 0.4, 0.2))
    lines = plot.points.sort_values("x").groupby("method")["y"].apply(list)
    assert lines[STAIRS] == pytest.approx([0.8] * 8 + [0.2, 0.1])
    assert lines[HAND] == pytest.approx([0.4] * 10)
    assert [plot.x_name(x) for x in (0.0, 9.0)] == [OLD, ZCDP]
    assert set(plot.beside) == set(lines.index) - {STAIRS}
