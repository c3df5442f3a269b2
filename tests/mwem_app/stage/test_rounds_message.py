"""What the player sends to the browser."""

import base64
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from mwem_app.stage.rounds_message import Frame, Lines, View, _floats, _packed

ROOT = Path(__file__).parents[3]
# From linear RGB to what a deuteranope sees of it (Machado, Oliveira & Fernandes 2009, severity 1).
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)


def test_arrays_arrive_as_32_bit_floats():
    values = np.array([[0.25, 1e-7], [0.5, 0.125]])
    packed = base64.b64decode(_floats(values))
    assert np.frombuffer(packed, dtype="<f4").tolist() == values.astype("f4").ravel().tolist()
    assert _floats(None) is None


def test_fields_are_json_and_numbers_that_json_lacks_become_none():
    frame = Frame(
        round=1, max=np.float64(0.5), mean=float("nan"), candidates=(("a", 2.0, np.float32(0.25), True),), noise=np.inf
    )
    fields = _packed(frame, estimate="…")
    json.dumps(fields, allow_nan=False)
    assert (fields["max"], fields["mean"], fields["noise"], fields["estimate"]) == (0.5, None, None, "…")
    assert fields["candidates"] == [["a", 2.0, 0.25, True]]


def test_a_frame_without_the_truth_sends_nothing_made_from_the_data():
    fields = _packed(Frame(round=1, residual=0.1, measured="12"), estimate=None)
    assert not any(fields[name] for name in ("max", "mean", "probability", "candidates", "others", "true_cells"))
    assert set(_packed(Lines()).values()) == {None}
    view = View(id="1", title="age", kind="bars", x=["0", "1"])
    assert _packed(view, truth=_floats(view.truth))["truth"] is None


def linear(color: str) -> np.ndarray:
    """Linear RGB of a colour such as "#2B66B1"."""
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """The contrast of WCAG 2, 1 to 21, of two colours in linear RGB."""
    dark, light = sorted(float(color @ (0.2126, 0.7152, 0.0722)) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_select_and_measure_differ_in_lightness_also_without_green_cones(scheme):
    """Without them the two hues are one. WCAG asks that what is no text has a contrast of 3 with what is around it."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"][scheme]
    select, measure = linear(theme["violetColor"]), linear(theme["blueColor"])
    assert contrast(select, measure) > 1.8
    assert contrast(*(np.clip(DEUTERANOPIA @ color, 0, 1) for color in (select, measure))) > 1.8
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert min(contrast(color, linear(ground)) for color in (select, measure)) > 3
