"""The method of a run: MWEM, the automatic choice, MWEM of 2012 or Figure 1, each with its expected error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from mwem_app.base import count, percent, records
from mwem_app.inputs import OWN, Variant
from mwem_app.session import state
from mwem_core.algorithm import Spender
from mwem_core.automatic import (
    Apart,
    as_range,
    effort,
    error_noun,
    forecast,
    lower_name,
    measured_in_words,
    parts_of,
    run_in_words,
)
from mwem_core.base import join_names
from mwem_core.mwem import MWEM
from mwem_core.privacy import Guarantee
from mwem_core.systems import METHODS, SYSTEMS, MeasuredBins
from mwem_core.workload import Workload

MIN_SECONDS, MIN_BYTES = 5.0, 2 * 10**8  # of a run, from which on the page tells what it takes
LESS_WITH_LAPLACE = "With δ = 0 it would be only {}: a δ above 0 reduces the noise of many rounds, not of few."
DEFAULT_METHOD, BEST = "mwem", "automatic"  # the system that one watches, and the one that errs least
SMALL = 0.001  # of n: such an error is read more easily in records
CLEAR_RATIO = 1.1  # times as large an error is worth a sentence
ERROR_HELP = (
    "The expected error is computed before the data is read. Nine of ten runs on tables that it was not fitted to end "
    "in its range. A total variation is a share of n, from 0 to 1. To watch MWEM costs accuracy."
)


def describe_noise(settings: Spender, workload: Workload, n: int) -> str:
    """Return a sentence on the noise of one measurement, in records and as a share of n."""
    if isinstance(settings, Apart):
        first, *asked = parts_of(workload)
        share, named = settings.share, [_separate_part(part) for part in asked]
        left_out, how = (join_names(nouns) for nouns in zip(*named, strict=True))
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


def _separate_part(part: Workload) -> tuple[str, str]:
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


@dataclass(frozen=True)
class Outlook:
    """What a method would do, in a few words, and its expected error as a share; None where there is none."""

    settings: Spender
    doing: str
    error: float | None
    Q: Workload
    n: int

    @classmethod
    def of(cls, settings: Spender, Q: Workload, n: int) -> "Outlook":
        """The outlook of settings on n records, from public numbers alone."""
        return cls(settings, run_in_words(settings, Q, n), forecast(settings, Q, n), Q, n)

    @property
    def caption(self) -> str:
        """ "19 rounds · .008 to .036"; small errors are in records."""
        if self.error is None:
            return self.doing
        low, high = as_range(self.error, self.Q, self.settings.guarantee.epsilon)
        small = high < SMALL
        ends = [records(end * self.n) if small else share(end) for end in (low, high)]
        said = f"{ends[0]} to {ends[1]}" if low else f"at most {ends[1]}"
        return f"{self.doing} · {said}{f' of {self.n:,} records' if small else ''}"


def share(error: float) -> str:
    """Two digits without the leading zero: ".021"."""
    return f"{error:.2g}".removeprefix("0")


def outlooks(
    begun: Callable[[Variant], tuple[Spender, MeasuredBins | None]], typed: tuple[str, str], Q: Workload, n: int
) -> dict[str, Outlook]:
    """The outlook of every method with the T and the δ typed; `begun` gives the settings of a variant's rounds.

    A method whose settings are invalid has none: the page names the error once the method is chosen.
    """
    found = {}
    for name in METHODS:
        try:
            found[name] = Outlook.of(begun(Variant(name, *typed, seed=""))[0], Q, n)
        except ValueError:
            continue
    return found


def choose_method(expected: Mapping[str, Outlook]) -> str:
    """Let the user choose the system that runs, by its name, beside what each would do."""
    chosen = st.radio(
        "Method",
        METHODS,
        format_func=lambda name: SYSTEMS[name].title,
        horizontal=True,
        key=state.METHOD,
        bind=state.BIND,
        help=ERROR_HELP,
    )
    shown = [name for name in (DEFAULT_METHOD, BEST, *({chosen} - {DEFAULT_METHOD, BEST})) if name in expected]
    lines = [f"**{SYSTEMS[name].title}** {expected[name].caption}" for name in shown]
    if nouns := {error_noun(each.Q) for each in expected.values() if each.error is not None}:
        lines.insert(0, f"Expected {nouns.pop()}:")
    st.caption("  \n".join(lines))
    return str(chosen)


def automatic_differs(chosen: str, settings: Spender, expected: Mapping[str, Outlook]) -> bool:
    """Whether Automatic has other settings than these, which are of another method: then it can run beside it."""
    return chosen != BEST and BEST in expected and expected[BEST].settings != settings


def suggest_best(chosen: str, expected: Mapping[str, Outlook]) -> None:
    """Of an upload: where Automatic is expected to err clearly less than MWEM, say by how much, and offer it."""
    watched, best = (expected[name].error if name in expected else None for name in (DEFAULT_METHOD, BEST))
    own = st.session_state.get(state.TABLE) == OWN
    if not own or chosen != DEFAULT_METHOD or not watched or not best or watched < CLEAR_RATIO * best:
        return
    title = SYSTEMS[BEST].title
    st.caption(
        f"{title}'s expected {error_noun(expected[BEST].Q)} is {share(best)} instead of {share(watched)}: "
        f"{1 - best / watched:.0%} less."
    )
    st.button(f"Use {title}", on_click=_use_best, key="_use_best")


def _use_best() -> None:
    st.session_state[state.METHOD] = BEST
