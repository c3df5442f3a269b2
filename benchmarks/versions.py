"""Run the tests on the oldest and the newest versions that pyproject.toml allows.

    nice python benchmarks/versions.py [--python PATH ...] [--newest-only] [--pytest ARGUMENTS]

Each Python gets a fresh environment with the newest versions; the first one also one with the oldest, in which each
direct dependency is at its lower bound. It prints what each environment has and how its tests ended. A run of all tests
takes some ten minutes on two cores.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOWN = ("numpy", "pandas", "pyarrow", "scipy", "opendp", "streamlit", "plotly", "sqlalchemy")
BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def main() -> None:
    """Run all environments; exit with 1 if the tests of one fail."""
    own, _, pytest = " ".join(sys.argv[1:]).partition("--pytest")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", metavar="PATH", help="of an interpreter; may be repeated")
    parser.add_argument("--newest-only", action="store_true")
    parser.add_argument("--pytest", metavar="ARGUMENTS", help="the last option: what pytest gets")
    arguments = parser.parse_args(own.split())
    pythons, failed = arguments.python or [sys.executable], False
    for i, python in enumerate(pythons):
        for oldest in (False,) if i or arguments.newest_only else (True, False):
            failed |= not passes(python, oldest, pytest.split())
    sys.exit(failed)


def lower_bounds() -> list[str]:
    """Each dependency at the oldest version that pyproject.toml allows: pip's constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    bounds = {match[1]: match[2] for each in named if (match := BOUND.match(each))}
    return [f"{name}=={bound}" for name, bound in bounds.items()]


def passes(python: str, oldest: bool, pytest: list[str]) -> bool:
    """Whether the tests pass in a fresh environment of this interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside, constraints = Path(folder) / "bin" / "python", Path(folder) / "constraints.txt"
        constraints.write_text("\n".join(lower_bounds() if oldest else []))
        install = [inside, "-m", "pip", "install", "-q", "-c", constraints, "-e", f"{ROOT}[test]"]
        subprocess.run(install, check=True)
        show = "import sys; from importlib.metadata import version as v; print(sys.version.split()[0], *(f'{n} {v(n)}' "
        show += f"for n in {SHOWN}), sep=', ')"
        print("oldest:" if oldest else "newest:", end=" ", flush=True)
        subprocess.run([inside, "-c", show], check=True)
        return subprocess.run([inside, "-m", "pytest", "-q", *pytest], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    main()
