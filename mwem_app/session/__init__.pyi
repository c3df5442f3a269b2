from . import (
    demo as demo,
    limits as limits,
    locks as locks,
    runner as runner,
    state as state,
    trials as trials,
    turns as turns,
)
from .allowance import Allowance as Allowance
from .background import Background as Background, Taken as Taken
from .demo import (
    FULL as FULL,
    MOST_RECORDS as MOST_RECORDS,
    NO_EXPERIMENTS as NO_EXPERIMENTS,
    NO_FILES as NO_FILES,
    NO_RELEASE as NO_RELEASE,
    NO_TRAINING as NO_TRAINING,
    PROCESSES as PROCESSES,
    WORKER_BYTES as WORKER_BYTES,
    is_demo as is_demo,
)
from .experiments import ExperimentRunner as ExperimentRunner
from .grid import SHARED as SHARED, Grid as Grid, Key as Key, Made as Made
from .kept import HOURS as HOURS, new_token as new_token
from .limits import check_memory as check_memory, is_full as is_full
from .locks import LOCKED as LOCKED, Locked as Locked, all_locked as all_locked, lock as lock, locked as locked
from .once import Once as Once
from .runner import Runner as Runner, is_there as is_there
from .shared import Shared as Shared
from .state import ALLOWANCE as ALLOWANCE
from .steps import (
    MAX_INTERACTIVE_CELLS as MAX_INTERACTIVE_CELLS,
    Plan as Plan,
    Step as Step,
    start_step as start_step,
    steps_of as steps_of,
)
from .trials import Results as Results, TrialsRunner as TrialsRunner, unfinished as unfinished
from .turns import RUNS as RUNS, TRIALS as TRIALS, Turns as Turns
