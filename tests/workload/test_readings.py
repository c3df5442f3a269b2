"""What the parts of a workload read of each residual: that it gives their answers, and the errors of their answers."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Domain, parse_workload
from mwem_core.domain import Source
from mwem_core.model import centre
from mwem_core.workload.readings import LEAST_WEIGHT
from mwem_core.workload.subsets import Subsets

SIZES = (2, 3, 2, 4)
PREDICATES = "where:a == 1 and b < 2; b in (0, 2) or c == 1; d >= 2; d >= 1; a == 1 and b == 0 or a == 0 and d == 3"


@dataclass(frozen=True)
class OfResiduals(Source):
    """The table with these residuals over D, and no other."""

    domain: Domain
    residuals: dict

    def marginals(self, sets):
        """Σ over the residuals within each set, spread evenly over its other attributes."""
        return [self._marginal(S) for S in sets]

    def _marginal(self, S):
        table = np.zeros(self.domain.sizes(S))
        for A, residual in self.residuals.items():
            if set(A) <= set(S):
                spread = [size if a in A else 1 for a, size in zip(S, table.shape, strict=True)]
                table += residual.reshape(spread) * residual.size / table.size
        return table


@pytest.fixture(scope="module")
def B():
    return random_records(domain_of(SIZES), 300, np.random.default_rng(1))


def test_a_predicate_is_its_share_of_the_cells_and_what_it_reads_of_the_residuals(B):
    Q = parse_workload(PREDICATES, B.domain)
    subsets = Subsets.of(Q)
    assert [read.rank for read in subsets.read] == [math.prod(SIZES[a] - 1 for a in A) for A in subsets.sets]
    answers = np.array([300 * Q.query(j)[1].mean() for j in range(Q.size)])
    for A, read in zip(subsets.sets, subsets.read, strict=True):
        answers[read.predicates] += read.vectors @ centre(B.marginal(A)).ravel()
    assert answers == pytest.approx(Q.answers(B))


@pytest.mark.parametrize("spec", ["marginals:2", PREDICATES])
def test_the_squared_error_of_a_part_is_that_of_drawn_residuals(B, spec):
    """4,000 draws of white noise on every residual: within 10%, where the standard error is 2%."""
    Q, rng = parse_workload(spec, B.domain), np.random.default_rng(0)
    subsets = Subsets.of(Q)
    scales, squares = rng.uniform(1, 5, len(subsets.sets)), np.zeros(Q.parts)
    for _ in range(4000):
        drawn = {
            A: centre(rng.normal(scale=scale, size=B.domain.sizes(A)))
            for A, scale in zip(subsets.sets, scales, strict=True)
        }
        squares += Q.sum_by_part(Q.answers(OfResiduals(B.domain, drawn)) ** 2) / 4000
    assert subsets.part_errors(scales**2) == pytest.approx(squares, rel=0.1)


def test_every_residual_of_a_predicate_has_a_weight_even_one_that_it_does_not_read(B):
    """Whether an odd number of a and c is 1 tells nothing of either."""
    subsets = Subsets.of(parse_workload("where:a == 1 and c == 0 or a == 0 and c == 1", B.domain))
    assert dict(zip(subsets.sets, subsets.cover, strict=True)) == {
        (0,): LEAST_WEIGHT,
        (2,): LEAST_WEIGHT,
        (0, 2): pytest.approx(1 / 4),  # ‖(±1/2)‖² over 4 cells
    }
