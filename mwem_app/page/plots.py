"""A chart and its title on a page, and a section of a quality report.

Where a page is polled, `plot_in_place` updates a chart in place: `st.plotly_chart` would rebuild it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mwem_app.charts import PLOTLY, Chart, sketch
from mwem_app.page.wording import badge_in_view, plain
from mwem_core.base import CORE

CONFIG = {"displayModeBar": False}  # the mode bar could save a picture of the chart without its badge
SCRIPTS = Path(__file__).with_name("redrawn.js"), PLOTLY  # joined into one module for the browser
_mount = component(
    "mwem_redrawn",
    html='<div class="mwem-redrawn" role="img"></div>',
    css=".mwem-redrawn { font-family: var(--st-font); }",
    js="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
    isolate_styles=False,  # Plotly writes its style sheet into the document; a shadow root would not see it
)
STYLE = (CORE / "release" / "errors.css").read_text(encoding="utf-8")


def title_text(title: str, note: str = "") -> str:
    """Return the title, followed by a note on the numbers, as Markdown. A note that does not fit goes below as one."""
    unbroken = note.replace(" ", "\u00a0")
    return f"**{plain(title)}**" + (f"\u2002 :small[:gray[{unbroken}]]" if note else "")


def plot(chart: Chart, key: str | None = None) -> None:
    """Draw the chart without its title and badge; its alternative text says both what it shows and its badge."""
    spoken = replace(chart, badge=badge_in_view(chart.badge)).spoken
    st.plotly_chart(chart.figure, width="stretch", alt=spoken, config=CONFIG, key=key)


def show_chart(chart: Chart, key: str | None = None) -> None:
    """Draw the chart under its title."""
    with st.container(gap="xsmall"):
        st.markdown(title_text(chart.title, chart.note))
        plot(chart, key)


def show_in_a_row(charts: Sequence[Chart]) -> None:
    """Draw charts beside each other, where the screen is wide enough."""
    grid = st.grid(len(charts), min_column_width=300, gap="medium")
    for chart in charts:
        with grid.cell():
            show_chart(chart)


def plot_in_place(chart: Chart, *, key: str) -> None:
    """Draw the chart, its lines at once. A later call with the same key updates the drawn chart to the new one."""
    if lines := sketch(chart.figure):
        st.html(lines)  # page.css hides it where the chart below it is drawn
    _mount(key=key, data={"figure": chart.figure.to_json(), "alt": chart.alt})


def choose_section(headings: list[str], key: str) -> str:
    """Let the user choose a section of the report."""
    return st.segmented_control(
        "Section of the report", headings, default=headings[0], required=True, label_visibility="collapsed", key=key
    )


def show_section(sections: Mapping[str, str], heading: str) -> None:
    """Show a section of a quality report, as `sections_of` has found it, in the colours of the theme."""
    st.html(f"<style>{STYLE}</style><div class=quality>{sections[heading]}</div>")
