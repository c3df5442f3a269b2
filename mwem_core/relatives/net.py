"""The net mechanism of Blum, Ligett & Roth (STOC 2008): choose among all small tables at once.

MWEM improves one table query by query. The net mechanism scores every table of m records over the domain by its max
error on the workload, and the exponential mechanism chooses one. A small m suffices to answer |Q| queries about a table
of any size, so a good candidate exists. But there are about |D|^m candidates, so this is for domains of a dozen cells.
MWEM's theorem promises a similar error without listing candidates.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations_with_replacement, takewhile

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.base import is_whole
from mwem_core.domain import Domain, Table
from mwem_core.model import LogLinear, align, check_rules, possible_table
from mwem_core.privacy import Accountant, NoiseSource, on_grid
from mwem_core.workload import Workload

MAX_NET_NUMBERS = 2 * 10**7  # of all candidates together: m cells and |Q| answers each
MAX_CANDIDATE_RECORDS = 10**4  # m
MAX_EXACT_COUNT = 10**9  # larger numbers of candidates are not computed or printed
MAX_CHUNK_NUMBERS = 2**22  # numbers in memory at once while scoring


@dataclass(frozen=True, kw_only=True)
class Net(OneShot[LogLinear]):
    """Settings: ε and m. The candidates are all multisets of m records that the schema's rules leave possible.

    ε-differential privacy under adding or removing one record. The score of a candidate is
    -max_q |q(B) - (n/m) q(candidate)|, in records. The total n is public, so one record moves a score by at most 1,
    through q(B). Raises ValueError for a setting out of its range.
    """

    epsilon: float
    m: int

    def __post_init__(self):
        super().__post_init__()
        if not is_whole(self.m) or not 1 <= self.m <= MAX_CANDIDATE_RECORDS:
            raise ValueError(f"m must be a whole number of records from 1 to {MAX_CANDIDATE_RECORDS:,}, got {self.m!r}")

    def check(self, workload: Workload) -> None:
        """Refuse a workload with more candidates than fit in memory, and rules that leave no record."""
        check_rules(workload.domain)
        count, limit = net_size(workload, self.m), max_candidates(workload, self.m)
        if count > limit:
            number = f"{count:,}" if count <= MAX_EXACT_COUNT else "more than 10^9"
            raise ValueError(
                f"the net mechanism would score every table of m = {self.m} on this domain, {number} candidates, "
                f"and {limit:,} fit: leave attributes out, or lower m"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """Choose a table and scale it to n, by the exponential mechanism. Most of its cells are empty."""
        tables, account, sizes = self.tables(Q), Accountant(self.guarantee.budget, noise), Q.domain.shape
        chosen = tables[account.choose(-max_errors(B, Q, tables), cost=account.left)]
        with np.errstate(divide="ignore"):  # an empty cell has log-weight -inf
            theta = np.log(np.bincount(chosen, minlength=Q.domain.size) / self.m).reshape(sizes)
        A = LogLinear.of(sizes, float(B.total), {tuple(range(len(sizes))): theta})
        return Round(1, account.ledger, A, label=f"a table of {self.m}, of {len(tables):,}")

    def tables(self, Q: Workload) -> np.ndarray:
        """All candidates: the cells that their m records fall in, as row-major indices in ascending order, (C, m)."""
        possible = np.flatnonzero(possible_table(Q.domain)).astype(np.int32)
        return possible[candidates(len(possible), self.m)]

    def bound(self, workload: Workload, *, n: float, beta: float) -> float:
        """The max error, in records, exceeded with probability at most β: n √(2 ln(2|Q|) / m) + (2/ε) ln(C/β).

        The queries lie in [-1, 1], so m records drawn from B answer all of them to within the first term with
        probability above 0 (Hoeffding). Hence some candidate does. The score of the chosen one of the C candidates is
        below the best score by more than the second term with probability at most β.
        """
        sampling = n * math.sqrt(2 * math.log(2 * workload.size) / self.m)
        return sampling + 2 / self.epsilon * (math.log(net_size(workload, self.m)) - math.log(beta))


def net_preset(workload: Workload, *, n: float, epsilon: float) -> Net:
    """The m of the smallest bound, among those whose candidates fit. It depends on public numbers only.

    If the candidates of no m fit, m is 1.
    """
    nets = (Net(epsilon=epsilon, m=m) for m in range(1, MAX_CANDIDATE_RECORDS + 1))
    fitting = takewhile(lambda net: net_size(workload, net.m) <= max_candidates(workload, net.m), nets)
    return min(fitting, key=lambda net: net.bound(workload, n=n, beta=0.05), default=Net(epsilon=epsilon, m=1))


def candidates(cells: int, m: int) -> np.ndarray:
    """All multisets of m of `cells` cells, each in ascending order: (candidates, m)."""
    multisets = chain.from_iterable(combinations_with_replacement(range(cells), m))
    return np.fromiter(multisets, np.int32).reshape(-1, m)


def max_errors(B: Table, Q: Workload, tables: np.ndarray) -> np.ndarray:
    """max_q |q(B) - (n/m) q(table)| of each candidate, in records: (candidates, m) -> (candidates,). NOT private.

    A candidate's answers are rounded to the grid, so that a record moves an error by at most 1 to the last digit.
    """
    domain, (count, m) = Q.domain, tables.shape
    everything = tuple(range(len(domain)))
    queries = (Q.query(j)[:2] for j in range(Q.size))
    on_cells = np.array([np.broadcast_to(align(q, S, everything), domain.shape).ravel() for S, q in queries])
    truth, worst, rows = Q.answers(B), np.empty(count), max(1, MAX_CHUNK_NUMBERS // max(domain.size, Q.size))
    for start in range(0, count, rows):
        chunk = tables[start : start + rows]
        cells = chunk + domain.size * np.arange(len(chunk))[:, None]  # one range of indices per candidate
        counts = np.bincount(cells.ravel(), minlength=len(chunk) * domain.size).reshape(len(chunk), -1)
        worst[start : start + rows] = np.abs(on_grid(B.total / m * (counts @ on_cells.T)) - truth).max(axis=1)
    return worst


def net_size(workload: Workload, m: int) -> float:
    """C, the number of multisets of m cells; infinity for a domain of more than `MAX_EXACT_COUNT` cells."""
    cells = possible_cells(workload.domain)
    return math.comb(cells + m - 1, m) if cells <= MAX_EXACT_COUNT else math.inf


@lru_cache(maxsize=8)
def possible_cells(domain: Domain) -> int:
    """The number of cells that rules leave possible; all of D's where even single records would be too many."""
    return domain.size if not domain.never or domain.size > MAX_NET_NUMBERS else int(possible_table(domain).sum())


def max_candidates(workload: Workload, m: int) -> int:
    """The number of candidates that fit: each takes m cells and |Q| answers."""
    return MAX_NET_NUMBERS // (m + workload.size)
