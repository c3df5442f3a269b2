"""What makes a replay fast: measurements of a clique in batches, leaps, cooling, and news only as far as it travels."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model.component import MAX_SMALL_TREE_CLIQUES, Component
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.measurement import Measurement, Prior
from mwem_core.model.sums import align, marginalise
from mwem_core.model.sweep import MIN_SHARE, NO_ERROR, CliqueTables, MarginalView, PlacedMeasurement
from mwem_core.model.triangulation import Clique

MAX_SWEPT_CELLS = 2 * 10**7  # cells times sweeps of a fit that is still above the noise: about a second
COOLING = 3.0  # divides the step once it gains no more
FIRST_RADIUS = 4  # edges of a large tree that a change is first expected to travel
MAX_LOCAL_SHARE = (
    0.5  # of a tree's cliques: above it all are swept at once; on 300 attributes a third fewer fits start anew
)
NEGLIGIBLE_CHANGE = 0.01  # a change of this share of the noise need not be sent on
MAX_LEAP = 10.0  # the most that a leap changes a log-weight by, so that no table sinks to nothing
MAX_BATCH_CELLS = 2**14  # cells of the small table of a batch: it fits a core's own cache
MIN_BATCHED_CELLS = 2**12  # cells of a clique from which its measurements are better taken in batches


def fit(
    component: Component,
    measurements: Sequence[Measurement],
    news: Sequence[Measurement],
    total: float,
    least: float,
    step: float,
    sweeps: int,
    tolerance: float,
    prior: Prior | None,
) -> Component:
    """Sweep the component's measurements, clique by clique, until they have converged or `sweeps` are made.

    In a large tree only the cliques near the news are swept, as far as it travels: until the change at the edge of the
    swept cliques is below `NEGLIGIBLE_CHANGE` of the noise. `least` is the least noise scale of all measurements.
    """
    tree = component.tree
    cliques = [tree.clique_for(m.attrs) for m in measurements]
    theta = {m.attrs: component.theta.get(m.attrs, np.zeros(())) for m in measurements}
    local = len(tree.cliques) > MAX_SMALL_TREE_CLIQUES and component.converged and len(news) == 1
    centre, radius = tree.clique_for(news[0].attrs) if local else None, FIRST_RADIUS
    while True:
        near = list(tree.order) if centre is None else tree.neighbourhood(centre, radius)
        members = near if len(near) <= MAX_LOCAL_SHARE * len(tree.cliques) else list(tree.order)
        swept = set(members)
        own = [(k, m) for k, m in zip(cliques, measurements, strict=True) if k in swept]
        batches = _batches(component, own, total, least, prior)
        start = CliqueTables.of(component, members, {m.attrs: theta[m.attrs] for _, m in own})
        noise = sum(np.size(m.value) * (least / total) ** 2 for _, m in own)
        end, converged = _sweep_until_rest(start, batches, step, sweeps, tolerance, noise)
        beliefs = dict(enumerate(component.beliefs)) | end.calibrated()
        if _inform_others(tree, beliefs, swept, NEGLIGIBLE_CHANGE * min((m.scale for m in news), default=0.0) / total):
            return component.updated(beliefs, end.theta, converged)
        radius *= 2


def _sweep_until_rest(
    tables: CliqueTables, batches: "Sequence[Batch]", step: float, sweeps: int, tolerance: float, noise: float
) -> tuple[CliqueTables, bool]:
    """Sweep with leaps and cooling. Returns the tables at the end, and whether they have converged.

    - Leaps: after each sweep but the first, log A goes on in the same direction, `reach` times as far. `reach` doubles
      if the next sweep finds f no larger; else the leap is taken back and `reach` is quartered.
    - Cooling: noisy measurements contradict each other, so sweeps at one step end in a circle around the least f, as
      wide as the step. If two sweeps and a leap lower f by little, the step is divided by `COOLING`; if a cooler step
      has changed f by little, the fit has converged.

    Little means `tolerance` times `noise`: Σ w scale² over all cells measured, which is the squared error that the
    truth itself would leave, but for a factor of 1 or 2. What is left to gain is then far below the noise; gaining it
    would fit noise.

    After `sweeps` the fit ends once 2f is at most the noise. The truth is a table too, so no fit is best that leaves
    more: where attributes nearly determine each other, small steps take hundreds of sweeps to get there. It goes on
    for at most `MAX_SWEPT_CELLS`.
    """
    reach, last, last_at_step = 1.0, np.inf, np.inf
    earlier = dict(tables.theta)
    squares = _sweep(tables, batches, step)
    made, cells = 1, sum(table.size for table in tables.tables.values())
    while made + 2 <= sweeps or (squares > noise and made * cells < MAX_SWEPT_CELLS):
        made += 2
        ahead = _leap(tables, batches, earlier, reach)
        if _sweep(ahead, batches, step, squares) <= squares:
            tables, reach = ahead, 2 * reach
        else:
            reach /= 4
        earlier = dict(tables.theta)
        squares = _sweep(tables, batches, step)
        if squares <= NO_ERROR:
            return tables, True
        little = tolerance * noise
        if last - squares > little:
            last = squares
        elif abs(last_at_step - squares) > little:
            reach, last, last_at_step, step = 1.0, np.inf, squares, step / COOLING
        else:
            return tables, True
    return tables, False


@dataclass(frozen=True, eq=False)
class Batch:
    """Measurements of one clique taken together, on a small marginal that holds them all or on the clique's table.

    They are the same updates, one after another; but the clique's many cells are summed and multiplied once for all.
    """

    clique: int
    view: MarginalView | None  # of the small marginal; None for the clique's own table
    measurements: list[PlacedMeasurement]

    def update(self, p: np.ndarray, theta: dict[Attrs, np.ndarray], step: float) -> float:
        """Make every measurement's update of the clique's table, in place; the sum of their squared residuals."""
        if self.view is None:
            return sum(m.update(p, theta, step) for m in self.measurements)
        before = self.view.read(p)
        small = before.copy()
        squares = sum(m.update(small, theta, step) for m in self.measurements)
        self.view.scale(p, self.view.ratio(small, before))
        return squares

    def tilt(self, p: np.ndarray, change: dict[Attrs, np.ndarray]) -> None:
        """Multiply the clique's table by exp of the changes in log-weights, up to a constant."""
        small = p if self.view is None else np.ones([p.shape[axis] for axis in self.view.axes])
        for S, view in {m.S: m.view for m in self.measurements}.items():
            view.scale(small, np.exp(change[S] - np.maximum.reduce(change[S], None)))
        if self.view is not None:
            self.view.scale(p, small / small.max())


