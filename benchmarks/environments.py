"""Make the peers' environments: `python benchmarks/environments.py` (two gigabytes, some minutes)."""

import argparse
import subprocess
import venv
from pathlib import Path

ENVIRONMENTS = Path.home() / ".cache" / "mwem-benchmarks"

# smartnoise-synth asks for opacus, and so torch, for synthesizers that take no part here: it goes in alone.
PACKAGES = {
    "mbi": [["mbi==2.0.0"]],
    "dpmm": [["dpmm==0.1.9"]],
    "opendp": [["opendp[polars,mbi]==0.16.0", "pandas<3"]],  # its rows need pandas
    "smartnoise": [
        ["mbi==1.1.0", "pandas<3", "smartnoise-sql==1.0.10", "disjoint-set<0.10", "Faker", "pac-synth"],
        ["--no-deps", "smartnoise-synth==1.0.8"],
    ],
}


def main() -> None:
    """Make those that are not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=Path, default=ENVIRONMENTS)
    given = parser.parse_args()
    for name, steps in PACKAGES.items():
        folder = given.envs / name
        if folder.exists():
            print(f"{folder} is there")
            continue
        venv.create(folder, with_pip=True)
        for step in steps:
            subprocess.run([folder / "bin" / "pip", "install", "-q", *step], check=True)
        print(f"{folder} made")


if __name__ == "__main__":
    main()
