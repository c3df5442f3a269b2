"""Made-up records of the benchmarks, and a file that holds them."""

import json
from collections.abc import Iterable
from pathlib import Path

DAY = {"date": "2026-11-21", "machine": {"cpu": "Quick(R)", "cores": 2, "pinned": "not pinned", "python": "3.11"}}


def record(row, system, seed=0, **fields):
    return {"row": row, "system": system, "seed": seed, "finished": True, **fields, **DAY}


def compared_record(system, wall, tv, seed=0, **fields):
    errors = {"max": 2 * tv, "mean": tv / 9, "mean_tv": tv, "max_tv": 3 * tv}
    return record("T1", system, seed, wall=wall, seconds={"run": wall / 2}, rows=errors, model=errors, **fields)


RECORDS = [
    *(compared_record("ours", wall, tv, seed) for seed, (wall, tv) in enumerate([(1.0, 0.01), (2.0, 0.02), (3, 0.03)])),
    *(compared_record("mwem+pgm", 200.0, 0.04, seed, warm=0.5) for seed in range(3)),
    compared_record("noise", 0.1, 0.05),
    compared_record("uniform", 0.1, 0.9),
    {**record("T1", "mst-pgm"), "finished": False, "why": "limit of 60 min", "wall": 3600.0},
    *(
        record(
            "growth", name, of="work", x=[10, 100, 1000], took=[[1, 1.1], [10, 11], [100, 110]], exponent=1.0, error=0.1
        )
        for name in "TQdn"
    ),
]


def write_records(folder: Path, records: Iterable[dict]) -> Path:
    """Write the records as a results file into the folder; returns its path."""
    path = folder / "results.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
