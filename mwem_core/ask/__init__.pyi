from . import questions as questions, regressions as regressions
from .analysis import asked_domain as asked_domain, read_questions as read_questions, workload_of as workload_of
from .answers import Answer as Answer, Of as Of, refused_by_reason as refused_by_reason
from .archive import unpacked as unpacked
from .conditions import condition as condition, note as note
from .copies import copied as copied
from .examples import condition_on as condition_on, examples as examples
from .influence import influences as influences
from .language import Question as Question, read_question as read_question
from .reading import load_release as load_release, loaded as loaded
from .release import LoadedRelease as LoadedRelease, bounded as bounded, half_widths as half_widths
from .statistic import Statistic as Statistic
