from . import stored_tracks as stored_tracks
from .merging import (
    Groups as Groups,
    grouped as grouped,
    groups as groups,
    low_end as low_end,
    merge_starts as merge_starts,
    merged as merged,
    merged_labels as merged_labels,
    widths as widths,
)
from .one_person import Person as Person, guess as guess, person as person, releases as releases
from .questions import (
    Place as Place,
    count as count,
    estimates as estimates,
    examples_of as examples_of,
    place_of as place_of,
)
from .stored_tracks import SEED as SEED, stored as stored
from .tables import TENTHS as TENTHS, Table as Table, tables_of as tables_of
from .tracks import EPSILONS as EPSILONS, Track as Track, kept as kept, track as track, truth_of as truth_of
