"""Which seeded outputs another processor would change, and by how much.

    nice python benchmarks/processors.py        # 40 CPU s for this processor and for each of `PROCESSORS`
    nice python benchmarks/processors.py czech  # runs whose names start so
    python benchmarks/processors.py --features  # NumPy's AVX-512 and AVX2 features, for NPY_DISABLE_CPU_FEATURES

NumPy, OpenBLAS and the C library choose instructions by the processor, and with them the last bits of sums, products
and exponentials. Variables make them choose as on an older one. The runs are those of `output_hashes.py`. Of each it
compares the choices, the numbers of the transcript, the answers, and the answers of the synthetic rows, all in shares
of n. It prints how many differ at all and by more than 1e-9, and names these. Needs an x86 processor; without AVX-512
it shows less.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from output_hashes import SEED, released, runs

from mwem_core import Records, Seeded, Workload, nearest_rows
from mwem_core.output import gives_rows

NEAR = 1e-9
OUTPUTS = ("choices", "transcript", "answers", "rows")
FOUND = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index]
AVX512 = [name for name in FOUND if "AVX512" in name or name == "X86_V4"]
AVX2 = [name for name in FOUND if name in ("AVX2", "FMA3", "X86_V3")]
# Of the C library, which has exponentials and logarithms with and without them.
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"}
PROCESSORS: dict[str, dict[str, str]] = {
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512)},
    "NumPy without AVX-512 and AVX2": {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512 + AVX2)},
    "OpenBLAS for Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "OpenBLAS for Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "OpenBLAS for Sandy Bridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "all without AVX2": {
        "NPY_DISABLE_CPU_FEATURES": " ".join(AVX512 + AVX2),
        "OPENBLAS_CORETYPE": "Sandybridge",
        **WITHOUT_FMA,
    },
}


def main(names: Sequence[str]) -> None:
    """Run everything on this processor, then as on each other one, and print what differs."""
    here = computed({}, names)
    print(f"{sum(map(len, here.values())):,} outputs of {len(here)} runs\n")
    print(f"| | {' | '.join(OUTPUTS)} | by more than {NEAR:g} | the most |")
    print("|---|" + "---|" * (len(OUTPUTS) + 2))
    farther: list[str] = []
    for processor, variables in PROCESSORS.items():
        there = computed(variables, names)
        gaps = {(run, key): gap(here[run][key], there[run].get(key)) for run in here for key in here[run]}
        differing = [sum(of > 0 for (_, key), of in gaps.items() if key == output) for output in OUTPUTS]
        far = {each: of for each, of in gaps.items() if of > NEAR}
        most = max(gaps.values())
        print(f"| {processor} | {' | '.join(map(str, differing))} | {len(far)} | {most:.1e} |", flush=True)
        farther += [f"{processor}: {key} of {run}: {of:.1e}" for (run, key), of in far.items()]
    print("", *farther, sep="\n")


def computed(variables: dict[str, str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Each run's outputs, computed in a process with these variables."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outputs"
        command = [sys.executable, __file__, "--write", str(file), *names]
        subprocess.run(command, env={**os.environ, **variables}, check=True)
        return pickle.loads(file.read_bytes())


def write(file: str, names: Sequence[str]) -> None:
    """Compute the outputs in this process. A run that another δ does not change is made once."""
    found, before = {}, None
    for name, B, Q, offered in runs():
        if not name.startswith(tuple(names) or ""):
            continue
        try:
            settings = offered()
            if settings != before:
                found[name] = outputs(B, Q, list(settings.rounds(B, Q, noise=Seeded(SEED))))
        except ValueError:  # refused
            continue
        before = settings
    Path(file).write_bytes(pickle.dumps(found))


def outputs(B: Records, Q: Workload, rounds: list[Any]) -> dict[str, Any]:
    """What a run releases, by `OUTPUTS`."""
    model, parts = rounds[-1].model, [part for entry in rounds for part in released(entry)]
    numbers = [part.ravel() for part in parts if isinstance(part, np.ndarray)]
    found = {
        "choices": repr([entry.chosen for entry in rounds]),
        "transcript": np.concatenate([*numbers, [entry.residual for entry in rounds]]) / B.total,
        "answers": model.answers(Q) / B.total,
    }
    if gives_rows(model):
        found["rows"] = Q.answers(nearest_rows(Q, model, B.total, np.random.default_rng(SEED))) / B.total
    return found


def gap(here: Any, there: Any) -> float:
    """The largest difference; infinity between choices, or outputs of different sizes."""
    if isinstance(here, str) or np.shape(here) != np.shape(there):
        return 0.0 if np.array_equal(here, there) else np.inf
    return float(np.abs(here - there).max())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--features"]:
        print(" ".join(AVX512 + AVX2))
    elif sys.argv[1:2] == ["--write"]:
        write(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1:])
