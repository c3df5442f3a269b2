from .answers import show_history as show_history, show_newest as show_newest
from .exploring import answered_beside_truth as answered_beside_truth, as_release as as_release, of_rounds as of_rounds
from .line import Line as Line, ask_line as ask_line
from .run_line import ask_run as ask_run
from .source import choose_release as choose_release
from .words import RESTS_ON as RESTS_ON, Answered as Answered, answered as answered
