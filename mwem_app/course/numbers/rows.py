"""How rows come from the model A: each cell of the domain gets its expected number of rows, rounded up or down."""

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Domain
from mwem_core.output import rounded
from mwem_core.weighted import Model

COUNTS = (10, 20, 50, 100, 200, 400)  # of rows
DRAWS, SHOWN = 4, 4  # for each count; rows of a draw that are shown one by one


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows drawn from a model, for each of `COUNTS` and `DRAWS`. They read nothing but the model."""

    expected: np.ndarray  # (cells,): A's shares of all cells of the domain, in their order
    counts: np.ndarray  # (counts, draws, cells): rows in each cell
    first: np.ndarray  # (counts, draws, SHOWN, attributes): codes of the first rows


def rows(A: Model, domain: Domain, rng: np.random.Generator) -> Rows:
    """Draw rows as a release does, from a model of few cells."""
    made = [[np.array(rounded(domain, A, n, rng).codes) for _ in range(DRAWS)] for n in COUNTS]
    expected = A.marginal(tuple(range(len(domain)))).ravel()

    def counts(codes: np.ndarray) -> np.ndarray:
        return np.bincount(np.ravel_multi_index(tuple(codes), domain.shape), minlength=expected.size)

    return Rows(
        expected=expected / expected.sum(),
        counts=np.array([[counts(codes) for codes in draws] for draws in made]),
        first=np.array([[codes[:, :SHOWN].T for codes in draws] for draws in made]),
    )
