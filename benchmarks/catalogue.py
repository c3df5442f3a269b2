"""The systems of the comparison: script, environment and options."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class System:
    """A script in systems/, its environment (empty: the project's own) and its options."""

    script: str
    environment: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    max_cells: int = 0  # larger marginals are left out of its workload, but its errors include them


DELTA = 1e-9  # for mechanisms that need δ > 0 in rows of pure ε

SYSTEMS = {
    "ours": System("ours.py"),
    "ours-quick": System("ours.py", options={"system": "mwem", "T": 8}),
    "ours-aim": System("ours.py", options={"system": "aim"}),
    "uniform": System("baseline.py", options={"kind": "uniform"}),
    "product": System("baseline.py", options={"kind": "product"}),
    "noise": System("baseline.py", options={"kind": "noise"}),
    "mwem+pgm": System("mwem_pgm.py", "mbi"),
    "mwem+pgm-small": System("mwem_pgm.py", "mbi", max_cells=10**4),
    "mst-pgm": System("mst_pgm.py", "mbi", {"delta": DELTA}),
    "aim": System("aim.py", "mbi"),
    "aim-small": System("aim.py", "mbi", max_cells=10**4),
    "mst-dpmm": System("of_dpmm.py", "dpmm", {"model": "mst", "delta": DELTA}),
    "privbayes-dpmm": System("of_dpmm.py", "dpmm", {"model": "priv-bayes", "delta": DELTA}),
    "mst-smartnoise": System("of_smartnoise.py", "smartnoise", {"model": "mst", "delta": DELTA}),
    "mwem-smartnoise": System("of_smartnoise.py", "smartnoise", {"model": "mwem"}),
    "mwem-smartnoise-pairs": System("of_smartnoise.py", "smartnoise", {"model": "mwem", "split": 2}),
    "mwem-smartnoise-ranges": System("of_smartnoise.py", "smartnoise", {"model": "mwem", "add_ranges": True}),
    "mst-opendp": System("of_opendp.py", "opendp", {"model": "MST"}),
}
