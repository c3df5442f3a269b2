from .line import Line as Line, ask_line as ask_line, ask_run as ask_run
from .question_answers import (
    QuestionAnswers as QuestionAnswers,
    answers_to as answers_to,
    as_release as as_release,
)
from .release_choice import choose_release as choose_release
