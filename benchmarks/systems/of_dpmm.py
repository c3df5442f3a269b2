"""MST and PrivBayes as dpmm has them, on its defaults; the domain is given, so nothing is spent on it."""

from common import Clock, give, task

clock, given = Clock(), task()

import pandas as pd  # noqa: E402
from dpmm.pipelines import PIPELINE_DICT  # noqa: E402

clock.lap("import")
pipeline = PIPELINE_DICT[given.options["model"]](
    epsilon=given.epsilon, delta=given.options["delta"], disable_processing=True, n_jobs=1
)
table = pd.DataFrame(given.codes.astype(int), columns=list(given.names))
pipeline.fit(table, domain=dict(zip(given.names, given.sizes, strict=True)), random_state=given.seed)
clock.lap("run")
synthetic = pipeline.generate(n_records=len(table))
clock.lap("rows")
give(given, synthetic[list(given.names)].to_numpy(), clock, ["dpmm"])
