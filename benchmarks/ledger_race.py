"""Racing releases against a cap: they must spend exactly the cap. By hand: `python benchmarks/ledger_race.py`.

Each of 100 processes opens the ledger and releases once at ε = 0.1 against a cap of 1, which has room for ten. With
`--server` the ledger is in a PostgreSQL database that runs for this alone.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASE = """
import sys
from mwem_core.privacy.amounts import Amount, Cap
from mwem_core.privacy.ledger_file import LedgerFile
try:
    with LedgerFile(sys.argv[1]).reserve("race", "digest", Amount.of(0.1), cap=Cap.of(1, 0)) as reservation:
        reservation.begin_drawing()
        reservation.settle()
    print("released")
except ValueError as refusal:
    print(refusal)
"""


def race(where: str, processes: int) -> None:
    """Start all processes at once, and print what became of them and what the ledger says."""
    from mwem_core.privacy.ledger_file import LedgerFile

    started = time.perf_counter()
    racing = [
        subprocess.Popen([sys.executable, "-c", RELEASE, where], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    endings = [process.communicate()[0].strip() for process in racing]
    for ending in sorted(set(endings)):
        print(f"{endings.count(ending):>5}  {ending}")
    account = LedgerFile(where).account("race")
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the ledger has {len(account.entries)} entries and has spent ε = {account.spent.epsilon}")
    print(f"{time.perf_counter() - started:.1f} s, of them {cpu.ru_utime + cpu.ru_stime:.1f} s of CPU")


def main() -> None:
    """Race on a file, or on a server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--server", action="store_true")
    arguments = parser.parse_args()
    if arguments.server:
        sys.path.insert(0, str(ROOT / "tests" / "helpers"))
        import postgres

        with postgres.serving() as url:
            race(url, arguments.processes)
    else:
        with tempfile.TemporaryDirectory() as folder:
            race(str(Path(folder) / "ledger.sqlite"), arguments.processes)


if __name__ == "__main__":
    main()
