from .answers_view import QuestionAnswers as QuestionAnswers, answers_to as answers_to
from .line import ask_line as ask_line, ask_run as ask_run
from .release_choice import choose_release as choose_release
