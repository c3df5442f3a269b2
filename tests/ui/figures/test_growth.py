"""Seconds as tables grow."""

import pytest
from benchmark_records import RECORDS, write_records

from ui.figures.growth import growth_panel, seconds_by_attributes
from ui.results.benchmarks import figure6_records, growths, load


def test_attributes_are_in_order_and_the_longest_phase_is_named(tmp_path):
    chart = seconds_by_attributes(figure6_records(load(write_records(tmp_path, RECORDS))))
    assert list(chart.figure.data[0].x) == [10, 100, 1000]
    assert chart.note == "the phase “score” takes 39% of the time"
    assert "51 s for 1,000" in chart.alt


def test_growth_is_drawn_as_measured_and_as_fitted(tmp_path):
    n, d, Q, T = map(growth_panel, growths(load(write_records(tmp_path, RECORDS))))
    fitted, points = n.figure.data
    assert list(points.y) == [1.05, 10.5, 105]
    assert list(fitted.y) == pytest.approx([1.05, 10.5, 105])
    assert (d.note, Q.note) == ("d¹·⁰⁰\u00a0±\u00a00.10", "|Q|¹·⁰⁰\u00a0±\u00a00.10")
    assert T.note.endswith("per round\u00a0T⁰·⁰⁰")
