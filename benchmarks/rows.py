"""The rows of the comparison: a table, a workload, a guarantee, and systems by their names in the catalogue."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "sample_data"
ADULT = SAMPLES / "adult.parquet"
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
BASELINES = ("uniform", "product", "noise")
COUNTED = {"czech", "rochdale", "mildew_cells", "nltcs_cells", "mildew", "nltcs"}


def count_of(file: Path | str) -> str | None:
    """`count`, the column with the number of records of each row, of a table that has it; None of any other table."""
    return "count" if Path(file).stem in COUNTED else None


@dataclass(frozen=True)
class Row:
    """A row of the comparison. `names` are the attributes used; empty: all of the schema."""

    title: str
    table: Path | None  # None: not bundled, --data gives it
    schema: Path
    workload: str
    epsilon: float
    systems: tuple[str, ...]
    delta: float = 0.0
    names: tuple[str, ...] = ()
    seeds: int = 10


ROWS = {
    "T1": Row(
        "Adult, eight categorical attributes (38,102,400 cells): all 28 two-way marginals, ε = 1",
        ADULT,
        SAMPLES / "adult.toml",
        "marginals:2",
        epsilon=1.0,
        names=EIGHT,
        systems=(
            *("ours", *BASELINES, "mwem+pgm", "mst-pgm", "mst-dpmm", "mst-smartnoise", "mst-opendp"),
            *("privbayes-dpmm", "mwem-smartnoise-pairs", "mwem-smartnoise"),
        ),
    ),
    "T2": Row(
        "Adult, eight categorical attributes: all 56 three-way marginals (80,088 cells), ε = 1",
        ADULT,
        SAMPLES / "adult.toml",
        "marginals:3",
        epsilon=1.0,
        names=EIGHT,
        systems=("ours", *BASELINES, "mwem+pgm"),
    ),
    "T3": Row(
        "Adult, 14 attributes: all 364 three-way marginals, (1, 1e-9)",
        ADULT,
        HERE / "adult14.toml",
        "marginals:3",
        epsilon=1.0,
        delta=1e-9,
        systems=("ours", "ours-aim", "uniform", "product", "mst-pgm", "mwem+pgm-small", "aim-small"),
    ),
    "T4": Row(
        "Adult's capital-loss, 4,357 cells: 2,000 random ranges, ε = 0.1",
        ADULT,
        SAMPLES / "adult_unbinned.toml",
        "ranges:capital-loss:2000",
        epsilon=0.1,
        names=("capital-loss",),
        seeds=20,
        systems=("ours", "uniform", "noise", "mwem+pgm", "mwem-smartnoise-ranges"),
    ),
    "T5": Row(
        "NLTCS, 21,574 records of 16 bits: all 560 three-way marginals, ε = 1",
        None,
        HERE / "nltcs.toml",
        "marginals:3",
        epsilon=1.0,
        systems=(
            *("ours", "ours-quick", *BASELINES, "mwem+pgm", "mst-pgm", "mst-smartnoise", "privbayes-dpmm"),
            *("mwem-smartnoise-pairs", "mwem-smartnoise"),
        ),
    ),
    "A1": Row(
        "AIM · Adult, eight categorical attributes: all 28 two-way marginals, (1, 1e-9)",
        ADULT,
        SAMPLES / "adult.toml",
        "marginals:2",
        epsilon=1.0,
        delta=1e-9,
        names=EIGHT,
        systems=("ours-aim", "aim"),
    ),
    "A2": Row(
        "AIM · NLTCS, 21,574 records of 16 bits: all 560 three-way marginals, (1, 1e-9)",
        None,
        HERE / "nltcs.toml",
        "marginals:3",
        epsilon=1.0,
        delta=1e-9,
        systems=("ours-aim", "aim"),
    ),
}
