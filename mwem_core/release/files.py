"""Files of a run: rows as CSV or Parquet, answers, and the weights of a small domain."""

import io

import numpy as np

from mwem_core.algorithm import Answering
from mwem_core.data.records import Records
from mwem_core.release.run import Run
from mwem_core.release.synthesis import decode
from mwem_core.workload.workload import Workload

MOST_WEIGHTS = 10**6  # cells of a domain whose weights are offered as a table


def frame(records: Records, rng: np.random.Generator):
    """Rows as a pandas DataFrame in the user's own values."""
    import pandas as pd  # half a second: only those who want a frame pay it

    return pd.DataFrame(decode(records, rng))


def rows_csv(records: Records, rng: np.random.Generator) -> bytes:
    """Rows as CSV in UTF-8, with a header."""
    return frame(records, rng).to_csv(index=False).encode()


def rows_parquet(records: Records, rng: np.random.Generator) -> bytes:
    """Rows as Parquet."""
    out = io.BytesIO()
    frame(records, rng).to_parquet(out, index=False)
    return out.getvalue()


def answers_csv(workload: Workload, released: Answering) -> bytes:
    """Every query's name and its answer, in records, as CSV."""
    import pandas as pd

    names = [workload.query(j)[2] for j in range(workload.size)]
    return pd.DataFrame({"query": names, "answer": released.answers(workload)}).to_csv(index=False).encode()


def weights_csv(run: Run) -> bytes:
    """A(x) for every cell of the domain, in records, as CSV; raises ValueError where the domain is too large for it."""
    import pandas as pd

    if run.domain.size > MOST_WEIGHTS:
        raise ValueError(
            f"the domain has {run.domain.size:,} cells, weights are written for up to {MOST_WEIGHTS:,}: take the rows"
        )
    codes = np.indices(run.domain.shape).reshape(len(run.domain), -1)
    columns = {a.name: np.array(a.labels, object)[code] for a, code in zip(run.domain.attributes, codes, strict=True)}
    weight = "weight" if "weight" not in run.domain.names else "A(x)"
    columns[weight] = run.model.marginal(tuple(range(len(run.domain)))).ravel()
    return pd.DataFrame(columns).to_csv(index=False).encode()
