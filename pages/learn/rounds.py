"""The lesson at /rounds."""

from ui.learn.frame import begin, end
from ui.session import state

state.enter_by_app()
lesson, seed = begin("rounds")
end(lesson)
