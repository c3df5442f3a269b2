"""A release that is killed after its first draw: the ledger has it, and it counts in full."""

import signal
import subprocess

from command_line import SCHEMA, people_csv
from ledgers import command, environment

from mwem_core.accounts import LedgerFile
from mwem_core.privacy import Cap

RELEASE = """
import sys, time
from mwem_core import Domain, Seeded, parse_workload, read_table
from mwem_core.release.release import release
from mwem_core.release.terms import Terms


class Halting:
    '''A noise source that says when it has drawn once, and goes no further.'''

    def __getattr__(self, draw):
        def drawn(*values, **more):
            getattr(Seeded(0), draw)(*values, **more)
            print("drawn", flush=True)
            time.sleep(600)

        return drawn


domain = Domain.from_toml(open(sys.argv[2]).read())
terms = Terms(dataset="people", workload=parse_workload("marginals:2", domain), provenance="file", epsilon=0.1)
release(terms, read_table(sys.argv[1]), LedgerFile(sys.argv[3]), noise=Halting(), cap=Cap.of(0.15))
"""


def test_a_release_killed_after_its_first_draw_counts_in_full(tmp_path):
    table, schema, ledger = (str(tmp_path / name) for name in ("people.csv", "people.toml", "ledger.sqlite"))
    (tmp_path / "people.csv").write_text(people_csv())
    (tmp_path / "people.toml").write_text(SCHEMA)
    words = command(RELEASE, table, schema, ledger)
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "drawn\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    account = LedgerFile(ledger).account("people")
    assert [(str(entry.amount), entry.state) for entry in account.entries] == [("ε = 0.1", "drawing")]
    assert account.cap == Cap.of(0.15)
    assert not Cap.of(0.15).holds(account.spent + account.spent)
