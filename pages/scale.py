"""How it scales: what the benchmarks measured, ours beside others, and ours as tables grow."""

import streamlit as st

from ui.figures.benchmarks import error_against_time
from ui.figures.chart import Chart
from ui.figures.growth import growth_panel, seconds_by_attributes
from ui.page.plots import plot, titled
from ui.page.wording import plain, show_badge
from ui.results.benchmark_words import provenance, seeds
from ui.results.benchmarks import PUBLIC, by_attributes, compared, grown, irrelevant, large, load, seconds
from ui.session import state

state.enter_by_app()


def show(chart: Chart, key: str, caption: str) -> None:
    with st.container(gap="xsmall"):
        st.markdown(titled(chart.title))
        plot(chart, key)
        st.caption(caption)


records = load()
rows = compared(records)
attributes, curves, figures = by_attributes(records), grown(records), [*irrelevant(records), *large(records)]
if not (rows or attributes or curves or figures):
    st.info("Nothing has been measured yet: `python benchmarks/run.py T1` begins `benchmarks/results.jsonl`.")
    st.stop()

with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown("What the default preset costs and how it errs, beside other programs and as tables grow.")
    show_badge(PUBLIC)

left, right = st.columns([1.15, 1], gap="large")
if rows:
    with left:
        st.subheader("Beside other programs", anchor=False)
        name = st.segmented_control(
            "Compare on",
            list(rows),
            default=next(iter(rows)),
            required=True,
            key="row",
            bind=state.BIND,
            wrap=True,
            label_visibility="collapsed",
        )
        found = rows[name]
        systems = [found.ours, *found.peers]
        told = [f"{plain(found.title)}. {seeds(systems)}; lower left is better."]
        if found.few:
            told.append("Judged on the marginals of at most 10⁴ cells, as some programs take no larger ones.")
        if warm := [(system.name, system.warm) for system in systems if system.warm is not None]:
            told.append(
                "A whole process counts its imports and, where there is one, its compiler. Hollow: the mechanism alone "
                f"once all is compiled, {seconds(warm[0][1])} for {warm[0][0]}; "
                f"ours alone takes {seconds(found.run)}."
            )
        if found.unfinished:
            told.append(f"Did not finish: {plain('; '.join(found.unfinished))}.")
        show(error_against_time(found), "comparison", f"{' '.join(told)} {plain(provenance(found.records))}.")
if attributes:
    with right:
        st.subheader("Many attributes", anchor=False)
        chart, last = seconds_by_attributes(attributes), attributes[-1]
        told = [
            "Figure 6 of the paper: 100,000 records of d bits, all parities of up to two of them, T = d, ε = 1. "
            f"A whole fresh process each, one seed, {last['peak_mib']:,} MiB at the most; no line shows making the "
            "records and Python's start.",
            f"At d = {last['attributes']:,}, {chart.note}; the model holds {last['cells']:,} cells.",
        ]
        show(chart, "attributes", f"{' '.join(told)} {plain(provenance(attributes))}.")

if curves:
    st.subheader("As one size grows", anchor=False)
    grid = st.grid(4, min_column_width=240)
    for curve in curves:
        with grid.cell():
            chart = growth_panel(curve)
            show(chart, f"growth {curve.name}", plain(f"{curve.of}: {chart.note}"))
    st.caption(
        "Both axes are logarithmic, dotted the fitted power. A point is the median of three fresh processes without "
        f"their start, bars from least to most. {plain(provenance(records['growth'][c.name][0] for c in curves))}."
    )

if figures:
    st.subheader("Irrelevant columns and a large table", anchor=False)
    grid = st.grid(4, min_column_width=200, border=True)
    for label, value, beneath in figures:
        with grid.cell():
            st.metric(label, value)
            st.caption(beneath)
    used = [r for row in ("figure 7", "large table") for some in records.get(row, {}).values() for r in some]
    st.caption(f"Medians. {plain(provenance(used))}.")
