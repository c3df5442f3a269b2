"""MST of opendp, with public keys: pure ε-DP, or (ε, δ)-DP through its own zCDP."""

from common import Clock, read_task, write_results

clock, task = Clock(), read_task()

import opendp.prelude as dp  # noqa: E402
import polars as pl  # noqa: E402

dp.enable_features("contrib")
clock.lap("import")
table = pl.LazyFrame({name: task.codes[:, a].astype("int64") for a, name in enumerate(task.names)})
loss = {"epsilon": task.epsilon, **({"delta": task.delta} if task.delta else {})}
context = dp.Context.compositor(
    data=table, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(**loss), split_evenly_over=1
)
keys = {name: list(range(size)) for name, size in zip(task.names, task.sizes, strict=True)}
algorithm = getattr(dp.mbi, task.options["model"])()
released = context.query().select(*task.names).contingency_table(keys=keys, algorithm=algorithm).release()
clock.lap("run")
synthetic = released.synthesize()
clock.lap("rows")
rows = synthetic.select(pl.col(name).fill_null(0) for name in task.names).to_numpy()  # opendp has a key for null
write_results(task, rows, clock, ["opendp", "mbi"])
