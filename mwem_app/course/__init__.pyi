from .classroom.class_lessons import show_lessons as show_lessons
from .classroom.class_screens import (
    show_coins as show_coins,
    show_door as show_door,
    show_example as show_example,
    show_opening as show_opening,
)
from .classroom.class_table import show_table as show_table
from .classroom.phone import (
    Refusal as Refusal,
    enter as enter,
    find_seat as find_seat,
    prediction_in as prediction_in,
    respond as respond,
)
from .classroom.room import FEWEST as FEWEST, Room as Room
from .classroom.rooms import Rooms as Rooms, Seat as Seat
from .classroom.routes import PAGE as PAGE, SCRIPT as SCRIPT, routes as routes
from .classroom.seat import is_teacher as is_teacher, my_room as my_room, survive_reload as survive_reload
from .lesson import (
    ALL as ALL,
    LESSON as LESSON,
    LESSONS as LESSONS,
    SEED as SEED,
    lesson_at as lesson_at,
    to_csv as to_csv,
)
from .lesson_page import (
    PROJECTOR as PROJECTOR,
    begin as begin,
    end as end,
    show_blocks as show_blocks,
    show_index as show_index,
    switch_projector as switch_projector,
)
from .mwem.mwem_numbers import halves_trials as halves_trials
from .noise.noise_numbers import chance as chance
from .rounds.rounds_numbers import rounds_trials as rounds_trials
from .sheet import strips as strips
from .site.pages import handout_page as handout_page