def _sweep(tables: CliqueTables, batches: Sequence[Batch], step: float, most: float = math.inf) -> float:
    """Update by every measurement once; the sum of the squared residuals met on the way. It stops above `most`."""
    squares = 0.0
    for batch in batches:
        squares += batch.update(tables.informed_table(batch.clique), tables.theta, step)
        if squares > most:
            break
    return squares


def _leap(
    tables: CliqueTables, batches: Sequence[Batch], earlier: dict[Attrs, np.ndarray], reach: float
) -> CliqueTables:
    """A copy whose log-weights went on from `earlier` through the present, `reach` times as far at most."""
    change = {S: table - earlier[S] for S, table in tables.theta.items()}
    largest = np.abs(np.concatenate([table.ravel() for table in change.values()])).max()
    reach = min(reach, MAX_LEAP / max(MIN_SHARE, largest))
    change = {S: reach * table for S, table in change.items()}
    theta = {S: table + change[S] for S, table in tables.theta.items()}
    beliefs = {k: table.copy() for k, table in tables.tables.items()}
    for batch in batches:
        batch.tilt(beliefs[batch.clique], change)
    ahead = replace(tables, theta=theta, tables=beliefs, shared=dict(tables.shared), informed=tables.members[0])
    for k in reversed(tables.members[1:]):
        ahead.send(k, tables.tree.parent[k])
    beliefs[ahead.informed] /= beliefs[ahead.informed].sum()  # messages from it normalise all other tables
    return ahead


def _inform_others(tree: JunctionTree, beliefs: dict[int, np.ndarray], swept: set[int], negligible: float) -> bool:
    """Pass the change on to all cliques that were not swept; False if the change at the edge is not negligible."""
    waiting = [(k, j) for k in swept for j in tree.neighbours[k] if j not in swept]
    edge = set(waiting)
    while waiting:
        k, j = waiting.pop()
        S = tree.separator[k if tree.parent[k] == j else j]
        new, old = marginalise(beliefs[k], tree.cliques[k], S), marginalise(beliefs[j], tree.cliques[j], S)
        if (k, j) in edge and np.abs(new - old).max() > negligible:
            return False
        beliefs[j] = beliefs[j] * align(np.divide(new, old, out=np.zeros_like(new), where=old > 0), S, tree.cliques[j])
        waiting += [(j, i) for i in tree.neighbours[j] if i != k]
    return True


def _batches(
    component: Component,
    placed: Sequence[tuple[int, Measurement]],
    total: float,
    least: float,
    prior: Prior | None,
) -> list[Batch]:
    """The measurements, each with its clique, in batches: clique after clique down the tree."""
    at: dict[int, list[Measurement]] = {}
    for k, m in placed:
        at.setdefault(k, []).append(m)
    batches = []
    for k in component.tree.order:
        left, clique, possible = at.get(k, []), component.tree.cliques[k], component.possible_cells[k]
        for U in small_unions(dict.fromkeys(m.attrs for m in left), clique, component.sizes) if left else ():
            batch = [m for m in left if set(m.attrs) <= set(U)]
            left = [m for m in left if m not in batch]
            if batch:
                small = len(batch) > 1 and len(U) < len(clique)
                view = MarginalView.of(U, clique, possible) if small else None
                placing = {"axes": U if small else clique, "possible": view.kept if view else possible}
                own = [
                    PlacedMeasurement.of(m, clique=k, total=total, least=least, prior=prior, **placing) for m in batch
                ]
                batches.append(Batch(k, view, own))
    return batches


def small_unions(sets: Iterable[Attrs], clique: Clique, sizes: Sequence[int]) -> list[Attrs]:
    """A few attribute sets that together hold all of `sets`; where possible, each far smaller than a large clique.

    First fit: each of `sets` joins the first union that stays small with it. Their attributes are in the clique's
    order. The last is the whole clique, sorted.
    """

    def cells(U: Iterable[int]) -> int:
        return math.prod(sizes[a] for a in U)

    everything = tuple(sorted(clique))
    if cells(clique) < MIN_BATCHED_CELLS:
        return [everything]
    limit = min(cells(clique) // 8, MAX_BATCH_CELLS)
    unions: list[set[int]] = []
    for S in sets:
        if cells(S) <= limit:
            for U in unions:
                if cells(U | set(S)) <= limit:
                    U.update(S)
                    break
            else:
                unions.append(set(S))
    return [*(tuple(a for a in clique if a in U) for U in unions), everything]
