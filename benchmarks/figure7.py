"""Figure 7's data: the cost of irrelevant attributes. Adult as 27 bits, all 2,925 three-way marginals, T = 30, ε = 1.

    python benchmarks/figure7.py [--seeds 5]

Then 50 random bits are added to the table, and all pairs of the 77 bits to the workload. Every run of the default
preset is a fresh process. Errors are those on the 2,925 marginals for both, and those on the whole workload.
"""

import itertools
import statistics
import time

import numpy as np
from errors import errors, of_answers, of_rows
from fresh import append, cost, is_recorded, parser, pin, print_measurements, rounded_seconds, run_fresh
from report import load
from rows import ADULT, SAMPLES

from mwem_core import Attribute, Domain, Records, Seeded, Workload, default, encode, read_table
from mwem_core.domain.values import BITS
from mwem_core.workload.operators import Cells
from mwem_core.workload.workload import Block

ROW = "figure 7"
RANDOM_BITS = 50
SYSTEMS = {"27 bits": 0, f"27 bits and {RANDOM_BITS} random": RANDOM_BITS}
WIDTHS = {  # bits per attribute
    "native-country": 6,
    "sex": 1,
    "race": 3,
    "relationship": 3,
    "occupation": 4,
    "marital-status": 3,
    "education": 4,
    "workclass": 3,
}


def table(random_bits: int) -> Records:
    """Adult's rows without missing values, each value's number in binary, and further random bits."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(WIDTHS)
    B = encode(read_table(ADULT), domain)
    known = [np.array([label != "?" for label in attribute.labels]) for attribute in domain.attributes]
    complete = np.logical_and.reduce([mask[codes] for mask, codes in zip(known, B.codes, strict=True)])
    columns = []
    for name, width in WIDTHS.items():
        a = domain.names.index(name)
        number = np.cumsum(known[a]) - 1
        if number[-1] >= 2**width:
            raise ValueError(f"{name!r} has {number[-1] + 1} values, but {width} bits hold {2**width}")
        columns += [(number[B.codes[a][complete]] >> i & 1).astype(np.uint8) for i in range(width)]
    rng = np.random.default_rng(99)
    columns += [rng.integers(2, size=len(columns[0]), dtype=np.uint8) for _ in range(random_bits)]
    return Records(Domain(tuple(Attribute(f"bit {i}", BITS) for i in range(len(columns)))), tuple(columns))


def measure(random_bits: int, seed: int) -> None:
    """Run and print the measurements. This is the fresh process."""
    B = table(random_bits)
    d = sum(WIDTHS.values())
    triples, pairs = (np.array(list(itertools.combinations(range(m), k))) for m, k in ((d, 3), (d + random_bits, 2)))
    parts = [triples, pairs] if random_bits else [triples]
    began = time.perf_counter()
    Q = Workload(B.domain, "marginals", "figure 7", "figure 7", tuple(Block(sets, Cells()) for sets in parts))
    *_, last = default(Q, n=B.total, epsilon=1.0, T=30).rounds(B, Q, noise=Seeded(seed))
    phases, spent = {"run": time.perf_counter() - began}, cost()
    truth, shares = of_rows(B.codes, B.domain.shape), Q.answers(last.model) / last.model.total
    estimate, original = of_answers(shares, Q.sets, B.domain.shape), list(map(tuple, triples.tolist()))
    print_measurements(
        spent,
        records=B.total,
        queries=Q.size,
        rounds=last.index,
        cells=last.A.cells,
        seconds=rounded_seconds(phases),
        model=errors(original, (), truth, estimate),
        model_all=errors(Q.sets, (), truth, estimate),
    )


def main() -> None:
    """Measure the missing runs, seed by seed; print the medians and their ratios."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5)
    arguments = options.parse_args()
    if arguments.measure:
        return measure(*map(int, arguments.measure))
    pin(arguments.core)
    for seed in range(arguments.seeds):
        for system, random_bits in SYSTEMS.items():
            if arguments.again or not is_recorded(arguments.results, ROW, system, seed):
                append(arguments.results, ROW, system, seed, run_fresh(__file__, random_bits, seed))
    medians = []
    for system in SYSTEMS:
        records = load(arguments.results)[ROW, system]
        parts = [("wall", [r["wall"] for r in records]), ("run", [r["seconds"]["run"] for r in records])]
        parts += [(f"{p} {e}", [r[p][e] for r in records]) for p in ("model", "model_all") for e in ("max", "mean_tv")]
        medians.append({name: statistics.median(values) for name, values in parts})
        print(f"{system}: " + ", ".join(f"{name} {value:.4g}" for name, value in medians[-1].items()))
    print("ratios: " + ", ".join(f"{name} {medians[1][name] / value:.3g}" for name, value in medians[0].items()))
    return None


if __name__ == "__main__":
    main()
