"""The result of a run in one row of figures, each with its unit and baselines, and the budget it has spent."""

import math

import pandas as pd
import streamlit as st

from mwem_app.base import PRIVATE, count, percent, records, run_badge, share
from mwem_app.inputs import Data
from mwem_app.page import plain, section
from mwem_app.run.inside_round import measured_once, turn
from mwem_app.run.round_frames import direct, direct_squared
from mwem_app.run.run_charts import errors_of_parts
from mwem_app.session import Plan, Runner, state
from mwem_core.automatic import public_start, run_in_words
from mwem_core.model import LogLinear
from mwem_core.systems import SYSTEMS

TV_UNIT = "total variation, 0 to 1"
BASELINES = (
    "Baselines: **uniform** spreads n records evenly over all cells and reads no data. **Plain Laplace** adds noise to "
    "every query, at the same ε and δ."
)


def show_ledger(data: Data) -> None:
    """Show the total ε of this session's runs on the table, if there are any."""
    if spent := state.epsilon_by_run(data.source):
        st.caption(
            f"**ε = {sum(spent.values()):.3g}** spent in {count(len(spent), 'run')}",
            help="Privacy losses on the same data add up: this is the total for someone who sees all results.",
        )


def show_summary(run: Runner, plan: Plan | None, beside: Runner | None, *, show_truth: bool) -> None:
    """Show the run's settings, and the errors of its last model beside two baselines: uniform and plain Laplace.

    And those of what ran `beside` it on the same table.
    """
    section("Result", PRIVATE if show_truth else run_badge(state.ended_run(run)))
    st.caption(_settings_line(run))
    show_stale(run, plan, key="stale_result")
    grid = st.grid(4, min_column_width=150, border=True)
    for name, value, lines, explanation in [*(_errors(run) if show_truth else _residuals(run)), _spending(run)]:
        with grid.cell():
            st.metric(name, value, help=explanation or None)
            st.caption("  \n".join(lines))
    if beside is not None:  # what two methods did on the same table
        columns = {SYSTEMS[each.plan.system].title: _column(each, show_truth=show_truth) for each in (run, beside)}
        names = list(next(iter(columns.values())))
        rows = [[name, *(column[name] for column in columns.values())] for name in names]
        table = pd.DataFrame(rows, columns=["on the same table", *columns])
        st.table(table, border="horizontal", hide_index=True, alt="Both methods on the same table", width="content")
    if show_truth:
        _show_parts(run)
        if verdict := _verdict(run):
            st.markdown(verdict)
        st.caption(BASELINES)


def show_stale(run: Runner, plan: Plan | None, key: str) -> bool:
    """Say what a result is of, where the settings are other ones by now; the style sheet dims it. Returns whether."""
    if plan is not None and plan.same_as(run.plan):
        return False
    of, other = (each.guarantee.epsilon if each else 0.0 for each in (run.plan, plan))
    press = f"Press **Run** for {f'ε = {other:g}' if other not in (of, 0.0) else 'the settings above'}."
    result = f"This result is of {plain(run.plan.table)} at ε = {of:g}."
    st.container(key=key).caption(f":material/history: {result} {press}")
    return True


def choose_result(run: Runner, beside: Runner | None) -> Runner:
    """Let the user choose whose rows and files to see: first what is expected to err less, Automatic."""
    if beside is None:
        return run
    by_title = {SYSTEMS[each.plan.system].title: each for each in (beside, run)}
    title = st.segmented_control(
        "Rows and files of", list(by_title), default=next(iter(by_title)), required=True, key="_result_of"
    )
    return by_title[str(title)]


def _column(run: Runner, *, show_truth: bool) -> dict[str, str]:
    plan, errors, n = run.plan, run.steps[-1].errors, run.plan.records.total
    found = {"what it did": run_in_words(plan.settings, plan.workload, n)}
    if show_truth:
        if errors.mean_tv is not None:
            found["mean total variation"] = share(errors.mean_tv)
        found["mean error, records off per answer"] = records(errors.mean_error * n)
        found["largest error, records off"] = records(errors.max_error * n)
    return found | {"ε spent": f"{run.as_run().epsilon_spent:.3g}"}


def _show_parts(run: Runner) -> None:
    """The errors of each part of a mixed workload, beside the uniform table's."""
    Q, records, model = run.plan.workload, run.plan.records, run.steps[-1].round.model
    if not Q.terms:
        return

    def found() -> dict[str, dict[str, str]]:
        n = float(records.total)
        uniform = Q.answers(LogLinear.uniform(Q.domain.shape, n, Q.domain.possible))
        sources = {"released answers": (Q.answers(model), model.total), "uniform, no data used": (uniform, n)}
        return errors_of_parts(Q, sources, Q.answers(records), n)

    rows = state.remember("errors by part", (run.id, len(run.steps)), found)
    table = pd.DataFrame([[plain(part), *cells.values()] for part, cells in rows.items()])
    table.columns = ["error by part", *next(iter(rows.values()))]
    st.table(table, border="horizontal", hide_index=True, alt="Errors of each part of the workload")


