"""PrivBayes: a Bayesian network chosen by the exponential mechanism, with noisy conditionals.

Zhang, Cormode, Procopiuc, Srivastava & Xiao, "PrivBayes: Private Data Release via Bayesian Networks", SIGMOD 2014 and
ACM TODS 42(4), 2017. Unlike MWEM it does not read the workload. A share of ε chooses which attributes depend on which,
the rest measures one table for each attribute; every workload is answered from the same network, which also gives rows.

The paper's neighbours replace a record; here a record is added or removed and n is public. Every constant is proven for
this relation beside its code (`network_scores`, `conditionals`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.base import check_positive, is_whole
from mwem_core.domain import Attrs, Domain, Source, Table
from mwem_core.model import check_rules
from mwem_core.privacy import Accountant, NoiseSource
from mwem_core.relatives.bayesian_network import Encoding, Network, Node
from mwem_core.relatives.network_choice import learn, parents_fit
from mwem_core.relatives.network_scores import SCORES, SCORES_OF_NOISY_N
from mwem_core.workload import Workload

MAX_F_STEPS = 10**9  # of F's dynamic program over a whole run: a second or two at worst


@dataclass(frozen=True, kw_only=True)
class PrivBayes(OneShot[Network]):
    """Settings; `privbayes_preset` chooses the score. ε-DP under adding or removing one record, n public.

    Raises ValueError for a setting out of its range.
    """

    epsilon: float
    score: Literal["I", "F", "R"] = "R"  # of parents; F is for two-valued variables, in n 2^k steps at worst
    encoding: Literal["vanilla", "binary", "gray"] = "vanilla"  # the attributes themselves, or their bits
    network_share: float = 0.3  # β: ε₁ = βε chooses the network, ε₂ = (1 - β)ε measures its conditionals
    theta: float = 4.0  # a measured cell's mean count is at least 2θ times its mean |noise|
    cell_budget: int = 2**17  # of one table, even if θ would allow more
    noisy_n: bool = False  # whether n was measured, so that there may be more records

    def __post_init__(self):
        super().__post_init__()
        if self.noisy_n and self.score not in SCORES_OF_NOISY_N:
            raise ValueError("score I needs a public n, as it moves by more the more records there are: choose R or F")
        check_positive(network_share=self.network_share, theta=self.theta)
        if self.network_share >= 1:
            raise ValueError(f"network_share must lie between 0 and 1, both excluded, got {self.network_share!r}")
        if not is_whole(self.cell_budget) or self.cell_budget < 2:
            raise ValueError(f"cell_budget must be a whole number of at least 2, got {self.cell_budget!r}")

    def check(self, workload: Workload) -> None:
        """Refuse a domain that the encoding or the score cannot serve; every workload over other domains is served."""
        check_rules(workload.domain)
        names, sizes = workload.domain.names, self.encoding_of(workload.domain).sizes
        largest = max(sizes)  # above 2 only where the variables are the attributes
        if self.score == "F" and largest > 2:
            raise ValueError(
                f"score F needs attributes of two values, {names[sizes.index(largest)]!r} has {largest:,}: "
                "choose score='R', or encoding='binary'"
            )
        if largest > self.cell_budget:
            raise ValueError(
                f"{names[sizes.index(largest)]!r} has {largest:,} values and a table may hold {self.cell_budget:,} "
                "cells: declare coarser bins, or choose encoding='gray'"
            )

    def encoding_of(self, domain: Domain) -> Encoding:
        """The variables of the network over a domain."""
        if self.encoding == "vanilla":
            return Encoding.vanilla(domain)
        return Encoding.bits(domain, gray=self.encoding == "gray")

    def max_table_cells(self, n: float, encoding: Encoding) -> int:
        """The most cells of a table by the paper's rule, θ-usefulness, and at most `cell_budget`.

        Over d variables of two values: 2^(k+1) for the largest degree k with n ε₂ / ((d - k) 2^(k+2)) >= θ. Over
        others: n ε₂ / 2dθ. A table of c cells has a mean count of n/c. With m <= d tables measured (d - k in a network
        of degree k) the noise has scale m/ε₂, so the mean count is at least 2θ times the mean |noise|. The paper's
        replaced records would double the noise.
        """
        d, useful = len(encoding.sizes), n * self.epsilon * (1 - self.network_share) / (2 * self.theta)
        if set(encoding.sizes) != {2}:
            return min(math.floor(useful / d), self.cell_budget)
        degree = max((k for k in range(d) if (d - k) * 2 ** (k + 1) <= useful), default=0)
        return min(2 ** (degree + 1), self.cell_budget)

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Network]]:
        """The one round. Raises ValueError also where the encoding reads records and B only has counts."""
        rounds = super().rounds(B, Q, noise=noise)
        self.encoding_of(B.domain).encode(B)
        return rounds

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Network]:  # noqa: ARG002 - Q is not read
        """Choose the network, then measure its conditionals."""
        encoding, n = self.encoding_of(B.domain), float(B.total)
        table = encoding.encode(B)
        budget, max_cells = self.guarantee.budget, self.max_table_cells(n, encoding)
        network, account = [(v, ()) for v in range(len(encoding.sizes))], Accountant(budget, noise)
        if parents_fit(encoding.sizes, max_cells):  # else there is nothing to choose, and all of ε measures
            network = learn(
                table,
                encoding.sizes,
                n=n,
                max_cells=max_cells,
                score=(SCORES_OF_NOISY_N if self.noisy_n else SCORES)[self.score],
                cost=budget.part(self.network_share),
                account=account,
            )
        model = Network(encoding, n, conditionals(table, encoding, network, account))
        return Round(1, account.ledger, model, label=f"a network of degree {model.degree}")


def privbayes_preset(workload: Workload, *, n: float, epsilon: float, noisy_n: bool = False) -> PrivBayes:
    """The paper's β and θ; score F for two-valued attributes where it is computed soon, else R. Reads public values.

    F has the least sensitivity, so it serves best at small ε. At larger ε its dynamic program would take up to n 2^k
    steps for each of very many pairs.
    """
    domain, settings = workload.domain, PrivBayes(epsilon=epsilon, noisy_n=noisy_n)
    if set(domain.shape) == {2}:
        k = settings.max_table_cells(n, settings.encoding_of(domain)).bit_length() - 2
        pairs = math.comb(len(domain), k + 1)  # of a variable and k parents, over all steps
        if pairs * n * 2**k <= MAX_F_STEPS:
            return replace(settings, score="F")
    return settings


def measured_sets(network: Sequence[tuple[int, Attrs]]) -> list[Attrs]:
    """The sets of variables whose tables are measured: each variable with its parents, less sets within another.

    In a network of degree k over bits this omits the first k variables' sets, as the paper does, and no other.
    """
    sets: list[Attrs] = []
    for v, parents in reversed(network):  # a set within another came before it
        if not any({v, *parents} <= set(larger) for larger in sets):
            sets.append(_family(v, parents))
    return sets[::-1]


def conditionals(
    table: Source, encoding: Encoding, network: Sequence[tuple[int, Attrs]], account: Accountant
) -> tuple[Node, ...]:
    """Measure m tables with 1/m of what is left each, and compute every variable's conditional from one of them.

    One record is in one cell of a table: under adding or removing it the table's L1 sensitivity is 1, so Laplace noise
    has scale m/ε₂ records, half of what the paper's replaced records cost. Negative counts become 0, and so do cells
    whose bits spell no code. Where no count is left for a value of the parents, the conditional is uniform.
    """
    sets = measured_sets(network)
    share = account.left.part(Fraction(1, len(sets)))
    noisy = [
        np.maximum(account.measure(exact, cost=share), 0) * encoding.possible(S)
        for S, exact in zip(sets, table.marginals(sets), strict=True)
    ]
    nodes = []
    for v, parents in network:
        S = _family(v, parents)
        i = min((i for i, larger in enumerate(sets) if set(S) <= set(larger)), key=lambda i: noisy[i].size)
        axes = [S.index(u) for u in (v, *parents)]
        counts = noisy[i].sum(axis=tuple(axis for axis, u in enumerate(sets[i]) if u not in S)).transpose(axes)
        possible = encoding.possible(S).transpose(axes)
        for weights in (possible, np.ones_like(possible)):
            counts = np.where(counts.sum(axis=0) > 0, counts, weights)
        nodes.append(Node(v, parents, counts / counts.sum(axis=0)))
    return tuple(nodes)


def _family(variable: int, parents: Attrs) -> Attrs:
    """A variable and its parents, sorted."""
    return tuple(sorted((variable, *parents)))
