"""What happens inside one round, for the player: the selection, the measured values, and the rules in words."""

from dataclasses import replace
from typing import Any

import numpy as np

from mwem_app.base import count
from mwem_app.session import Plan, Step
from mwem_app.stage import Method
from mwem_core.automatic import (
    Apart,
    Counts,
    Halvings,
    Nothing,
    Planned,
    Turn,
    are_rows,
    goes_beyond,
    parts_of,
    rounds_in,
    run_in_words,
    turn_of,
)
from mwem_core.domain import Attrs, Domain
from mwem_core.mwem import MWEM, Newest, Tables
from mwem_core.weighted import CorrectedModel

ANY = {"budget": "composition", "measure": "noise"}
ROUNDS = {"errors": "rounds", "select": "choosing", "update": "reweighting"}  # of runs that select in rounds
PLAN_METHOD = Method(
    turn="step",
    measure="True values plus noise, all drawn at once, before step 1.",
    update="Each step fits A to more of what was measured, from single attributes to larger tables. What noise hides "
    "stays near the step before.",
)
ON_RECORDS = (
    " The last step turns the table A into a list of records with weights, so that it can fit all marginals together."
)
QUERY_METHOD = replace(
    PLAN_METHOD, update="A is fitted to all that is measured, and stays near A_0 where noise hides the rest."
)
COUNT_METHOD = replace(
    PLAN_METHOD,
    update="The cells with a noisy count above zero are the rows of A. Their weights are fitted to the marginals that "
    "all noisy counts add up to.",
)
NO_MEASUREMENT = Method(
    select="Nothing is selected",
    measure="Nothing is measured: at this ε it is not expected to lower the error.",
    update="A stays as it starts.",
)
CELLS_SHOWN = 16  # of a measured marginal; of a larger one the largest are shown, and the rest as a sum


def lessons(plan: Plan) -> dict[str, str]:
    """The addresses of the lessons on what this plan's run shows, from the page Run, by the parts of the player."""
    taught = ANY | ROUNDS if turn(plan) == "round" else ANY
    return {part: f"learn?lesson={path}" for part, path in taught.items()}


def method(plan: Plan) -> Method:
    """Return in words how the run selects, measures and updates."""
    settings = plan.settings
    if isinstance(settings, Nothing):
        return NO_MEASUREMENT
    if (rounds := rounds_in(settings)) is None:
        if isinstance(settings, Apart):
            return _planned_and_asked(plan)
        words = QUERY_METHOD if isinstance(settings, Counts) else COUNT_METHOD if _counts_cells(plan) else PLAN_METHOD
        if words is PLAN_METHOD and isinstance(settings, Planned) and settings.plan in ("residuals", "marginals"):
            words = replace(words, update=words.update + ON_RECORDS) if _beyond(plan) else words
        return replace(words, select=_planned_before(plan))
    workload = parts_of(plan.workload)[0] if isinstance(settings, Apart) else plan.workload
    two = "2" if workload.weights is None else "2Δ"  # Δ: the largest weight on offer
    if isinstance(rounds.candidates, Tables):
        less = {"none": "", "cells": ", minus its number of cells", "noise": ", minus the expected noise"}
        single, weight = (", or of a query", ", times its weight") if workload.terms else ("", "")
        weight = weight if workload.weights is not None else ""
        less_cost = less[rounds.candidates.penalty]
        score = f"Score: the error of a marginal, summed over its cells{single}{less_cost}{weight}; in records."
        where = "For each cell q of the marginal, "
    else:
        score, where = "Score: the error of a query, |q(A) − q(B)|; in records.", ""
    chance = {
        "exponential": f"By the exponential mechanism: chance ∝ exp(ε · score / {two})",
        "permute-and-flip": "By permute-and-flip: in random order, each is taken with chance "
        f"exp(ε · (score − largest score) / {two})",
    }[rounds.selection]
    if workload.weights is not None:
        chance += ", with Δ the largest weight on offer"
    by_cells = " The more cells it has, the more of ε it gets." if rounds.by_cells else ""
    asked = ""
    if isinstance(settings, Apart):
        families, last = _separate_part(plan)
        asked = f" Nothing is selected in the {last}: {families} are measured by themselves."
    return Method(
        select=f"{score} {chance}",
        measure=f"The true values of what was chosen, plus noise.{by_cells}{asked}",
        update=f"{where}{_update(rounds)}.",
    )


