"""Numbers as people write them: with a decimal comma, and with marks between thousands, as in 1.234,5 or 1 234,5.

The decimal mark is a fact about a file, not about a row: it is chosen once, and then each cell is read by itself. So a
row changes how no other row is read, as a release needs. Only columns that the schema declares as numbers are read so:
a text such as 1,234 in a column of texts stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mwem_core.forms.number_forms import SIGN_SWAP, number_form

if TYPE_CHECKING:
    import pyarrow as pa

POINT, COMMA = ".", ","
DECIMALS = {POINT: "point", COMMA: "comma"}
MISSING_TEXTS = (
    *("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT", "-", "--", ".", "nan", "NaN", "null", "NULL", "None"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),
)
CURRENCIES = r"[$€£¥₹₩₽₺₴₪฿]|[A-Z]{2}\$|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|ZAR|Rs\.?|kr"
UNIT = (  # what stands behind a number
    rf"[\s\xa0\u2009\u202f]?"
    rf"(?:[%‰°]|°[CF]|{CURRENCIES}|[kmcµ]?[gmlL]|km|ha|[kM]?Wh?|mmHg|bpm|h|s|ms|min|yrs?|years?|[kMGT]B|[kKM]|bn|mn)"
    r"|\s[a-z]{1,6}"
)
STARTS = frozenset("0123456789-+.,")  # of a number without a unit before it
AFFIX = re.compile(rf"^(?:{CURRENCIES})\s?|(?:{UNIT})$")
PLAIN = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
MAX_SEEN = 1000  # different texts of a column, from which its decimal mark is detected
NUMERAL = (
    r"(?P<sign>[-−+]?)(?P<whole>0|[1-9]\d*|[1-9]\d{{0,2}}(?P<mark>[{marks}])\d{{3}}(?:(?P=mark)\d{{3}})*)"
    r"(?:{decimal}(?P<part>\d+))?(?P<exponent>[eE][-+]?\d+)?"
)
BLANKS_AND_APOSTROPHES = "\x20\xa0\u2009\u202f'’"
NUMERALS = {
    POINT: re.compile(NUMERAL.format(decimal=r"\.", marks="," + BLANKS_AND_APOSTROPHES), re.ASCII),
    COMMA: re.compile(NUMERAL.format(decimal=",", marks="." + BLANKS_AND_APOSTROPHES), re.ASCII),
}


def plain_numbers(texts: Sequence[str], decimal: str) -> list[str]:
    """Texts with each number in its plain form, as 1234.5; any other text, such as 007, as it is.

    >>> plain_numbers(["1.234,5", "1 234", "29,4", "007", "n/a"], ",")
    ['1234.5', '1234', '29.4', '007', 'n/a']
    """
    numeral = NUMERALS[decimal]
    return [_plain(text, numeral) for text in texts]


def _plain(text: str, numeral: re.Pattern[str]) -> str:
    match = numeral.fullmatch(text)
    if match is None or (not match["mark"] and match["sign"] != "−" and numeral is NUMERALS[POINT]):
        return text
    sign = match["sign"].replace("−", "-")
    whole = match["whole"].replace(match["mark"], "") if match["mark"] else match["whole"]
    part = "" if match["part"] is None else "." + match["part"]
    return sign + whole + part + (match["exponent"] or "")


def formed_numbers(texts: Sequence[str], form: str, decimal: str) -> list[str]:
    """Texts with each number in this form, or in its plain form, as 1234.5; any other text as it is.

    >>> formed_numbers(["$1,234.50", "-$2", "7.5", "n/a"], "$0,000.00", ".")
    ['1234.50', '-2', '7.5', 'n/a']
    """
    plain = number_form(form).plain
    found = [plain(text.translate(SIGN_SWAP) if decimal == COMMA else text) for text in texts]
    rest = plain_numbers(texts, decimal)
    return [number if PLAIN.fullmatch(number) else text for number, text in zip(found, rest, strict=True)]


def is_number(text: str, form: str = "") -> bool:
    """Whether a text is a number as this program writes it, in a form or plain."""
    return bool(PLAIN.fullmatch(number_form(form).plain(text) if form else text))


def decimal_of(table: pa.Table) -> str:
    """The decimal mark that a table was read with: a point, unless `with_decimal` or the reader of the file set it."""
    return (table.schema.metadata or {}).get(b"decimal", POINT.encode()).decode()


def with_decimal(table: pa.Table, decimal: str) -> pa.Table:
    """The same table, whose numbers have this decimal mark. Raises ValueError for another than a point or a comma."""
    if decimal not in NUMERALS:
        raise ValueError(f"the decimal mark must be a point or a comma, got {decimal!r}")
    return table.replace_schema_metadata({**(table.schema.metadata or {}), b"decimal": decimal.encode()})


def detected_decimal(table: pa.Table, delimiter: str) -> str:
    """The decimal mark of most columns that tell it; a semicolon between cells decides where none tells.

    A column tells its mark if at least half of its texts are numbers, and if these can be read with one of the two
    marks only: 29,4 or 1.234,5 or 1.234.567.
    """
    told = {POINT: 0, COMMA: 0}
    with_commas_alone = False
    for column in table.columns:
        texts = [text if text[-1].isdigit() and text[0] in STARTS else AFFIX.sub("", text) for text in _sample(column)]
        if any("," in text or "." in text for text in texts):
            numbers = [text for text in texts if any(numeral.fullmatch(text) for numeral in NUMERALS.values())]
            fits = [mark for mark, numeral in NUMERALS.items() if all(map(numeral.fullmatch, numbers))]
            if 2 * len(numbers) < len(texts) or not numbers:
                continue
            if len(fits) == 1:
                told[fits[0]] += 1
            with_commas_alone |= len(fits) == 2 and not any("." in text for text in numbers)
    if told[POINT] == told[COMMA] == 0:
        return COMMA if with_commas_alone and delimiter == ";" else POINT
    return COMMA if told[COMMA] > told[POINT] else POINT


def _sample(column: pa.ChunkedArray) -> list[str]:
    """Some different texts of a column that stand for a value."""
    import pyarrow as pa  # loaded by who reads tables: a model and its rows need none of it

    if not column.num_chunks or not pa.types.is_dictionary(column.type):
        return []
    texts = column.chunk(0).dictionary.slice(0, MAX_SEEN).to_pylist()
    return [text for text in texts if text not in MISSING_TEXTS]
