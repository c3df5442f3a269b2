"""Release: declare what is public, set what it may cost, rehearse, and release once. No truth is on this page."""

import streamlit as st

from mwem_app.base import ON_PUBLIC, count
from mwem_app.inputs import OWN
from mwem_app.page import SettingLine, in_sight, problem, show_badge
from mwem_app.release import (
    choose_entry,
    choose_source,
    choose_terms,
    choose_unit,
    describe_cost,
    describe_terms,
    is_released,
    offer_rehearsal,
    offer_release,
    public_total_of,
    running_cost,
    show_history,
    show_release,
)
from mwem_app.session import demo, is_demo, state
from mwem_core.encoding import CountPolicy

PURPOSE = "Make files that **may leave the room**: exact noise, and a ledger of what was spent."

state.enter_by_app()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.markdown(PURPOSE, width="content")
    if st.session_state.get(state.TABLE, st.query_params.get(state.TABLE)) != OWN:
        show_badge(ON_PUBLIC)
terms = entry = account = cost = None
line = SettingLine()
source, workload = choose_source(line)
if source and workload and not isinstance(source.count, CountPolicy):
    try:
        with line.part("unit") as part:
            unit, public_total = choose_unit(source)
            most = f"person, up to {count(unit.records, 'record')}" if unit.column else "record"
            part.says(f"protecting each {most}")
        for name in ("epsilon", "method"):
            line.part(name)  # they stand before the ledger
        with line.part("ledger") as part:
            if is_demo():
                in_sight().info(demo.NO_RELEASE, icon=":material/lock:")
            else:
                entry, account = choose_entry(source, unit)
        dataset = entry.dataset if entry else source.name
        part.says(f"entered as {dataset}" if entry else "no ledger")
        terms = choose_terms(line, source, workload, dataset, unit, public_total=public_total)
        with line.below:
            describe_terms(source, terms)
        if entry:
            cost = running_cost() or describe_cost(entry, account, terms, again=is_released(terms))
    except ValueError as error:
        problem(error)
elif source and workload:
    st.caption("First say what the column is that may hold the number of records of each row.")
with st.container(border=True, key="release"):
    forecast = source and terms and offer_rehearsal(terms, public_total_of(source, terms))
    if terms is None:
        st.caption("First the table, its schema, the questions and what they may cost.")
    if cost or account:
        st.divider()
    if cost:
        st.markdown(str(cost))
    if account:
        show_history(account)
    if entry and entry.unsure:
        st.caption("First say above whose records the table has.")
    elif forecast and source and terms and entry and cost and cost.room:
        offer_release(source, terms, entry, cost)
show_release(terms)
