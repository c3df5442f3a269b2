"""The most probable table given noisy residuals, near a log-linear table: the dual of a ridge problem."""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model.component import Component
from mwem_core.model.coordinates import (
    AttributeBasis,
    CliqueCoordinates,
    mean_squares,
    residual_coordinates,
    residual_table,
)
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.sums import align, centre, marginalise

LEAST_SHARE = 1e-300  # below it, a base's share counts as this
LEAST_RECORDS = 0.1  # of a value, where one-way marginals choose the coordinates
MAX_SETS, MAX_COORDINATES = 80, 2000  # of residuals whose second derivatives are computed: a third of a second
MAX_EXTENSION = 10  # times the iterations given, where no Newton steps follow
DAMPING = 10.0  # noise scales added to the variance that sets the step: cells within the noise need not move first


def most_probable(
    A: LogLinear,
    measured: Sequence[Measurement],
    *,
    strength: float,
    unit_variance: float,
    iterations: int,
    tolerance: float,
) -> LogLinear:
    """The p of the least n² Σ (m - r(p))² / 2 variance + λ KL(p || A), over residuals r, between shares.

    With Gaussian noise that is the most probable p, for a prior density exp(-λ KL), with λ = `strength` in records and
    the variance of noise of scale 1 given. Its log-weights beyond A's, θ, solve m - r(p) = κ θ with
    κ = λ variance / n²: they are where the convex dual ln Z - Σ m θ + Σ κ θ² / 2 is least. Each set is measured once.

    The gap between both problems at θ is n² Σ (m - r - κ θ)² / 2 variance. The fit ends once it is at most `tolerance`
    times Σ 1/2, which noise itself adds in the mean: by L-BFGS, or where that has not met the gap after so many
    iterations, by Newton steps. Where second derivatives would take too long (`Dual.is_small`), L-BFGS goes on ten
    times as long, and may end before the gap is met. Reads only its arguments, so it costs no privacy.
    """
    A = A.covering([m.attrs for m in measured])
    components, own = list(A.components), dict[int, list[Measurement]]()
    for m in measured:
        own.setdefault(int(A.component_of[m.attrs[0]]), []).append(m)
    for c, ms in own.items():
        dual = Dual.of(components[c], ms, A.total, strength, unit_variance)
        theta = minimise(
            dual.value,
            np.zeros(len(dual.measured)),
            scale=1 / (dual.mean_squares + dual.ridge + DAMPING * np.sqrt(dual.variance)),
            done=lambda g, dual=dual: bool((g**2 / dual.variance).sum() <= tolerance * g.size),
            iterations=iterations if dual.is_small else MAX_EXTENSION * iterations,
            curvature=dual.curvature if dual.is_small else None,
        )
        components[c] = dual.component_at(theta)
    return LogLinear(A.sizes, A.total, tuple(components))


