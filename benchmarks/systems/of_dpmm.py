"""MST and PrivBayes of dpmm, with its default settings. The domain is public, so no budget is spent on it."""

from common import Clock, read_task, write_results

clock, task = Clock(), read_task()

import pandas as pd  # noqa: E402
from dpmm.pipelines import PIPELINE_DICT  # noqa: E402

clock.lap("import")
pipeline = PIPELINE_DICT[task.options["model"]](
    epsilon=task.epsilon, delta=task.options["delta"], disable_processing=True, n_jobs=1
)
table = pd.DataFrame(task.codes.astype(int), columns=list(task.names))
pipeline.fit(table, domain=dict(zip(task.names, task.sizes, strict=True)), random_state=task.seed)
clock.lap("run")
synthetic = pipeline.generate(n_records=len(table))
clock.lap("rows")
write_results(task, synthetic[list(task.names)].to_numpy(), clock, ["dpmm"])
