from . import player_message as player_message, showing as showing
from .demonstration_settings import (
    PRIVATE_VERDICT as PRIVATE_VERDICT,
    PUBLIC_VERDICT as PUBLIC_VERDICT,
    STAND_IN_VERDICT as STAND_IN_VERDICT,
    choose_systems as choose_systems,
    switch_present as switch_present,
    take_page as take_page,
)
from .files import CSS as CSS, PLAYER as PLAYER
from .mount import player as player
from .page import demonstration_page as demonstration_page, player_page as player_page
from .player_message import (
    NO_LESSONS as NO_LESSONS,
    Frame as Frame,
    Lines as Lines,
    Method as Method,
    Status as Status,
    View as View,
    message as message,
)
from .scene_message import Axis as Axis, System as System, Table as Table, scene_message as scene_message
from .showing import scene_of as scene_of, show as show
