"""Frank and Wolfe's projection onto a convex body that one can only ask for its furthest point in a direction."""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.relatives.projection.convex_bodies import Body

STEPS = 1000  # at most
WORK = 1e10  # multiplications in all steps, were each a single pass; it takes ten, so half a minute


@dataclass(frozen=True, eq=False)
class Projection:
    """A point x of the body, (M,), the gap before each step, and what the last gap is certain not to pass.

    The gap max_v ⟨y - z, v - z⟩, for z = scale · x, bounds |z - z*|², and ½|y - z|² less the least it could be.
    """

    x: np.ndarray
    gaps: np.ndarray
    certified: float


def project(y: np.ndarray, scale: np.ndarray, body: Body, steps: int) -> Projection:
    """The x of the body with |y - scale · x| nearly least: (M,), (M,) -> (M,).

    From 0 on, each step goes to the best point on the way to the furthest vertex. Where those are exact, the least gap
    of the first t steps is at most 6.75 D²/(t + 2), D the diameter of scale · body (Jaggi 2013).
    """
    x, vertex, gaps = np.zeros(len(y)), None, []
    for _ in range(steps):
        a = scale * (y - scale * x)
        vertex = body.furthest(a, vertex)
        along = vertex.x - x
        gaps.append(float(a @ along))
        length = float(((scale * along) ** 2).sum())
        if gaps[-1] <= 0 or length == 0:
            break
        x = x + min(1.0, gaps[-1] / length) * along
    a = scale * (y - scale * x)
    return Projection(x, np.array(gaps), body.bound(a, body.furthest(a, vertex)) - float(a @ x))


def steps_of(scale: np.ndarray, body: Body, sigma: float) -> int:
    """n/(σ · width), so many steps that the gap is below what the noise costs anyway; `scale` is n√p.

    The mean width of the body is E max_x ⟨√p g, x⟩ for Gaussian g; one draw, with a public seed, is close to it.
    """
    n = np.linalg.norm(scale)
    a = scale / n * np.random.default_rng(0).normal(size=len(scale))
    return math.ceil(n / (sigma * float(a @ body.furthest(a).x)))


def most_steps(body: Body) -> int:
    """How many steps are affordable."""
    return max(1, min(STEPS, int(WORK / body.work)))
