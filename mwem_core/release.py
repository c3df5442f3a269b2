"""What a user takes away from a run: rows, weights, measurements, a manifest and a script that repeats it."""

import io
import json
import platform
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.domain import Domain
from mwem_core.model.average import Model
from mwem_core.mwem import MWEM
from mwem_core.records import Records
from mwem_core.synthesis import decode
from mwem_core.workload import Workload

MOST_WEIGHTS = 10**6  # cells of a domain whose weights are offered as a table
SEEDED = "NOT PRIVATE: drawn from a known seed, which takes the noise away again. For teaching, tests and public data."
EXPLORING = (
    "EXPLORATORY: ε covers this run alone, not settings chosen by looking at errors, nor other runs on the same "
    "table. Its noise comes from floating-point samplers, whose low bits can leak: good for exploring, not yet a "
    "vetted publication."
)


@dataclass(frozen=True, eq=False)
class Run:
    """A finished, or stopped, run: what is written down below. All of it but the seed is public or released."""

    workload: Workload
    settings: MWEM
    preset: str
    rounds: tuple[Round[Model], ...]
    seed: int | None = None
    table: str = "table.csv"  # the name of the file the records came from

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def model(self) -> Model:
        """What the last round released."""
        return self.rounds[-1].model

    @property
    def epsilon_spent(self) -> float:
        """The ε spent, at the settings' δ."""
        return self.settings.guarantee.epsilon_of(self.rounds[-1].ledger.spent)

    @property
    def statement(self) -> str:
        """Whether the run may be called private, in a sentence."""
        return EXPLORING if self.seed is None else SEEDED


def frame(records: Records, rng: np.random.Generator):
    """Rows as a pandas DataFrame in the user's own values."""
    import pandas as pd  # half a second: only those who want a frame pay it

    return pd.DataFrame(decode(records, rng))


def rows_csv(records: Records, rng: np.random.Generator) -> bytes:
    """Rows as CSV in UTF-8, with a header."""
    return frame(records, rng).to_csv(index=False).encode()


def rows_parquet(records: Records, rng: np.random.Generator) -> bytes:
    """Rows as Parquet."""
    out = io.BytesIO()
    frame(records, rng).to_parquet(out, index=False)
    return out.getvalue()


def weights_csv(run: Run) -> bytes:
    """A(x) for every cell of the domain, in records, as CSV; raises ValueError where the domain is too large for it."""
    import pandas as pd

    if run.domain.size > MOST_WEIGHTS:
        raise ValueError(
            f"the domain has {run.domain.size:,} cells, weights are written for up to {MOST_WEIGHTS:,}: take the rows"
        )
    codes = np.indices(run.domain.shape).reshape(len(run.domain), -1)
    columns = {a.name: np.array(a.labels, object)[code] for a, code in zip(run.domain.attributes, codes, strict=True)}
    weight = "weight" if "weight" not in run.domain.names else "A(x)"
    columns[weight] = run.model.marginal(tuple(range(len(run.domain)))).ravel()
    return pd.DataFrame(columns).to_csv(index=False).encode()


def transcript(run: Run) -> list[dict[str, Any]]:
    """Round by round, what was measured and what it cost: differentially private, nothing in it read the truth."""
    return [_line(run, entry) for entry in run.rounds]


def manifest(run: Run) -> dict[str, Any]:
    """What was done: schema, workload, settings, budget spent, versions, and whether it may be called private."""
    total = "a noisy total, measured" if run.settings.measured_total else "total taken as public, as in the paper"
    return {
        "statement": run.statement,
        "seeded": run.seed is not None,
        "neighbours": f"add or remove one record, {total}",
        "epsilon": run.settings.epsilon,
        "delta": run.settings.delta,
        "epsilon_spent": run.epsilon_spent,
        "rounds": run.rounds[-1].index,
        "total": run.model.total,
        "workload": run.workload.spec,
        "queries": run.workload.size,
        "domain_size": str(run.domain.size),
        "preset": run.preset,
        "settings": asdict(run.settings),
        "table": run.table,
        "schema": run.domain.to_toml(),
        "versions": versions(),
    }


def script(run: Run) -> str:
    """A Python script that repeats the run on the same table; with the same seed, to the same numbers."""
    changed = {
        f.name: getattr(run.settings, f.name)
        for f in fields(run.settings)
        if getattr(run.settings, f.name) != f.default
    }
    settings = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    ledger, last = run.rounds[-1].ledger, run.rounds[-1].index
    stopped = ledger.spent < ledger.budget.amount * (1 - 1e-9)
    return SCRIPT.format(
        statement=textwrap.fill(run.statement, 100),
        schema=run.domain.to_toml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"'),
        table=run.table,
        workload=run.workload.spec,
        settings=settings,
        stop=f"    if step.index == {last}:  # where the run was stopped\n        break\n" if stopped else "",
        seed=run.seed,
    )


SCRIPT = '''"""Repeats a run of MWEM.

{statement}
"""

from pathlib import Path

import numpy as np

from mwem_core import MWEM, Domain, Seeded, encode, parse_workload, read_table, rounded, rows_csv

domain = Domain.from_toml("""
{schema}""")
records = encode(read_table(Path({table!r})), domain)
workload = parse_workload({workload!r}, domain)
settings = MWEM(
{settings})

for step in settings.rounds(records, workload, noise=Seeded({seed!r})):
    print(step.index, step.label, f"residual {{step.residual:,.0f}} records, spent {{step.ledger.spent:.4g}}")
{stop}
rng = np.random.default_rng({seed!r})
rows = rounded(domain, step.model, round(step.model.total), rng)
Path("synthetic.csv").write_bytes(rows_csv(rows, rng))
'''


def versions() -> dict[str, str]:
    """Python's version, and those of the packages that a result depends on."""
    found = {"python": platform.python_version()}
    for name in ("mwem-explorer", "numpy", "opendp"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def to_json(value: Any) -> str:
    """JSON, indented, with arrays as lists."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=np.ndarray.tolist)


def _line(run: Run, entry: Round) -> dict[str, Any]:
    line: dict[str, Any] = {
        "round": entry.index,
        "spent": {
            "unit": entry.ledger.budget.unit,
            "start": entry.ledger.start,
            "select": entry.ledger.select,
            "measure": entry.ledger.measure,
        },
    }
    if entry.measurement is None:
        return line
    m = entry.measurement
    names: Sequence[str] = [run.domain.names[a] for a in m.attrs]
    return line | {
        "chosen": entry.label,
        "attributes": names,
        "whole_marginal": m.q is None,
        "measured": np.asarray(m.value),
        "noise": "laplace" if run.settings.delta == 0 else "gaussian",
        "noise_scale": m.scale,
        "residual": entry.residual,
        "moved": entry.moved,
        "declined": entry.declined.reason if entry.declined else "",
    }
