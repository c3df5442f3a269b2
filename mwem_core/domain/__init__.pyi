from . import predicates as predicates
from .attribute import Attribute as Attribute
from .counting import count as count, distinct as distinct, number_rows as number_rows
from .domain import Domain as Domain
from .predicates import (
    Predicate as Predicate,
    parse_question as parse_question,
    quoted_name as quoted_name,
    quoted_text as quoted_text,
    split_questions as split_questions,
)
from .public_table import PublicTable as PublicTable, stand_in as stand_in
from .records import OfTotal as OfTotal, Records as Records, Table as Table, check_not_empty as check_not_empty
from .rules import (
    CHANGE_NOTE as CHANGE_NOTE,
    MAX_RULE_CELLS as MAX_RULE_CELLS,
    are_possible as are_possible,
    broken_in_words as broken_in_words,
)
from .schema import (
    CELLS as CELLS,
    NO_MARKS as NO_MARKS,
    Marks as Marks,
    all_marked as all_marked,
    check_confirmed as check_confirmed,
    marks_in_words as marks_in_words,
    read_attribute as read_attribute,
    read_marks as read_marks,
    still_marked as still_marked,
)
from .source import (
    Attrs as Attrs,
    Source as Source,
    attribute_sets as attribute_sets,
    flatten as flatten,
    nonempty_subsets as nonempty_subsets,
)
