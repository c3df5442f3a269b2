"""Charts with values beyond the ends of an axis: none is drawn at an end as if it lay there."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED

from mwem_app.charts.drawing import PIECES, PLOTLY
from mwem_app.course import strips

VALUES = [-90.0, -31.0, 0.0, 4.0, 5.0, 40.0]  # on an axis from -10 to 10: two lie below it, and one above


@pytest.fixture
def drawn(chromium):
    """The markup that a chart of the pieces makes."""
    page = chromium.new_page()
    script = "".join((PIECES / name).read_text(encoding="utf-8") for name in ("build.js", "charts.js"))
    script = script.replace("export default ", "")
    yield lambda code: page.evaluate(f"() => {{ {script}\n{code}\nreturn chart.element.outerHTML; }}")
    page.close()


@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_dots_beyond_the_axis_are_counted_at_its_ends(drawn):
    shown = drawn(
        f'const chart = dots({{ label: "", x: "" }}); chart.show([{{ name: "a", values: {VALUES} }}], [-10, 10]);'
    )
    assert shown.count("<circle") == 3
    assert "← 2 more" in shown
    assert "1 more →" in shown
    shown = drawn(
        f'const chart = dots({{ label: "", x: "" }}); chart.show([{{ name: "a", values: {VALUES} }}], [-99, 99]);'
    )
    assert shown.count("<circle") == len(VALUES)
    assert "more" not in shown


@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_what_leaves_the_range_is_cut_off(drawn):
    code = (
        'const chart = plot({ label: "", x: "", y: "", height: 300 });'
        "chart.show([{ points: [[0, 5], [1, 50]] }, { points: [[0, 5], [0.5, 99], [1, -9]], spots: true }],"
        "{ xs: [0, 1], ys: [0, 10] });"
    )
    shown = drawn(code)
    line = shown.split('class="line"')[1].split(' d="')[1].split('"')[0]
    assert float(line.split(" ")[-1]) < 0  # far above the frame
    frame = re.search(r'<clipPath id="([\w-]+)"><rect y="(\d+)" width="\d+" height="(\d+)"', shown)
    assert frame
    name, top, height = frame[1], int(frame[2]), int(frame[3])
    assert "<path" not in shown.split(f'clip-path="url(#{name})"')[0]
    places = [float(each) for each in re.findall(r'cy="([-\d.]+)"', shown)]
    assert [top <= each <= top + height for each in places] == [True, False, False]


def test_dots_on_paper_beyond_the_axis_are_counted_at_its_ends():
    values = np.array(VALUES)
    shown = strips({"a": values}, -10, 10, title="", label="")
    assert shown.count("<circle") == 3
    assert "← 2 more" in shown
    assert "1 more →" in shown
    assert "more" not in strips({"a": values}, -99, 99, title="", label="")
    assert "3 more →" in strips({"a": np.full(3, 11.0)}, -10, 10, title="", label="")


def test_the_served_plotly_is_the_named_version_of_the_cartesian_bundle():
    name = re.search(r'"\./app/static/(plotly-cartesian-(.+)\.min\.js\.gz)"', PLOTLY.read_text())
    assert name is not None
    script = gzip.decompress((Path(__file__).parents[3] / "static" / name[1]).read_bytes())
    assert f"plotly.js (cartesian - minified) v{name[2]}\n".encode() in script[:200]
    assert b"MIT license" in script[:200]
