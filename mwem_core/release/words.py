"""What a release promises, and what it does not, in sentences, which all its files and screens read here."""

from __future__ import annotations

import math
from functools import lru_cache

from mwem_core.algorithm import Spender
from mwem_core.automatic import Apart, Counts, Halvings, Nothing, Planned, Staged
from mwem_core.encoding import attrs_in_bins
from mwem_core.forms import DECIMALS, POINT
from mwem_core.mwem import MWEM
from mwem_core.output import provenance_of_a_release
from mwem_core.privacy import Amount, Cap, Guarantee, TotalCost, at_most, epsilon_of
from mwem_core.release.release_run import ReleaseRun
from mwem_core.release.terms import Terms

STATEMENT = "Differentially private release: it may be published, as far as its guarantee goes."
NOISE = (
    "Discrete Laplace and Gaussian noise on whole numbers, drawn by OpenDP's exact samplers from the operating system's"
    " entropy. There is no seed."
)
PLAIN_ROWS = "rows.plain.csv"  # where rows.csv has cells that other programs would not read
COPIES = "copies.csv"
FILES = {  # what each file of a release holds
    "report.html": "one page for people, readable offline",
    "quality.html": "how good the rows are, column by column, from the measurements and their noise",
    "rows.csv": "synthetic records, drawn from what was measured",
    PLAIN_ROWS: "the same for other programs: plain numbers, dates in ISO, nothing where they are missing",
    COPIES: "further tables, one after another, for other software to combine",
    "intervals.csv": "every question, its answer and an interval for the true answer",
    "measurements.json": "every noisy value, with the scale of its noise and what it cost",
    "model.json": "the model that the rows and answers come from",
    "manifest.json": "the guarantee, what was public, the settings and what was spent",
    "schema.toml": "the attributes and their values, as declared; bins that were measured, as measured",
    "datapackage.json": "a description of the tables for Frictionless tools",
    "croissant.json": "a description of the rows for machine learning",
    "sdmetrics.json": "the kinds of columns for SDMetrics",
}
EXAMPLE = 0.01  # ε of a small release, to show what a cap means
INTERVALS = (
    'intervals.csv has an interval for each true answer by itself. "95%": from measurements that determine the answer.'
    ' "at least 95%": from bounds, mostly with more. A sum of Laplace draws is taken to go as far as a single one of'
    " its variance does, which is safe."
)
NOT_COVERED = (
    "How long the release took, how much memory it used and how large its files are, for whoever watches the machine.",
    "Releases of the same people that the ledger does not list: their ε add to this one.",
    "Other tables about the same people, such as their visits beside their addresses: each release is of one table, and"
    " what links it with others is not protected.",
    "What the declared facts give away: the schema's attributes and values, the questions, and the data set's name."
    " They are published as they were declared.",
    "Settings that somebody chose after looking at these records, as exploring them shows.",
    "Groups: k people who act as one, such as a household, have k times the ε, and a larger δ if there is one.",
    "Conclusions about a person from what is true of people in general: the release may teach these, and they would"
    " stand without the person's records.",
    "Mistakes in the table, such as one person under two names.",
)


def guarantee_in_words(guarantee: Guarantee) -> str:
    """The promise in one sentence, for people without mathematics."""
    who = "a person" if guarantee.unit.column else "a record"
    but = f", but for a chance of {guarantee.delta:g}" if guarantee.delta else ""
    return (
        f"Whether {who} is in the table or not makes no outcome of this release more than e^{guarantee.epsilon:g} ="
        f" {math.exp(min(guarantee.epsilon, 700)):.3g} times as likely{but}."
    )


def total_in_words(terms: Terms) -> str:
    """How the number of records was treated, and what that means for the guarantee."""
    if terms.total == "measured":
        return (
            "The number of records is private: a share of the budget bought a noisy one. All that depends on the number"
            " reads that one, or its mean with what measured tables add up to."
        )
    who = "person" if terms.unit.column else "record"
    but = f"Two tables that differ by replacing one {who}: {replacement_in_words(terms)}."
    return f"The number of records is taken as public. {but}"


def replacement_in_words(terms: Terms) -> str:
    """What two tables of one size can be told apart by: 2ε, or in zCDP 4ρ, as replacing is two steps."""
    if terms.delta == 0:
        return f"2ε = {2 * terms.epsilon:g}"
    whole = Guarantee(terms.epsilon, terms.delta).budget.amount
    return f"4ρ, which is ε = {epsilon_of(4 * whole, terms.delta):.4g} at δ = {terms.delta:g}"


