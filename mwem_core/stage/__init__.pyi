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
from .tables import (
    TENTHS as TENTHS,
    Place as Place,
    Table as Table,
    count as count,
    estimates as estimates,
    examples_of as examples_of,
    place_of as place_of,
    tables_of as tables_of,
)
from .tracks import (
    EPSILONS as EPSILONS,
    FOLDER as FOLDER,
    INDEX as INDEX,
    SEED as SEED,
    Track as Track,
    from_npz as from_npz,
    kept as kept,
    stored as stored,
    to_npz as to_npz,
    track as track,
    truth_of as truth_of,
)
