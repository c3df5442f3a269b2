"""Figure 7's data: what irrelevant attributes cost. Adult as 27 bits, all 2,925 three-way marginals, T = 30, ε = 1.

    python benchmarks/figure7.py [--seeds 5]

Then the same with 50 random bits more and all pairs of the 77 asked for besides. The default preset; every run is a
fresh process. Errors are counted on the 2,925 marginals for both, and over all that was asked.
"""

import itertools
import statistics
import time

import numpy as np
from errors import errors, of_answers, of_rows
from fresh import append, cost, measured, parser, pin, seconds, stands, tell
from report import load
from rows import ADULT, SAMPLES

from mwem_core import Attribute, Domain, Records, Seeded, Workload, default, encode, read_table
from mwem_core.domain.values import BITS
from mwem_core.workload.operators import Cells
from mwem_core.workload.workload import Block

ROW = "figure 7"
MORE = 50
SYSTEMS = {"27 bits": 0, f"27 bits and {MORE} random": MORE}
WIDTH = {
    "native-country": 6,
    "sex": 1,
    "race": 3,
    "relationship": 3,
    "occupation": 4,
    "marital-status": 3,
    "education": 4,
    "workclass": 3,
}


def table(more: int) -> Records:
    """Adult's rows without a missing value, each value's number in binary; `more` random bits beside them."""
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8")).project(WIDTH)
    B = encode(read_table(ADULT), domain)
    known = [np.array([label != "?" for label in attribute.labels]) for attribute in domain.attributes]
    whole = np.logical_and.reduce([mask[codes] for mask, codes in zip(known, B.codes, strict=True)])
    columns = []
    for name, width in WIDTH.items():
        a = domain.names.index(name)
        number = np.cumsum(known[a]) - 1
        if number[-1] >= 2**width:
            raise ValueError(f"{name!r} has {number[-1] + 1} values, more than {width} bits hold")
        columns += [(number[B.codes[a][whole]] >> i & 1).astype(np.uint8) for i in range(width)]
    rng = np.random.default_rng(99)
    columns += [rng.integers(2, size=len(columns[0]), dtype=np.uint8) for _ in range(more)]
    return Records(Domain(tuple(Attribute(f"bit {i}", BITS) for i in range(len(columns)))), tuple(columns))


def measure(more: int, seed: int) -> None:
    """In the fresh process."""
    B = table(more)
    d = sum(WIDTH.values())
    triples, pairs = (np.array(list(itertools.combinations(range(m), k))) for m, k in ((d, 3), (d + more, 2)))
    asked = [triples, pairs] if more else [triples]
    began = time.perf_counter()
    Q = Workload(B.domain, "marginals", "figure 7", "figure 7", tuple(Block(sets, Cells()) for sets in asked))
    *_, last = default(Q, n=B.total, epsilon=1.0, T=30).rounds(B, Q, noise=Seeded(seed))
    took, spent = {"run": time.perf_counter() - began}, cost()
    truth, shares = of_rows(B.codes, B.domain.shape), Q.answers(last.model) / last.model.total
    found, original = of_answers(shares, Q.sets, B.domain.shape), list(map(tuple, triples.tolist()))
    tell(
        spent,
        records=B.total,
        queries=Q.size,
        rounds=last.index,
        cells=last.A.cells,
        seconds=seconds(took),
        model=errors(original, (), truth, found),
        model_all=errors(Q.sets, (), truth, found),
    )


def main() -> None:
    """Measure what is missing, seed by seed; print the medians and their ratios."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5)
    given = options.parse_args()
    if given.measure:
        return measure(*map(int, given.measure))
    pin(given.core)
    for seed in range(given.seeds):
        for system, more in SYSTEMS.items():
            if given.again or not stands(given.results, ROW, system, seed):
                append(given.results, ROW, system, seed, measured(__file__, more, seed))
    medians = []
    for system in SYSTEMS:
        records = load(given.results)[ROW, system]
        parts = [("wall", [r["wall"] for r in records]), ("run", [r["seconds"]["run"] for r in records])]
        parts += [(f"{p} {e}", [r[p][e] for r in records]) for p in ("model", "model_all") for e in ("max", "mean_tv")]
        medians.append({name: statistics.median(values) for name, values in parts})
        print(f"{system}: " + ", ".join(f"{name} {value:.4g}" for name, value in medians[-1].items()))
    print("ratios: " + ", ".join(f"{name} {medians[1][name] / value:.3g}" for name, value in medians[0].items()))
    return None


if __name__ == "__main__":
    main()
