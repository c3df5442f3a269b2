"""A chart and its title on a page. `redrawn` draws a chart that changes while the page is open."""

import streamlit as st

from mwem_app.charts import Chart
from mwem_app.page.wording import plain

CONFIG = {"displayModeBar": False}  # the mode bar could save a picture of the chart without its badge


def titled(title: str, note: str = "") -> str:
    """Return the title, followed by a note on the numbers, as Markdown. A note that does not fit goes below as one."""
    unbroken = note.replace(" ", "\u00a0")
    return f"**{plain(title)}**" + (f"\u2002 :small[:gray[{unbroken}]]" if note else "")


def plot(chart: Chart, key: str | None = None) -> None:
    """Draw the chart without its title and badge; its alternative text says both what it shows and its badge."""
    st.plotly_chart(chart.figure, width="stretch", alt=chart.spoken, config=CONFIG, key=key)
