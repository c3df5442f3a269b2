"""Replay: multiplicative weights, swept over all measurements so far, on a junction tree (Figure 8 of the paper)."""

from collections.abc import Sequence

import numpy as np

from mwem_core.model.acceleration import fit
from mwem_core.model.component import Component
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement, Prior, pool
from mwem_core.model.sweep import NO_ERROR, CliqueTables, PlacedMeasurement


def update(A: LogLinear, m: Measurement, step: float) -> LogLinear:
    """Step 3 of Figure 1: A(x) ∝ A(x) exp(step · q(x) · (m - q(A)) / n), once. The paper's step is 1/2."""
    return replay(A, [m], step=step, sweeps=1, in_order=True)


def replay(
    A: LogLinear,
    measurements: Sequence[Measurement],
    *,
    step: float,
    sweeps: int,
    tolerance: float = 0.0,
    in_order: bool = False,
    news: Sequence[Measurement] | None = None,
    prior: Prior | None = None,
) -> LogLinear:
    """Sweep A(x) ∝ A(x) exp(step · w · q(x) · (m - q(A)) / n) over the measurements, at most `sweeps` times.

    Each update is a step of mirror descent on f(A) = ½ Σ w (m - q(A))² / n², which is convex in A. The weight w is
    (least scale / scale)²; it is 1 if all measurements have the same noise, as in a plain run of MWEM.

    With `in_order` this is Figure 8: the measurements in the order given, at one step, until nothing moves. Otherwise
    `acceleration.fit` makes the same updates clique by clique, with leaps and cooling, and stops by `tolerance`.

    With a prior it ends at the A of the least n² Σ (m - q(A))² / 2 variance + λ KL(A || base), between shares. With
    Gaussian noise that is the most probable A, for a prior density exp(-λ KL). It is log-linear too: its log-weights
    beyond the base's solve m - q(A) = κ θ with κ = λ variance / n², and the update climbs the concave dual of this
    problem. Repeated measurements are pooled first. A prior weighs whole tables, residuals, and single queries that are
    the only one on their attribute set.

    Only components that hold one of `news` (by default all measurements) or that an earlier replay left before it
    converged are swept; the others are the same objects afterwards. Reads only its arguments, so it costs no privacy.
    """
    news = measurements if news is None else news
    if prior:
        new = {m.query for m in news}
        measurements = pool(measurements)
        news = [m for m in measurements if m.query in new]
    least = min((m.scale for m in measurements), default=0.0)
    A = A.covering([m.attrs for m in news])
    components = list(A.components)
    for c, own in _by_component(A, measurements, news).items():
        component = components[c]
        if in_order:  # Figure 8
            tables, history = _start(component, own, A.total, least, prior)
            converged = False
            for _ in range(sweeps):
                squares = sum(m.update(tables.informed_table(m.clique), tables.theta, step) for m in history)
                if converged := squares <= NO_ERROR:
                    break
            components[c] = component.updated(tables.calibrated(), tables.theta, converged)
        else:
            own_news = [m for m in news if A.component_of[m.attrs[0]] == c]
            components[c] = fit(component, own, own_news, A.total, least, step, sweeps, tolerance, prior)
    return LogLinear(A.sizes, A.total, tuple(components))


def _by_component(
    A: LogLinear, measurements: Sequence[Measurement], news: Sequence[Measurement]
) -> dict[int, list[Measurement]]:
    """The measurements of each component that has news or has not converged."""
    component_of = A.component_of.tolist()
    own: dict[int, list[Measurement]] = {component_of[m.attrs[0]]: [] for m in news}
    own |= {c: [] for c, component in enumerate(A.components) if not component.converged}
    for m in measurements:
        if component_of[m.attrs[0]] in own:
            own[component_of[m.attrs[0]]].append(m)
    return {c: ms for c, ms in own.items() if ms}


def _start(
    component: Component,
    measurements: Sequence[Measurement],
    total: float,
    least: float,
    prior: Prior | None,
) -> tuple[CliqueTables, list[PlacedMeasurement]]:
    """All of a component's tables, and its measurements, each placed at a clique."""
    tree = component.tree
    theta = {m.attrs: component.theta.get(m.attrs, np.zeros(())) for m in measurements}
    cliques = [tree.clique_for(m.attrs) for m in measurements]
    placed = [
        PlacedMeasurement.of(
            m,
            clique=k,
            axes=tree.cliques[k],
            total=total,
            least=least,
            prior=prior,
            possible=component.possible_cells[k],
        )
        for k, m in zip(cliques, measurements, strict=True)
    ]
    return CliqueTables.of(component, list(tree.order), theta), placed
