"""All pairs of many independent bits: seconds and errors of the run, and of its rows.

    python benchmarks/many_bits.py [--bits 1000] [--records 100000] [--all] [--seeds 1]

The share of ones in each bit is drawn from .05 to .95. With --all, rows are sorted by all earlier bits before a bit is
spread over them, however long that takes.

CPU seconds on one of two shared cores, and the mean total variation, ε = 1, δ = 0:

| bits, records | run | rows | rows sorted by all bits, one at a time |
|---|---|---|---|
| 300, 100,000 | 1.0 s, 0.00437 | 1.5 s, 0.00446 | 19.5 s, 0.00447 |
| 1,000, 100,000 | 0.8 s, 0.00794 | 5.3 s, 0.00801 | 272.5 s, 0.00801 |

Of 20,000 records, counting the truth of all pairs takes 3e-11 s per record and pair, drawing rows 7e-8 s a value and
writing them 1.3e-7: that gave `COUNTED_BITS` and `WRITTEN_BIT` of `mwem_core/automatic/effort.py`. Until its rows are
written, a run on 300 bits of 100,000 records takes 6.6 s where 9.4 are told (4,095 before), one on 1,000 bits of 20,000
records 5.0 where 6.3 are told (80 before).

The run on 1,000 bits counts each bit once, and reading the table takes 5 s; independent draws would take 2 s. That gave
`MAX_SORTED` and `MIN_KEYS` of `mwem_core/release/synthesis.py`. For 100 independent bits of 2,000 records, the rows'
pairs are this far from those of a model with bits of mixed shares, and of one whose bits are mostly 0:

| sorted by | 8 | 16 | 32 | all | independent draws |
|---|---|---|---|---|---|
| mixed | 0.0059 | 0.0056 | 0.0056 | 0.0056 | 0.0139 |
| mostly 0 | 0.0016 | 0.0015 | 0.0015 | 0.0014 | 0.0074 |
"""

import argparse
import time

import numpy as np

from mwem_core import Attribute, Domain, Records, Seeded, default, nearest_rows, parse_workload
from mwem_core.automatic.in_words import what_ran
from mwem_core.domain.numbers import Range
from mwem_core.evaluation.metrics import errors
from mwem_core.release import synthesis

EPSILON = 1.0


def bits(n: int, d: int) -> Records:
    """n records of d independent bits."""
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(f"bit {i}", Range(0, 1)) for i in range(d)))
    return Records(domain, tuple((rng.random(n) < share).astype(np.uint8) for share in rng.uniform(0.05, 0.95, d)))


def measure(B: Records, seed: int) -> None:
    """A run and its rows: CPU seconds, and the mean total variation of both."""
    Q, n = parse_workload("marginals:2", B.domain), B.total
    settings, began = default(Q, n=n, epsilon=EPSILON), time.process_time()
    *_, last = settings.rounds(B, Q, noise=Seeded(seed))
    ended = time.process_time()
    rows = nearest_rows(Q, last.model, n, np.random.default_rng(seed))
    seconds, truth = time.process_time() - ended, Q.answers(B)
    of_model, of_rows = (errors(Q, answers, truth, n).mean_tv for answers in (Q.answers(last.model), Q.answers(rows)))
    print(
        f"{n:,} records of {len(B.domain)} bits, {Q.parts:,} pairs ({what_ran(settings, Q, n)}): "
        f"run {ended - began:.1f} s, {of_model:.5f}; rows {seconds:.1f} s, {of_rows:.5f}",
        flush=True,
    )


def main() -> None:
    """One table, a run with each seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", type=int, default=1000)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    if arguments.all:
        synthesis.MAX_SORTED = 10**18
    B = bits(arguments.records, arguments.bits)
    for seed in range(arguments.seeds):
        measure(B, seed)


if __name__ == "__main__":
    main()
