from . import scene_page as scene_page
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
from .runs_message import System as System, runs_message as runs_message
from .scene_page import (
    PRIVATE_VERDICT as PRIVATE_VERDICT,
    PUBLIC_VERDICT as PUBLIC_VERDICT,
    STAND_IN_VERDICT as STAND_IN_VERDICT,
    choose_systems as choose_systems,
    scene_of as scene_of,
    show as show,
    switch_present as switch_present,
    take_page as take_page,
)
from .standalone import (
    CSS as CSS,
    SCRIPTS as SCRIPTS,
    demonstration_page as demonstration_page,
    player_page as player_page,
)
