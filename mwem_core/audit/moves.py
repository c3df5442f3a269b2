"""How far one record moves what a draw reads, and what the draw costs by its mechanism: in its own units, Δ and ε or ρ.

A draw's proof says which distance must be within Δ:

    entries   no score, or noisy cost, moves by more than Δ. Of costs, a solution contains one that a record moves
    range     all scores move within a range of 2Δ: the mechanisms' laws do not change when all scores move alike
    L1, L2    the distance of exact values under Laplace, and under Gaussian noise
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.audit.draws import Draw
from mwem_core.privacy import Exact

Proof = Literal["entries", "range", "L1", "L2"]
ROUNDING = 1e-12  # relative, of sums in float64; values on the grid are exact, and get none
GRID = 2.0**-10


@dataclass(frozen=True)
class Move:
    """How far the neighbour moved a draw, as a share of what it pays for, and in words what it does not pay for."""

    share: float
    problem: str = ""


def compared(ours: Draw, theirs: Draw, proof: Proof, distance: int) -> Move:
    """A draw on B and the same draw on a table at this distance: `distance` times Δ is paid for."""
    if ours.kind != theirs.kind:
        return Move(0.0, f"{ours.kind} on B, {theirs.kind} on the neighbour")
    if ours.exact.shape != theirs.exact.shape:
        return Move(0.0, f"{ours.exact.size} values on B, {theirs.exact.size} on the neighbour")
    if (ours.amount, ours.sensitivity) != (theirs.amount, theirs.sensitivity):
        asked = [f"{float(d.amount):.6g} for Δ = {d.sensitivity:.6g}" for d in (ours, theirs)]
        return Move(0.0, f"the price is {asked[0]} on B, {asked[1]} on the neighbour")
    if (np.isneginf(ours.exact) != np.isneginf(theirs.exact)).any():
        return Move(0.0, "other candidates are on offer on the neighbour")
    moved, Δ = move(ours, theirs, proof) / distance, ours.sensitivity
    share = moved / Δ
    if not moved <= Δ + rounding(ours, theirs) / distance:
        return Move(share, f"one record moves {ours.kind} by {moved:.6g} ({proof}), more than its Δ = {Δ:.6g}")
    return Move(share)


def usual_proof(draw: Draw) -> Proof:
    """The proof of a mechanism, where an algorithm has no proof of its own."""
    return "entries" if draw.selects else "L2" if draw.kind == "gaussian" else "L1"


def move(ours: Draw, theirs: Draw, proof: Proof) -> float:
    """The distance between what two runs gave to a draw, by its proof. NaN where a value is NaN on one side."""
    offered = ~np.isneginf(ours.exact)
    gap = theirs.exact[offered] - ours.exact[offered]
    if not gap.size:
        return 0.0
    if proof == "range":
        return float(gap.max() - gap.min()) / 2
    if proof == "L2":
        return math.sqrt(float((gap**2).sum()))
    return float(np.abs(gap).sum() if proof == "L1" else np.abs(gap).max())


def rounding(ours: Draw, theirs: Draw) -> float:
    """By how much a distance may exceed Δ for float64's rounding: not at all if all values are on the grid."""
    values = np.concatenate([ours.exact.ravel(), theirs.exact.ravel()])
    values = values[np.isfinite(values)]
    if not np.mod(values, GRID).any():
        return 0.0
    return ROUNDING * max(1.0, ours.sensitivity, float(np.abs(values).max())) * max(1.0, math.sqrt(ours.exact.size))


def cost(draw: Draw, unit: str) -> Exact:
    """What a draw costs, in ε or in ρ, exactly; infinite for Gaussian noise under pure ε.

    In ρ, a selection by the exponential mechanism costs ε²/8 (Cesar & Rogers 2021), and whatever else is ε-DP costs
    ε²/2 (Bun & Steinke 2016). A choice among equal scores is a public die and costs nothing.
    """
    if draw.selects and not np.ptp(draw.exact):
        return Fraction(0)
    if unit == "ε":
        return math.inf if draw.kind == "gaussian" else Fraction(draw.amount)
    if draw.kind == "gaussian":
        return Fraction(draw.amount)
    return Fraction(draw.amount) ** 2 / (8 if draw.kind == "choose" else 2)
