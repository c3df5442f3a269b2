"""The lecture's potential: its fall by round against the promise of the proof, without noise and with noise."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import pandas as pd

from mwem_core.data.records import Records
from mwem_core.evaluation.course import updates
from mwem_core.evaluation.trials import Result, Trial, settings_of
from mwem_core.experiments.experiment import (
    Batch,
    Choice,
    Experiment,
    Holds,
    Method,
    Plot,
    Reference,
    Verdict,
    judge_answers,
)
from mwem_core.experiments.frame import Frame
from mwem_core.experiments.points import at, points, span
from mwem_core.experiments.theorem import FIGURE_1
from mwem_core.privacy.noise import Seeded
from mwem_core.relatives.weights import Weights
from mwem_core.workload.workload import Workload

WORKLOADS = {
    "czech": "parities:3",
    "rochdale": "parities:3",
    "capital loss": "ranges:capital-loss:2000",
    "age × hours": "ranges:age,hours-per-week:2000",
}
ROUNDS = (1, 2, 4, 8, 16, 32, 64)
NOISY = {"ε = 1/64 per round": 1 / 64, "ε = 1/8 per round": 1 / 8}  # exact in binary, as are their multiples
EXACT, UNIFORM, LAPLACE = "without noise", "uniform", "Laplace on every query"
START, ERROR_BOUND = "log|D|", "the lecture's bound"
POTENTIAL, ERROR = "potential", "largest error"
PROMISED = {EXACT: "promised without noise", **{name: f"promised at {name}" for name in NOISY}}
ROUNDING = 1e-12  # of Ψ, in nats


@dataclass(frozen=True, kw_only=True)
class Followed(Result):
    """A trial, and of its updates, in nats: Ψ_T, Ψ_0 less all promises, and the most by which a fall fell short."""

    potential: float | None = None
    promised: float | None = None
    shortfall: float | None = None


def judge(B: Records, Q: Workload, trial: Trial) -> Followed:
    """Run a trial, and follow the updates of multiplicative weights. NOT PRIVATE."""
    result = judge_answers(B, Q, trial)
    own = {field.name: getattr(result, field.name) for field in fields(Result)}
    if trial.T is None:
        return Followed(**own, potential=result.relative_entropy)
    made = list(updates(settings_of(trial, Q, B.total).rounds(B, Q, noise=Seeded(trial.seed)), B))
    return Followed(
        **own,
        potential=made[-1].potential,
        promised=made[-1].potential + math.fsum(update.fall - update.promise for update in made),
        shortfall=max(update.promise - update.fall for update in made),
    )


def batches(quick: bool) -> Sequence[Batch]:
    """Every T: without noise, and with as much ε in every round however many there are."""
    Ts, seeds = (ROUNDS[::3], 3) if quick else (ROUNDS, 25)
    exact, laplace = (Method(EXACT, "weights", Ts=Ts), Method(UNIFORM, UNIFORM)), (Method(LAPLACE, "laplace"),)
    totals = tuple(sorted({T * epsilon for T in Ts for epsilon in NOISY.values()}))
    planned = []
    for table, Q in WORKLOADS.items():
        planned.append(Batch(table, Q, exact, (1.0,), 1, judge=judge))
        for name, epsilon in NOISY.items():
            methods = {T: (Method(name, "mwem-paper", FIGURE_1, (T,)),) for T in Ts}
            planned += [Batch(table, Q, noisy, (T * epsilon,), seeds, judge=judge) for T, noisy in methods.items()]
        planned.append(Batch(table, Q, laplace, totals, seeds))
    return planned


def references(B: Records, Q: Workload, batch: Batch) -> Iterable[Reference]:
    """The most that Ψ_0 can be, and the bound on the error without noise as a share of n."""
    yield Reference(START, POTENTIAL, math.log(Q.domain.size))
    for T in filter(None, batch.methods[0].Ts):
        yield Reference(ERROR_BOUND, "max_error", Weights(T=T).bound(Q, n=B.total) / B.total, T=T)


def over_T(frame: Frame, metric: str, noise: str) -> Frame:
    """Points with T across, for the noise chosen; Laplace noise has the ε of all T rounds."""
    shown = frame[~frame["method"].isin(NOISY.keys() - {noise})]
    of_rounds = (shown["epsilon"] / NOISY[noise]).where(shown["method"] == LAPLACE)
    shown = shown.assign(rounds=shown["T"].astype(float).fillna(of_rounds), T=None)
    shown = shown[shown["rounds"].isna() | shown["rounds"].isin(frame["T"].unique())]
    return points(shown, metric, x="rounds")


def plot(frame: Frame, choices: Mapping[str, str]) -> Plot:
    """Ψ_T beside what was promised of it, or the largest error beside its bound; a panel per table."""
    noise, x_title = choices["noise"], "rounds T"
    if choices["shown"] == ERROR:
        shown = over_T(frame, "max_error", noise)
        return Plot(x_title, "largest error of an answer, share of n", (ERROR_BOUND, UNIFORM), shown)
    of_runs = over_T(frame[frame["method"] != START], "potential", noise)
    promised = over_T(frame, "promised", noise)
    promised["method"] = promised["method"].map(PROMISED)
    shown = pd.concat([of_runs, promised], ignore_index=True)
    beside = (PROMISED[EXACT], UNIFORM, PROMISED[noise])
    return Plot(x_title, "relative entropy Ψ of the truth to A_T, nats", beside, shown, log_y=False)


def verdict(frame: Frame) -> Verdict:
    """Count the runs with a step that falls by less than promised, and the errors above the lecture's bound."""
    followed = frame[frame["shortfall"].notna()]
    exact = followed["method"] == EXACT
    short = followed["shortfall"] > ROUNDING
    summary = over_T(frame, "max_error", next(iter(NOISY)))
    error, bound = at(summary, EXACT), at(summary, ERROR_BOUND)
    above, says = int((error > bound).sum()), bound[bound < 1]
    at_one = points(frame.assign(rounds=1), "potential", x="rounds")
    start, most = at(at_one, UNIFORM).droplevel("x"), at(at_one, START).droplevel("x")
    high = int((start > most).sum())
    sound = not (short.any() or above or high)
    holds: Holds = "does not hold" if not sound else "holds" if len(says) else "holds with conditions"
    longest = followed[followed["T"] == followed["T"].max()].astype({"table": str})
    starts = longest["table"].map(start)
    fell, owed = starts - longest["potential"], starts - longest["promised"]
    numbers = (
        f"{int((short & exact).sum())} of {int(exact.sum())} runs without noise and {int((short & ~exact).sum())} of "
        f"{int((~exact).sum()):,} with noise have a step that falls by less than its promise; they have "
        f"{int(longest['T'].sum()):,} different steps. Ψ_0 is above log|D| on {high} of {len(start)} tables. Without "
        f"noise Ψ falls {span((fell / owed)[exact])} times as far in {longest['T'].max()} rounds as promised. {above} "
        f"of {len(error)} runs without noise err more than 2n √(log|D| / T). This bound is {span(bound / error)} "
        f"times their largest error, and below n in {len(says)} of {len(bound)} points."
    )
    noisy = [
        f"at {name}, to a fall in {int((owed[own] > 0).sum())} of {int(own.sum())} runs, and Ψ did fall in "
        f"{int((fell[own] > 0).sum())}"
        for name in NOISY
        if (own := longest["method"] == name).any()
    ]
    flips = (
        "A single step that falls by less would mean an error in the program or the proof. With noise a promise can be "
        f"negative. Over {longest['T'].max()} rounds the promises add up, {'; '.join(noisy)}."
    )
    return Verdict(holds, numbers, flips)


