"""Release: declare what is public, set what it may cost, rehearse, and release once. No truth is on this page."""

import streamlit as st

from mwem_app.page import problem
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

state.enter_by_app()
st.markdown(
    "Make files that **may leave the room**: exact noise, no look at the truth, and a ledger of what was spent."
)
terms = entry = account = cost = None
with st.container(border=True, key="release_1"):
    st.subheader("1 Declare what is public", anchor=False)
    source, workload = choose_source()
with st.container(border=True, key="release_2"):
    st.subheader("2 Set what it may cost", anchor=False)
    if source is None or workload is None:
        st.caption("First the table, its schema and the questions.")
    elif isinstance(source.count, CountPolicy):
        st.caption("First say in step 1 what the column is that may hold the number of records of each row.")
    else:
        unit_column, budget_column, ledger_column = st.columns(3, gap="medium")
        try:
            with unit_column:
                unit, public_total = choose_unit(source)
            with ledger_column:
                if is_demo():
                    st.info(demo.NO_RELEASE, icon=":material/lock:")
                else:
                    entry, account = choose_entry(source, unit)
            with budget_column:
                dataset = entry.dataset if entry else source.name
                terms = choose_terms(source, workload, dataset, unit, public_total=public_total)
                describe_terms(source, terms)
            if entry:
                cost = running_cost() or describe_cost(entry, account, terms, again=is_released(terms))
        except ValueError as error:
            problem(error)
with st.container(border=True, key="release_3"):
    st.subheader("3 Rehearse, then release", anchor=False)
    forecast = source and terms and offer_rehearsal(terms, public_total_of(source, terms))
    if terms is None:
        st.caption("First what it may cost.")
    if cost or account:
        st.divider()
    if cost:
        st.markdown(str(cost))
    if account:
        show_history(account)
    if entry and entry.unsure:
        st.caption("First say in step 2 whose records the table has.")
    elif forecast and source and terms and entry and cost and cost.room:
        offer_release(source, terms, entry, cost)
show_release(terms)
