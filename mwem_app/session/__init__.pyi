from . import (
    demo as demo,
    runner as runner,
    state as state,
    trials_runner as trials_runner,
    turns as turns,
    work_limits as work_limits,
)
from .background import Background as Background, Task as Task
from .demo import is_demo as is_demo
from .runner import Runner as Runner, is_there as is_there
from .steps import (
    MAX_INTERACTIVE_CELLS as MAX_INTERACTIVE_CELLS,
    Plan as Plan,
    Step as Step,
    start_step as start_step,
    steps_of as steps_of,
)
from .tab import (
    HOURS as HOURS,
    LOCKS as LOCKS,
    all_locks as all_locks,
    forget_locks as forget_locks,
    lock as lock,
    locked_value as locked_value,
    locks_text as locks_text,
    new_token as new_token,
    restore_locks as restore_locks,
)
from .trials_runner import (
    Results as Results,
    TrialsRunner as TrialsRunner,
    unfinished_trials as unfinished_trials,
)
from .turns import RUNS as RUNS, TRIALS as TRIALS, Allowance as Allowance, CpuTime as CpuTime, Turns as Turns
from .work_limits import check_memory as check_memory
