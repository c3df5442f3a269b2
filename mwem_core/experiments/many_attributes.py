"""Figures 6 and 7: the time of a run as attributes are added, and the error with irrelevant ones."""

import time
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mwem_core.domain import Records
from mwem_core.experiments.claim import Batch, Experiment, Frame, Method, Plot, Reference, Series, Verdict
from mwem_core.experiments.experiment_tables import ADULT_BITS, ADULT_BITS_AND_RANDOM
from mwem_core.experiments.summaries import HEIGHTS, at, medians, points
from mwem_core.workload import Workload

SIZES = (10, 30, 100, 300, 1000)
MWEM_2012, MWEM, UNIFORM = "MWEM (2012)", "MWEM", "uniform"
LAPLACE, LAPLACE_ALL = "Laplace on every parity", "Laplace on every query, all of ε"
RUN, WITHOUT_COUNTING, EACH = "the whole run", "without counting", "counting each query by itself"
SAMPLE = 100  # queries that are counted by themselves
NEGLIGIBLE = 0.1  # share of a run

WORKLOADS = {ADULT_BITS: "marginals:3", ADULT_BITS_AND_RANDOM: "marginals:3 of 27 + marginals:2"}
AUTOMATIC, WITHOUT_RANDOM_BITS = "Automatic, all of ε", "MWEM (2012) without the random bits"
EPSILON, ROUNDS = 1.0, (1, 2, 5, 10, 15, 20, 25, 30)
LAST = ROUNDS[-1]
ERROR, TIME = "largest error", "time"
METRICS = {ERROR: "max_error", TIME: "seconds"}
TITLES = {ERROR: "largest error of a cell, share of n", TIME: "CPU seconds of the rounds so far"}
MORE_ERROR, MORE_TIME = 1.25, 1.5  # the most that random bits may multiply error and time by
SECOND = 1.0  # the most that a round may take


def by_attributes(quick: bool) -> Sequence[Batch]:
    """As many rounds as attributes."""
    sizes, seeds = (SIZES[:-1], 2) if quick else (SIZES, 5)
    laplace, uniform = Method(LAPLACE, "laplace"), Method(UNIFORM, UNIFORM)
    return [
        Batch(f"{d} bits", "parities:2", (paper, Method(MWEM, "mwem", Ts=(d,)), laplace, uniform), (1.0,), seeds)
        for d in sizes
        for paper in [Method(MWEM_2012, "mwem-paper", (("update", "newest"),), (d,))]
    ]


def counted_singly(B: Records, Q: Workload, batch: Batch) -> Iterable[Reference]:  # noqa: ARG001
    """CPU seconds to count every query by itself, from those of a sample."""
    parts = np.linspace(0, Q.parts - 1, min(SAMPLE, Q.parts)).astype(int)
    started = time.process_time()
    for part in parts:
        B.marginals([Q.attrs(part)])
    yield Reference(EACH, METRICS[TIME], (time.process_time() - started) / len(parts) * Q.parts)


def by_size(frame: Frame) -> Frame:
    """Medians of the seconds by the number of attributes, in one panel."""
    sizes = frame["table"].astype(str).str.partition(" ")[0].astype(int)
    return medians(frame.assign(attributes=sizes, T=None, panel=""), METRICS[TIME], x="attributes", panel="panel")


def time_by_size(frame: Frame) -> Plot:
    """Seconds against attributes, a panel per form of MWEM."""
    summary, parts = by_size(frame), []
    counting = at(summary, LAPLACE).droplevel("panel")
    for form in (MWEM_2012, MWEM):
        run = summary[summary["method"] == form]
        alone = run.assign(method=WITHOUT_COUNTING)
        alone[HEIGHTS] = alone[HEIGHTS].sub(alone["x"].map(counting), axis=0).clip(lower=0)
        beside = summary[~summary["method"].isin([MWEM_2012, MWEM])]
        parts.append(pd.concat([run.assign(method=RUN), alone, beside]).assign(panel=form))
    titles = "attributes d, with T = d rounds", "CPU seconds of the rounds"
    return Plot(*titles, (LAPLACE, EACH, UNIFORM), pd.concat(parts), "between the quartiles")


