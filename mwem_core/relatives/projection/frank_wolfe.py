"""Frank and Wolfe's projection onto a convex body, of which only the furthest point in a direction can be computed."""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.relatives.projection.convex_body import RelaxedBody

MAX_PROJECTION_STEPS = 1000
MAX_WORK = 1e10  # multiplications in all steps, at one alternation each; a step takes about ten, so half a minute


@dataclass(frozen=True, eq=False)
class Projection:
    """A point x of the body, (M,), the gap before each step, and a certified upper bound on the gap after the last.

    The gap max_v ⟨y - z, v - z⟩, with z = scale · x, bounds |z - z*|², and ½|y - z|² less its least value.
    """

    x: np.ndarray
    gaps: np.ndarray
    certified: float


def project(y: np.ndarray, scale: np.ndarray, body: RelaxedBody, steps: int) -> Projection:
    """An x of the body whose |y - scale · x| is nearly least: (M,), (M,) -> (M,).

    It starts from 0. Each step goes to the best point on the segment to the furthest vertex. With exact vertices the
    least gap of the first t steps is at most 6.75 D²/(t + 2), D the diameter of scale · body (Jaggi 2013).
    """
    x, vertex, gaps = np.zeros(len(y)), None, []
    for _ in range(steps):
        a = scale * (y - scale * x)
        vertex = body.furthest(a, vertex)
        direction = vertex.x - x
        gaps.append(float(a @ direction))
        length = float(((scale * direction) ** 2).sum())
        if gaps[-1] <= 0 or length == 0:
            break
        x = x + min(1.0, gaps[-1] / length) * direction
    a = scale * (y - scale * x)
    return Projection(x, np.array(gaps), body.bound(a, body.furthest(a, vertex)) - float(a @ x))


def needed_steps(scale: np.ndarray, body: RelaxedBody, sigma: float) -> int:
    """n/(σ · width): after so many steps the gap is below the cost of the noise. `scale` is n√p.

    The mean width of the body is E max_x ⟨√p g, x⟩ for Gaussian g; one draw, from a public seed, is close to it.
    """
    n = np.linalg.norm(scale)
    a = scale / n * np.random.default_rng(0).normal(size=len(scale))
    return math.ceil(n / (sigma * float(a @ body.furthest(a).x)))


def max_steps(body: RelaxedBody) -> int:
    """The most steps that are affordable."""
    return max(1, min(MAX_PROJECTION_STEPS, int(MAX_WORK / body.work)))
