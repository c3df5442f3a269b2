from . import classifiers_view as classifiers_view, committed as committed, trial_choices as trial_choices
from .bounds import Bound as Bound
from .classifiers_view import show_classifiers as show_classifiers
from .closer_look import show_closer_look as show_closer_look
from .controls import (
    choose_systems_row as choose_systems_row,
    results_of as results_of,
    run_button as run_button,
    stop_at_open_bins as stop_at_open_bins,
    tell_truth_is_hidden as tell_truth_is_hidden,
)
from .course_charts import error_and_bound as error_and_bound, potential_and_bound as potential_and_bound
from .course_view import show_course as show_course
from .curve_charts import error_curves as error_curves
from .curves import over_epsilon as over_epsilon
from .metrics import METRICS as METRICS
from .scatter import true_against_estimated as true_against_estimated
from .stand_in_view import (
    choose_swept as choose_swept,
    offer_stand_in as offer_stand_in,
    start_requested as start_requested,
    tell_what_was_read as tell_what_was_read,
    warn_of_choice as warn_of_choice,
)
from .standings import by_system as by_system, standings as standings
from .standings_view import show_standings as show_standings
from .system_charts import error_bars as error_bars
from .system_choice import default_systems as default_systems, refusals as refusals
from .trade_off import show_curves as show_curves
from .trial_choices import (
    choose_epsilons as choose_epsilons,
    choose_executor as choose_executor,
    choose_Ts as choose_Ts,
)
from .trials_upload import read_trials as read_trials, upload_results as upload_results
from .where import error_by_pair as error_by_pair
from .where_charts import error_maps as error_maps, group_bars as group_bars