def compare_times(frame: Frame) -> Verdict:
    """Compare the time of a run without counting with that of the run, and of counting each query by itself."""
    summary = by_size(frame).assign(panel="")
    run, today, counting, each = (at(summary, name).droplevel("panel") for name in (MWEM_2012, MWEM, LAPLACE, EACH))
    alone = (run - counting).clip(lower=0)
    share, singly = alone / run, alone / (alone + each)
    d = int(run.index.max())
    numbers = (
        f"At d = {d:,}, where {d * (d + 1) // 2:,} parities are asked in {d:,} rounds, a run of MWEM (2012) takes "
        f"{run[d]:.3g} CPU seconds and one of today's {today[d]:.3g}; counting all parities at once takes "
        f"{counting[d]:.3g}, and each by itself would take {each[d]:,.3g}. Without counting, MWEM (2012) takes "
        f"{share.min():.0%} to {share.max():.0%} of its run; beside counting each query by itself it would take "
        f"{singly.min():.1%} to {singly.max():.1%}. From {d // 10:,} to {d:,} attributes its time grows as "
        f"d^{_exponent(run, d):.2f}, today's MWEM as d^{_exponent(today, d):.2f}, and the number of queries as d²."
    )
    flips = (
        "Slower counting: here a matrix product counts all pairs of bits. Or a larger ε: at ε = 1 and T = d, noise "
        "chooses pairs, which tie many attributes together; today's MWEM measures each attribute first, so that all of "
        "them stay independent components, as in the paper."
    )
    return Verdict((share <= NEGLIGIBLE).all(), (singly <= NEGLIGIBLE).all(), numbers, flips)


