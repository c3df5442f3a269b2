"""Figure 6's data: time against attributes. 100,000 records of d bits, all parities of up to two, T = d, ε = 1.

    python benchmarks/figure6.py [--sizes 10,30,100,300,1000] [--seeds 1]

Each bit is 1 with probability 1/3. The default preset; each d in a fresh process, whose time is told by phase.
"""

import numpy as np
from fresh import append, cost, measured, parser, pin, seconds, stands, tell
from phases import Phases, run

from mwem_core import Attribute, Domain, Records, default
from mwem_core.domain.values import BITS
from mwem_core.workload.families import parities

ROW = "figure 6"
SIZES = "10,30,100,300,1000"
RECORDS = 100_000


def bits(d: int, n: int = RECORDS) -> Records:
    """n records of d independent bits."""
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(f"bit {i}", BITS) for i in range(d)))
    return Records(domain, tuple((rng.random(n) < 1 / 3).astype(np.uint8) for _ in range(d)))


def measure(d: int, seed: int) -> None:
    """In the fresh process."""
    phases = Phases()
    with phases.timing("records"):
        B = bits(d)
    with phases.timing("workload"):
        Q = parities(B.domain, 2)
        settings = default(Q, n=B.total, epsilon=1.0, T=d)
    last, asked = run(phases, settings, B, Q, seed=seed)
    tell(
        cost(),
        attributes=d,
        queries=Q.size + 1,  # the total is public
        rounds=last.index,
        cells=last.A.cells,
        pairs=sum(len(S) == 2 for S in asked),
        largest=max(len(component.attrs) for component in last.A.components),
        phases=seconds(phases.seconds),
    )


def main() -> None:
    """Measure what is missing, print it by phase."""
    options = parser(__doc__)
    options.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=SIZES, metavar="D,D")
    options.add_argument("--seeds", type=int, default=1)
    given = options.parse_args()
    if given.measure:
        return measure(*map(int, given.measure))
    pin(given.core)
    for d in given.sizes:
        for seed in range(given.seeds):
            if stands(given.results, ROW, f"d = {d}", seed) and not given.again:
                continue
            told = measured(__file__, d, seed)
            told["phases"]["start"] = round(told["wall"] - sum(told["phases"].values()), 4)  # of Python, with imports
            append(given.results, ROW, f"d = {d}", seed, told)
            shares = ", ".join(f"{name} {s:.2f} ({s / told['wall']:.0%})" for name, s in told["phases"].items())
            print(f"d = {d}: {told['wall']:.2f} s, {told['peak_mib']:,} MiB: {shares}")
            print(
                f"  {told['rounds']} of {told['queries']:,} queries measured, {told['pairs']} of them pairs; the model "
                f"holds {told['cells']:,} cells, its largest component {told['largest']} attributes",
                flush=True,
            )
    return None


if __name__ == "__main__":
    main()
