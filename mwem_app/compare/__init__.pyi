from . import classifier_section as classifier_section, controls as controls, stored_trials as stored_trials
from .classifier_section import show_classifiers as show_classifiers
from .closer_look import show_closer_look as show_closer_look
from .controls import (
    choose_epsilons as choose_epsilons,
    choose_executor as choose_executor,
    choose_systems_part as choose_systems_part,
    choose_Ts as choose_Ts,
    results_of as results_of,
    run_button as run_button,
    stop_at_open_bins as stop_at_open_bins,
    tell_truth_is_hidden as tell_truth_is_hidden,
)
from .curve_charts import error_curves as error_curves
from .curves import METRICS as METRICS, over_epsilon as over_epsilon
from .error_charts import true_against_estimated as true_against_estimated
from .ranking import (
    by_system as by_system,
    error_bars as error_bars,
    ranked_systems as ranked_systems,
    show_standings as show_standings,
)
from .system_choice import (
    choose_swept as choose_swept,
    default_systems as default_systems,
    offer_stand_in as offer_stand_in,
    refusals as refusals,
    start_requested as start_requested,
    tell_what_was_read as tell_what_was_read,
    warn_of_choice as warn_of_choice,
)
from .trade_off import show_curves as show_curves
