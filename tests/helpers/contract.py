"""Every private system on a small table: its runs, what each draw tells neighbours apart by, and what it releases."""

import dataclasses
from functools import cache, partial

import numpy as np
from oracles import Recording, domain_of, random_records
from runs import RANGES_ONLY

from mwem_core.output import gives_rows, round_rows
from mwem_core.privacy import laws
from mwem_core.systems import DEFAULT_DELTA, SYSTEMS
from mwem_core.workload import families

N = 200
PRIVATE = [name for name, system in SYSTEMS.items() if system.privacy not in ("none", "no data")]
# Each private system at a requested δ of 0; under zCDP too if it may be either.
RUNS = [(name, 0.0) for name in PRIVATE]
RUNS += [(name, DEFAULT_DELTA) for name in PRIVATE if SYSTEMS[name].privacy == "ε or zCDP"]


def table_for(name):
    """A small table of bits, or of larger attributes for ranges. The net mechanism gets fewer bits."""
    sizes = [5, 6, 2] if name in RANGES_ONLY else [2] * (3 if name == "net" else 5)
    return random_records(domain_of(sizes), N, np.random.default_rng(0))


@cache
def workload_for(name):
    domain = table_for(name).domain
    return families.ranges(domain, ["a", "b"], 20) if name in RANGES_ONLY else families.marginals(domain, 2)


def recorded(settings, B, Q, noise):
    """The rounds, and for each round all draws until its end."""
    noise = Recording(noise)
    rounds = [(entry, len(noise.draws)) for entry in settings.rounds(B, Q, noise=noise)]
    return [entry for entry, _ in rounds], [noise.draws[:count] for _, count in rounds]


LAWS = {"choose": laws.exponential_law, "permute_and_flip": laws.permute_and_flip_law}


def privacy_loss(kind, ours, theirs, scale, unit):
    """The most that one draw tells two tables apart, over all its outcomes, in the unit of the budget.

    "costs" are noisy costs, of which only the cheapest solution is released. A record moves one cost of each solution,
    and the loss is twice the largest change divided by the scale (`mechanisms.noisy_costs`).
    A choice: the largest change of a candidate's log-probability. In zCDP, where choices are by the exponential
    mechanism, an eighth of the square of the range of the log-ratios (Dong et al. 2020), which is at most its ε. Noise:
    the L1 distance divided by the scale, or half of the squared L2 distance divided by the variance.
    """
    if kind in LAWS:
        offered = np.isfinite(ours)
        assert (np.isfinite(theirs) == offered).all()  # which candidates are offered is public
        change = np.log(LAWS[kind](ours)[offered]) - np.log(LAWS[kind](theirs)[offered])
        if unit == "ρ":
            assert kind == "choose"
            return (change.max() - change.min()) ** 2 / 8
        return np.abs(change).max()
    gap = np.abs(ours - theirs)
    if kind == "costs":
        return 2 * gap.max() / scale
    if kind in ("laplace", "discrete_laplace"):
        assert unit == "ε"  # no system adds Laplace noise under zCDP
        return gap.sum() / scale
    assert unit == "ρ"
    return (gap**2).sum() / (2 * scale**2)


def released(rounds, Q):
    """Everything that rounds release, as plain values: each model's answers, and the rows that the last one draws."""
    last = rounds[-1].model
    rows = round_rows(Q.domain, last, 50, np.random.default_rng(0)).codes if gives_rows(last) else ()
    return [*map(partial(_released, Q=Q), rounds), [column.tolist() for column in rows]]


def _released(entry, Q):
    values = {field.name: getattr(entry, field.name) for field in dataclasses.fields(entry)}
    model, A, m, selection = (values.pop(name) for name in ("model", "A", "measurement", "selection"))
    for name in ("planned", "tables"):
        values[name] = [(each.attrs, each.value.tolist(), each.scale) for each in values[name]]
    values["answers"] = model.answers(Q).tolist(), float(model.total)
    values["A"] = None if A is None else A.answers(Q).tolist()
    if selection is not None:
        before, weights = selection.A.answers(Q).tolist(), selection.weights
        public = (
            np.asarray(selection.penalty).tolist(),
            selection.epsilon,
            selection.sensitivity,
            selection.packed.tobytes(),
        )
        values["selection"] = before, None if weights is None else weights.tolist(), public
    if m is not None:
        values["measured"] = m.attrs, np.asarray(m.value).tolist(), m.scale, None if m.q is None else m.q.tolist()
    return values