def _update(rounds: MWEM) -> str:
    """How the rounds move A, as a formula and in words."""
    update = rounds.update
    step = "" if update.step == 1 else f"{update.step:g}·"
    size = "q(x)(m − q(A)) / 2n" if update.step == 0.5 else f"{step}q(x)(m − q(A)) / n"
    again = "" if isinstance(update, Newest) else "; repeated for all measurements so far"
    if not isinstance(update, Newest) and update.near_prior:
        again += ". On a junction tree the last round fits them all once more, near a prior that takes out noise"
    return f"A(x) ← A(x)·exp({size}), normalised{again}"


def turn(plan: Plan) -> Turn:
    """What moves the model once (`turn_of`)."""
    return turn_of(plan.settings)


def measured_once(plan: Plan) -> str:
    """What a plan measures, in the words of before the run; empty where rounds select."""
    return run_in_words(plan.settings, plan.workload, plan.records.total) if turn(plan) == "step" else ""


def _planned_before(plan: Plan) -> str:
    words = measured_once(plan)
    return f"{words[:1].upper()}{words[1:]}: this was planned from public numbers, before the data was read"


def _beyond(plan: Plan) -> bool:
    return goes_beyond("marginals", plan.settings.measured(plan.workload))


def _planned_and_asked(plan: Plan) -> Method:
    """Of a plan, after which other parts are measured by themselves."""
    settings = plan.settings
    first = "ranges" if isinstance(settings, Apart) and isinstance(settings.first, Halvings) else "tables"
    families, rounds = _separate_part(plan)
    return replace(
        PLAN_METHOD,
        select=_planned_before(plan),
        measure=f"True values plus noise: of {first} before step 1, of {families} in the {rounds}.",
        update=f"A is fitted to what is measured of {first}, from coarse to fine, and then moved to what is measured "
        f"of {families}.",
    )


def _separate_part(plan: Plan) -> tuple[str, str]:
    """The families that are measured after a workload's first part, and in which rounds."""
    families = [part.family for part in parts_of(plan.workload)[1:]]
    of = turn(plan)
    rounds = f"last {of}" if len(families) == 1 else f"last {len(families)} {of}s"
    return " and ".join(dict.fromkeys(families)), rounds


def _counts_cells(plan: Plan) -> bool:
    settings, n = plan.settings, plan.records.total
    cells = isinstance(settings, Planned) and settings.plan == "cells"
    return cells and are_rows("cells", plan.workload, settings.guarantee.budget, n)


def selection_fields(step: Step) -> dict[str, Any]:
    """Return the fields of a frame about the selection. All of them are made from the private data."""
    if (selection := step.selection) is None:
        return {}
    return {
        "probability": selection.probability,
        "candidates": [(c.name, round(c.score, 1), c.probability, c.chosen) for c in selection.candidates],
        "others": (selection.others, selection.others_probability),
    }


def measured_cells(plan: Plan, step: Step, *, show_truth: bool) -> dict[str, Any]:
    """Return the fields of a frame about what was measured: noisy, before and after the update, in records.

    Of many cells the 16 with the largest noisy values are shown, as this choice reads released values only. One more
    row holds the sum of the rest. Without `show_truth`, no true value is in it.
    """
    m, before = step.round.measurement, step.before
    A = step.round.model if isinstance(step.round.model, CorrectedModel) else step.round.A
    if m is None or A is None or before is None:
        return {}
    values = [m.value, m.answer(before.marginal(m.attrs)), m.answer(A.marginal(m.attrs))]
    if show_truth and step.exact is not None:
        values.append(step.exact)
    table = np.array([np.ravel(value) for value in values])  # a row for each kind of value, a column for each cell
    largest, rest = np.arange(table.shape[1]), np.zeros(0, int)
    if len(largest) > CELLS_SHOWN:
        order = np.argsort(-table[0], kind="stable")
        largest, rest = order[:CELLS_SHOWN], order[CELLS_SHOWN:]
    domain = plan.workload.domain
    names = [step.round.label] if m.q is not None else [_cell(domain, m.attrs, int(i)) for i in largest]
    shown = table[:, largest]
    if len(rest):
        names.append(f"{count(len(rest), 'other cell')} together")
        shown = np.column_stack([shown, table[:, rest].sum(axis=1)])
    rows = np.round(shown, 1).tolist()
    fields = {"cells": list(zip(names, *rows[:3], strict=True)), "rest": bool(len(rest))}
    return fields | ({"true_cells": rows[3]} if len(rows) > 3 else {})


def _cell(domain: Domain, attrs: Attrs, i: int) -> str:
    """The values of cell i of a marginal: "Bachelors × Male"."""
    codes = np.unravel_index(i, domain.sizes(attrs))
    return " × ".join(domain.attributes[a].labels[int(code)] for a, code in zip(attrs, codes, strict=True))
