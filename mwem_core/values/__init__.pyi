from .bins_to_measure import BinsToMeasure as BinsToMeasure, Steps as Steps
from .csv_cell import (
    FORMULA as FORMULA,
    NUMBER as NUMBER,
    SIGNED_WORDS as SIGNED_WORDS,
    as_cell as as_cell,
    cells_of as cells_of,
    csv_text as csv_text,
    from_cell as from_cell,
)
from .date_forms import (
    CLOCK_TEXT as CLOCK_TEXT,
    EPOCH as EPOCH,
    FIRST_SHORT_YEAR as FIRST_SHORT_YEAR,
    FORM as FORM,
    ISO as ISO,
    LAST_SHORT_YEAR as LAST_SHORT_YEAR,
    MOMENT_TEXT as MOMENT_TEXT,
    MONTH_NUMBERS as MONTH_NUMBERS,
    MONTHS as MONTHS,
    parse_dates as parse_dates,
    unit_of as unit_of,
)
from .dates import PERIODS as PERIODS, SECONDS as SECONDS, Dates as Dates
from .number_forms import (
    DURATION as DURATION,
    MARKS as MARKS,
    MAX_DECIMALS as MAX_DECIMALS,
    MAX_EXACT_FLOAT64 as MAX_EXACT_FLOAT64,
    Inside as Inside,
    number_form as number_form,
)
from .numbers import BITS as BITS, Edges as Edges, Range as Range, parse_numbers as parse_numbers
from .public_bins import BINS as BINS, equal_edges as equal_edges, log_edges as log_edges, public_edges as public_edges
from .values import Codes as Codes, Values as Values, ValueSet as ValueSet
