from . import rehearsal as rehearsal
from .account import choose_entry as choose_entry, describe_cost as describe_cost, show_history as show_history
from .bundle import (
    is_released as is_released,
    offer_release as offer_release,
    show_release as show_release,
    spending as spending,
    zipped as zipped,
)
from .rehearsal import offer_rehearsal as offer_rehearsal
from .source import choose_source as choose_source
from .terms import (
    choose_terms as choose_terms,
    choose_unit as choose_unit,
    describe_terms as describe_terms,
    public_total_of as public_total_of,
)
