"""An experiment on the page: its committed trials, read once per server, the claim, the figure and the verdict."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import streamlit as st

from mwem_app.evidence.paper_charts import panels
from mwem_app.page import plain
from mwem_core.experiments import EXPERIMENTS, Experiment, Frame, Verdict, results

IMAGES = ("SVG", "PNG")
SIGNS: dict[str, tuple[str, Literal["green", "orange", "red"]]] = {
    "holds": (":material/check_circle:", "green"),
    "holds with conditions": (":material/rule:", "orange"),
    "does not hold": (":material/cancel:", "red"),
}


class Outcome(NamedTuple):
    """Trials of an experiment, and what they decide."""

    frame: Frame
    verdict: Verdict


@st.cache_resource(show_spinner=False)
def committed(name: str) -> Outcome | None:
    """The committed trials of an experiment; None where they did not come with the program."""
    frame = results.committed(name)
    return None if frame is None else Outcome(frame, EXPERIMENTS[name].verdict(frame))


def show_overview(verdicts: Mapping[str, Verdict]) -> None:
    """The titles of the claims that hold, of those that hold with conditions, and of those that do not."""
    with st.container(gap="xsmall"):
        for holds, (icon, color) in SIGNS.items():
            titles = [title for title, verdict in verdicts.items() if verdict.holds == holds]
            if titles:
                words = f"{holds[0].upper()}{holds[1:]}"
                st.markdown(f":{color}[{icon}] **{words}** ({len(titles)}): {plain(', '.join(titles))}")


def show_claim(experiment: Experiment, verdict: Verdict) -> None:
    """The claim with its conditions, and what became of it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(experiment.title, anchor=False, width="content")
        icon, color = SIGNS[verdict.holds]
        st.badge(verdict.holds, icon=icon, color=color)
    st.markdown(f"**Claim.** {plain(experiment.claim)}")
    st.markdown(f"**Conditions.** {plain(experiment.conditions)}")


def show_figure(experiment: Experiment, outcome: Outcome, key: str = "") -> None:
    """The reader's choices, and a chart per panel that saves itself as a picture.

    `key` tells figures of one experiment on one page apart.
    """
    options = {}
    with st.container(horizontal=True):
        for name, every in experiment.choices.items():
            options[name] = st.segmented_control(
                name.capitalize(),
                every,
                default=every[0],
                required=True,
                key=f"_{experiment.name} {name} {key}",
            )
        st.space("stretch")
        image = st.segmented_control("Charts save as", IMAGES, default=IMAGES[0], required=True, key=f"_image {key}")
    plot = experiment.figure(outcome.frame, **options)
    grid = st.grid(2, min_column_width=340)
    for chart in panels(plot, experiment.short_title):
        with grid.cell():
            name = f"{experiment.name} {chart.title}".replace(" ", "-").replace("×", "x")
            save = {"format": image.lower(), "filename": name, "width": 800, "height": 500, "scale": 2}
            config = {"modeBarButtons": [["toImage"]], "displaylogo": False, "toImageButtonOptions": save}
            st.plotly_chart(
                chart.figure, theme=None, width="stretch", alt=chart.spoken, config=config, key=f"{name} {image} {key}"
            )
    shaded = f" Shaded: {plot.band}." if plot.band else ""
    st.caption(f"{plot.y_title[0].upper()}{plot.y_title[1:]}.{shaded} {plain(_origin(outcome))}")


def show_verdict(experiment: Experiment, verdict: Verdict) -> None:
    """The rule and when it was written, the numbers that decide, and what would flip them."""
    history = f" *{plain(experiment.history)}*" if experiment.history else ""
    st.markdown(f"**{experiment.rule_title}.** {plain(experiment.rule)}{history}")
    st.markdown(f"**Verdict: {verdict.holds}.** {plain(verdict.numbers)}")
    st.markdown(f"**What would flip it.** {plain(verdict.flips)}")


def _origin(outcome: Outcome) -> str:
    about = outcome.frame.attrs
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return f"{len(outcome.frame):,} trials and bounds of {about['day']}, by {versions}."
