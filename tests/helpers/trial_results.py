"""A table of four bits, its pairs as a workload, and results of trials with chosen errors."""

import numpy as np

from mwem_core import Domain, Records, parse_workload
from mwem_core.judge import Errors, Result, Trial

RNG = np.random.default_rng(0)
BITS = Domain.from_toml("".join(f'[[attribute]]\nname = "<b>{x}"\nvalues = ["0", "1"]\n' for x in "abcd"))
B = Records(BITS, tuple((RNG.random(300) < p).astype(np.uint8) for p in (0.1, 0.3, 0.5, 0.8)))
PAIRS = parse_workload("marginals:2", BITS)


def result(error: float, *, system="mwem", epsilon=1.0, seed=0, T=None, rounds=5, problem="", entropy=None) -> Result:
    """The result of a trial whose answers and rows have this error, or that has this problem."""
    errors = None if problem else Errors(error, error / 2, error**2, error, error)
    return Result(
        trial=Trial(system=system, epsilon=epsilon, seed=seed, T=T),
        workload=PAIRS.spec,
        n=300,
        domain_size=16,
        problem=problem,
        rounds=rounds,
        answers=errors,
        rows=errors,
        relative_entropy=entropy,
    )
