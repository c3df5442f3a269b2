"""How often somebody may ask."""

from mwem_app.course.classroom import routes
from mwem_app.course.classroom.routes import Pace


def test_a_burst_is_allowed_and_then_so_many_in_a_second():
    now = 0.0
    kept = Pace(burst=4, per_second=2, clock=lambda: now)
    assert [kept.allows("a") for _ in range(5)] == [True] * 4 + [False]
    assert kept.allows("b")
    for _ in range(3):
        now += 0.5
        assert [kept.allows("a") for _ in range(2)] == [True, False]
    now += 100
    assert [kept.allows("a") for _ in range(5)] == [True] * 4 + [False]


def test_names_that_ask_no_more_are_forgotten(monkeypatch):
    monkeypatch.setattr(routes, "MOST_NAMES", 3)
    now = 0.0
    kept = Pace(burst=1, per_second=1, clock=lambda: now)
    for each in range(9):
        now = 2.0 * each
        assert not kept.knows(f"{each}")
        assert kept.allows(f"{each}")
    assert [each for each in range(9) if kept.knows(f"{each}")] == [6, 7, 8]
