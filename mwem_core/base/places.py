"""Where the files that come with the core are, in a checkout and in a wheel."""

from pathlib import Path

CORE = Path(__file__).parents[1]


def bundled(name: str, core: Path = CORE) -> Path:
    """A folder that a wheel has within the package, and a checkout beside it."""
    within = core / name
    return within if within.exists() else core.parent / name


SAMPLES = bundled("sample_data")
