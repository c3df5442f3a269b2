"""The runs of a demonstration: nearest to the slider first, each once, and those of public tables shared by all."""

import gc
from functools import partial

from bundled_tasks import bundled_task

from mwem_app.session import demo
from mwem_app.session.run_grid import GRIDS, MAX_SHARED, Grid, Key
from mwem_core.stage import EPSILONS, track

B, Q = bundled_task("class")


def test_runs_come_nearest_to_the_slider_first_and_each_once():
    grid = Grid(B, Q, ["automatic", "uniform"], seed=1, near=6)
    grid.wait(60)
    assert grid.status == "done", grid.problem
    assert len(grid.made) == 2 * len(EPSILONS)
    distances = [abs(key.at - 6) for key in grid.made]
    assert distances == sorted(distances)
    made = grid.made[Key("automatic", 6)]
    alone, _ = track(B, Q, "automatic", EPSILONS[6], seed=1)
    assert (made.track.answers == alone.answers).all()
    assert made.rounds[-1].model.total == B.total


def test_a_slider_that_moves_is_followed(monkeypatch):
    grid = Grid(B, Q, ["uniform"], seed=1, near=0)
    grid.wait(60)
    grid.made = dict.fromkeys([Key("uniform", at) for at in (0, 1, 2)])
    grid.near = 11
    assert grid._next() == Key("uniform", 11)
    grid.made |= dict.fromkeys([Key("uniform", at) for at in range(3, 12)])
    assert grid._next() is None


def test_as_many_grids_are_kept_as_a_server_holds_and_in_a_demo_one(monkeypatch):
    for i in range(MAX_SHARED + 1):
        GRIDS.begin(i, partial(Grid, B, Q, ["uniform"], seed=1, near=0)).wait(60)
    gc.collect()
    assert [GRIDS.get(i) is not None for i in range(MAX_SHARED + 1)] == [False, *[True] * MAX_SHARED]
    monkeypatch.setenv(demo.SETTING, "1")
    GRIDS.begin("last", partial(Grid, B, Q, ["uniform"], seed=1, near=0)).wait(60)
    gc.collect()
    assert GRIDS.get(MAX_SHARED) is None
    assert GRIDS.get("last")


def test_a_system_that_refuses_the_table_is_left_out_with_its_reason():
    grid = Grid(B, Q, ["weights", "uniform"], seed=1, near=0)
    grid.wait(60)
    assert grid.status == "done", grid.problem
    assert {key.system for key in grid.made} == {"uniform"}
    assert len(grid.made) == len(EPSILONS)
    assert "choose a private system" in grid.refused["weights"]
