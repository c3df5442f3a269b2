"""The strokes of the systems."""

from mwem_app.charts.palette import STROKES
from mwem_core.systems import SYSTEMS


def test_each_system_has_a_stroke_of_its_own():
    assert set(STROKES) == set(SYSTEMS)
    assert len(set(STROKES.values())) == len(SYSTEMS)
