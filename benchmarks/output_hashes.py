"""Hash the outputs of every system, to check that a change of the code keeps them all.

    python benchmarks/output_hashes.py before.json             # on the old version
    python benchmarks/output_hashes.py after.json before.json  # on the new one: prints each difference, exits with 1

For each bundled table, workload, system and δ (0 and 1e-9), at ε = 1 and a fixed seed, there is a hash of the answers,
of the synthetic rows as CSV, and of the transcript (every round's choice, measurement, noise scale, spending, residual
and movement). Floats are hashed to the last bit, so both versions must run on the same machine and packages. A refused
run has the word "refused" as its hash: the wording of the error may change, the refusal may not.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rows import EIGHT, SAMPLES, count_of

from mwem_core import (
    Domain,
    MeasuredTotal,
    Records,
    Seeded,
    Workload,
    encode,
    nearest_rows,
    parse_workload,
    read_table,
    rows_csv,
    sample,
)
from mwem_core.base import change
from mwem_core.domain import PublicTable
from mwem_core.encoding import read_public_table
from mwem_core.output import gives_rows
from mwem_core.systems import SYSTEMS

SEED = 7
# table file, schema file, attributes (None for all) and the workloads asked of it
TABLES: dict[str, tuple[str, str, tuple[str, ...] | None, tuple[str, ...]]] = {
    "adult": ("adult.parquet", "adult.toml", EIGHT, ("marginals:2", "cuboids:<=2")),
    "czech": ("czech.csv", "czech.toml", None, ("marginals:2", "parities:3", "cuboids:2")),
    "rochdale": ("rochdale.csv", "rochdale.toml", None, ("marginals:3", "parities:2", "marginals:<=2")),
    "class survey": ("class_survey.csv", "class_survey.toml", None, ("marginals:2", "marginals:1")),
}
RANGES = ("adult.parquet", "adult_unbinned.toml", ("capital-loss",), ("ranges:capital-loss:500",))
# Of Automatic and MWEM alone, at other ε too: mixed workloads, predicates, large marginals, dates of an upload.
OURS, EPSILONS = ("automatic", "mwem"), (0.03, 0.3, 10.0)
MORE: dict[str, tuple[str, str, tuple[str, ...] | None, tuple[str, ...]]] = {
    "adult, more": ("adult.parquet", "adult.toml", EIGHT, ("marginals:3", 'marginals:2 + where:sex == "Male"')),
    "numbers": ("adult.parquet", "adult_unbinned.toml", ("age", "hours-per-week"), ("marginals:1 + ranges:age:all",)),
    "czech, more": ("czech.csv", "czech.toml", None, ('where:smoking == "yes"; family_anamnesis_chd == "no"',)),
}
DATES = "day,paid\n" + "".join(f"2024-{1 + i % 12:02}-{1 + i % 28:02},{i % 5}\n" for i in range(600))
DATED = """[[attribute]]
name = "day"
dates = ["2024-01-01", "2024-12-31"]
by = "month"
[[attribute]]
name = "paid"
range = [0, 4]
"""
BOXES = ("adult.parquet", "adult_unbinned.toml", ("age", "hours-per-week"), ("ranges:age,hours-per-week:200",))
# settings of MWEM that no system uses: changes to the paper's preset
VARIANTS: dict[str, dict[str, Any]] = {
    "adaptive": {"T": "adaptive"},
    "theorem, average": {"T": "theorem", "output": "average"},
    "histogram start": {"start": "histogram", "start.share": 0.2},
    "repeats, leaps": {"repeats": True, "update.in_order": False, "update.tolerance": 0.01},
}


def runs() -> Iterator[tuple[str, Records, Workload, Callable[[], Any]]]:
    """(name, table, workload, settings, which may be refused) for every combination."""
    tables = {**TABLES, "capital-loss": RANGES, "age and hours": BOXES}
    for name, (table, schema, attributes, workloads) in tables.items():
        domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
        if attributes:
            domain = domain.project(attributes)
        B = encode(read_table(SAMPLES / table), domain, count=count_of(table))
        for spec in workloads:
            Q = parse_workload(spec, domain)
            for system in SYSTEMS.values():
                for delta in (0.0, 1e-9):
                    run = f"{name} · {spec} · {system.name} · δ = {delta:g}"
                    yield run, B, Q, partial(system.settings, Q, n=B.total, epsilon=1.0, delta=delta)
            yield from _ours(name, B, Q)
            if name in ("czech", "class survey"):
                for variant, changed in VARIANTS.items():
                    yield f"{name} · {spec} · {variant}", B, Q, partial(_variant, Q, B, changed)

    for name, (table, schema, attributes, workloads) in MORE.items():
        domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
        domain = domain.project(attributes) if attributes else domain
        B = encode(read_table(SAMPLES / table), domain, count=count_of(table))
        for spec in workloads:
            yield from _ours(name, B, parse_workload(spec, domain), epsilons=(1.0, *EPSILONS))
    dated = Domain.from_toml(DATED)
    B = encode(read_table(DATES.encode(), name="dates.csv"), dated)
    yield from _ours("dates", B, parse_workload("marginals:2", dated), epsilons=(1.0, *EPSILONS))
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8"))
    public = read_public_table(SAMPLES / "czech.csv", domain, count="count")
    B = encode(read_table(SAMPLES / "czech.csv"), domain, count="count")
    yield from _ours("public start", B, parse_workload("marginals:2", domain), public=public)


def _ours(
    name: str, B: Records, Q: Workload, epsilons: Sequence[float] = EPSILONS, public: PublicTable | None = None
) -> Iterator[tuple[str, Records, Workload, Callable[[], Any]]]:
    """Automatic and MWEM at these ε, with n public and, at δ = 0, measured."""
    for system in OURS:
        for epsilon in epsilons:
            for delta in (0.0, 1e-9):
                run = f"{name} · {Q.spec} · {system} · ε = {epsilon:g} · δ = {delta:g}"
                settings = partial(SYSTEMS[system].settings, Q, n=B.total, epsilon=epsilon, delta=delta, public=public)
                yield run, B, Q, settings
            measured = partial(MeasuredTotal, epsilon=epsilon, system=system, public=public)
            yield f"{name} · {Q.spec} · {system} · ε = {epsilon:g} · n measured", B, Q, measured


def hashes() -> Iterator[tuple[str, str]]:
    """(run and output, hash) for every combination."""
    for run, B, Q, settings in runs():
        yield from _outputs(run, B, Q, settings)


def _variant(Q: Workload, B: Records, changed: dict[str, Any]) -> Any:
    return change(SYSTEMS["mwem-paper"].settings(Q, n=B.total, epsilon=1.0), changed)


def _outputs(run: str, B: Records, Q: Workload, settings: Callable[[], Any]) -> Iterator[tuple[str, str]]:
    try:
        rounds = list(settings().rounds(B, Q, noise=Seeded(SEED)))
    except ValueError:
        yield f"{run} · transcript", "refused"
        return
    model = rounds[-1].model
    yield f"{run} · transcript", _hash(*(part for entry in rounds for part in released(entry)))
    yield f"{run} · answers", _hash(model.answers(Q))
    if gives_rows(model):
        rng = np.random.default_rng(SEED)
        rows = nearest_rows(Q, model, B.total, rng)
        yield f"{run} · rows", _hash(rows_csv(rows, rng))
        if hasattr(model, "components"):
            yield f"{run} · independent rows", _hash(*sample(Q.domain, model, 1000, rng).codes)


def released(entry: Any) -> Iterator[Any]:
    """Everything that a round released, part by part."""
    yield (entry.index, entry.chosen, entry.label, entry.residual, entry.moved)
    yield (entry.ledger.start, entry.ledger.select, entry.ledger.measure, entry.ledger.budget.amount)
    if entry.declined is not None:
        yield (entry.declined.count, entry.declined.held, entry.declined.allowed, entry.declined.price)
    if (m := entry.measurement) is not None:
        yield (m.attrs, m.scale)
        yield np.asarray(m.value)
        if m.q is not None:
            yield m.q


def _hash(*parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.hexdigest()[:16]


def main(out: str, before: str = "") -> int:
    """Write the hashes; with an earlier file, print what differs and return 1 if anything does."""
    after = dict(hashes())
    Path(out).write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(after)} outputs hashed, {sum(value == 'refused' for value in after.values())} runs refused")
    if not before:
        return 0
    old = json.loads(Path(before).read_text(encoding="utf-8"))
    differing = [key for key in {**old, **after} if old.get(key) != after.get(key)]
    for key in differing:
        print(f"differs: {key}: {old.get(key)} before, {after.get(key)} after")
    print(f"{len(differing)} of {len(old)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
