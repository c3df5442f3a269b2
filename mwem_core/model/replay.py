"""Improve a model so that it agrees with noisy measurements: multiplicative weights, swept over a junction tree."""

from collections.abc import Sequence

import numpy as np

from mwem_core.model.component import MAX_SMALL_TREE_CLIQUES, Component
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.sums import align, marginalise
from mwem_core.model.sweep import Desk, Sweep, View, Visit, together

NOTHING = 1e-30  # squared residuals, in shares, that leave nothing to move
COOLER = 3.0  # what the step is divided by once it gains no more
NEAR = 4  # edges of a tree that news is first expected to travel
UNHEARD = 0.01  # of the noise: a change so small need not be told


def replay(
    A: LogLinear,
    measurements: Sequence[Measurement],
    *,
    step: float,
    sweeps: int,
    tolerance: float = 0.0,
    in_order: bool = False,
    news: Sequence[Measurement] | None = None,
) -> LogLinear:
    """Sweep A(x) ∝ A(x) exp(step · w · q(x) · (m - q(A)) / n) over the measurements, at most `sweeps` times.

    Each such update is a step of mirror descent on f(A) = ½ Σ w (m - q(A))² / n², which is convex in A. The weight w is
    (least scale / scale)²: 1 where all have the same noise, as in a plain run of MWEM. `in_order` is Figure 8: the
    measurements as given, one `step` (the paper's is 1/2), until nothing moves. Otherwise they are taken as the tree
    lies, and two things let few sweeps come near the least f:

    - leaps: after each sweep but the first log A goes on in the same direction, `far` times as far; `far` doubles
      when the next sweep finds f no larger, and is quartered, the leap taken back, when it finds it larger;
    - cooling: with noise, measurements contradict each other, and sweeps at one step end in a circle about the least f,
      as wide as the step. So where two sweeps and a leap lower f by little the step is cooled to a third, and where a
      cooler step has changed f by little, replay rests.

    Little is `tolerance` times 2f or, where that is more, the measurements' w scale² by cell: the squared error that
    the truth itself would leave. At rest what is left to gain is thus far below the noise: gaining it would fit noise.

    Only components that hold one of `news` (by default all the measurements), or that an earlier replay left before
    they came to rest, are swept; others are the same objects after as before. In a large tree the cliques near the news
    are swept, as far as it travels: until what it changes at their edge is a hundredth of the noise.
    Reads nothing but its arguments, so it costs no privacy.
    """
    news = measurements if news is None else news
    A = A.covering([m.attrs for m in news])
    place, components = A.component_of.tolist(), list(A.components)
    inside: dict[int, list[Measurement]] = {place[m.attrs[0]]: [] for m in news}
    inside |= {c: [] for c, component in enumerate(components) if not component.converged}
    for m in measurements:
        if place[m.attrs[0]] in inside:
            inside[place[m.attrs[0]]].append(m)
    least = min((m.scale for m in measurements), default=0.0)
    for c, own in inside.items():
        if not own:
            continue  # only taken into the tree
        fresh = [m for m in news if place[m.attrs[0]] == c]
        components[c] = _swept(components[c], A.total, own, fresh, least, step, sweeps, tolerance, in_order)
    return LogLinear(A.sizes, A.total, tuple(components))


def _swept(
    component: Component,
    total: float,
    measurements: Sequence[Measurement],
    news: Sequence[Measurement],
    least: float,
    step: float,
    sweeps: int,
    tolerance: float,
    in_order: bool,
) -> Component:
    tree = component.tree
    homes = [tree.clique_for(m.attrs) for m in measurements]
    theta = {m.attrs: component.theta.get(m.attrs, np.zeros(())) for m in measurements}
    local = len(tree.cliques) > MAX_SMALL_TREE_CLIQUES and component.converged and len(news) == 1 and not in_order
    start = tree.clique_for(news[0].attrs) if local else None
    far = NEAR
    while True:
        members = list(tree.order) if start is None else tree.neighbourhood(start, far)
        inside = set(members)
        own = [(k, m) for k, m in zip(homes, measurements, strict=True) if k in inside]
        desks = _desks(component, total, own, least, in_order)
        begin = Sweep.of(tree, members, desks, {m.attrs: theta[m.attrs] for _, m in own}, component.beliefs)
        if in_order:
            end, at_rest = _figure_8(begin, step, sweeps)
        else:
            noise = sum(np.size(m.value) * (least / total) ** 2 for _, m in own)
            end, at_rest = _settle(begin, step, sweeps, tolerance, noise)
        beliefs = list(component.beliefs)
        for k, table in end.calibrated().items():
            beliefs[k] = table
        if _told(tree, beliefs, inside, UNHEARD * min((m.scale for m in news), default=0.0) / total):
            return Component(component.sizes, {**component.theta, **end.theta}, tree, tuple(beliefs), at_rest)
        far *= 2


