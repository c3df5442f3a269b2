from .average import Average as Average, CorrectedModel as CorrectedModel, Model as Model, Single as Single
from .resampling import redrawn as redrawn, with_planted_rows as with_planted_rows
from .reweighting import (
    MAX_REDRAWS as MAX_REDRAWS,
    Margin as Margin,
    rake as rake,
    reweight as reweight,
    update_rows as update_rows,
)
from .tilting import Query as Query, Tilt as Tilt, drawn_rows as drawn_rows, every_cell as every_cell
from .weighted_records import (
    MAX_ROWS as MAX_ROWS,
    MIN_ROWS as MIN_ROWS,
    WeightedRecords as WeightedRecords,
    beyond_tree as beyond_tree,
    rows_for as rows_for,
)
