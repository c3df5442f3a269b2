"""What the rounds of a release do beside those of a run that takes the number of records as public, in words."""

from __future__ import annotations

from mwem_core.algorithm import Algorithm, Spender
from mwem_core.automatic import Nothing, run_in_words
from mwem_core.systems import MeasuredTotal, system
from mwem_core.workload import Workload


def beside_run(release: MeasuredTotal, run: Algorithm, Q: Workload, n: float) -> str:
    """That a release does something else on about n records than a `run` that knows n, in a sentence; else empty.

    Both are of one system and have the same ε and δ. The release has less of it for the queries, as its noisy n takes
    a share, and may not choose Laplace noise at δ > 0. Raises ValueError for a workload that the system does not serve.
    """
    named = system(release.system)
    ours, theirs = (_in_words(settings, Q, n) for settings in (release.settings(Q, n), run))
    if ours == theirs:
        return ""
    (does, noise), (run_does, run_noise) = ours, theirs
    with_noise, with_run_noise = (
        ("", "") if noise == run_noise else (f" with {noise} noise", f" with {run_noise} noise")
    )
    return (
        f"A release spends {release.share:.0%} of its budget on the number of records. On about {n:,.0f} records"
        f" {named.title} is then: {does}{with_noise}. On Run, which takes the number as public, it is:"
        f" {run_does}{with_run_noise}."
    )


def _in_words(settings: object, Q: Workload, n: float) -> tuple[str, str]:
    """What the settings do, and the law of their noise, which is none where nothing is measured."""
    assert isinstance(settings, Spender)
    law = "" if isinstance(settings, Nothing) else "Gaussian" if settings.guarantee.delta else "Laplace"
    return run_in_words(settings, Q, n), law