def _settings_line(run: Runner) -> str:
    plan, rounds = run.plan, len(run.steps) - 1
    once = measured_once(plan)
    seed = "no seed" if plan.seed is None else f"seed {plan.seed}"
    delta = f", δ = {plan.guarantee.delta:g}" if plan.guarantee.delta else ""
    ended = {"done": "", "stopped": " before it was stopped", "failed": " before it failed"}[run.status]
    public, unit = public_start(plan.settings), ""
    if plan.unit.column:
        unit = f" for a person of up to {count(plan.unit.records, 'record')}"
    start = f" · starts from {plain(public.name)}" if public else ""
    return (
        f"{plain(plan.workload.name)} of {plain(plan.table)}{start} · "
        f"ε = {plan.guarantee.epsilon:g}{delta}{unit} · "
        f"{SYSTEMS[plan.system].title}{once and f', {once}'} · {count(rounds, turn(plan))}{ended} · {seed}"
    )


Figure = tuple[str, str, list[str], str]  # name, value, unit and baselines, explanation


def _errors(run: Runner) -> list[Figure]:
    plan, start, end = run.plan, run.steps[0].baseline, run.steps[-1].errors
    n, workload = plan.records.total, plan.workload
    laplace_mean, laplace_max = direct(plan)
    if end.mean_tv is not None and start.mean_tv is not None:
        laplace_tv = laplace_mean * workload.size / workload.parts / 2
        above_1 = ": noisy answers are not a distribution, so this can exceed 1" if laplace_tv > 1 else ""
        figures = [
            (
                "Mean TV",
                share(end.mean_tv),
                [TV_UNIT, *_baselines(share(start.mean_tv), share(laplace_tv) + above_1)],
                "Total variation of a marginal: the share of records to move until it is exact.",
            )
        ]
    else:
        squared = _baselines(records(start.mean_squared_error), records(direct_squared(plan)))
        unit = f"records², so about {records(math.sqrt(end.mean_squared_error))} records"
        value = records(end.mean_squared_error)
        figures = [("Squared error", value, [unit, *squared], "The mean over all queries.")]
    for name, value, uniform, laplace, explanation in (
        ("Mean error", end.mean_error, start.mean_error, laplace_mean, "Of all answers, as a share of n."),
        ("Max error", end.max_error, start.max_error, laplace_max, "Of the worst answer, as a share of n."),
    ):
        unit = _as_records(value * n, n)
        figures.append((name, share(value), [unit, *_baselines(share(uniform), share(laplace))], explanation))
    return figures


def _as_records(value: float, n: float) -> str:
    return f"= {records(value)} of {n:,.0f} records"


def _baselines(uniform: str, laplace: str) -> list[str]:
    return [f"uniform {uniform}", f"plain Laplace {laplace}"]


def _residuals(run: Runner) -> list[Figure]:
    """Figures that need no truth: how far the last measurement was from the model, beside its noise."""
    last, n = run.steps[-1].round, run.plan.records.total
    total = ("Records", f"{n:,}", ["n, which is public"], "The paper takes the number of records as public.")
    if not last.measurements:
        return [("Residual", "–", ["nothing was measured"], ""), ("Change", "–", ["nothing was measured"], ""), total]
    noise_alone = f"noise alone {share(last.expected_noise / n)}"
    residual = (
        "The distance between the last measurement and the model before it, |m − q(A)|. Once it is no larger than the "
        "noise, more rounds teach little."
    )
    change = "How far the last round changed the model's answer to the query it measured."
    return [
        ("Residual", share(last.residual / n), [_as_records(last.residual, n), noise_alone], residual),
        ("Change", share(last.moved / n), [_as_records(last.moved, n), noise_alone], change),
        total,
    ]


def _spending(run: Runner) -> Figure:
    last = run.steps[-1].round.ledger
    spent, budget = run.as_run().epsilon_spent, run.plan.guarantee.epsilon
    select, start = (part / last.spent if last.spent else 0.0 for part in (last.select, last.start))
    split = [f"{percent(select)} to select", f"{percent(1 - select - start)} to measure"] if spent else []
    if start:
        split.append(f"{percent(start)} for bins")
    of = f"person of up to {count(most, 'record')}" if (most := run.plan.unit.records) > 1 else "record"
    explanation = f"Privacy loss: a bound on what the result reveals about one {of}."
    return ("Spent", f"ε = {spent:.3g}", [f"of ε = {budget:g}", *split], explanation)


def _verdict(run: Runner) -> str:
    """Say so if a baseline beats the method, which is common on small data with a small ε; else an empty string."""
    laplace, _ = direct(run.plan)
    ours, uniform = run.steps[-1].errors.mean_error, run.steps[0].baseline.mean_error
    if len(run.steps) == 1 or ours <= min(laplace, uniform):
        return ""
    title = SYSTEMS[run.plan.system].title
    if uniform <= laplace:
        return (
            f"**Uniform has a smaller mean error than {title} here**: the noise outweighs what it learned. "
            "Use more records, a larger ε or fewer rounds."
        )
    queries = count(run.plan.workload.size, "query", "queries")
    return (
        f"**Plain Laplace has a smaller mean error than {title} here**: {queries} at this ε need no selection. "
        f"{title} is better for more queries or a smaller ε."
    )
