"""MST and MWEM as smartnoise-synth has them. Its transformers are fitted to the public domain, not to the records."""

from common import Clock, give, task

clock, given = Clock(), task()

import random  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from snsynth.mst import MSTSynthesizer  # noqa: E402
from snsynth.mwem import MWEMSynthesizer  # noqa: E402
from snsynth.transform import LabelTransformer, TableTransformer  # noqa: E402

clock.lap("import")
random.seed(given.seed)  # it draws from both global states
np.random.seed(given.seed)  # noqa: NPY002
every_value = np.arange(max(given.sizes))[:, None] % np.array(given.sizes)
transformer = TableTransformer([LabelTransformer(nullable=False) for _ in given.names])
transformer.fit(pd.DataFrame(every_value, columns=list(given.names)))
table = pd.DataFrame(given.codes.astype(int), columns=list(given.names))
options = dict(given.options)
if options.pop("model") == "mst":
    synthesizer = MSTSynthesizer(epsilon=given.epsilon, **options)
else:
    if width := options.pop("split", None):
        options["splits"] = np.array_split(np.arange(len(given.names)), len(given.names) // width)
    synthesizer = MWEMSynthesizer(epsilon=given.epsilon, **options)
synthesizer.fit(table, transformer=transformer)
clock.lap("run")
synthetic = pd.DataFrame(synthesizer.sample(len(table)), columns=list(given.names))
clock.lap("rows")
give(given, synthetic.to_numpy().astype(int), clock, ["smartnoise-synth", "mbi"])
