"""The least value of a smooth convex function: by L-BFGS (Liu & Nocedal 1989), and where that is slow by Newton steps.

Where the optimum lies far out along a nearly flat valley, L-BFGS takes thousands of steps and Newton's method a dozen.
"""

from collections import deque
from collections.abc import Callable

import numpy as np

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
