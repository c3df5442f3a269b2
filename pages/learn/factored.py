"""The lesson at /factored."""

from ui.learn.frame import begin, end
from ui.session import state

state.enter_by_app()
lesson, seed = begin("factored")
end(lesson)
