"""How seconds grow with n, d, |Q| and T, one at a time, the rest fixed: the exponents of power laws.

    python benchmarks/growth.py [n d Q T] [--repeats 3]

A point is the median of fresh processes, without their start; a line is fitted to the points' logarithms.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from figure6 import bits
from fresh import append, cost, measured, parser, pin, stands, tell
from phases import IN_ROUNDS, Phases, run

from mwem_core import Attribute, Domain, Records, Workload, default
from mwem_core.domain.values import Range
from mwem_core.workload.families import marginals, ranges
from mwem_core.workload.operators import Parity
from mwem_core.workload.workload import Block

ROW = "growth"
SIZES = (8, 16, 7, 15, 6, 5, 2, 42)  # Adult's eight
WIDE = 4357  # values of the attribute that ranges are of: Adult's capital-loss


@dataclass(frozen=True)
class Curve:
    """What varies, how far, and what takes the seconds."""

    of: str
    points: tuple[int, ...]
    measure: Callable[[int], float]


def exponent(x: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """The b of seconds ∝ x^b by least squares on logarithms, and its standard error."""
    u, v = np.log(x) - np.mean(np.log(x)), np.log(seconds) - np.mean(np.log(seconds))
    b = float(u @ v / (u @ u))
    return b, float(np.sqrt(np.sum((v - b * u) ** 2) / (len(u) - 2) / (u @ u)))


def counting(n: int) -> float:
    """All 28 pairs of eight skewed attributes that lean on one hidden number, of n records."""
    rng = np.random.default_rng(0)
    hidden = rng.random(n)
    domain = Domain(tuple(Attribute(f"c{i}", Range(0, size - 1)) for i, size in enumerate(SIZES)))
    near = (np.clip(hidden + 0.12 * (rng.random(n) - 0.5), 0, 1) * (rng.random(n) < 0.97) for _ in SIZES)
    codes = tuple(np.minimum(size * p**2.5, size - 1).astype(np.uint8) for size, p in zip(SIZES, near, strict=True))
    B = Records(domain, codes)
    Q = marginals(domain, 2)
    began = time.perf_counter()
    Q.answers(B)
    return time.perf_counter() - began


def attributes(d: int) -> float:
    """30 rounds on 2,000 random parities of two of d bits."""
    B = bits(d, 10_000)
    pairs = np.column_stack(np.triu_indices(d, 1))
    chosen = np.sort(np.random.default_rng(0).choice(len(pairs), 2000, replace=False))
    return _rounds(B, Workload(B.domain, "parities", "", "", (Block(pairs[chosen], Parity(2)),)), T=30)


def queries(Q: int) -> float:
    """10 rounds on Q random ranges of one attribute."""
    return _ranges(Q, T=10)


def rounds(T: int) -> float:
    """T rounds on 2,000 random ranges of one attribute."""
    return _ranges(2000, T=T)


def _ranges(count: int, T: int) -> float:
    domain = Domain((Attribute("amount", Range(0, WIDE - 1)),))
    rng = np.random.default_rng(0)
    amount = np.where(rng.random(50_000) < 0.05, rng.normal(1900, 300, 50_000).clip(0, WIDE - 1), 0)
    return _rounds(Records(domain, (amount.astype(np.uint16),)), ranges(domain, ["amount"], count), T)


def _rounds(B: Records, Q: Workload, T: int) -> float:
    phases = Phases()
    last, _ = run(phases, default(Q, n=B.total, epsilon=1.0, T=T), B, Q, seed=0)
    assert last.index == T
    return sum(phases.seconds[name] for name in IN_ROUNDS)


CURVES = {
    "n": Curve(
        "counting all 28 pairs of 8 attributes", (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 3 * 10**6), counting
    ),
    "d": Curve("30 rounds on 2,000 parities of pairs of d bits", (128, 256, 512, 1024, 2048), attributes),
    "Q": Curve("10 rounds on Q random ranges of one attribute", (10**3, 10**4, 10**5, 10**6, 3 * 10**6), queries),
    "T": Curve("T rounds on 2,000 random ranges of one attribute", (10, 20, 40, 80, 160), rounds),
}


def main() -> None:
    """Measure the curves that are missing; print each with its exponent."""
    options = parser(__doc__)
    options.add_argument("curves", nargs="*", choices=[*CURVES, []], metavar="CURVE", help=f"of {', '.join(CURVES)}")
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    if given.measure:
        name, x = given.measure
        return tell(took=CURVES[name].measure(int(x)), cost=cost())
    pin(given.core)
    for name in given.curves or CURVES:
        if stands(given.results, ROW, name, 0) and not given.again:
            continue
        curve = CURVES[name]
        began, took = time.perf_counter(), []
        for x in curve.points:
            took.append([round(measured(__file__, name, x)["took"], 5) for _ in range(given.repeats)])
            print(f"{name} = {x:,}: {statistics.median(took[-1]):.3g} s", flush=True)
        fitted, error = exponent(curve.points, [statistics.median(each) for each in took])
        told = {"wall": time.perf_counter() - began, "of": curve.of, "x": curve.points, "took": took}
        append(given.results, ROW, name, 0, told | {"exponent": round(fitted, 4), "error": round(error, 4)})
        print(f"seconds grow as {name}^{fitted:.2f} ± {error:.2f} ({curve.of})")
    return None


if __name__ == "__main__":
    main()