def _exponent(seconds: Series, d: int) -> float:
    """The power of d by which the seconds grew in the last factor of ten."""
    return float(np.log10(seconds[d] / seconds[d // 10]))


def round_by_round(quick: bool) -> Sequence[Batch]:
    """The first rounds of a run of 30 are a run of their own at their share of ε: the noise is the same."""
    rounds, seeds = (ROUNDS[::3], 3) if quick else (ROUNDS, 25)
    beside = (Method(AUTOMATIC, "automatic"), Method(LAPLACE_ALL, "laplace"), Method(UNIFORM, UNIFORM))
    by_round = [((Method(MWEM_2012, "mwem-paper", Ts=(T,)),), EPSILON * T / LAST) for T in rounds]
    return [
        Batch(table, workload, methods, (epsilon,), seeds)
        for table, workload in WORKLOADS.items()
        for methods, epsilon in [*by_round, (beside, EPSILON)]
    ]


def by_round(frame: Frame, metric: str) -> Frame:
    """Means with rounds across; what spends all of ε at once stands at every one."""
    rounds = frame["T"].where(frame["method"] == MWEM_2012).astype(float)
    return points(frame.assign(rounds=rounds, T=None), metric, x="rounds")


def curves(frame: Frame, show: str) -> Plot:
    """Largest error or time against rounds, a panel per table; the curve without random bits beside that with them."""
    summary = by_round(frame, METRICS[show])
    without = summary[(summary["panel"] == ADULT_BITS) & (summary["method"] == MWEM_2012)]
    repeated = without.assign(method=WITHOUT_RANDOM_BITS, panel=ADULT_BITS_AND_RANDOM)
    x_title = f"rounds so far, of {LAST} at ε = {EPSILON:g}"
    return Plot(x_title, TITLES[show], (WITHOUT_RANDOM_BITS, UNIFORM), pd.concat([summary, repeated]))


def compare_curves(frame: Frame) -> Verdict:
    """Compare error and time with the random bits and without them, at every round."""
    errors, times = (
        [curve[table] for table in WORKLOADS]
        for curve in (at(by_round(frame, metric), MWEM_2012) for metric in METRICS.values())
    )
    (error, wide_error), (took, wide_took) = errors, times
    more_error, more_time = wide_error / error, wide_took / took
    same_error, same_time = bool((more_error <= MORE_ERROR).all()), bool((more_time <= MORE_TIME).all())
    # Of a round between those that were looked at; the first counts the true answers too.
    per_round = [took.diff().fillna(took) / took.index.to_series().diff().fillna(took.index[0]) for took in times]
    slowest = max(float(each.max()) for each in per_round)
    falls = all(each.iloc[-1] < each.iloc[0] for each in errors)
    whole = falls and same_error and same_time and slowest < SECOND
    last = int(error.index.max())
    numbers = (
        f"With the random bits the largest error is {more_error.min():.2f} to {more_error.max():.2f} times as large "
        f"as without them, and the time {more_time.min():.2f} to {more_time.max():.2f} times as long. After {last} "
        f"rounds the error is {error[last]:.3f} of n without and {wide_error[last]:.3f} with them, from "
        f"{error.iloc[0]:.3f} and {wide_error.iloc[0]:.3f} after the first; the time is {took[last]:.2g} and "
        f"{wide_took[last]:.2g} CPU seconds. The slowest rounds take {slowest:.2g} seconds each."
    )
    own = [at(by_round(frame, "max_error"), AUTOMATIC)[table, last] for table in WORKLOADS]
    flips = (
        "All triples of the 77 bits: there are 25 times as many, and evaluating them takes most of the time. More "
        f"rounds, which tie more bits together. Automatic, with the same ε, ends at {own[0]:.3f} and {own[1]:.3f}."
    )
    return Verdict(whole, falls and (same_error or same_time), numbers, flips)


FIGURE6 = Experiment(
    name="figure6",
    title="Figure 6: time against attributes",
    claim="From 10 to 1,000 attributes the running time is almost exclusively that of evaluating the queries on the "
    "records; the time spent in factored MWEM is essentially negligible.",
    conditions="100,000 records of independent bits, which make all attributes independent components; T equals the "
    "number of attributes; 48 processors. The paper prints neither ε nor the queries.",
    setup="d = 10, 30, 100, 300 and 1,000 bits, each 1 with probability 1/3; all parities of up to two bits; ε = 1; "
    "medians of five runs. Seconds are CPU time of the rounds on one core; the first of them counts the true answers. "
    "Plain Laplace counts them too and adds noise, so its time is taken as that of counting. The time to count each "
    "query by itself is that of 100 queries, times |Q| / 100. MWEM (2012) updates by the newest measurement alone, as "
    "in Figure 1, because replays would take minutes at d = 1,000.",
    rule="Holds if without counting a run of MWEM (2012) takes at most a tenth of its time, at every d. Holds with "
    "conditions if it takes more, but at most a tenth where each query would be counted by itself, as the paper did. "
    "Otherwise it does not hold.",
    rule_order="fixed before its trials ran",
    history="Today's MWEM ran again whenever it changed, until the penalty of counts was deleted.",
    metrics=(METRICS[TIME], "max_error"),
    batches=by_attributes,
    plot=time_by_size,
    verdict=compare_times,
    references=counted_singly,
)

FIGURE7 = Experiment(
    name="figure7",
    title="Figure 7: irrelevant attributes",
    claim="On Adult in 27 bits the largest error falls from round to round, and a round takes less than a second "
    "until the measurements grow complex. Fifty irrelevant bits change neither the running time nor the largest error.",
    conditions="Eight attributes of Adult in binary; 50 more bits that are 1 with probability 1/2; the factored form "
    "of MWEM on 48 processors. The paper prints neither ε nor the number of rounds nor the queries.",
    setup="45,222 rows without missing values; all 2,925 triples of the 27 bits, cell by cell, and with the random "
    "bits also all 2,926 pairs of the 77 bits, so that half as many queries again are asked. ε = 1 for 30 rounds; the "
    "curves show what the first rounds of such a run give, which have spent their share of ε. Means of 25 runs. "
    "Seconds are CPU time on one core, with the time to count the true answers.",
    rule="Holds if after every number of rounds that is shown the mean largest error with the random bits is at most "
    "1.25 times that without, and the mean time at most 1.5 times; the error after the last round is below that after "
    "the first; and no round takes a second. Holds with conditions if a round takes longer, or if only one of error "
    "and time stays within its factor. Otherwise it does not hold.",
    rule_order="fixed before its trials ran",
    history="Automatic ran again whenever it changed, until the penalty of counts was deleted.",
    metrics=("max_error", "seconds"),
    batches=round_by_round,
    plot=curves,
    verdict=compare_curves,
    choices={"show": (ERROR, TIME)},
)