@dataclass(frozen=True, eq=False)
class Dual:
    """The dual problem of one component, in orthonormal coordinates of its residuals.

    Arrays have the coordinates of all residuals in `sets`, end to end: (k,). `ends` says where those of each clique
    end. `mean_squares` has the second moment of each coordinate's function, were the attributes independent.
    """

    base: Component
    bases: Mapping[int, AttributeBasis]
    sets: Sequence[Attrs]
    cliques: Sequence[CliqueCoordinates]
    ends: np.ndarray
    measured: np.ndarray  # in shares
    variance: np.ndarray  # of the noise, in shares²
    ridge: np.ndarray
    mean_squares: np.ndarray

    @classmethod
    def of(
        cls, base: Component, measured: Sequence[Measurement], total: float, strength: float, unit_variance: float
    ) -> "Dual":
        """The problem near `base`."""
        clique_of = {m.attrs: base.tree.clique_for(m.attrs) for m in measured}
        measured = sorted(measured, key=lambda m: clique_of[m.attrs])
        bases, sets = _bases(base, measured, total), [m.attrs for m in measured]
        cliques = [
            CliqueCoordinates.of(clique, bases, [A for A in sets if clique_of[A] == k])
            for k, clique in enumerate(base.tree.cliques)
        ]
        functions = [[bases[a] for a in A] for A in sets]
        coordinates = [
            residual_coordinates(m.value, f).ravel() / total for m, f in zip(measured, functions, strict=True)
        ]
        scales = np.repeat([m.scale / total for m in measured], [len(values) for values in coordinates])
        variance = unit_variance * scales**2
        return cls(
            base,
            bases,
            sets,
            cliques,
            np.cumsum([len(clique.index) for clique in cliques]),
            np.concatenate(coordinates),
            variance,
            strength * variance,
            np.concatenate([mean_squares(f).ravel() for f in functions]),
        )

    def value(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """ln Z - Σ m θ + Σ κ θ² / 2, and its gradient r(p) - m + κ θ: (k,) -> (k,)."""
        tables, log_z = self._calibrated(theta)
        fitted = [clique.marginals(table) for clique, table in zip(self.cliques, tables, strict=True)]
        gradient = np.concatenate(fitted) - self.measured + self.ridge * theta
        return log_z - float(theta @ (self.measured - self.ridge * theta / 2)), gradient

    @property
    def is_small(self) -> bool:
        """Whether the second derivatives can be computed and solved in a moment: on one table, of few residuals."""
        return len(self.cliques) == 1 and len(self.sets) <= MAX_SETS and len(self.measured) <= MAX_COORDINATES

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """The second derivatives: the covariance under p of all functions, and κ on the diagonal: (k,) -> (k, k).

        A function is a product over its residual's attributes, so its covariance with another is a contraction of the
        marginal on the attributes of both.
        """
        (table,), clique = self._calibrated(theta)[0], self.base.tree.cliques[0]
        means = self.cliques[0].marginals(table)
        moments = np.diag(self.ridge) - np.outer(means, means)
        ends = np.cumsum([0, *(self._size(S) for S in self.sets)])
        marginals: dict[Attrs, np.ndarray] = {}
        for i, S in enumerate(self.sets):
            for j, R in enumerate(self.sets[: i + 1]):
                U = tuple(sorted({*S, *R}))
                if U not in marginals:
                    marginals[U] = marginalise(table, clique, U)
                rows, columns = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
                block = self._products(marginals[U], U, S, R).reshape(self._size(S), -1)
                moments[rows, columns] += block
                if i != j:
                    moments[columns, rows] += block.T
        return moments

    def _size(self, S: Attrs) -> int:
        return math.prod(len(self.bases[a].functions) - 1 for a in S)

    def _products(self, marginal: np.ndarray, U: Attrs, S: Attrs, R: Attrs) -> np.ndarray:
        """The mean of each function of S times each of R, from the marginal on U, which has the attributes of both."""
        axes: list[tuple[int, int]] = []  # whether of S (0) or of R (1), and of which attribute
        for a in U:
            shared = a in S and a in R
            functions = self._pairs[a] if shared else self.bases[a].functions[1:]
            marginal = np.tensordot(marginal, functions, axes=(0, functions.ndim - 1))  # this axis is the last now
            axes += [(side, a) for side, own in enumerate((S, R)) if a in own]
        return marginal.transpose(sorted(range(len(axes)), key=axes.__getitem__))

    @cached_property
    def _pairs(self) -> dict[int, np.ndarray]:
        """The products of any two functions of each attribute but the constant: (n - 1, n - 1, n)."""
        own = {a: basis.functions[1:] for a, basis in self.bases.items()}
        return {a: functions[:, None] * functions for a, functions in own.items()}

    def component_at(self, theta: np.ndarray) -> Component:
        """The component with these log-weights beyond the base's."""
        tables, first, changed = self._calibrated(theta)[0], 0, {}
        for A in self.sets:
            functions = [self.bases[a] for a in A]
            shape = [len(basis.functions) - 1 for basis in functions]
            last = first + math.prod(shape)
            change = residual_table(theta[first:last].reshape(shape), functions)
            changed[A], first = self.base.theta.get(A, 0.0) + change, last
        return self.base.updated(dict(enumerate(tables)), changed, converged=True)

    @cached_property
    def _logs(self) -> list[np.ndarray]:
        logs = [np.log(np.maximum(table, LEAST_SHARE)) for table in self.base.conditionals]
        for log, possible in zip(logs, self.base.possible_cells, strict=True):
            if possible is not None:
                log[~possible] = -np.inf
        return logs

    def _calibrated(self, theta: np.ndarray) -> tuple[list[np.ndarray], float]:
        changes = np.split(theta, self.ends[:-1])
        return calibrate(
            self.base.tree,
            [
                log + clique.table(change) if len(change) else log
                for log, clique, change in zip(self._logs, self.cliques, changes, strict=True)
            ],
        )


def calibrate(tree: JunctionTree, logs: Sequence[np.ndarray]) -> tuple[list[np.ndarray], float]:
    """The marginals on the cliques, in shares, of p = Π exp(log) / Z, and ln Z (Lauritzen & Spiegelhalter 1988).

    ln Z is infinite where no cell has a weight that can be represented.
    """
    tables, messages, log_z = [], {}, 0.0
    for log in logs:
        tables.append(np.exp(log - log.max()))
        log_z += float(log.max())
    for k in reversed(tree.order):
        message = marginalise(tables[k], tree.cliques[k], tree.separator[k])
        if not (most := float(message.max())) > 0:
            return tables, np.inf
        log_z += math.log(most)
        messages[k] = message / most
        if (parent := tree.parent[k]) >= 0:
            tables[parent] *= align(messages[k], tree.separator[k], tree.cliques[parent])
        tables[k] /= most
    for k in tree.order:
        if (parent := tree.parent[k]) >= 0:
            S = tree.separator[k]
            new = marginalise(tables[parent], tree.cliques[parent], S)
            ratio = np.divide(new, messages[k], out=np.zeros_like(new), where=messages[k] > 0)
            tables[k] *= align(ratio, S, tree.cliques[k])
    return tables, log_z


def _bases(base: Component, measured: Sequence[Measurement], total: float) -> dict[int, AttributeBasis]:
    """Each attribute's functions, by its measured one-way marginal, or else the base's."""
    residuals = {m.attrs: m.value for m in measured if len(m.attrs) == 1}
    bases = {}
    for (a,), shares in base.marginals([(a,) for a in base.attrs]).items():
        residual = residuals.get((a,), total * centre(shares))
        positive = np.maximum(residual + total / len(shares), LEAST_RECORDS)
        bases[a] = AttributeBasis.of(positive / positive.sum())
    return bases


MEMORY = 10  # pairs of steps and changes of the gradient that are kept
SUFFICIENT = 1e-4  # share of the gain that the slope promises, from which a step is taken (Armijo 1966)
SHORTEST = 1e-10  # of a step, in units of the whole: rounding alone decides below it

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


def minimise(
    f: Function,
    x: np.ndarray,
    *,
    scale: np.ndarray,
    done: Callable[[np.ndarray], bool],
    iterations: int,
    curvature: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Go down f from x, (k,), until `done` accepts the gradient, no step gains, or `iterations` steps are made.

    f returns its value and its gradient, (k,). `scale`, (k,), is about the inverse of the second derivatives. If the
    `curvature` is given, the second derivatives at a point, (k, k), as many Newton steps go on after L-BFGS.
    """
    steps: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=MEMORY)
    value, gradient = f(x)
    for i in range(iterations if curvature is None else 2 * iterations):
        if done(gradient):
            break
        if curvature is not None and i >= iterations:
            direction = -np.linalg.solve(curvature(x), gradient)
        else:
            direction = _direction(gradient, steps, scale)
        slope, t = float(direction @ gradient), 1.0
        ahead, there = f(x + direction)
        while not ahead <= value + SUFFICIENT * t * slope and t > SHORTEST:
            least = -slope * t / (2 * ((ahead - value) / t - slope)) if np.isfinite(ahead) else 0.0
            t = max(t / 10, min(t / 2, least))  # `least`: where the parabola through both values has its least
            ahead, there = f(x + t * direction)
        if ahead >= value:
            break
        step, change = t * direction, there - gradient
        if step @ change > 0:  # else rounding hides the curvature
            steps.append((step, change))
        x, value, gradient = x + step, ahead, there
    return x


def _direction(gradient: np.ndarray, steps: deque[tuple[np.ndarray, np.ndarray]], scale: np.ndarray) -> np.ndarray:
    """-H gradient, with H the inverse Hessian that the steps tell of: two loops over them."""
    direction, along = -gradient, []
    for step, change in reversed(steps):
        share = (step @ direction) / (step @ change)
        direction = direction - share * change
        along.append(share)
    direction = direction * scale
    if steps:
        step, change = steps[-1]
        direction *= (step @ change) / (change @ (scale * change))
    for (step, change), share in zip(steps, reversed(along), strict=True):
        direction += (share - (change @ direction) / (step @ change)) * step
    return direction
