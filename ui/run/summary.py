"""The result of a run in one row of figures, each beside a baseline, and the budget it has spent."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.inputs.data import Data
from ui.page.wording import plain, show_badge
from ui.results.baselines import direct
from ui.session import state
from ui.session.runner import Plan, Runner
from ui.words.badges import PRIVATE, run_badge
from ui.words.numbers import count, percent, records, share


def show_ledger(data: Data | None, place: DeltaGenerator) -> None:
    """Show the total ε of this session's runs on the table."""
    spent = state.epsilon_by_run(data.source) if data else {}
    if spent:
        runs = count(len(spent), "run")
        place.caption(
            f"{runs} on this table so far: **ε = {sum(spent.values()):.3g} in all**",
            help="Privacy losses on the same data add up: this is the total for someone who sees all results.",
        )


def show_summary(run: Runner, plan: Plan | None, *, show_truth: bool) -> None:
    """Show the run's settings, and the errors of its last model beside two baselines: uniform and plain Laplace."""
    st.subheader("Result", anchor=False)
    st.caption(_settings_line(run))
    if plan is not None and not plan.same_as(run.plan):
        st.caption(":material/info: The settings above have changed since this run. Run again to see their effect.")
    show_badge(PRIVATE if show_truth else run_badge(state.ended_run(run)))
    grid = st.grid(4, min_column_width=150, border=True)
    for name, value, baselines, explanation in _figures(run, show_truth=show_truth):
        with grid.cell():
            st.metric(name, value, help=explanation or None)
            st.caption(baselines)
    if show_truth and (verdict := _verdict(run)):
        st.markdown(verdict)


def _settings_line(run: Runner) -> str:
    plan, rounds = run.plan, len(run.steps) - 1
    seed = "no seed" if plan.seed is None else f"seed {plan.seed}"
    delta = f", δ = {plan.settings.delta:g}" if plan.settings.delta else ""
    ended = {"done": "", "stopped": " before it was stopped", "failed": " before it failed"}[run.status]
    return (
        f"{plain(plan.workload.name)} of {plain(plan.table)} · ε = {plan.settings.epsilon:g}{delta} · "
        f"{count(rounds, 'round')}{ended} · preset {plan.preset} · {seed}"
    )


Figure = tuple[str, str, str, str]  # name, value, baselines, explanation


def _figures(run: Runner, *, show_truth: bool) -> list[Figure]:
    return [*(_errors(run) if show_truth else _residuals(run)), _spent(run)]


def _errors(run: Runner) -> list[Figure]:
    plan, start, end = run.plan, run.steps[0].errors, run.steps[-1].errors
    n, workload = plan.records.total, plan.workload
    laplace_mean, laplace_max = direct(plan)

    def baselines(uniform: float, laplace: float) -> str:
        return f"uniform {share(uniform)}  \nplain Laplace {share(laplace)}"

    if end.mean_tv is not None and start.mean_tv is not None:
        laplace_tv = laplace_mean * workload.size / workload.parts / 2
        meaning = (
            "Total variation, 0 to 1: the share of records to move until a marginal is exact. The mean over all "
            "marginals. That of noisy answers, which are not a distribution, can exceed 1."
        )
        above_1 = ": noisy answers are not a distribution, so this can exceed 1" if laplace_tv > 1 else ""
        figures = [("Mean TV", share(end.mean_tv), baselines(start.mean_tv, laplace_tv) + above_1, meaning)]
    else:
        squared = f"uniform {records(start.mean_squared_error)}"
        figures = [
            ("Mean squared error, records²", records(end.mean_squared_error), squared, "The mean over all queries.")
        ]
    for name, value, uniform, laplace in (
        ("Mean error", end.mean_error, start.mean_error, laplace_mean),
        ("Max error", end.max_error, start.max_error, laplace_max),
    ):
        meaning = f"Error of one answer as a share of n = {n:,}; in records {records(value * n)}."
        figures.append((f"{name}, share of n", share(value), baselines(uniform, laplace), meaning))
    return figures


def _residuals(run: Runner) -> list[Figure]:
    """Figures that need no truth: how far the last measurement was from the model, beside its noise."""
    last, n = run.steps[-1].round, run.plan.records.total
    if last.measurement is None:
        return [("Surprise", "–", "nothing was measured", ""), ("Moved", "–", "", ""), ("Records", f"{n:,}", "", "")]
    noise = last.expected_noise
    surprise = "Distance between the last measurement and the model before it. If it is close to the noise, more "
    surprise += "rounds teach little."
    moved = "How far the last round moved the model's answer to the query it measured."
    return [
        ("Last surprise, share of n", share(last.residual / n), f"noise alone {share(noise / n)}", surprise),
        ("Last move, share of n", share(last.moved / n), "of the measured answer", moved),
        ("Records", f"{n:,}", "n is public", "The paper takes the number of records as public."),
    ]


def _spent(run: Runner) -> Figure:
    last = run.steps[-1].round.ledger
    spent, budget = run.as_run().epsilon_spent, run.plan.settings.epsilon
    select = last.select / last.spent if last.spent else 0.0
    split = f"of {budget:g}  \n{percent(select)} to select, {percent(1 - select)} to measure" if spent else "of 0"
    return (
        "Spent, ε",
        f"{spent:.3g}",
        split,
        "The privacy loss of the run: a bound on what its result reveals about one record.",
    )


def _verdict(run: Runner) -> str:
    """Say so if a baseline beats MWEM, which is common on small data with a small ε; else an empty string."""
    laplace, _ = direct(run.plan)
    mwem, uniform = run.steps[-1].errors.mean_error, run.steps[0].errors.mean_error
    if len(run.steps) == 1 or mwem <= min(laplace, uniform):
        return ""
    if uniform <= laplace:
        return (
            "Here **uniform (reads no data) does better**: the noise outweighs what MWEM learned. "
            "Use more records, a larger ε or fewer rounds."
        )
    queries = count(run.plan.workload.size, "query", "queries")
    return (
        f"Here **plain Laplace noise on every query does better**: {queries} at this ε need no selection. "
        "MWEM is better for more queries or a smaller ε."
    )
