"""The parities that determine a workload of bits: their places, their weights, and the workload computed from them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.workload import Workload, parities

MAX_MASK_BITS = 62  # up to this many attributes, each has its own bit in a key


@dataclass(frozen=True, eq=False)
class Parities:
    """All M parities of 1 to k of a domain's bits, at the places 1 .. M. Place 0 is the empty parity, the total.

    A set of attributes has a key, the exclusive or of its attributes' keys, so that the key of s △ t is that of s
    xor that of t. Raises ValueError for an attribute that is not a bit, or for too many parities.
    """

    workload: Workload

    @classmethod
    def behind(cls, Q: Workload) -> "Parities":
        """The parities of which `Q`, parities or marginals, is a linear function; ValueError for another workload."""
        for attribute in Q.domain.attributes:
            if attribute.size != 2:
                raise ValueError(
                    f"parities need attributes of two values, {attribute.name!r} has {attribute.size:,}: "
                    "leave it out, or choose a system that takes any table"
                )
        if Q.terms or not Q.has_residuals:
            raise ValueError(f"parities answer marginals and parities, not {Q.families}: choose another workload")
        return cls(parities(Q.domain, max(block.sets.shape[1] for block in Q.blocks)))

    @property
    def d(self) -> int:
        """The number of attributes."""
        return len(self.workload.domain)

    @property
    def k(self) -> int:
        """The highest order."""
        return self.workload.blocks[-1].sets.shape[1]

    @property
    def size(self) -> int:
        """M."""
        return self.workload.size

    @cached_property
    def keys(self) -> np.ndarray:
        """The keys of the sets at the places 0 .. M: bit masks, or for many attributes random keys of a fixed seed."""
        has_masks = self.d <= MAX_MASK_BITS
        bit = 1 << np.arange(self.d) if has_masks else np.random.default_rng(0).integers(1, 2**MAX_MASK_BITS, self.d)
        blocks = [np.bitwise_xor.reduce(bit[block.sets], axis=1) for block in self.workload.blocks]
        return np.concatenate([[0], *blocks])

    def places(self, keys: np.ndarray) -> np.ndarray:
        """The places of the sets with these keys, in an array of the same shape."""
        order = self.keys.argsort()
        return order[np.searchsorted(self.keys, keys, sorter=order)]

    def up_to(self, order: int) -> np.ndarray:
        """The keys of the sets of at most this many attributes."""
        return self.keys[: 1 + sum(len(block.sets) for block in self.workload.blocks[:order])]

    def weights(self, Q: Workload, counts: np.ndarray | None = None) -> np.ndarray:
        """(M,) shares w: the sum of Q's squared errors is proportional to Σ w (the parity's error)².

        With `counts`, (parts,), the squared errors of a part's queries count so many times. A marginal's squared errors
        sum to 2^-|S| times those of the parities of its subsets (Parseval), so a parity counts for each marginal whose
        set contains its own.
        """
        counts = np.ones(Q.parts) if counts is None else counts
        if Q.family == "parities":
            return counts / counts.sum()
        total, start = np.zeros(self.size + 1), 0
        for places in self._subsets(Q):
            own = np.repeat(counts[start : start + len(places)], places.shape[1])
            total += np.bincount(places.ravel(), own, minlength=len(total)) / places.shape[1]
            start += len(places)
        return total[1:] / total[1:].sum()

    def answers(self, Q: Workload, values: np.ndarray, n: float) -> np.ndarray:
        """Q's answers from the (M,) parities' values and the total n.

        marginal_S(x) = 2^-|S| Σ_{R ⊆ S} (-1)^(x·R) parity_R. Cells are clipped to [0, n] and parities to [-n, n], which
        can only bring them closer to the truth.
        """
        if Q.family == "parities":
            return np.clip(values, -n, n)
        with_total = np.append(n, values)
        cells = [hadamard(with_total[places]) / places.shape[1] for places in self._subsets(Q)]
        return np.clip(np.concatenate([table.ravel() for table in cells]), 0, n)

    def _subsets(self, Q: Workload) -> list[np.ndarray]:
        """The places of all subsets of each part's attributes: per block (parts, 2^|S|), ordered as cells are."""
        blocks = []
        for block in Q.blocks:
            keys = np.zeros((len(block.sets), 1), np.int64)
            for attributes in block.sets.T:
                own = self.keys[1 + attributes][:, None]  # single attributes come first, in order
                keys = np.stack([keys, keys ^ own], axis=2).reshape(len(keys), -1)
            blocks.append(self.places(keys))
        return blocks


def hadamard(rows: np.ndarray) -> np.ndarray:
    """The Walsh-Hadamard transform of each row: (m, 2^j) -> (m, 2^j), Σ_R (-1)^(x·R) row[R] at x."""
    for _ in range(rows.shape[1].bit_length() - 1):  # each pass transforms the last bit and puts it first
        even, odd = rows[:, ::2], rows[:, 1::2]
        rows = np.concatenate([even + odd, even - odd], axis=1)
    return rows
