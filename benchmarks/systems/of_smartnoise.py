"""MST and MWEM of smartnoise-synth. Its transformers are fitted to the public domain, not to the records."""

from common import Clock, read_task, write_results

clock, task = Clock(), read_task()

import random  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from snsynth.mst import MSTSynthesizer  # noqa: E402
from snsynth.mwem import MWEMSynthesizer  # noqa: E402
from snsynth.transform import LabelTransformer, TableTransformer  # noqa: E402

clock.lap("import")
random.seed(task.seed)  # the package draws from both global states
np.random.seed(task.seed)  # noqa: NPY002
every_value = np.arange(max(task.sizes))[:, None] % np.array(task.sizes)
transformer = TableTransformer([LabelTransformer(nullable=False) for _ in task.names])
transformer.fit(pd.DataFrame(every_value, columns=list(task.names)))
table = pd.DataFrame(task.codes.astype(int), columns=list(task.names))
options = dict(task.options)
if options.pop("model") == "mst":
    synthesizer = MSTSynthesizer(epsilon=task.epsilon, **options)
else:
    if width := options.pop("split", None):
        options["splits"] = np.array_split(np.arange(len(task.names)), len(task.names) // width)
    synthesizer = MWEMSynthesizer(epsilon=task.epsilon, **options)
synthesizer.fit(table, transformer=transformer)
clock.lap("run")
synthetic = pd.DataFrame(synthesizer.sample(len(table)), columns=list(task.names))
clock.lap("rows")
write_results(task, synthetic.to_numpy().astype(int), clock, ["smartnoise-synth", "mbi"])
