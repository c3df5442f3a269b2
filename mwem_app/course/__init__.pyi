from .classroom.page import PAGE as PAGE, SCRIPT as SCRIPT
from .classroom.phone import Refusal as Refusal, enter as enter, respond as respond, seated as seated
from .classroom.predictions import asked_in as asked_in
from .classroom.reload import survive_reload as survive_reload
from .classroom.room import FEWEST as FEWEST, Attempt as Attempt, Room as Room
from .classroom.rooms import Rooms as Rooms, Seat as Seat
from .classroom.routes import routes as routes
from .classroom.seat import is_teacher as is_teacher, my_room as my_room
from .learn.blocks import Once as Once, OnRun as OnRun, Switch as Switch
from .learn.frame import begin as begin, end as end, switch_projector as switch_projector
from .learn.index import show_index as show_index
from .learn.lessons import ALL as ALL, LESSON as LESSON, LESSONS as LESSONS, lesson_at as lesson_at
from .learn.on_run import settings as settings
from .learn.record import ATTEMPTS as ATTEMPTS, TASKS as TASKS, results as results
from .learn.room_coins import show_coins as show_coins, show_example as show_example
from .learn.room_door import show_door as show_door, show_opening as show_opening
from .learn.room_lessons import attempts_of as attempts_of, show_lessons as show_lessons
from .learn.room_table import show_table as show_table
from .learn.show import show_blocks as show_blocks
from .lessons.notes import notes_of as notes_of
from .lessons.paper.figures import strips as strips
from .lessons.watched import EXAMPLES as EXAMPLES, example as example, runs as runs
from .lessons.written import blocks_of as blocks_of
from .numbers.committed import to_csv as to_csv
from .numbers.mwem import T as T, watch as watch
from .numbers.noise import chance as chance
from .numbers.rounds import ROUNDS as ROUNDS
from .site.handout import handout_page as handout_page
from .site.key import answers as answers
