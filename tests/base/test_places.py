"""Files that come with the program are found in a checkout and in a wheel."""

from pathlib import Path

from mwem_app.base import APP, BENCHMARKS, SERVED, served_folder
from mwem_core.base.places import CORE, SAMPLES, bundled

ROOT = Path(__file__).parents[2]


def test_in_a_checkout_files_are_beside_the_packages():
    assert (CORE, APP) == (ROOT / "mwem_core", ROOT / "mwem_app")
    assert (SAMPLES, BENCHMARKS, SERVED) == (ROOT / "sample_data", ROOT / "benchmarks", ROOT)


def test_in_a_wheel_files_are_within_the_packages_whatever_is_beside_them(tmp_path):
    """Beside them are other packages: one may be called benchmarks."""
    for folder in ("mwem_core/sample_data", "mwem_app/benchmarks", "mwem_app/served", "benchmarks", "sample_data"):
        (tmp_path / folder).mkdir(parents=True)
    core, app = tmp_path / "mwem_core", tmp_path / "mwem_app"
    assert bundled("sample_data", core) == core / "sample_data"
    assert bundled("benchmarks", app) == app / "benchmarks"
    assert served_folder(app) == app / "served"