def _told(tree: JunctionTree, beliefs: list[np.ndarray], inside: set[int], unheard: float) -> bool:
    """Tell all other cliques of a change in those inside, which are calibrated; False where too much would be new."""
    waiting = [(k, j) for k in inside for j in tree.neighbours[k] if j not in inside]
    edge = set(waiting)
    while waiting:
        k, j = waiting.pop()
        S = tree.separator[k if tree.parent[k] == j else j]
        new, old = marginalise(beliefs[k], tree.cliques[k], S), marginalise(beliefs[j], tree.cliques[j], S)
        if (k, j) in edge and np.abs(new - old).max() > unheard:
            return False
        beliefs[j] = beliefs[j] * align(np.divide(new, old, out=np.zeros_like(new), where=old > 0), S, tree.cliques[j])
        waiting += [(j, i) for i in tree.neighbours[j] if i != k]
    return True


def _figure_8(here: Sweep, step: float, sweeps: int) -> tuple[Sweep, bool]:
    """Sweep at one step; the end, and whether nothing moves there."""
    return here, any(here.sweep(step) <= NOTHING for _ in range(sweeps))


def _settle(here: Sweep, step: float, sweeps: int, tolerance: float, noise: float) -> tuple[Sweep, bool]:
    """Sweep with leaps and cooling; the end, and whether it is at rest. `noise` is what 2f is at the truth, or less."""
    far, last, rest = 1.0, np.inf, np.inf
    earlier = dict(here.theta)
    squares = here.sweep(step)
    for _ in range((sweeps - 1) // 2):
        ahead = here.leapt(earlier, far)
        if ahead.sweep(step) <= squares:
            here, far = ahead, 2 * far
        else:
            far /= 4
        earlier = dict(here.theta)
        squares = here.sweep(step)
        if squares <= NOTHING:
            return here, True
        little = tolerance * max(squares, noise)
        if last - squares > little:
            last = squares
        elif abs(rest - squares) > little:
            far, last, rest, step = 1.0, np.inf, squares, step / COOLER
        else:
            return here, True
    return here, False


def _desks(
    component: Component, total: float, homes: Sequence[tuple[int, Measurement]], least: float, in_order: bool
) -> list[Desk]:
    """Measurements, each with its clique: one by one as they came, or, as the tree lies, those of a clique together."""
    cliques = component.tree.cliques

    def visit(m: Measurement, U: Sequence[int]) -> Visit:
        weight = 1.0 if m.scale == least else (least / m.scale) ** 2
        return Visit(m.attrs, View.of(m.attrs, U), m.value / total, m.q, weight)

    if in_order:
        return [Desk(k, None, [visit(m, cliques[k])]) for k, m in homes]
    at_home: dict[int, list[Measurement]] = {}
    for k, m in homes:
        at_home.setdefault(k, []).append(m)
    desks = []
    for k in component.tree.order:
        own = at_home.get(k, [])
        for U in together(dict.fromkeys(m.attrs for m in own), cliques[k], component.sizes) if own else ():
            some = [m for m in own if set(m.attrs) <= set(U)]
            own = [m for m in own if m not in some]
            if some:
                small = len(some) > 1 and len(U) < len(cliques[k])
                visits = [visit(m, U if small else cliques[k]) for m in some]
                desks.append(Desk(k, View.of(U, cliques[k]) if small else None, visits))
    return desks
