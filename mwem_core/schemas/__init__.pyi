from .code_books import (
    NO_BOOK as NO_BOOK,
    CodeBook as CodeBook,
    first_schema as first_schema,
    propose as propose,
    read_code_book as read_code_book,
)
from .proposal import Suggestion as Suggestion, suggestions as suggestions
