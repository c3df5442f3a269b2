"""Ask: a release, questions to it, and their answers with intervals. No private table is on this page."""

from mwem_app.ask import ask_line, choose_release
from mwem_app.session import state

# Of the sample
OPENING_QUESTION = "select age, avg(case when income = '>50K' then 1 else 0 end) from release group by age"

state.enter_by_app()
ask_line(choose_release(), key="ask", opening=OPENING_QUESTION)
