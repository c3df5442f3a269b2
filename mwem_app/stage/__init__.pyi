from .mount import player as player
from .rounds_message import (
    NO_LESSONS as NO_LESSONS,
    Frame as Frame,
    Lines as Lines,
    Method as Method,
    Status as Status,
    View as View,
    rounds_message as rounds_message,
)
from .standalone import (
    CHART_SCRIPTS as CHART_SCRIPTS,
    CSS as CSS,
    SCRIPTS as SCRIPTS,
    STYLES as STYLES,
    page_of as page_of,
    player_page as player_page,
)
