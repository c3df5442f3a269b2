"""Short runs on small tables, for tests of the files that a run leaves."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from sample_counts import count_of

from mwem_core import MWEM, Domain, MeasuredTotal, Records, Run, Seeded, default, encode, parse_workload, read_table
from mwem_core.algorithm import Spender
from mwem_core.systems import SYSTEMS

SAMPLES = Path(__file__).parents[2] / "sample_data"
RANGES_ONLY = {"hierarchical", "dawa"}  # systems that answer no other workload
AWKWARD_SCHEMA = r'''
[[attribute]]
name = 'quote " and """ three'
values = ["back\\slash", "{brace}", "a,b", "ünïcode", ""]

[[attribute]]
name = "weight"
edges = [0, 2.5, 10]
missing = "?"

[[attribute]]
name = "grid"
range = [0, 29]
width = 10
'''


def run_on(
    records: Records,
    spec: str = "marginals:2",
    *,
    seed: int | None = 7,
    table="czech.csv",
    stop=None,
    measured=False,
    of: Callable[..., Spender] = MWEM,
    **settings,
) -> Run:
    """A run at ε = 1: of the automatic choice, or of MWEM with these settings; stopped after `stop` rounds.

    It may be of another of the algorithms that Automatic chooses among. A total that is `measured` takes a fifth of the
    budget; the settings then are the paper's with these changes.
    """
    workload = parse_workload(spec, records.domain)
    selects = of is MWEM and bool(settings)
    if measured:
        system, changed = "mwem-paper" if settings else "automatic", tuple(settings.items())
        mwem = MeasuredTotal(epsilon=1.0, delta=settings.get("delta", 0.0), system=system, share=0.2, changed=changed)
    else:
        automatic = of is MWEM and not settings
        mwem = default(workload, n=records.total, epsilon=1.0) if automatic else of(epsilon=1.0, **settings)
    rounds = tuple(mwem.rounds(records, workload, noise=Seeded(seed)))[:stop]
    system, stopped = "mwem" if selects else "automatic", stop is not None
    return Run(workload, mwem, system, rounds, seed, table, stopped=stopped, count=count_of(table))


def awkward_records() -> Records:
    """60 records under a schema whose names and values need quoting in every format."""
    domain = Domain.from_toml(AWKWARD_SCHEMA)
    rng = np.random.default_rng(0)
    return Records(domain, tuple(rng.integers(size, size=60).astype(np.uint8) for size in domain.shape))


def run_of(name: str) -> Run:
    """A seeded run of a system; its table is named by its whole path."""
    schema, table, names, spec = (
        ("adult_unbinned.toml", "adult.parquet", ("hours-per-week",), "ranges:hours-per-week:20")
        if name in RANGES_ONLY
        else ("czech.toml", "czech.csv", ("smoking", "strenuous_mental_work", "strenuous_physical_work"), "marginals:2")
    )
    records = _sample(schema, table, names)
    workload = parse_workload(spec, records.domain)
    settings = SYSTEMS[name].settings(workload, n=records.total, epsilon=1.0)
    rounds = tuple(settings.rounds(records, workload, noise=Seeded(7)))
    return Run(workload, settings, name, rounds, 7, str(SAMPLES / table), count=count_of(table))


@cache
def _sample(schema: str, table: str, names: tuple[str, ...]) -> Records:
    domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8")).project(names)
    return encode(read_table(SAMPLES / table), domain, count=count_of(table))
