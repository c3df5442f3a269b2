"""Step 3, first: the same terms on simulated data, so that the budget is spent once and well."""

from functools import partial

import pandas as pd
import streamlit as st

from mwem_app.base import ON_PUBLIC, SIMULATION, percent, records, share
from mwem_app.inputs import MAX_UPLOAD_BYTES, TYPES
from mwem_app.page import count_work, follow_task, may_start, plain, problem, show_badge, upload_file
from mwem_app.release.terms_choice import describe_forecast
from mwem_app.session import Task, demo, is_demo, state, turns
from mwem_core.domain import Domain, Records
from mwem_core.encoding import encode
from mwem_core.release import (
    RUNS,
    QuestionForecast,
    Rehearsal,
    Terms,
    forecast,
    likely_tables,
    rehearse,
    simulated_tables,
)
from mwem_core.tables import read_table

SIMULATED_TABLES, PUBLIC_TABLE = "Simulated", "A public table"
FILE, FORECAST = "_rehearsal_file", "_release_forecast"
DEFAULT_RECORDS = 10_000
WHAT_IT_IS = (
    "The same settings on tables that hold nobody's data. Nothing is spent, and no record of yours is read: compare "
    "questions and budgets here, then release once."
)
SHARES = "Errors are shares of the table's records."
EVEN_AND_UNEVEN = (
    "Even: every cell is equally likely, which is easier than real tables. Uneven: a fixed random model, in which some "
    "values are rare and depend on each other, which is harder."
)
NAMES = {"uniform records": "even", "dependent records": "uneven"}


def offer_rehearsal(terms: Terms, n: int | None) -> bool:
    """Let the user rehearse, and show the errors of the last rehearsal; n is the number of records, where it is public.

    Returns whether the page has said which of the declared questions the release will answer.
    """
    st.caption(WHAT_IT_IS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control(
            "On", [SIMULATED_TABLES, PUBLIC_TABLE], default=SIMULATED_TABLES, required=True, key="_rehearsal_kind"
        )
        if kind == SIMULATED_TABLES:
            most = demo.MOST_RECORDS if is_demo() else 10**6
            about = st.number_input(
                "Records, about",
                10,
                most,
                value=state.follow("_rehearsal_records", min(max(n or DEFAULT_RECORDS, 10), most)),
                key="_rehearsal_records",
                width=150,
                help="A number that you know without the table. More records mean smaller errors.",
            )
            tables = _simulated_tables(terms.domain, int(about))
        else:
            tables = _public_table(terms.domain, terms.count_column)
        chosen = terms, max((B.total for B in tables.values()), default=0)
        work: Task[dict[str, Rehearsal]] | None = st.session_state.get(state.REHEARSAL)
        running = work is not None and work.active
        label, able = "Rehearsing" if running else "Rehearse", bool(tables) and not running
        pressed = st.button(label, icon=":material/science:", disabled=not able, key="_rehearse")
    if pressed and may_start(turns.RUNS):
        work = Task("rehearsal", chosen, lambda: {name: rehearse(terms, B) for name, B in tables.items()})
        st.session_state[state.REHEARSAL] = work
        count_work(work)
        st.rerun()
    if tables:
        try:
            describe_forecast(terms, max(1, next(iter(tables.values())).total))
        except ValueError as error:
            problem(error)
    if work is not None:
        follow_task(work, partial(_show, work, chosen), "It takes a few seconds.")
    if not terms.questions:
        return True
    public = () if kind == SIMULATED_TABLES else tuple(tables.values())
    about = next((B.total for B in tables.values()), n or DEFAULT_RECORDS)
    key, answers = (terms, about, *map(id, public)), st.session_state.get(FORECAST)
    if answers is None or answers.key != key:
        if not may_start(turns.RUNS):
            return True

        def ask() -> tuple[QuestionForecast, ...]:
            return forecast(terms, public or likely_tables(terms.domain, int(about)))

        answers = st.session_state[FORECAST] = Task("forecast", key, ask)
        count_work(answers)
    follow_task(answers, _show_forecast, "A forecast for your questions takes a few seconds.")
    return not answers.active


def _show_forecast(forecasts: tuple[QuestionForecast, ...]) -> None:
    """Say of each declared question whether it will be answered, and how wide."""
    st.markdown("\n".join(f"- {plain(str(each))}" for each in forecasts))
    st.caption("A forecast from public facts: no record of yours is read. How even groups are is not among them.")


def _simulated_tables(domain: Domain, n: int) -> dict[str, Records]:
    tables: dict[str, Records] = state.remember("simulated", (domain, n), lambda: simulated_tables(domain, n))
    return {NAMES[name]: table for name, table in tables.items()}


def _public_table(domain: Domain, count: str | None) -> dict[str, Records]:
    file = upload_file("A public table with the same columns", type=TYPES, key=FILE)
    if file is None:
        return {}
    try:
        table = read_table(file.getvalue(), name=file.name, max_bytes=MAX_UPLOAD_BYTES)
        own = count if count in table.column_names else None
        key = file.file_id, domain, own
        return {file.name: state.remember("public", key, lambda: encode(table, domain, count=own))}
    except ValueError as error:
        problem(error)
        return {}


def _show(work: Task, chosen: tuple[Terms, int], rehearsals: dict[str, Rehearsal]) -> None:
    rehearsed, n = work.key  # type: ignore[misc] # as `offer_rehearsal` has made it
    if work.key != chosen:
        of = f"This rehearsal is of {n:,} records at ε = {rehearsed.epsilon:g}."
        st.caption(f":material/history: {of} Press **Rehearse** for the settings above.")
    simulated_tables = set(rehearsals) <= set(NAMES.values())
    show_badge(SIMULATION if simulated_tables else ON_PUBLIC)
    columns = {name: _column(rehearsal, rehearsed.method.title) for name, rehearsal in rehearsals.items()}
    metrics = list(next(iter(columns.values())))
    table = pd.DataFrame(
        [[metric, *(column[metric] for column in columns.values())] for metric in metrics],
        columns=[f"means over {RUNS} runs", *map(plain, columns)],
    )
    place = st.container(key="rehearsal" if work.key == chosen else "stale_rehearsal")
    place.table(table, border="horizontal", hide_index=True, alt="Errors of the rehearsal", width="content")
    st.caption(f"{SHARES} {EVEN_AND_UNEVEN}" if simulated_tables else SHARES)


def _column(rehearsal: Rehearsal, method: str) -> dict[str, str]:
    tv = {} if rehearsal.mean_tv is None else {"mean total variation": share(rehearsal.mean_tv)}
    askable, pairs = rehearsal.pairs
    return {
        method: plain(rehearsal.ran),
        **tv,
        **{f"{plain(part.name)}: {part.metric}": share(part.error) for part in rehearsal.parts},
        "mean error of an answer": percent(rehearsal.mean_error),
        "largest error of an answer": percent(rehearsal.max_error),
        "usual 95% interval, in records": f"±{records(rehearsal.width / 2)}",
        "plain Laplace on every query": f"±{records(rehearsal.laplace_width / 2)}",
        "answers that were measured": f"{rehearsal.measured:.0%}",
        **({"pairs of attributes that can be asked": f"{askable:,} of {pairs:,}"} if pairs else {}),
    }
