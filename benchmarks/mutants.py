"""The share of mutants that the tests kill: `python benchmarks/mutants.py privacy/conversion model/sums`.

It needs `pip install 'mutmut>=3.8'`. A mutant is the program with one small change: a sign, a comparison, a number, an
argument. A test must fail on it. Each module is named by its room and its file. By default its tests are those of the
room; `--tests` names others, such as `--tests tests/privacy tests/test_contract.py`, and `--seconds 5` leaves out the
slowest of those that reach a mutant. `--sample 30` tries 30 mutants of each module, the same ones each time;
`--mutants` tries those that it names, such as the survivors of the last run. The project is copied, so that nothing
changes here. Each survivor is printed as a difference: it shows a test that is missing, or a change without an effect.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTATED = "mwem_core"
COPIED = [MUTATED, "tests", "sample_data", "mwem_app", "pages", "benchmarks", "static", ".streamlit", "app.py"]
MUTMUT = [sys.executable, "-m", "mutmut"]
PYTEST = ["-n0", "-x", "-p", "no:cacheprovider", "-p", "benchmarks.fastest_first"]
SEED = 14
UNTRIED = "not checked"


def main() -> None:
    """Copy the project, run mutmut on the named modules, print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="room/file, such as privacy/conversion")
    parser.add_argument("--tests", nargs="+", help="files or folders of tests; the rooms' own by default")
    parser.add_argument("--sample", type=int, help="mutants of each module; all by default")
    parser.add_argument("--mutants", nargs="+", default=[], help="mutants by their names; all by default")
    parser.add_argument("--seconds", type=float, help="of tests for one mutant, the fastest ones; all by default")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        limit = [] if given.seconds is None else [f"--seconds={given.seconds}"]
        copy(Path(folder), given.modules, given.tests or rooms(given.modules), limit)
        tried = given.mutants or ([] if given.sample is None else sampled(folder, given.modules, given.sample))
        command = [*MUTMUT, "run", "--max-children", str(given.processes), *tried]
        mutated = Path(folder, "mutants")  # mutmut's; the processes that tests start find the program there
        mutated.mkdir()
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(mutated)}, check=True)
        report(folder)


def rooms(modules: list[str]) -> list[str]:
    """The folders of the modules' own tests."""
    return sorted({f"tests/{module.partition('/')[0]}" for module in modules})


def copy(folder: Path, modules: list[str], tests: list[str], limit: list[str]) -> None:
    """The project in a folder, with mutmut's settings."""
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(source, folder / name)
    settings = {
        "source_paths": [MUTATED],
        "only_mutate": [f"{MUTATED}/{module}.py" for module in modules],
        "also_copy": COPIED[2:],
        "pytest_add_cli_args": [*PYTEST, *limit],
        "pytest_add_cli_args_test_selection": tests,
        "process_isolation": "forkserver",  # a fork would inherit what earlier tests have cached
        "timeout_multiplier": 2.0,  # a mutant that loops for ever ends after twice the seconds of all of its tests
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), encoding="utf-8")


def sampled(folder: str, modules: list[str], size: int) -> list[str]:
    """At most `size` mutants of each module, drawn with a fixed seed."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    names = []
    with contextlib.chdir(folder):  # mutmut reads its settings where it is
        for module in modules:
            path = Path(MUTATED, f"{module}.py")
            of_module = mutate_file_contents(str(path), path.read_text(encoding="utf-8")).mutant_names
            drawn = random.Random(SEED).sample(of_module, min(size, len(of_module)))
            names += [get_mutant_name(path, name) for name in drawn]
    return names


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
        made, untried = counts.total(), counts.pop(UNTRIED, 0)
        tried, killed = made - untried, counts["killed"] + counts["timeout"]
        share = f" ({killed / tried:.0%})" if tried else ""
        print(f"{module}: {killed} of {tried} killed{share}; {made} mutants; {dict(counts)}")
    for name, _, status in results:
        if status not in ("killed", "timeout", UNTRIED):
            print(f"\n{status}: {name}\n{said(folder, 'show', name)}")


if __name__ == "__main__":
    main()
