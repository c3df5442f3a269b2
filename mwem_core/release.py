"""What a user takes away from a run: rows, weights, measurements, a manifest and a script that repeats it."""

import io
import json
import math
import platform
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.domain import Domain
from mwem_core.records import Records
from mwem_core.synthesis import decode, gives_rows
from mwem_core.workload import Workload

MOST_WEIGHTS = 10**6  # cells of a domain whose weights are offered as a table
SEEDED = "NOT PRIVATE: drawn from a known seed, which takes the noise away again. For teaching, tests and public data."
EXACT = "NOT PRIVATE: it reads exact answers, and adds no noise to them. For teaching, tests and public data."
EXPLORING = (
    "EXPLORATORY: ε covers this run alone, not settings chosen by looking at errors, nor other runs on the same "
    "table. Its noise comes from floating-point samplers, whose low bits can leak: good for exploring, not yet a "
    "vetted publication."
)


@dataclass(frozen=True, eq=False)
class Run:
    """A finished, or stopped, run: what is written down below. All of it but the seed is public or released."""

    workload: Workload
    settings: Any  # the algorithm's own dataclass
    preset: str  # of MWEM, else the name of the system
    rounds: tuple[Round[Any], ...]
    seed: int | None = None
    table: str = "table.csv"  # the name of the file the records came from

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.workload.domain

    @property
    def model(self) -> Any:
        """What the last round released: it answers, and may give rows, as `synthesis.gives_rows` knows."""
        return self.rounds[-1].model

    @property
    def epsilon_spent(self) -> float:
        """The ε spent, at the settings' δ."""
        return self.settings.guarantee.epsilon_of(self.rounds[-1].ledger.spent)

    @property
    def statement(self) -> str:
        """Whether the run may be called private, in a sentence."""
        if math.isinf(self.settings.guarantee.epsilon):
            return EXACT
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


def answers_csv(workload: Workload, released: Answering) -> bytes:
    """Every query's name and its answer, in records, as CSV."""
    import pandas as pd

    names = [workload.query(j)[2] for j in range(workload.size)]
    return pd.DataFrame({"query": names, "answer": released.answers(workload)}).to_csv(index=False).encode()


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
    measured, promise = getattr(run.settings, "measured_total", 0), run.settings.guarantee
    total = "a noisy total, measured" if measured else "total taken as public, as in the paper"
    return {
        "statement": run.statement,
        "seeded": run.seed is not None,
        "neighbours": f"add or remove one record, {total}",
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "epsilon_spent": run.epsilon_spent,
        "rounds": run.rounds[-1].index,
        "total": run.model.total,
        "workload": run.workload.spec,
        "queries": run.workload.size,
        "domain_size": str(run.domain.size),
        "algorithm": type(run.settings).__name__,
        "preset": run.preset,
        "settings": settings_of(run.settings),
        "table": run.table,
        "schema": run.domain.to_toml(),
        "versions": versions(),
    }


def script(run: Run) -> str:
    """A Python script that repeats the run on the same table; with the same seed, to the same numbers."""
    made = type(run.settings)
    defaults = {f.name: f.default for f in fields(run.settings)}
    changed = {name: value for name, value in settings_of(run.settings).items() if value != defaults[name]}
    settings = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    ledger, last = run.rounds[-1].ledger, run.rounds[-1].index
    stopped = not ledger.spent >= ledger.budget.amount * (1 - 1e-9) or math.isinf(ledger.spent)
    imports, ending = ROWS if gives_rows(run.model) else ANSWERS
    return SCRIPT.format(
        imports=imports,
        ending=ending.format(seed=run.seed),
        algorithm=made.__name__,
        module=made.__module__,
        statement=textwrap.fill(run.statement, 100),
        schema=run.domain.to_toml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"'),
        table=run.table,
        workload=run.workload.spec,
        settings=settings,
        stop=f"    if step.index == {last}:  # where the run was stopped\n        break\n" if stopped else "",
        seed=run.seed,
    )


SCRIPT = '''"""Repeats a run of {algorithm}.

{statement}
"""

from pathlib import Path

{imports}
from {module} import {algorithm}

domain = Domain.from_toml("""
{schema}""")
records = encode(read_table(Path({table!r})), domain)
workload = parse_workload({workload!r}, domain)
settings = {algorithm}(
{settings})

for step in settings.rounds(records, workload, noise=Seeded({seed!r})):
    print(step.index, step.label, f"residual {{step.residual:,.0f}} records, spent {{step.ledger.spent:.4g}}")
{stop}
{ending}
'''

# what is taken away at the end: its imports and its lines
ROWS = (
    "import numpy as np\n\nfrom mwem_core import Domain, Seeded, encode, parse_workload, read_table, rounded, rows_csv",
    """rng = np.random.default_rng({seed!r})
rows = rounded(domain, step.model, round(step.model.total), rng)
Path("synthetic.csv").write_bytes(rows_csv(rows, rng))""",
)
ANSWERS = (
    "from mwem_core import Domain, Seeded, encode, parse_workload, read_table\n"
    "from mwem_core.release import answers_csv",
    'Path("answers.csv").write_bytes(answers_csv(workload, step.model))',
)


def versions() -> dict[str, str]:
    """Python's version, and those of the packages that a result depends on."""
    from importlib.metadata import PackageNotFoundError, version  # a tenth of the import's time, for those who ask

    found = {"python": platform.python_version()}
    for name in ("mwem-explorer", "numpy", "opendp"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def to_json(value: Any) -> str:
    """JSON, indented."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def plain(value: Any) -> Any:
    """What JSON can hold: arrays as lists, and null for numbers that are not finite, such as the ε of no privacy."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def settings_of(settings: Any) -> dict[str, Any]:
    """What a dataclass of settings was made with, by name."""
    return {field.name: getattr(settings, field.name) for field in fields(settings) if field.init}


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
    if entry.label:
        line["chosen"] = entry.label
    if entry.measurement is None:
        return line
    m, unit = entry.measurement, entry.ledger.budget.unit
    names: Sequence[str] = [run.domain.names[a] for a in m.attrs]
    return line | {
        "attributes": names,
        "whole_marginal": m.q is None,
        "measured": np.asarray(m.value),
        "noise": "none" if m.scale == 0 else "laplace" if unit == "ε" else "gaussian",
        "noise_scale": m.scale,
        "residual": entry.residual,
        "moved": entry.moved,
        "declined": entry.declined.reason if entry.declined else "",
    }
