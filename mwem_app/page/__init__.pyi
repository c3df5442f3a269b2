from . import polling as polling
from .address import (
    CHECKED as CHECKED,
    check_address as check_address,
    name_unknown as name_unknown,
    read_address as read_address,
    refusal as refusal,
    repeat_address as repeat_address,
    says as says,
    unknown_settings as unknown_settings,
)
from .demonstrated import link_to_demonstration as link_to_demonstration
from .download import download as download
from .plots import plot as plot, titled as titled
from .polling import redraw_while as redraw_while
from .quality import choose_section as choose_section, show_section as show_section
from .reach import Place as Place, place as place
from .redrawn import redrawn as redrawn
from .script import run_script as run_script
from .starting import count_work as count_work, may_start as may_start
from .upload import upload_file as upload_file, upload_files as upload_files
from .wording import (
    ICONS as ICONS,
    plain as plain,
    problem as problem,
    section as section,
    show_badge as show_badge,
    unseen_heading as unseen_heading,
)
