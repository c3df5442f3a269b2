"""A chart on a page that is polled. `st.plotly_chart` rebuilds a changed chart; this component updates it in place."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mwem_app.charts import PLOTLY, Chart, sketch

SCRIPTS = Path(__file__).with_suffix(".js"), PLOTLY  # joined into one module for the browser
_mount = component(
    "mwem_redrawn",
    html='<div class="mwem-redrawn" role="img"></div>',
    css=".mwem-redrawn { font-family: var(--st-font); }",
    js="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
    isolate_styles=False,  # Plotly writes its style sheet into the document; a shadow root would not see it
)


def redrawn(chart: Chart, *, key: str) -> None:
    """Draw the chart, its lines at once. A later call with the same key updates the drawn chart to the new one."""
    if lines := sketch(chart.figure):
        st.html(lines)  # page.css hides it where the chart below it is drawn
    _mount(key=key, data={"figure": chart.figure.to_json(), "alt": chart.alt})
