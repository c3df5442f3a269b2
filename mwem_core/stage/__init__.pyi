from .merged_values import (
    Groups as Groups,
    groups as groups,
    low_end as low_end,
    merge_starts as merge_starts,
    merged_labels as merged_labels,
    sum_groups as sum_groups,
    sum_merged as sum_merged,
    widths as widths,
)
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
    stored_tracks as stored_tracks,
    thin_out as thin_out,
    to_npz as to_npz,
    track as track,
    truth_of as truth_of,
)
