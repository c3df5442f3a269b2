"""How strong a prior of a typical table is, before anything is measured."""

import numpy as np

from mwem_core.base import constants


def typical_strength(
    order: np.ndarray | int, rank: np.ndarray, n: float, pair_information: float = constants.PAIR_INFORMATION
) -> np.ndarray:
    """λ, in records, for residuals of `rank` coordinates of `order` attributes.

    An interaction carries an information I, in nats, whatever its rank. A prior of λ expects KL = rank / 2λ, so
    λ = rank / 2I. The variance of n records drawn from such a table adds to it: 1/λ is larger by 1/n.
    """
    information = pair_information / constants.DECAY ** (np.maximum(order, 2) - 2.0)
    return 1 / (np.where(np.asarray(order) == 1, 1 / constants.ONE_WAY_STRENGTH, 2 * information / rank) + 1 / n)
