"""K, the exact convex body, by trying all cells: an oracle for the relaxed body L and for projections."""

from dataclasses import dataclass

import numpy as np

from mwem_core.relatives import Parities, Vertex, hadamard


@dataclass(frozen=True, eq=False)
class ExactBody:
    """K: the convex hull of ± the parities of every cell."""

    queries: Parities

    def furthest(self, a: np.ndarray, near: Vertex | None = None) -> Vertex:
        """The vertex with the largest ⟨a, x⟩: of the best cell, or its opposite. A vertex of K has no vectors."""
        masks = self.queries.keys[1:]
        table = np.zeros((1, 2**self.queries.d))
        table[0, masks] = a
        values = hadamard(table)[0]
        cell = int(np.abs(values).argmax())
        return Vertex(np.sign(values[cell]) * (-1.0) ** np.bitwise_count(masks & cell), np.empty(0), np.empty(0))

    def bound(self, a: np.ndarray, vertex: Vertex) -> float:
        """⟨a, vertex⟩, which is the maximum over K if `vertex` is the furthest for a."""
        return float(a @ vertex.x)
