"""Everything that takes part: which script, in which environment, with which options."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class System:
    """A script in systems/, the environment it runs in (the project's own without one) and its options."""

    script: str
    environment: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    most_cells: int = 0  # leave larger marginals out of the workload it is given; all of it is judged


DELTA = 1e-9  # for mechanisms that need one where the row asks for pure ε

SYSTEMS = {
    "ours": System("ours.py"),
    "ours-quick": System("ours.py", options={"T": 8}),
    "ours-aim": System("ours.py", options={"preset": "aim"}),
    "uniform": System("baseline.py", options={"kind": "uniform"}),
    "product": System("baseline.py", options={"kind": "product"}),
    "noise": System("baseline.py", options={"kind": "noise"}),
    "mwem+pgm": System("mwem_pgm.py", "mbi"),
    "mwem+pgm-small": System("mwem_pgm.py", "mbi", most_cells=10**4),
    "mst-pgm": System("mst_pgm.py", "mbi", {"delta": DELTA}),
    "aim": System("aim.py", "mbi"),
    "aim-small": System("aim.py", "mbi", most_cells=10**4),
    "mst-dpmm": System("of_dpmm.py", "dpmm", {"model": "mst", "delta": DELTA}),
    "privbayes-dpmm": System("of_dpmm.py", "dpmm", {"model": "priv-bayes", "delta": DELTA}),
    "mst-smartnoise": System("of_smartnoise.py", "smartnoise", {"model": "mst", "delta": DELTA}),
    "mwem-smartnoise": System("of_smartnoise.py", "smartnoise", {"model": "mwem"}),
    "mwem-smartnoise-pairs": System("of_smartnoise.py", "smartnoise", {"model": "mwem", "split": 2}),
    "mwem-smartnoise-ranges": System("of_smartnoise.py", "smartnoise", {"model": "mwem", "add_ranges": True}),
    "mst-opendp": System("of_opendp.py", "opendp", {"model": "MST"}),
}
