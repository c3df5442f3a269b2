"""Which systems can serve a workload."""

from trial_results import BITS

from mwem_core import parse_workload
from ui.inputs.systems import refusals


def test_every_system_is_refused_by_a_sentence_or_serves():
    for spec in ("marginals:2", "parities:2", "cuboids:1"):
        for why in refusals(parse_workload(spec, BITS), n=300, epsilon=1.0, delta=0.0).values():
            assert why
            assert "\n" not in why
