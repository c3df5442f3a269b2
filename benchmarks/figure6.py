"""Figure 6's data: time against attributes. 100,000 records of d bits, all parities of up to two, T = d, ε = 1.

    python benchmarks/figure6.py [--sizes 10,30,100,300,1000] [--seeds 1]

Each bit is 1 with probability 1/3. The default preset runs in a fresh process for each d; its time is split by phase.
"""

import numpy as np
from fresh import append, cost, is_recorded, parser, pin, print_measurements, rounded_seconds, run_fresh
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
    """Run and print the measurements. This is the fresh process."""
    phases = Phases()
    with phases.timing("records"):
        B = bits(d)
    with phases.timing("workload"):
        Q = parities(B.domain, 2)
        settings = default(Q, n=B.total, epsilon=1.0, T=d)
    last, measured = run(phases, settings, B, Q, seed=seed)
    print_measurements(
        cost(),
        attributes=d,
        queries=Q.size + 1,  # the total is public
        rounds=last.index,
        cells=last.A.cells,
        pairs=sum(len(S) == 2 for S in measured),
        largest=max(len(component.attrs) for component in last.A.components),
        phases=rounded_seconds(phases.seconds),
    )


def main() -> None:
    """Measure the missing sizes and print each by phase."""
    options = parser(__doc__)
    options.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=SIZES, metavar="D,D")
    options.add_argument("--seeds", type=int, default=1)
    arguments = options.parse_args()
    if arguments.measure:
        return measure(*map(int, arguments.measure))
    pin(arguments.core)
    for d in arguments.sizes:
        for seed in range(arguments.seeds):
            if is_recorded(arguments.results, ROW, f"d = {d}", seed) and not arguments.again:
                continue
            record = run_fresh(__file__, d, seed)
            start = record["wall"] - sum(record["phases"].values())  # of Python, with imports
            record["phases"]["start"] = round(start, 4)
            append(arguments.results, ROW, f"d = {d}", seed, record)
            shares = ", ".join(f"{name} {s:.2f} ({s / record['wall']:.0%})" for name, s in record["phases"].items())
            print(f"d = {d}: {record['wall']:.2f} s, {record['peak_mib']:,} MiB: {shares}")
            print(
                f"  {record['rounds']} of {record['queries']:,} queries measured, {record['pairs']} of them pairs; "
                f"the model holds {record['cells']:,} cells, its largest component {record['largest']} attributes",
                flush=True,
            )
    return None


if __name__ == "__main__":
    main()
