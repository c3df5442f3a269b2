"""MST as opendp has it, with public keys: pure ε-DP, or (ε, δ) through its own zCDP."""

from common import Clock, give, task

clock, given = Clock(), task()

import opendp.prelude as dp  # noqa: E402
import polars as pl  # noqa: E402

dp.enable_features("contrib")
clock.lap("import")
table = pl.LazyFrame({name: given.codes[:, a].astype("int64") for a, name in enumerate(given.names)})
loss = {"epsilon": given.epsilon, **({"delta": given.delta} if given.delta else {})}
context = dp.Context.compositor(
    data=table, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(**loss), split_evenly_over=1
)
keys = {name: list(range(size)) for name, size in zip(given.names, given.sizes, strict=True)}
algorithm = getattr(dp.mbi, given.options["model"])()
released = context.query().select(*given.names).contingency_table(keys=keys, algorithm=algorithm).release()
clock.lap("run")
synthetic = released.synthesize()
clock.lap("rows")
rows = synthetic.select(pl.col(name).fill_null(0) for name in given.names).to_numpy()  # null: a key of its own there
give(given, rows, clock, ["opendp", "mbi"])
