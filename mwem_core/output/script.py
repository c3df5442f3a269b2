"""A Python script that repeats a run."""

import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from mwem_core.domain import PublicTable
from mwem_core.encoding import EXPLORING_KEY
from mwem_core.output.run import Run
from mwem_core.output.synthesis import gives_rows
from mwem_core.systems import SYSTEMS

SCRIPT = '''"""{title}

{statement}
"""

from pathlib import Path
{imports}

domain = Domain.from_toml("""
{schema}""")
records = {records}
workload = parse_workload({workload!r}, domain)
settings = {algorithm}(
{settings})

for step in settings.rounds(records, workload, noise=Seeded({seed!r})):
    print(step.index, step.label, f"residual {{step.residual:,.0f}} records, spent {{step.ledger.spent:.4g}}")
{stop}{bins}
{ending}
'''
BINS = """
workload = parse_workload({workload!r}, step.domain)  # in the bins that were measured"""
WRITE_ROWS = """rng = np.random.default_rng({seed!r})
rows = nearest_rows(workload, step.model, round(step.model.total), rng)
Path("synthetic.csv").write_bytes(rows_csv(rows, rng{decimal}))"""
WRITE_ANSWERS = 'Path("answers.csv").write_bytes(answers_csv(workload, step.model))'
REPETITION = ": exactly with the same packages on the same kind of processor, elsewhere within its noise"
IMPORTS = ("Domain", "Seeded", "parse_workload")  # by every script


def script(run: Run, path: str = "") -> str:
    """A Python script that repeats the run on the same table; with a seed, as `REPETITION` says.

    The table is at `path`, or beside the script. It imports public names only, so it still runs after modules have
    moved.
    """
    algorithm = type(run.settings).__name__
    settings = "".join(f"    {name}={code(value)},\n" for name, value in changed_fields(run.settings))
    ledger, last = run.rounds[-1].ledger, run.rounds[-1].index
    stopped = not ledger.is_spent or math.isinf(ledger.spent)
    rows = gives_rows(run.model)
    bins = run.measured_bins
    records = _records(run, path or run.table)
    own = set(re.findall(r"\b(Unit|encode\w*|read_table)\(", records))
    own |= {type(bins.inner).__name__} if bins else set()
    own |= set(classes_in(run.settings))
    names = sorted({*IMPORTS, *own, algorithm, *(("nearest_rows", "rows_csv") if rows else ("answers_csv",))})
    decimal = run.reading.decimal
    written = f", decimal={decimal!r}" if decimal else ""
    return SCRIPT.format(
        imports="\nimport numpy as np\n" * rows + f"\nfrom mwem_core import {', '.join(names)}",
        ending=(WRITE_ROWS if rows else WRITE_ANSWERS).format(seed=run.seed, decimal=written),
        algorithm=algorithm,
        title=textwrap.fill(
            f"Repeats a run of {SYSTEMS[run.system].title}{'' if run.seed is None else REPETITION}.", 100
        ),
        statement=textwrap.fill(run.publication.statement, 100),
        bins=BINS.format(workload=run.workload.spec) if bins else "",
        schema=run.declared.to_toml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"'),
        records=records,
        workload=run.workload.spec,
        settings=settings,
        stop=f"    if step.index == {last}:  # where the run was stopped\n        break\n" if stopped else "",
        seed=run.seed,
    )


def changed_fields(settings: Any) -> list[tuple[str, Any]]:
    """The names and values of the fields that are not as they are by default."""
    values = [(field, getattr(settings, field.name)) for field in fields(settings) if field.init]
    return [(field.name, value) for field, value in values if value != field.default]


def code(value: Any) -> str:
    """Python that makes a setting: of its own fields those that are not as they are by default."""
    if not is_dataclass(value) or isinstance(value, PublicTable):
        return repr(value)
    made = ", ".join(f"{name}={code(own)}" for name, own in changed_fields(value))
    return f"{type(value).__name__}({made})"


def classes_in(settings: Any) -> Iterator[str]:
    """The names that the code of these settings needs beside their own: classes of settings, and what reads tables."""
    for _, value in changed_fields(settings):
        if is_dataclass(value):
            if isinstance(value, PublicTable):
                yield "read_public_table"
            else:
                yield from (type(value).__name__, *classes_in(value))


def _records(run: Run, path: str) -> str:
    """How the script reads the table: as it was read, with the same records of each person."""
    reading = "".join(f", {name}={value!r}" for name, value in run.reading.chosen.items())
    table = f"read_table(Path({path!r}){reading})"
    if not run.unit.column:
        return f"encode({table}, domain, count={run.count!r})"
    unit = f"Unit({run.unit.column!r}, {run.unit.records})"
    return f"encode_unit({table}, domain, {unit}, key={EXPLORING_KEY!r}, count={run.count!r})"