LECTURE = Experiment(
    name="potential",
    title="The potential: its fall by round",
    claim="Every round lowers the potential Ψ, the relative entropy of the truth to A_i, by ((q(A) - q(B)) / 2n)² or "
    "more. Ψ_0 is at most log|D|, so the largest error is at most 2n √(log|D| / T).",
    conditions="Lecture 13, Claims 1 and 2, for exact measurements of the query of largest error; always. With a noisy "
    "measurement m, Ψ falls by at least ((q(A) - q(B)) / 2n)² - ((m - q(B)) / 2n)², which can be negative.",
    setup="All parities of up to three attributes of czech (n = 1,841) and rochdale (665), and 2,000 random ranges of "
    "Adult's capital loss and of its age × hours (32,561). T from 1 to 64. Without noise once; with noise 25 runs of "
    "Figure 1 to the letter, with ε = 1/64 or 1/8 per round: a longer run of a seed starts as its shorter ones, and "
    "every step of every run is checked. The error is that of the output, the average of A_0 to A_T-1. Laplace noise "
    "on each answer has the same ε in total; it gives no distribution, so it has no potential.",
    rule="Holds if no step falls by less than its promise, with noise or without, by more than rounding (1e-12 nats), "
    "Ψ_0 is nowhere above log|D|, no run without noise errs more than 2n √(log|D| / T), and this is below n somewhere; "
    "with conditions if it is below n nowhere. Otherwise it does not hold.",
    rule_order="fixed before its trials ran",
    metrics=("potential", "promised", "shortfall", "max_error"),
    batches=batches,
    plot=plot,
    verdict=verdict,
    references=references,
    choices=(Choice("shown", (POTENTIAL, ERROR)), Choice("noise", tuple(NOISY))),
)
