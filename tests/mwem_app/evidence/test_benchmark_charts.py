"""Error against time, system by system."""

import pytest
from benchmark_records import RECORDS, write_records

from mwem_app.evidence import benchmark_charts as figure
from mwem_app.evidence.benchmarks import benchmark_records, comparisons


def test_each_system_is_a_point_and_a_hollow_one_where_the_mechanism_alone_was_timed(tmp_path):
    chart = figure.error_against_time(comparisons(benchmark_records(write_records(tmp_path, RECORDS)))["Adult, pairs"])
    of_ours, of_peer, ours, peer = chart.figure.data
    assert (list(ours.x), list(ours.y), list(peer.x)) == ([2.0], [0.02], [200.0])
    assert (ours.error_x.arrayminus[0], ours.error_x.array[0]) == (1.0, 1.0)
    assert (list(of_ours.x), list(of_peer.x)) == ([1.0, 2.0], [0.5, 200.0])
    assert chart.figure.layout.xaxis.type == "log"
    named = {note.text for note in chart.figure.layout.annotations}
    assert named == {"<b>Automatic</b>", "MWEM+PGM"}  # no baseline is as low as the highest error drawn
    (beside,) = (10**note.x for note in chart.figure.layout.annotations if note.text == "<b>Automatic</b>")
    assert beside == pytest.approx(3.0)  # where its bar ends
    assert "MWEM+PGM 200 s (0.50 s once compiled, without imports) and 0.040" in chart.alt
    assert "the error of plain Laplace is 0.050; the error of uniform is 0.90" in chart.alt


def test_names_overlap_neither_each_other_nor_a_line():
    lines, taken = [10.0], []
    for wanted in (9.0, 10.0, 10.0, 11.0, 60.0):
        taken.append(figure._free(wanted, taken, lines))
    assert all(abs(a - b) >= figure.NAME_HEIGHT for i, a in enumerate(taken) for b in taken[:i])
    assert all(abs(place - 10.0) >= figure.LINE_CLEARANCE for place in taken)
    assert taken[-1] == 60.0
