"""Workloads of the experiments: those of the command line, and sums of them."""

from mwem_core.domain.domain import Domain
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload


def named_workload(text: str, domain: Domain) -> Workload:
    """The workload that a text names: as for `parse_workload`, or a sum of such, each of the first attributes or all.

    >>> from mwem_core.experiments.tables import load
    >>> named_workload("marginals:3 of 4 + marginals:2", load("czech").domain).parts  # 4 triples and 15 pairs
    19
    """
    terms = [_term(term, domain) for term in text.split(" + ")]
    blocks = tuple(block for Q in terms for block in Q.blocks)
    return terms[0] if len(terms) == 1 else Workload(domain, terms[0].family, text, text, blocks)


def _term(text: str, domain: Domain) -> Workload:
    spec, _, first = text.partition(" of ")
    return parse_workload(spec, domain.project(domain.names[: int(first)]) if first else domain)
