from . import rehearsal_view as rehearsal_view
from .account import choose_entry as choose_entry, describe_cost as describe_cost, show_history as show_history
from .rehearsal_view import offer_rehearsal as offer_rehearsal
from .release_files import (
    is_released as is_released,
    offer_release as offer_release,
    running_cost as running_cost,
    show_release as show_release,
    zip_files as zip_files,
)
from .release_source import Source as Source, choose_source as choose_source
from .terms_choice import (
    choose_terms as choose_terms,
    choose_unit as choose_unit,
    describe_terms as describe_terms,
    public_total_of as public_total_of,
)
