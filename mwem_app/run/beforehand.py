"""What the page says of a run before it starts: what it measures, at which noise, and how long it takes."""

import streamlit as st

from mwem_app.base import count, percent, records
from mwem_core.algorithm import Spender
from mwem_core.automatic import Apart, effort, lower_name, measured_in_words, parts_of
from mwem_core.base import listed
from mwem_core.mwem import MWEM
from mwem_core.privacy import Guarantee
from mwem_core.workload import Workload

MIN_SECONDS, MIN_BYTES = 5.0, 2 * 10**8  # of a run, from which on the page tells what it takes
LESS_WITH_LAPLACE = "With δ = 0 it would be only {}: a δ above 0 reduces the noise of many rounds, not of few."


def describe_noise(settings: Spender, workload: Workload, n: int) -> str:
    """Return a sentence on the noise of one measurement, in records and as a share of n."""
    if isinstance(settings, Apart):
        first, *asked = parts_of(workload)
        share, named = settings.share, [_asked(part) for part in asked]
        left_out, how = (listed(nouns) for nouns in zip(*named, strict=True))
        return (
            f"{describe_noise(settings.first_alone, first, n)} This leaves {left_out} out, with {1 - share:.0%} of the "
            f"budget. The other {share:.0%} measures {how}."
        )
    if not isinstance(settings, MWEM):
        return measured_in_words(settings, workload, n)
    T = settings.planned_rounds(n, workload)
    if T is None:
        return "The number of rounds and their noise are decided during the run."
    share = (1 - settings.split) / settings.full_rounds(T, workload)
    noise = settings.guarantee.budget.part(share).mean_noise
    laplace = Guarantee(settings.epsilon).budget.part(share).mean_noise
    measured = "measured cell" if settings.tables else "measurement"
    remark = f" {LESS_WITH_LAPLACE.format(records(laplace))}" if laplace < noise else ""
    size = f"**{records(noise)} records** on each {measured} ({percent(noise / n)} of n)"
    lower = f" The rounds measure {lower_name(workload)}." if settings.measured(workload) is not workload else ""
    by_cells = _noise_by_cells(settings, workload, T, noise)
    return f"In {count(T, 'round')}, a mean noise of {size}{by_cells}.{lower}{remark}"


def _asked(part: Workload) -> tuple[str, str]:
    """A part that is asked by itself, and how it is measured: two nouns."""
    if part.family == "predicates":
        return "predicates", "the predicate itself" if part.size == 1 else f"each of {part.size:,} predicates itself"
    name = part.domain.label(part.attrs(0))
    return f"ranges of {name}", f"counts of intervals of {name}"


def _noise_by_cells(settings: MWEM, workload: Workload, T: int, noise: float) -> str:
    """What the noise is on the smallest and the largest marginals, where they cost less or more than typical ones."""
    costs, budget = settings.costs_of(workload, T).expected, settings.guarantee.budget
    if costs is None or costs.min() == costs.max():
        return ""
    few, many = (noise * float(budget.scale_at(cost) / budget.scale) for cost in (costs.min(), costs.max()))
    return f": {records(many)} in the largest marginals to {records(few)} in the smallest"


def describe_effort(settings: Spender, workload: Workload, n: int) -> None:
    """Say beforehand what a run takes, where that is more than a moment."""
    ahead = effort(settings, workload, n)
    if ahead.seconds >= MIN_SECONDS or ahead.bytes >= MIN_BYTES:
        st.caption(f"A run takes {ahead.in_words}, by a formula.")
