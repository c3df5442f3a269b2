from .code_books import (
    NO_BOOK as NO_BOOK,
    CodeBook as CodeBook,
    first_schema as first_schema,
    read_code_book as read_code_book,
)
from .proposal import Suggestion as Suggestion, propose as propose, suggestions as suggestions
