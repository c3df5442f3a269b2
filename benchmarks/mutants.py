"""The share of mutants that the tests kill: `python benchmarks/mutants.py privacy/conversion model/sums`.

It needs `pip install 'mutmut>=3.8'`. A mutant is the program with one small change: a sign, a comparison, a number, an
argument. A test must fail on it. Each module is named by its room and its file. By default its tests are those of the
room; `--tests` names others, such as `--tests tests/privacy tests/test_contract.py`. The project is copied, so that
nothing changes here. Each survivor is printed as a difference: it shows a test that is missing, or a change without an
effect.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTATED = "mwem_core"
COPIED = [MUTATED, "tests", "sample_data", "ui", "pages", "benchmarks", "static", ".streamlit", "app.py"]
MUTMUT = [sys.executable, "-m", "mutmut"]
FAST = ["-n0", "-x", "-p", "no:cacheprovider"]


def main() -> None:
    """Copy the project, run mutmut on the named modules, print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="room/file, such as privacy/conversion")
    parser.add_argument("--tests", nargs="+", help="files or folders of tests; the rooms' own by default")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder), given.modules, given.tests or rooms(given.modules))
        subprocess.run([*MUTMUT, "run", "--max-children", str(given.processes)], cwd=folder, check=True)
        report(folder)


def rooms(modules: list[str]) -> list[str]:
    """The folders of the modules' own tests."""
    return sorted({f"tests/{module.partition('/')[0]}" for module in modules})


def copy(folder: Path, modules: list[str], tests: list[str]) -> None:
    """The project in a folder, with mutmut's settings."""
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(source, folder / name)
    settings = {
        "source_paths": [MUTATED],
        "only_mutate": [f"{MUTATED}/{module}.py" for module in modules],
        "also_copy": COPIED[2:],
        "pytest_add_cli_args": FAST,
        "pytest_add_cli_args_test_selection": tests,
        "process_isolation": "forkserver",  # a fork would inherit what earlier tests have cached
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), encoding="utf-8")


def said(folder: str, *arguments: str) -> str:
    """What a command of mutmut prints."""
    return subprocess.run([*MUTMUT, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def report(folder: str) -> None:
    """Print how many mutants of each module were killed, and each that was not."""
    results = [line.strip().rpartition(": ") for line in said(folder, "results", "--all", "true").splitlines() if line]
    tally: dict[str, Counter] = {}
    for name, _, status in results:
        tally.setdefault(name.partition(".x")[0], Counter())[status] += 1
    for module, counts in tally.items():
        killed, all_of_them = counts["killed"] + counts["timeout"], counts.total()
        print(f"{module}: {killed} of {all_of_them} killed ({killed / all_of_them:.0%}); {dict(counts)}")
    for name, _, status in results:
        if status not in ("killed", "timeout"):
            print(f"\n{status}: {name}\n{said(folder, 'show', name)}")


if __name__ == "__main__":
    main()
