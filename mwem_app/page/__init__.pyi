from .address import (
    CHECKED_KEYS as CHECKED_KEYS,
    check_address as check_address,
    name_unknown as name_unknown,
    read_address as read_address,
    refusal as refusal,
    repeat_address as repeat_address,
    says as says,
    unknown_settings as unknown_settings,
)
from .plots import (
    choose_section as choose_section,
    plot as plot,
    plot_in_place as plot_in_place,
    show_chart as show_chart,
    show_in_a_row as show_in_a_row,
    show_section as show_section,
    title_text as title_text,
)
from .reach import Place as Place, place as place
from .setting_line import SettingLine as SettingLine
from .widgets import (
    count_work as count_work,
    download as download,
    follow_task as follow_task,
    may_start as may_start,
    redraw_while as redraw_while,
    upload_file as upload_file,
)
from .wording import (
    ICONS as ICONS,
    badge_in_view as badge_in_view,
    in_sight as in_sight,
    plain as plain,
    problem as problem,
    section as section,
    set_page_badge as set_page_badge,
    show_badge as show_badge,
    unseen_heading as unseen_heading,
)
