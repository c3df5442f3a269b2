from .code_book_formats import describe_field as describe_field
from .code_books import (
    JSON_SCHEMA as JSON_SCHEMA,
    NO_BOOK as NO_BOOK,
    TABLE_SCHEMA as TABLE_SCHEMA,
    TOML as TOML,
    CodeBook as CodeBook,
    first_schema as first_schema,
    read_code_book as read_code_book,
    write_code_book as write_code_book,
)
from .proposal import Suggestion as Suggestion, propose as propose, suggestions as suggestions
