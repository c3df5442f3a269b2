"""A system of this project, run as the command line runs it: rounds, then rows. Options: the system's name, and T."""

from common import Clock, read_task, write_results

clock, task = Clock(), read_task()

import numpy as np  # noqa: E402

from mwem_core import Attribute, Domain, Records, Seeded  # noqa: E402
from mwem_core.output import nearest_rows  # noqa: E402
from mwem_core.systems import system  # noqa: E402
from mwem_core.values import Range  # noqa: E402
from mwem_core.workload import (  # noqa: E402
    Block,
    Cells,
    Workload,
    listed_ranges,
)

clock.lap("import")
domain = Domain(tuple(Attribute(name, Range(0, size - 1)) for name, size in zip(task.names, task.sizes, strict=True)))
columns = tuple(
    np.ascontiguousarray(task.codes[:, a], np.min_scalar_type(size - 1)) for a, size in enumerate(task.sizes)
)
B = Records(domain, columns)
if task.ranges:
    Q = listed_ranges(domain, task.names, [[ends] for ends in task.ranges])
else:
    Q = Workload(domain, "marginals", "marginals", "marginals", (Block(np.array(task.sets), Cells()),))
settings = system(task.options.get("system", "automatic")).settings(
    Q, n=B.total, epsilon=task.epsilon, delta=task.delta, T=task.options.get("T")
)
clock.lap("prepare")
*_, last = settings.rounds(B, Q, noise=Seeded(task.seed))
clock.lap("run")
rows = nearest_rows(Q, last.model, B.total, np.random.default_rng(task.seed))
clock.lap("rows")
write_results(
    task,
    np.column_stack(rows.codes),
    clock,
    ["numpy"],
    answers=lambda: (table / last.model.total for table in last.model.marginals(Q.sets)),
    rounds=last.index,
)
