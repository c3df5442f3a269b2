from .attribute import CATCH_ALL as CATCH_ALL, Attribute as Attribute
from .counting import count as count, distinct as distinct, number_rows as number_rows
from .digest import digest as digest
from .domain import Domain as Domain
from .groups import SIGNS as SIGNS, named_groups as named_groups, proposed_groups as proposed_groups
from .marks import (
    CELLS as CELLS,
    Marks as Marks,
    all_marked as all_marked,
    check_confirmed as check_confirmed,
    in_words as in_words,
    still_marked as still_marked,
)
from .predicates import (
    MAX_QUESTION_LENGTH as MAX_QUESTION_LENGTH,
    Predicate as Predicate,
    parse_question as parse_question,
    quoted_name as quoted_name,
    quoted_text as quoted_text,
    split_questions as split_questions,
)
from .records import Records as Records, check_marginals as check_marginals, multiplies as multiplies
from .rules import (
    CHANGED as CHANGED,
    MAX_RULE_CELLS as MAX_RULE_CELLS,
    are_possible as are_possible,
    broken_in_words as broken_in_words,
)
from .schema import (
    NO_MARKS as NO_MARKS,
    attribute_block as attribute_block,
    read_attribute as read_attribute,
    read_marks as read_marks,
    read_never as read_never,
)
from .source import (
    Attrs as Attrs,
    Source as Source,
    attribute_sets as attribute_sets,
    flatten as flatten,
    nonempty_subsets as nonempty_subsets,
)
from .table import OfTotal as OfTotal, Table as Table, check_not_empty as check_not_empty
