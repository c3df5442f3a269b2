"""This project's default preset or another, with its T or another, as the command line runs it: rounds, then rows."""

from common import Clock, give, task

clock, given = Clock(), task()

import numpy as np  # noqa: E402

from mwem_core import Attribute, Domain, Records, Seeded  # noqa: E402
from mwem_core.domain.values import Range  # noqa: E402
from mwem_core.mwem import presets  # noqa: E402
from mwem_core.release.synthesis import rounded  # noqa: E402
from mwem_core.workload.families import listed_ranges  # noqa: E402
from mwem_core.workload.operators import Cells  # noqa: E402
from mwem_core.workload.workload import Block, Workload  # noqa: E402

clock.lap("import")
domain = Domain(tuple(Attribute(name, Range(0, size - 1)) for name, size in zip(given.names, given.sizes, strict=True)))
columns = tuple(
    np.ascontiguousarray(given.codes[:, a], np.min_scalar_type(size - 1)) for a, size in enumerate(given.sizes)
)
B = Records(domain, columns)
if given.ranges:
    Q = listed_ranges(domain, given.names, [[ends] for ends in given.ranges])
else:
    Q = Workload(domain, "marginals", "marginals", "marginals", (Block(np.array(given.sets), Cells()),))
settings = getattr(presets, given.options.get("preset", "default"))(
    Q, n=B.total, epsilon=given.epsilon, delta=given.delta, T=given.options.get("T")
)
clock.lap("prepare")
*_, last = settings.rounds(B, Q, noise=Seeded(given.seed))
clock.lap("run")
rows = rounded(domain, last.model, B.total, np.random.default_rng(given.seed))
clock.lap("rows")
give(
    given,
    np.column_stack(rows.codes),
    clock,
    ["numpy"],
    answers=lambda: (table / last.model.total for table in last.model.marginals(Q.sets)),
    rounds=last.index,
)
