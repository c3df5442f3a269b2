"""The cells that a candidate would add to the model."""

import numpy as np
from models import random_model, random_sizes

from mwem_core.mwem.prices import cells_with


def test_size_with_a_candidate_is_never_understated():
    rng = np.random.default_rng(4)
    for _ in range(30):
        A = random_model(rng, random_sizes(rng), measurements=3)
        S = tuple(sorted(rng.choice(len(A.sizes), size=2, replace=False).tolist()))
        assert A.covering([S]).cells <= cells_with(A, S, limit=0)
