from .front import (
    FRONTS as FRONTS,
    FULL_SCREEN as FULL_SCREEN,
    asked_in as asked_in,
    front_message as front_message,
    front_page as front_page,
    records_of as records_of,
    refusals as refusals,
    show_front as show_front,
)
from .stored_answers import (
    EPSILONS as EPSILONS,
    FOLDER as FOLDER,
    SEEDS as SEEDS,
    SYSTEMS as SYSTEMS,
    Answers as Answers,
    file_of as file_of,
    from_gz as from_gz,
    run_answers as run_answers,
    to_gz as to_gz,
)
