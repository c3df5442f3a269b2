"""The net mechanism of Blum, Ligett & Roth (STOC 2008): choose among all small tables at once.

Unlike MWEM, which makes one table better query by query, it scores every table of m records over the domain by its
worst error on the workload, and the exponential mechanism picks one. A few records suffice to answer |Q| queries
about a table of any size, so good candidates exist; but there are about |D|^m to look at. MWEM's theorem promises as
much without: this is for domains of a dozen cells.
"""

import math
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, takewhile

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.checks import is_whole
from mwem_core.data.table import Table
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.sums import align
from mwem_core.privacy.budget import Guarantee
from mwem_core.privacy.exponential import ExponentialMechanism
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

MOST = 2 * 10**7  # numbers: each candidate's records, and its answers
MOST_RECORDS = 10**4  # of a candidate
COUNTED = 10**9  # candidates, above which their number is not worked out
CHUNK = 2**22  # numbers held at a time while scoring


@dataclass(frozen=True, kw_only=True)
class Net(OneShot[LogLinear]):
    """Settings: candidates are the multisets of m records. ε-differential privacy under adding or removing a record.

    The score of a candidate is -max_q |q(B) - (n/m) q(candidate)|, in records. The total n is public, so that one
    record moves it by at most 1, through q(B).
    """

    epsilon: float
    m: int

    def __post_init__(self):
        Guarantee(self.epsilon)  # checks it
        if not is_whole(self.m) or not 1 <= self.m <= MOST_RECORDS:
            raise ValueError(f"m must be a whole number of records from 1 to {MOST_RECORDS:,}, got {self.m!r}")

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that a run satisfies."""
        return Guarantee(self.epsilon)

    def check(self, workload: Workload) -> None:
        """Refuse more candidates than can be scored one by one."""
        if (count := _count(workload, self.m)) > (most := _most(workload, self.m)):
            number = f"{count:,}" if count <= COUNTED else "more than 10^9"
            raise ValueError(
                f"the net mechanism would score every table of m = {self.m} on this domain, {number} candidates, "
                f"and {most:,} fit: leave attributes out, or lower m"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """The chosen table, scaled to n. Most of its cells are empty."""
        mechanism = self.mechanism(Q)
        chosen = mechanism.choose(B, noise=noise)
        sizes = Q.domain.shape
        with np.errstate(divide="ignore"):  # an empty cell has log-weight -inf
            theta = np.log(np.bincount(chosen, minlength=Q.domain.size) / self.m).reshape(sizes)
        A = LogLinear.of(sizes, float(B.total), {tuple(range(len(sizes))): theta})
        ledger = Ledger(self.guarantee.budget).spend(select=self.guarantee.budget.amount)
        return Round(1, ledger, A, label=f"a table of {self.m}, of {len(mechanism.candidates):,}")

    def mechanism(self, Q: Workload) -> ExponentialMechanism[Table, np.ndarray]:
        """What chooses; its `probabilities(B)` shows every candidate's chance, which is NOT private.

        A candidate lists the m cells of the domain, row-major, that its records fall in: (m,), in order.
        """
        tables = candidates(Q.domain.size, self.m)

        def score(B: Table) -> np.ndarray:
            return -worst_errors(B, Q, tables)

        return ExponentialMechanism(candidates=tables, score=score, epsilon=self.epsilon)

    def bound(self, workload: Workload, *, n: float, beta: float) -> float:
        """What the max error exceeds, in records, with probability at most β: n √(2 ln(2|Q|) / m) + (2/ε) ln(C/β).

        m records drawn from B answer all queries, of values in [-1, 1], to within the first term with a probability
        above 0 (Hoeffding), so some candidate does. One of C candidates is chosen whose score is below the best by
        more than the second term with probability at most β.
        """
        m, queries = self.m, workload.size
        sampling = n * math.sqrt(2 * math.log(2 * queries) / m)
        return sampling + 2 / self.epsilon * (math.log(_count(workload, m)) - math.log(beta))


def preset(workload: Workload, *, n: float, epsilon: float) -> Net:
    """The m that makes the bound least, of those whose candidates fit: public numbers only, and of them ε and n."""
    nets = (Net(epsilon=epsilon, m=m) for m in range(1, MOST_RECORDS + 1))
    fitting = takewhile(lambda net: _count(workload, net.m) <= _most(workload, net.m), nets)
    return min(fitting, key=lambda net: net.bound(workload, n=n, beta=0.05), default=Net(epsilon=epsilon, m=1))


def candidates(cells: int, m: int) -> np.ndarray:
    """All multisets of m of `cells` cells, in order: (candidates, m)."""
    every = chain.from_iterable(combinations_with_replacement(range(cells), m))
    return np.fromiter(every, np.int32).reshape(-1, m)


def worst_errors(B: Table, Q: Workload, tables: np.ndarray) -> np.ndarray:
    """max_q |q(B) - (n/m) q(table)| of each candidate, in records: (candidates, m) -> (candidates,). NOT private."""
    domain, (many, m) = Q.domain, tables.shape
    everything = tuple(range(len(domain)))
    queries = (Q.query(j)[:2] for j in range(Q.size))
    on_cells = np.array([np.broadcast_to(align(q, S, everything), domain.shape).ravel() for S, q in queries])
    truth, worst, rows = Q.answers(B), np.empty(many), max(1, CHUNK // max(domain.size, Q.size))
    for start in range(0, many, rows):
        some = tables[start : start + rows]
        cell = some + domain.size * np.arange(len(some))[:, None]
        counts = np.bincount(cell.ravel(), minlength=len(some) * domain.size).reshape(len(some), -1)
        worst[start : start + rows] = np.abs(B.total / m * (counts @ on_cells.T) - truth).max(axis=1)
    return worst


def _count(workload: Workload, m: int) -> float:
    """How many candidates there are: the multisets of m cells, infinite where there are more cells than `COUNTED`."""
    cells = workload.domain.size
    return math.comb(cells + m - 1, m) if cells <= COUNTED else math.inf


def _most(workload: Workload, m: int) -> int:
    """How many candidates fit."""
    return MOST // (m + workload.size)