@lru_cache(maxsize=64)
def cap_in_words(cap: Cap) -> str:
    """What a cap is on: at δ = 0 the sum of ε, otherwise what is proved of all releases together, which may be less."""
    if not cap.delta:
        return "The cap is at δ = 0, so it is on the sum of the ε of all releases."
    small = min(EXAMPLE, at_most(cap.epsilon) / 100)
    fit = cap.room(TotalCost(), Amount.of(small))
    return (
        f"The cap is on what can be proved of all releases together at δ = {cap.delta:g}, and for many small ones that"
        f" is less than the sum of their ε: {fit:,} of ε = {small:.3g} fit under it, whose ε add up to"
        f" {fit * small:.3g}. A cap at δ = 0 is on the sum itself."
    )


def bins_in_words(terms: Terms) -> str:
    """Which bins were measured, how, and what they cost; empty if the schema declares them all."""
    if not terms.domain.unbinned:
        return ""
    return (
        f"The bins of {_unbinned_names(terms)} were measured first, with {100 * terms.bins_share:.3g}% of the budget:"
        " noisy counts of intervals, from the first digit to the last. Only the range and the number of bins were"
        " public."
    )


def offsets_in_words(terms: Terms) -> str:
    """What was measured of numbers within their bins, what that is for and what it cost; empty if nothing was."""
    if not terms.offsets:
        return ""
    names = ", ".join(terms.domain.names[a] for a in attrs_in_bins(terms.domain))
    return (
        f"{100 * terms.offsets:.3g}% of the budget measured how far numbers of {names} are from the middles of their"
        " bins, as one sum a bin: rows and answers have the means of bins that follow. A number outside of its bin, of"
        " more digits than declared, counts as the bin's end."
    )


def _unbinned_names(terms: Terms) -> str:
    """The attributes whose bins were measured."""
    return ", ".join(terms.domain.names[a] for a in terms.domain.unbinned)


def public_facts(terms: Terms) -> list[dict[str, str]]:
    """Everything that the release takes as public, and where each fact came from."""
    but = f", of {_unbinned_names(terms)} the range and the number of bins" if terms.domain.unbinned else ""
    facts = [
        ("attributes and their values" + but, "the schema: " + provenance_of_a_release(terms.provenance)),
        *([("rules: what no record has", "the schema")] if terms.domain.never else []),
        ("questions", "the user: " + terms.workload.spec),
        ("ε, δ and unit of privacy", "the user"),
        ("method", f"the user: {terms.method.title}"),
        ("what the rows are for", f"the user: {terms.rows}"),
        ("name of the data set", "the user"),
        ("how the number of records is treated", f"the user: {terms.total}"),
        ("settings of the mechanism", "a public rule, from these facts and noisy values"),
    ]
    if terms.questions:
        facts.insert(2, ("what the questions are for", f"the user: {'; '.join(terms.questions)}"))
    if terms.count_column:
        facts.insert(1, ("column with the number of records of each row", f"the user: {terms.count_column}"))
    if terms.decimal != POINT:
        facts.insert(1, ("decimal mark of the table", f"the user: {DECIMALS[terms.decimal]}"))
    if terms.public is not None:
        start = terms.public
        facts.insert(-1, ("start of the model", f"the public table {start.name}, digest {start.records.digest}"))
    if terms.total == "public":
        facts.insert(-1, ("number of records", "the table, as the user declares it public"))
    return [{"fact": fact, "from": source} for fact, source in facts]


MEASURED_ONCE = {  # what each plan measures, all at once and without looking at the data first
    "one-way": "the counts of each attribute",
    "residuals": "planned parts of marginals",
    "marginals": "every marginal",
    "cells": "every cell of the attributes asked for",
}


def method_in_words(released: ReleaseRun) -> str:
    """The system that ran, and what it did: "Automatic, 64 cells measured once"."""
    return f"{released.terms.method.title}, {released.run.ran}"


def mechanism_in_words(settings: Spender) -> str:
    """What was drawn: which noise, on what, and how the data chose, if they did."""
    if isinstance(settings, Apart):
        return mechanism_in_words(settings.first)
    if isinstance(settings, Nothing):
        return "Nothing was measured, as at this ε that was not expected to lower the error: the model is the start."
    law = "Gaussian" if settings.guarantee.delta else "Laplace"
    once = f"{_measured_once(settings)}, measured once with discrete {law} noise."
    rounds = settings.then if isinstance(settings, Staged) else settings
    if not isinstance(rounds, MWEM):
        return once[0].upper() + once[1:]
    what = "marginal" if rounds.tables else "question"
    selection = "the exponential mechanism" if rounds.selection == "exponential" else rounds.selection
    chosen = (
        f"in each round {selection} chooses a {what} that the model answers badly, and discrete {law} noise is added to"
        " its answer."
    )
    return f"First {once} Then {chosen}" if isinstance(settings, Staged) else chosen[0].upper() + chosen[1:]


def _measured_once(settings: Spender) -> str:
    """What is measured all at once, and without looking at the data first."""
    if isinstance(settings, Halvings):
        return "counts of intervals at planned levels"
    if isinstance(settings, Counts):
        return "every predicate"
    return MEASURED_ONCE[settings.plan if isinstance(settings, Planned) else "one-way"]
