"""The setting `MWEM_DEMO=1`: a server for the public. Its limits, where each comes from, and what it says of them.

A demo has the bundled tables, which are public. It takes no file, releases nothing and writes nothing to disk. Its
limits are made for 1 GB of memory, two processors and `VISITORS` at once. Nothing here knows Streamlit.
"""

import os

SETTING = "MWEM_DEMO"  # in the environment
VISITORS = 30
BYTES = 10**9  # of the server and its worker, also where no container limits them
# Of the 1 GB, 0.3 are the program with what all visitors share, 0.2 are free at any time (`work_limits.RESERVE_BYTES`),
# the worker of Compare fills 0.25 at most, and each visitor has 8 MB: what a run of Adult holds, as the page opens. A
# run may hold three times as much, and if many do, those who come wait until others have left.
RUN_BYTES = 6 * 10**6  # of a run, as estimated before it starts; it holds two to five times as much
HELD_BYTES = 200 * 10**6  # of a run, as counted round by round: Figure 1 takes 175 MB on Adult, as the page opens
KEPT_BYTES = 32 * 10**6  # of runs that visitors share, for those who come later
ROUNDS = 200  # of a run: Figure 1 takes 170 on Adult; the page keeps 0.1 MB of each beside its model
WORKER_BYTES = 35 * 10**7  # that the worker may reserve; it fills 0.1 GB less
MOST_RECORDS = 50_000  # of a simulated table: as many as the largest bundled one has
# Two processors have 1,200 CPU seconds in ten minutes. If all visitors take all they can, which is the allowance and
# one more piece of work, that is 1,050, and pages have the rest. A run of Adult with its page takes 0.7.
MINUTES, SECONDS, SECONDS_OF_WORK = 10, 20.0, 15.0
SECONDS_OF_A_START = 0.5  # at least, of each piece of work, as the page then draws its result
# As many as there are visitors, at runs of Adult: the last waits ten seconds. Batches of trials take turns one by one,
# each with one process: the last waits for a minute and a half at most.
LINE, BATCHES = 30, 6
PROCESSES = 1
KEPT_MINUTES = 15  # of what a tab has made, after the last contact
OWN_MACHINE = "run the command mwem app on a machine of your own, which has no such limit"
NO_FILES = (
    "This public demo takes no files: it has the bundled tables, which are public. On a machine of your own, "
    "`mwem app` takes yours."
)
NO_RELEASE = (
    "This public demo releases nothing: a release is entered in a ledger, which adds up what a table's owner spends, "
    "and a table that everybody may see has no such owner. Declare, set terms and rehearse here; on a machine of your "
    "own, `mwem app` releases."
)
NO_TRAINING = "this public demo trains no classifiers, as that takes minutes: `mwem app` does, on a machine of your own"
FULL = "This public demo is full: its memory is in use. Try again in a few minutes, or run `mwem app` on your machine."


def is_demo() -> bool:
    """Whether this server is a demo: for any value of the setting but an empty one and 0, so a slip opens nothing.

    It is read at each call, as Streamlit's cloud sets it after the start, from its secrets.
    """
    return os.environ.get(SETTING, "") not in ("", "0")
