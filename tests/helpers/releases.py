"""Terms of a release on small tables, and what a release under them draws."""

from mwem_core.releasing.released import Released
from mwem_core.releasing.terms import Terms
from mwem_core.workload.spec import parse_workload


def terms_of(spec, domain, **more) -> Terms:
    return Terms(dataset="people", workload=parse_workload(spec, domain), provenance="file", **more)


def released(terms, B, noise) -> Released:
    settings = terms.settings(B.total)
    return Released.of(terms, settings, settings.rounds(B, terms.workload, noise=noise))
