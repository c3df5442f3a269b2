from . import constants as constants
from .checks import (
    change as change,
    check_choices as check_choices,
    check_kind as check_kind,
    check_positive as check_positive,
    classes_of as classes_of,
    find_duplicates as find_duplicates,
    got as got,
    hint as hint,
    is_whole as is_whole,
    join_names as join_names,
    settings_from as settings_from,
)
from .package_files import (
    CORE as CORE,
    SAMPLES as SAMPLES,
    find_folder as find_folder,
    template as template,
)
