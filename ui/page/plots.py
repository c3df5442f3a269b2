"""A chart on a page, under its title; one that changes while it is looked at is `redrawn`."""

import streamlit as st

from ui.figures.chart import Chart
from ui.page.wording import plain

CONFIG = {"displayModeBar": False}  # no picture of a chart without its badge


def titled(title: str, note: str = "") -> str:
    """The title, and a note on the numbers, in Markdown."""
    return f"**{plain(title)}**" + (f"\u2002:small[:gray[{note}]]" if note else "")


def plot(chart: Chart, key: str | None = None) -> None:
    """The chart without its title."""
    st.plotly_chart(chart.figure, width="stretch", alt=chart.alt, config=CONFIG, key=key)
