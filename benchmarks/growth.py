"""How seconds grow with n, d, |Q| and T: one size varies, the others are fixed. The fit is a power law.

    python benchmarks/growth.py [n d Q T] [--repeats 3]

Each point is the median of fresh processes, without their start. A line is fitted to the logarithms of the points.
"""

import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from fresh import append, cost, is_recorded, parser, pin, print_measurements, run_fresh

from mwem_core import Attribute, Domain, Records, Seeded, Workload, mwem_by_rule
from mwem_core.experiments import independent_bits
from mwem_core.values import Range
from mwem_core.workload import Block, Parity, marginals, ranges

ROW = "growth"
SIZES = (8, 16, 7, 15, 6, 5, 2, 42)  # of Adult's eight attributes
AMOUNTS = 4357  # values of the attribute with ranges, as in Adult's capital-loss


@dataclass(frozen=True)
class Curve:
    """The work that is timed, the sizes, and the function that returns the seconds at a size."""

    work: str
    points: tuple[int, ...]
    measure: Callable[[int], float]


def exponent(x: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """The b of seconds ∝ x^b by least squares on logarithms, and its standard error."""
    u, v = np.log(x) - np.mean(np.log(x)), np.log(seconds) - np.mean(np.log(seconds))
    b = float(u @ v / (u @ u))
    return b, float(np.sqrt(np.sum((v - b * u) ** 2) / (len(u) - 2) / (u @ u)))


def counting(n: int) -> float:
    """Count all 28 pairs of eight skewed attributes of n records; one hidden number correlates the attributes."""
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
    """Run 30 rounds on 2,000 random parities of two of d bits."""
    B = independent_bits(10_000, d, share=1 / 3, seed=0)
    pairs = np.column_stack(np.triu_indices(d, 1))
    chosen = np.sort(np.random.default_rng(0).choice(len(pairs), 2000, replace=False))
    return _rounds(B, Workload(B.domain, "parities", "", "", (Block(pairs[chosen], Parity(2)),)), T=30)


def queries(Q: int) -> float:
    """Run 10 rounds on Q random ranges of one attribute."""
    return _ranges(Q, T=10)


def rounds(T: int) -> float:
    """Run T rounds on 2,000 random ranges of one attribute."""
    return _ranges(2000, T=T)


def _ranges(count: int, T: int) -> float:
    domain = Domain((Attribute("amount", Range(0, AMOUNTS - 1)),))
    rng = np.random.default_rng(0)
    amount = np.where(rng.random(50_000) < 0.05, rng.normal(1900, 300, 50_000).clip(0, AMOUNTS - 1), 0)
    return _rounds(Records(domain, (amount.astype(np.uint16),)), ranges(domain, ["amount"], count), T)


def _rounds(B: Records, Q: Workload, T: int) -> float:
    """Seconds of T rounds: of all after the first, and as much for the first, which also counts the records."""
    rounds = mwem_by_rule(Q, n=B.total, epsilon=1.0, T=T).rounds(B, Q, noise=Seeded(0))
    _, first = next(rounds), next(rounds)
    began = time.perf_counter()
    (last,) = deque(rounds, maxlen=1)
    assert (first.index, last.index) == (1, T)
    return (time.perf_counter() - began) * T / (T - 1)


CURVES = {
    "n": Curve(
        "counting all 28 pairs of 8 attributes", (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 3 * 10**6), counting
    ),
    "d": Curve("30 rounds on 2,000 parities of pairs of d bits", (128, 256, 512, 1024, 2048), attributes),
    "Q": Curve("10 rounds on Q random ranges of one attribute", (10**3, 10**4, 10**5, 10**6, 3 * 10**6), queries),
    "T": Curve("T rounds on 2,000 random ranges of one attribute", (10, 20, 40, 80, 160), rounds),
}


def main() -> None:
    """Measure the missing curves; print each with its exponent."""
    options = parser(__doc__)
    options.add_argument("curves", nargs="*", choices=[*CURVES, []], metavar="CURVE", help=f"of {', '.join(CURVES)}")
    options.add_argument("--repeats", type=int, default=3)
    arguments = options.parse_args()
    if arguments.measure:
        name, x = arguments.measure
        return print_measurements(took=CURVES[name].measure(int(x)), cost=cost())
    pin(arguments.core)
    for name in arguments.curves or CURVES:
        if is_recorded(arguments.results, ROW, name, 0) and not arguments.again:
            continue
        curve = CURVES[name]
        began, took = time.perf_counter(), []
        for x in curve.points:
            took.append([round(run_fresh(__file__, name, x)["took"], 5) for _ in range(arguments.repeats)])
            print(f"{name} = {x:,}: {statistics.median(took[-1]):.3g} s", flush=True)
        fitted, error = exponent(curve.points, [statistics.median(repeats) for repeats in took])
        record = {"wall": time.perf_counter() - began, "of": curve.work, "x": curve.points, "took": took}
        append(arguments.results, ROW, name, 0, record | {"exponent": round(fitted, 4), "error": round(error, 4)})
        print(f"seconds grow as {name}^{fitted:.2f} ± {error:.2f} ({curve.work})")
    return None


if __name__ == "__main__":
    main()
