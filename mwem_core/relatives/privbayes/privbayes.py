"""PrivBayes: a Bayesian network learnt by noisy choices, then its noisy conditionals (Zhang et al. 2014, 2017).

Zhang, Cormode, Procopiuc, Srivastava & Xiao, "PrivBayes: Private Data Release via Bayesian Networks", SIGMOD 2014 and
ACM TODS 42(4), 2017. Unlike MWEM it never asks what the data is for: it spends a share of ε on which attributes depend
on which, the rest on one table for each, and makes rows; every workload is answered from the same network.

The paper's neighbours replace a record; here one is added or removed and n is public. Every constant is proven for that
relation, where it stands (`bayes.scores`, `bayes.measuring`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from mwem_core.algorithm import OneShot, Round
from mwem_core.checks import check_positive, is_whole
from mwem_core.data.table import Table
from mwem_core.domain.domain import Domain
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.privbayes.learning import learn, parents_fit
from mwem_core.relatives.privbayes.measuring import conditionals
from mwem_core.relatives.privbayes.network import Network
from mwem_core.relatives.privbayes.recoding import Hierarchies, Recoding, check_hierarchies
from mwem_core.relatives.privbayes.scores import SCORES
from mwem_core.workload.workload import Workload

MOST_STEPS = 10**9  # of F's program: a second or two at worst


@dataclass(frozen=True, kw_only=True)
class PrivBayes(OneShot[Network]):
    """Settings; `preset` chooses the encoding and the score. ε-DP under adding or removing one record, n public.

    `hierarchies` maps an attribute's name to coarser versions of it that may be parents: for each level the group of
    every code, numbered 0, 1, 2 and so on, each level putting together groups of the one before. Marital status in six
    codes might have [[0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 1, 1]]. Raises ValueError for a setting out of its range.
    """

    epsilon: float
    score: Literal["I", "F", "R"] = "R"  # judges a choice of parents; F is for two values, in n 2^k steps at worst
    encoding: Literal["vanilla", "binary", "gray"] = "vanilla"  # attributes as they are, or their bits
    hierarchies: Hierarchies = field(default_factory=dict)
    network_share: float = 0.3  # β, of ε: ε₁ learns the network, ε₂ its conditionals
    theta: float = 4.0  # least mean count of a measured cell, in units of its mean |noise|
    cell_budget: int = 2**17  # cells of any one table, whatever θ would allow

    def __post_init__(self):
        self.guarantee  # noqa: B018  (checks ε)
        for name, choices in (("score", ("I", "F", "R")), ("encoding", ("vanilla", "binary", "gray"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if self.hierarchies and self.encoding != "vanilla":
            raise ValueError(f"bits have no hierarchies: choose encoding='vanilla' with them, not {self.encoding!r}")
        check_positive(network_share=self.network_share, theta=self.theta)
        if self.network_share >= 1:
            raise ValueError(f"network_share must lie between 0 and 1, both excluded, got {self.network_share!r}")
        if not is_whole(self.cell_budget) or self.cell_budget < 2:
            raise ValueError(f"cell_budget must be a whole number of at least 2, got {self.cell_budget!r}")

    def check(self, workload: Workload) -> None:
        """Serves every workload; refuses a domain that the encoding, the score or the hierarchies do not fit."""
        check_hierarchies(workload.domain, self.hierarchies)
        recoding = self.recoding(workload.domain)
        finest = [recoding.sizes[columns[0]] for columns in recoding.versions]
        if self.score == "F" and max(finest) > 2:
            raise ValueError(
                f"score F needs attributes of two values, {workload.domain.names[finest.index(max(finest))]!r} has "
                f"{max(finest):,}: choose score='R', or encoding='binary'"
            )
        if max(finest) > self.cell_budget:
            raise ValueError(
                f"{workload.domain.names[finest.index(max(finest))]!r} has {max(finest):,} values and a table may hold "
                f"{self.cell_budget:,} cells: declare coarser bins, or choose encoding='gray'"
            )

    def recoding(self, domain: Domain) -> Recoding:
        """What the network is over."""
        if self.encoding == "vanilla":
            return Recoding.vanilla(domain, self.hierarchies)
        return Recoding.bits(domain, gray=self.encoding == "gray")

    def most_cells(self, n: float, recoding: Recoding) -> int:
        """θ-usefulness, by the paper's rule: the most cells a table may have.

        Over d variables of two values, 2^(k+1) for the largest degree k with n ε₂ / ((d - k) 2^(k+2)) >= θ; over others
        n ε₂ / 2dθ. A table of c cells has n/c records in a cell and noise of m/ε₂, m <= d tables being measured (d - k
        in a network of degree k): so the mean count is at least 2θ times the noise. Replaced records would double the
        noise; taking what θ would then allow, twice the cells, was no better on NLTCS and Adult, or worse.
        """
        d, useful = len(recoding.versions), n * self.epsilon * (1 - self.network_share) / (2 * self.theta)
        if set(recoding.sizes) != {2}:
            return min(math.floor(useful / d), self.cell_budget)
        degree = max((k for k in range(d) if (d - k) * 2 ** (k + 1) <= useful), default=0)
        return min(2 ** (degree + 1), self.cell_budget)

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Network]]:
        """Its one round. Raises ValueError also for a table that only counts, where the encoding reads records."""
        rounds = super().rounds(B, Q, noise=noise)
        self.recoding(B.domain).of(B)
        return rounds

    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Network]:
        """Learn the network, then its conditionals."""
        recoding, n = self.recoding(B.domain), float(B.total)
        table = recoding.of(B)
        budget, most_cells = self.guarantee.budget, self.most_cells(n, recoding)
        network, ledger = [(v, ()) for v in range(len(recoding.versions))], Ledger(budget)
        if parents_fit(recoding, most_cells):  # else there is nothing to choose, and all of ε measures
            learning = budget.part(self.network_share)
            network = learn(
                table,
                recoding,
                n=n,
                most_cells=most_cells,
                score=SCORES[self.score],
                epsilon=learning.selection_epsilon,
                noise=noise,
            )
            ledger = ledger.spend(select=learning.amount)
        measuring = budget.part(1 - ledger.spent / budget.amount)
        model = Network(recoding, n, conditionals(table, recoding, network, measuring, noise))
        return Round(1, ledger.spend(measure=measuring.amount), model, label=f"a network of degree {model.degree}")


def preset(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    T: int | None = None,
) -> PrivBayes:
    """The paper's β and θ, and the score by public numbers: F for two-valued attributes where it is soon had, else R.

    F moves least, so it serves best where little is spent: on NLTCS its error is a tenth below R's at ε = 0.1 (degree
    2), and no lower from ε = 0.3 on (degree 4), where its program would take up to n 2^k steps for very many pairs.
    """
    domain, settings = workload.domain, PrivBayes(epsilon=epsilon)
    if set(domain.shape) == {2}:
        k = settings.most_cells(n, settings.recoding(domain)).bit_length() - 2
        pairs = math.comb(len(domain), k + 1)  # of X and k of the attributes before it, over all steps
        if pairs * n * 2**k <= MOST_STEPS:
            return replace(settings, score="F")
    return settings
