from .ledger_file import (
    CHANGED_TABLE as CHANGED_TABLE,
    MAX_NOTE as MAX_NOTE,
    Account as Account,
    Entry as Entry,
    LedgerFile as LedgerFile,
    check_name as check_name,
)
from .ledger_likeness import Signs as Signs
from .ledger_store import NO_LEDGER as NO_LEDGER
