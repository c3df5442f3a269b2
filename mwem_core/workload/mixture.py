"""Mixed workloads: several families asked at once, each with a weight."""

import math
from collections.abc import Sequence
from fractions import Fraction

from mwem_core.workload.workload import Term, Workload

MAX_WEIGHT = 1000  # against the least, in whole numbers: the scores of a selection are then exact


def mixture(terms: Sequence[tuple[Workload, Fraction]]) -> Workload:
    """All queries of several workloads of one domain, with what the error of each counts against that of the others.

    Only the weights' ratios matter, so they become the least whole numbers. A workload by itself stays as it is.
    Raises ValueError for a weight that is not positive, and for ratios beyond `MAX_WEIGHT`.

    >>> from mwem_core.domain.domain import Domain
    >>> from mwem_core.workload.families import marginals, predicates
    >>> bits = Domain.from_toml('[[attribute]] \\n name = "a" \\n values = ["0", "1"]')
    >>> mixture([(marginals(bits, 1), Fraction("1.5")), (predicates(bits, ['a == "1"']), Fraction(1))]).spec
    '3*marginals:1 + 2*where:a == "1"'
    """
    weights = _whole([weight for _, weight in terms])
    if len(terms) == 1:
        return terms[0][0]
    weighted = [Term(Q, weight) for (Q, _), weight in zip(terms, weights, strict=True)]
    return Workload(
        terms[0][0].domain,
        "mixed",
        " + ".join(term.spec for term in weighted),
        " + ".join(term.name for term in weighted),
        tuple(block for term in weighted for block in term.workload.blocks),
        tuple(weighted),
    )


def _whole(weights: Sequence[Fraction]) -> list[int]:
    """The least whole numbers in the same ratios."""
    if min(weights) <= 0:
        raise ValueError(f"a weight must be positive, got {float(min(weights)):g}: leave the part out instead")
    common = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    least = [weight // math.gcd(*whole) for weight in whole]
    if max(least) > MAX_WEIGHT:
        raise ValueError(
            f"the weights are {' to '.join(map(str, least[:4]))} in whole numbers, and at most {MAX_WEIGHT:,} is "
            "allowed: choose weights with fewer digits"
        )
    return least
