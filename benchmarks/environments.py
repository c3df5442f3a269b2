"""Make the environments of the other systems: `python benchmarks/environments.py` (3.5 GB, some minutes)."""

import argparse
import subprocess
import venv
from pathlib import Path

ENVIRONMENTS = Path.home() / ".cache" / "mwem-benchmarks"

# smartnoise-synth requires opacus, and so torch, for synthesizers that are not compared: install it without them.
PACKAGES = {
    "mbi": [["mbi==2.0.0"]],
    "dpmm": [["dpmm==0.1.9"]],
    "opendp": [["opendp[polars,mbi]==0.16.0", "pandas<3"]],  # its synthetic rows need pandas
    "smartnoise": [
        ["mbi==1.1.0", "pandas<3", "smartnoise-sql==1.0.10", "disjoint-set<0.10", "Faker", "pac-synth"],
        ["--no-deps", "smartnoise-synth==1.0.8"],
    ],
}


def main() -> None:
    """Make the environments that do not exist yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=Path, default=ENVIRONMENTS)
    arguments = parser.parse_args()
    for name, steps in PACKAGES.items():
        folder = arguments.envs / name
        if folder.exists():
            print(f"{folder} exists")
            continue
        venv.create(folder, with_pip=True)
        for step in steps:
            subprocess.run([folder / "bin" / "pip", "install", "-q", *step], check=True)
        print(f"{folder} is ready")


if __name__ == "__main__":
    main()
