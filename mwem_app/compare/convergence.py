"""Why it works: a hundred rounds on exact answers, beside the error bound and the potential that proves it."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from mwem_app.base import PRIVATE, share
from mwem_app.charts import BLUE, GREY, RED, Chart, log_axis, on_paper
from mwem_app.inputs import Data
from mwem_app.page import section, show_in_a_row
from mwem_app.session import MAX_INTERACTIVE_CELLS, state
from mwem_core.judge import Course, course
from mwem_core.relatives import Weights
from mwem_core.workload import Workload

COURSE_HEIGHT = 320


def error_and_bound(course: Course) -> Chart:
    """Max error of the average of the models, which the bound is about, and of the last model, in shares of n."""
    rounds = np.arange(1, len(course.average_error) + 1)
    traces = [
        _line(rounds, course.average_error, "average of the models", RED),
        _line(rounds, course.last_error, "last model", BLUE),
        _line(rounds, course.error_bound, "bound on the average", GREY, dash="dash"),
    ]
    alt = (
        f"Largest error after {len(rounds)} rounds, share of n: average of the models "
        f"{share(course.average_error[-1])}, last model {share(course.last_error[-1])}; the bound on the average is "
        f"{share(course.error_bound[-1])}."
    )
    y_axis = log_axis([*course.average_error, *course.last_error, *course.error_bound])
    y_axis |= {"title": {"text": "share of n (log scale)"}}
    return _chart("Largest error by round", traces, y_axis, alt)


def potential_and_bound(course: Course) -> Chart:
    """The potential Ψ_i, a relative entropy in nats, and its upper bound: Ψ_0 less the drop that each error forces."""
    rounds = np.arange(len(course.potential))
    traces = [
        _line(rounds, course.potential, "relative entropy", BLUE),
        _line(rounds, course.potential_bound, "upper bound", GREY, dash="dash"),
    ]
    alt = (
        f"Relative entropy of the truth to the model, in nats: {course.potential[0]:.2f} at the start, "
        f"{course.potential[-1]:.2f} after {len(rounds) - 1} rounds; the upper bound is "
        f"{course.potential_bound[-1]:.2f}."
    )
    y_axis = {"range": [0, 1.05 * course.potential[0]], "title": {"text": "nats"}}
    return _chart("Potential by round", traces, y_axis, alt)


def _line(x: np.ndarray, y: np.ndarray, name: str, color: str, dash: str = "solid") -> go.Scatter:
    line = {"color": color, "dash": dash, "width": 2.5 if dash == "solid" else 1.5}
    tip = "%{fullData.name} %{y:,.3~g}<extra></extra>"
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hovertemplate=tip)


def _chart(title: str, traces: list[go.Scatter], y_axis: dict[str, Any], alt: str) -> Chart:
    rounds = {"title": {"text": "round", "standoff": 6}, "tickformat": "d"}
    figure = on_paper(traces, height=COURSE_HEIGHT, hovermode="x unified", xaxis=rounds, yaxis=y_axis)
    return Chart(title, PRIVATE, figure, alt)


def show_course(data: Data, workload: Workload) -> None:
    """A hundred rounds on exact answers, beside the error bound and the potential that proves it. NOT private."""
    if workload.cells > MAX_INTERACTIVE_CELLS:
        return
    section("Why it works: multiplicative weights without noise", PRIVATE)
    key = data.source, workload.domain, workload.spec
    with st.spinner("Running a hundred rounds on exact answers …"):
        rounds = state.remember("course", key, lambda: course(Weights(), data.records, workload))
    show_in_a_row([error_and_bound(rounds), potential_and_bound(rounds)])
    st.caption(
        "The relative entropy of the truth to the model is at most ln|D| at the start and never negative. Each round "
        "reduces it by at least (largest error / 2)², with the error as a share of n. So the error cannot stay large: "
        "that of the average of T models is at most 2√(ln|D| / T). MWEM's error is larger because of its noise."
    )
