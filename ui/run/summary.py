"""A finished run in one line: each figure with its scale and what to compare it with, and what it has cost."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.inputs.data import Data
from ui.page.wording import plain, show_badge
from ui.results.baselines import direct
from ui.session import state
from ui.session.runner import Plan, Runner
from ui.words.badges import PRIVATE, chart_badge
from ui.words.numbers import count, percent, records, share


def show_ledger(data: Data | None, place: DeltaGenerator) -> None:
    """What this session's runs asked of the table so far: it adds up."""
    asked = state.epsilon_by_run(data.source) if data else {}
    if asked:
        runs = count(len(asked), "run")
        place.caption(
            f"{runs} on this table so far: **ε = {sum(asked.values()):.3g} in all**",
            help="Runs on the same data add up: whoever sees the outcome of all of them has seen this much.",
        )


def show_summary(run: Runner, plan: Plan | None, *, show_truth: bool) -> None:
    """How good the run's last model is, beside what costs nothing and what is simplest; and what was asked for."""
    st.subheader("What came of it", anchor=False)
    st.caption(_asked_for(run))
    if plan is not None and not plan.same_as(run.plan):
        st.caption(":material/info: The settings above have changed since: run again to see what they do.")
    show_badge(PRIVATE if show_truth else chart_badge(run.as_run()))
    grid = st.grid(4, min_column_width=150, border=True)
    for name, value, beneath, why in _figures(run, show_truth=show_truth):
        with grid.cell():
            st.metric(name, value, help=why or None)
            st.caption(beneath)
    if show_truth and (verdict := _verdict(run)):
        st.markdown(verdict)


def _asked_for(run: Runner) -> str:
    plan, made = run.plan, len(run.steps) - 1
    seed = "no seed" if plan.seed is None else f"seed {plan.seed}"
    delta = f", δ = {plan.settings.delta:g}" if plan.settings.delta else ""
    ended = {"done": "", "stopped": " before it was stopped", "failed": " before it failed"}[run.status]
    return (
        f"{plain(plan.workload.name)} of {plain(plan.table)} · ε = {plan.settings.epsilon:g}{delta} · "
        f"{count(made, 'round')}{ended} · preset {plan.preset} · {seed}"
    )


Figure = tuple[str, str, str, str]  # name, value, what to compare it with, what it is


def _figures(run: Runner, *, show_truth: bool) -> list[Figure]:
    return [*(_errors(run) if show_truth else _residuals(run)), _spent(run)]


def _errors(run: Runner) -> list[Figure]:
    plan, start, end = run.plan, run.steps[0].errors, run.steps[-1].errors
    n, workload = plan.records.total, plan.workload
    mean, largest = direct(plan)

    def beside(uniform: float, laplace: float) -> str:
        return f"uniform {share(uniform)}  \nplain Laplace {share(laplace)}"

    if end.mean_tv is not None and start.mean_tv is not None:
        laplace = mean * workload.size / workload.parts / 2
        why = "Total variation: the share of records that would have to move to make a table right; the mean over all."
        figures = [("Mean TV", share(end.mean_tv), beside(start.mean_tv, laplace), why)]
    else:
        squared = f"uniform {records(start.mean_squared_error)}"
        figures = [("Mean squared error, records²", records(end.mean_squared_error), squared, "Per query.")]
    for name, value, uniform, laplace in (
        ("Mean error", end.mean_error, start.mean_error, mean),
        ("Max error", end.max_error, start.max_error, largest),
    ):
        why = f"Of one answer, as a share of the {n:,} records: here {records(value * n)} records."
        figures.append((f"{name}, share of n", share(value), beside(uniform, laplace), why))
    return figures


def _residuals(run: Runner) -> list[Figure]:
    """What may be shown without the truth: how far the noisy answers were from the model, beside the noise."""
    made, n = run.steps[-1].round, run.plan.records.total
    if made.measurement is None:
        return [("Surprise", "–", "nothing was measured", ""), ("Moved", "–", "", ""), ("Records", f"{n:,}", "", "")]
    noise = made.expected_noise
    why = "How far the last noisy answer was from the model before it. Near the noise, more rounds teach little."
    moved = "Of the model's answer to the question just measured."
    return [
        ("Last surprise, share of n", share(made.residual / n), f"noise alone {share(noise / n)}", why),
        ("Last move, share of n", share(made.moved / n), "of the answer just measured", moved),
        ("Records", f"{n:,}", "the total is taken as public", "As in the paper."),
    ]


def _spent(run: Runner) -> Figure:
    last = run.steps[-1].round.ledger
    spent, asked = run.as_run().epsilon_spent, run.plan.settings.epsilon
    select = last.select / last.spent if last.spent else 0.0
    beneath = f"of {asked:g}  \n{percent(select)} to select, {percent(1 - select)} to measure" if spent else "of 0"
    return ("Spent, ε", f"{spent:.3g}", beneath, "What whoever sees the outcome can have learned about one record.")


def _verdict(run: Runner) -> str:
    """Who is best, said aloud where it is not MWEM: on small data at a small ε it often is not."""
    mean, _ = direct(run.plan)
    ours, uniform = run.steps[-1].errors.mean_error, run.steps[0].errors.mean_error
    if len(run.steps) == 1 or ours <= min(mean, uniform):
        return ""
    if uniform <= mean:
        return (
            "Here **knowing nothing does better**: the noise outweighs what was learned. "
            "More records, a larger ε or fewer rounds would help."
        )
    few = count(run.plan.workload.size, "query", "queries")
    return (
        f"Here **asking everything at once does better**: {few} at this ε need no selection. "
        "MWEM pays off where there are more questions, or ε is smaller."
    )
