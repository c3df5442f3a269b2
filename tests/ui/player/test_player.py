"""What the player sends to the browser."""

import base64
import gzip
import json
import re
from pathlib import Path

import numpy as np

from ui import player
from ui.player import Frame, Lines, View

ROOT = Path(__file__).parents[3]


def test_arrays_arrive_as_32_bit_floats():
    values = np.array([[0.25, 1e-7], [0.5, 0.125]])
    packed = base64.b64decode(player._floats(values))
    assert np.frombuffer(packed, dtype="<f4").tolist() == values.astype("f4").ravel().tolist()
    assert player._floats(None) is None


def test_fields_are_json_and_numbers_that_json_lacks_become_none():
    frame = Frame(
        round=1, max=np.float64(0.5), mean=float("nan"), candidates=(("a", 2.0, np.float32(0.25), True),), noise=np.inf
    )
    fields = player._packed(frame, estimate="…")
    json.dumps(fields, allow_nan=False)
    assert (fields["max"], fields["mean"], fields["noise"], fields["estimate"]) == (0.5, None, None, "…")
    assert fields["candidates"] == [["a", 2.0, 0.25, True]]


def test_a_frame_without_the_truth_sends_nothing_made_from_the_data():
    fields = player._packed(Frame(round=1, residual=0.1, measured="12"), estimate=None)
    assert not any(fields[name] for name in ("max", "mean", "probability", "candidates", "others", "true_cells"))
    assert set(player._packed(Lines()).values()) == {None}
    view = View(id="1", title="age", kind="bars", x=["0", "1"])
    assert player._packed(view, truth=player._floats(view.truth))["truth"] is None


def test_the_served_plotly_is_the_named_version_of_the_cartesian_bundle():
    name = re.search(r'"\./app/static/(plotly-cartesian-(.+)\.min\.js\.gz)"', (player.HERE / "plotly.js").read_text())
    assert name is not None
    script = gzip.decompress((ROOT / "static" / name[1]).read_bytes())
    assert f"plotly.js (cartesian - minified) v{name[2]}\n".encode() in script[:200]
    assert b"MIT license" in script[:200]
