"""Where the files that the app serves and reads are, in a checkout and in a wheel."""

from pathlib import Path

from mwem_core.base import bundled

APP = Path(__file__).parents[1]
BENCHMARKS = bundled("benchmarks", APP)  # as far as pages read them


def served(app: Path = APP) -> Path:
    """The folder of `app.py`, `pages`, `static` and `.streamlit`, which Streamlit looks for together."""
    within = app / "served"
    return within if within.exists() else app.parent


SERVED = served()
