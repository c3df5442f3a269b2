"""Seconds as tables grow."""

import pytest
from benchmark_records import RECORDS, write_records

from mwem_app.evidence.benchmarks import benchmark_records, growths
from mwem_app.evidence.growth_charts import growth_panel


def test_growth_is_drawn_as_measured_and_as_fitted(tmp_path):
    n, d, Q, T = map(growth_panel, growths(benchmark_records(write_records(tmp_path, RECORDS))))
    fitted, points = n.figure.data
    assert list(points.y) == [1.05, 10.5, 105]
    assert list(fitted.y) == pytest.approx([1.05, 10.5, 105])
    assert (d.note, Q.note) == ("d¹·⁰⁰ (standard error 0.10)", "|Q|¹·⁰⁰ (standard error 0.10)")
    assert T.note.endswith("per round\u00a0T⁰·⁰⁰")
