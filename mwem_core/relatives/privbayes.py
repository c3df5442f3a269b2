"""PrivBayes: a Bayesian network chosen by the exponential mechanism, with noisy conditionals.

Zhang, Cormode, Procopiuc, Srivastava & Xiao, "PrivBayes: Private Data Release via Bayesian Networks", SIGMOD 2014 and
ACM TODS 42(4), 2017. Unlike MWEM it does not read the workload. A share of ε chooses which attributes depend on which,
the rest measures one table for each attribute; every workload is answered from the same network, which also gives rows.

The paper's neighbours replace a record; here a record is added or removed and n is public. Every constant is proven for
this relation beside its code (`network_scores`, `conditionals`). Variables are attributes, the paper's "vanilla"
encoding, and scores F and R; its binary and Gray encodings, and its first score, are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.domain import Attrs, Table
from mwem_core.model import check_rules
from mwem_core.privacy import Accountant, NoiseSource
from mwem_core.relatives.bayesian_network import Network, Node
from mwem_core.relatives.network_choice import learn, parents_fit
from mwem_core.relatives.network_scores import SCORES, SCORES_OF_NOISY_N
from mwem_core.workload import Workload

NETWORK_SHARE = 0.3  # β: ε₁ = βε chooses the network, ε₂ = (1 - β)ε measures its conditionals
THETA = 4.0  # θ: a measured cell's mean count is at least 2θ times its mean |noise|
MAX_TABLE_CELLS = 2**17  # of one table, even if θ would allow more
MAX_F_STEPS = 10**9  # of F's dynamic program over a whole run: a second or two at worst


@dataclass(frozen=True, kw_only=True)
class PrivBayes(OneShot[Network]):
    """Settings; `privbayes_preset` chooses the score. ε-DP under adding or removing one record, n public.

    Raises ValueError for a setting out of its range.
    """

    epsilon: float
    score: Literal["F", "R"] = "R"  # of parents; F is for two-valued attributes, in n 2^k steps at worst
    noisy_n: bool = False  # whether n was measured, so that there may be more records

    def check(self, workload: Workload) -> None:
        """Refuse a domain that the score, or a table, cannot serve; every workload over other domains is served."""
        check_rules(workload.domain)
        sizes = workload.domain.shape
        largest, name = max(sizes), workload.domain.names[sizes.index(max(sizes))]
        if self.score == "F" and largest > 2:
            raise ValueError(
                f"score F needs attributes of two values, {name!r} has {largest:,}: choose score='R', or leave it out"
            )
        if largest > MAX_TABLE_CELLS:
            raise ValueError(
                f"{name!r} has {largest:,} values and a table may hold {MAX_TABLE_CELLS:,} cells: declare coarser bins"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Network]:  # noqa: ARG002 - Q is not read
        """Choose the network, then measure its conditionals."""
        sizes, n, budget = B.domain.shape, float(B.total), self.guarantee.budget
        max_cells = max_table_cells(sizes, n=n, epsilon=self.epsilon)
        network, account = [(a, ()) for a in range(len(sizes))], Accountant(budget, noise)
        if parents_fit(sizes, max_cells):  # else there is nothing to choose, and all of ε measures
            score, cost = (SCORES_OF_NOISY_N if self.noisy_n else SCORES)[self.score], budget.part(NETWORK_SHARE)
            network = learn(B, sizes, n=n, max_cells=max_cells, score=score, cost=cost, account=account)
        model = Network(B.domain, n, conditionals(B, network, account))
        return Round(1, account.ledger, model, label=f"a network of degree {model.degree}")


def max_table_cells(sizes: Sequence[int], *, n: float, epsilon: float) -> int:
    """The most cells of a table by the paper's rule, θ-usefulness, and at most `MAX_TABLE_CELLS`.

    Over d attributes of two values: 2^(k+1) for the largest degree k with n ε₂ / ((d - k) 2^(k+2)) >= θ. Over others:
    n ε₂ / 2dθ. A table of c cells has a mean count of n/c. With m <= d tables measured (d - k in a network of degree k)
    the noise has scale m/ε₂, so the mean count is at least 2θ times the mean |noise|. The paper's replaced records
    would double the noise.
    """
    d, useful = len(sizes), n * epsilon * (1 - NETWORK_SHARE) / (2 * THETA)
    if set(sizes) != {2}:
        return min(math.floor(useful / d), MAX_TABLE_CELLS)
    degree = max((k for k in range(d) if (d - k) * 2 ** (k + 1) <= useful), default=0)
    return min(2 ** (degree + 1), MAX_TABLE_CELLS)


def privbayes_preset(workload: Workload, *, n: float, epsilon: float, noisy_n: bool = False) -> PrivBayes:
    """Score F for two-valued attributes where it is computed soon, else R. Reads public values.

    F has the least sensitivity, so it serves best at small ε. At larger ε its dynamic program would take up to n 2^k
    steps for each of very many pairs.
    """
    settings, sizes = PrivBayes(epsilon=epsilon, noisy_n=noisy_n), workload.domain.shape
    if set(sizes) == {2}:
        k = max_table_cells(sizes, n=n, epsilon=epsilon).bit_length() - 2
        pairs = math.comb(len(sizes), k + 1)  # of a variable and k parents, over all steps
        if pairs * n * 2**k <= MAX_F_STEPS:
            return replace(settings, score="F")
    return settings


def measured_sets(network: Sequence[tuple[int, Attrs]]) -> list[Attrs]:
    """The sets of attributes whose tables are measured: each attribute with its parents, less sets within another.

    In a network of degree k over bits this omits the first k attributes' sets, as the paper does, and no other.
    """
    sets: list[Attrs] = []
    for v, parents in reversed(network):  # a set within another came before it
        if not any({v, *parents} <= set(larger) for larger in sets):
            sets.append(_family(v, parents))
    return sets[::-1]


def conditionals(B: Table, network: Sequence[tuple[int, Attrs]], account: Accountant) -> tuple[Node, ...]:
    """Measure m tables with 1/m of what is left each, and compute every attribute's conditional from one of them.

    One record is in one cell of a table: under adding or removing it the table's L1 sensitivity is 1, so Laplace noise
    has scale m/ε₂ records, half of what the paper's replaced records cost. Negative counts become 0. Where no count is
    left for a value of the parents, the conditional is uniform.
    """
    sets = measured_sets(network)
    share = account.left.part(Fraction(1, len(sets)))
    noisy = [np.maximum(account.measure(exact, cost=share), 0) for exact in B.marginals(sets)]
    nodes = []
    for v, parents in network:
        S = _family(v, parents)
        i = min((i for i, larger in enumerate(sets) if set(S) <= set(larger)), key=lambda i: noisy[i].size)
        axes = [S.index(u) for u in (v, *parents)]
        counts = noisy[i].sum(axis=tuple(axis for axis, u in enumerate(sets[i]) if u not in S)).transpose(axes)
        counts = np.where(counts.sum(axis=0) > 0, counts, 1.0)
        nodes.append(Node(v, parents, counts / counts.sum(axis=0)))
    return tuple(nodes)


def _family(variable: int, parents: Attrs) -> Attrs:
    """A variable and its parents, sorted."""
    return tuple(sorted((variable, *parents)))
