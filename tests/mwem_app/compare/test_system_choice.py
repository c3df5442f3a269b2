"""Which systems can serve a workload, and under which heading each is offered."""

from trial_results import BITS

from mwem_app.compare.system_choice import GROUPS, refusals
from mwem_core import parse_workload
from mwem_core.systems import SYSTEMS


def test_every_system_is_refused_by_a_sentence_or_serves():
    for spec in ("marginals:2", "parities:2", "cuboids:1"):
        refusal = refusals(parse_workload(spec, BITS), n=300, epsilon=1.0, delta=0.0)
        sentences = [refusal(name) for name in SYSTEMS]
        assert not refusal("mwem")
        assert any(sentences)
        assert not any("\n" in why for why in sentences)


def test_every_system_is_in_one_group():
    assert sorted(name for group in GROUPS for name in group.names) == sorted(SYSTEMS)
