from .beside_run import beside_run as beside_run
from .bundle import (
    COPIES as COPIES,
    PLAIN_ROWS as PLAIN_ROWS,
    Bundle as Bundle,
    bundle as bundle,
    rows_to_make as rows_to_make,
)
from .folder import check_empty as check_empty, write_folder as write_folder
from .making import make_release as make_release
from .page import sections_of as sections_of
from .quality_page import quality_page as quality_page
from .rehearsal import (
    RUNS as RUNS,
    Asked as Asked,
    Rehearsal as Rehearsal,
    forecast as forecast,
    rehearse as rehearse,
    simulated as simulated,
)
from .released import Released as Released
from .releasing import release as release
from .rows_quality import Quality as Quality, quality as quality, with_learned as with_learned
from .rows_report import (
    LEARNED as LEARNED,
    MADE_FROM_RECORDS as MADE_FROM_RECORDS,
    quality_report as quality_report,
    summary as summary,
)
from .terms import (
    MAX_COPIES as MAX_COPIES,
    ROWS_FOR as ROWS_FOR,
    RowsFor as RowsFor,
    Terms as Terms,
    TotalPolicy as TotalPolicy,
    declared as declared,
)
from .words import (
    STATEMENT as STATEMENT,
    cap_in_words as cap_in_words,
    guarantee_in_words as guarantee_in_words,
    public_facts as public_facts,
    total_in_words as total_in_words,
)
