"""A Python script that repeats a run."""

import math
import textwrap
from dataclasses import fields

from mwem_core.release.manifest import settings_of
from mwem_core.release.run import Run
from mwem_core.release.synthesis import gives_rows

SCRIPT = '''"""Repeats a run of {algorithm}.

{statement}
"""

from pathlib import Path
{imports}

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
WRITE_ROWS = """rng = np.random.default_rng({seed!r})
rows = rounded(domain, step.model, round(step.model.total), rng)
Path("synthetic.csv").write_bytes(rows_csv(rows, rng))"""
WRITE_ANSWERS = 'Path("answers.csv").write_bytes(answers_csv(workload, step.model))'
NAMES = ("Domain", "Seeded", "encode", "parse_workload", "read_table")


def script(run: Run) -> str:
    """A Python script that repeats the run on the same table; with the same seed, to the same numbers.

    It imports public names only, so that it runs as long as these exist, wherever their modules move.
    """
    algorithm = type(run.settings).__name__
    defaults = {f.name: f.default for f in fields(run.settings)}
    changed = {name: value for name, value in settings_of(run.settings).items() if value != defaults[name]}
    settings = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    ledger, last = run.rounds[-1].ledger, run.rounds[-1].index
    stopped = not ledger.spent >= ledger.budget.amount * (1 - 1e-9) or math.isinf(ledger.spent)
    rows = gives_rows(run.model)
    names = sorted({*NAMES, algorithm, *(("rounded", "rows_csv") if rows else ("answers_csv",))}, key=_as_sorted)
    imports = ("\nimport numpy as np\n" if rows else "") + f"\nfrom mwem_core import {', '.join(names)}"
    return SCRIPT.format(
        imports=imports,
        ending=(WRITE_ROWS if rows else WRITE_ANSWERS).format(seed=run.seed),
        algorithm=algorithm,
        statement=textwrap.fill(run.statement, 100),
        schema=run.domain.to_toml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"'),
        table=run.table,
        workload=run.workload.spec,
        settings=settings,
        stop=f"    if step.index == {last}:  # where the run was stopped\n        break\n" if stopped else "",
        seed=run.seed,
    )


def _as_sorted(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as import sorters write them."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name
