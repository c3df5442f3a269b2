"""How far the ε that the public stand-in proposes is from the true one: `python benchmarks/stand_in.py TABLE SCHEMA`.

Trade-off's sweep of Automatic and cleaned Laplace noise, on all two-way marginals of the table and of its stand-in. For
three targets in each unit, it prints the ε that each system needs on both, and their ratio.
"""

import argparse
from pathlib import Path

from frequencies import count_of

from mwem_app.results.curves import over_epsilon
from mwem_app.results.decision import needs
from mwem_app.results.targets import default_target, units
from mwem_core import Domain, encode, parse_workload, read_table
from mwem_core.data.stand_in import stand_in
from mwem_core.evaluation.trials import grid, run_trial

SYSTEMS, EPSILONS, SEEDS = ("automatic", "laplace-clean"), (0.05, 0.1, 0.2, 0.5, 1, 2, 5), 2


def main() -> None:
    """Sweep the table and its stand-in, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("schema", type=Path)
    arguments = parser.parse_args()
    domain = Domain.from_toml(arguments.schema.read_text(encoding="utf-8"))
    B = encode(read_table(arguments.table), domain, count=count_of(arguments.table)).distinct()
    Q, n = parse_workload("marginals:2", domain), int(B.total)
    trials = grid(SYSTEMS, EPSILONS, range(SEEDS))
    true, public = ([run_trial(records, Q, trial) for trial in trials] for records in (B, stand_in(domain, n)))
    for unit in units(n, tabular=True, noun="counts").values():
        middle = default_target(unit.metric.values(true), unit.most)
        for target in (middle / 2, middle, 2 * middle):
            needed, proposed = (
                {need.name: need.epsilon.middle for need in needs(over_epsilon(results, unit.metric, None), target)}
                for results in (true, public)
            )
            for name in SYSTEMS:
                if 0 < needed[name] < float("inf") and 0 < proposed[name] < float("inf"):
                    ratio = proposed[name] / needed[name]
                    print(f"{unit.name} {target:g} {name}: {proposed[name]:.2g} / {needed[name]:.2g} = {ratio:.2f}")


if __name__ == "__main__":
    main()
