"""Bytes of a text file as UTF-8: the encoding is chosen, told by a byte order mark, or guessed.

Bytes do not name an encoding from before Unicode. A detector finds the encodings in which a text reads without
disorder. Many give letters to the same bytes, and of these the alphabets of the languages decide: in a right reading
one language spells most words.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress

import charset_normalizer

# These are likelier than all others that read a text as well; if several give the same characters, the first is named.
USUAL = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp1255", "cp1256", "cp874", "koi8_r", "mac_roman"]
USUAL += ["cp850", "cp852", "cp866", "cp932", "euc_jp", "euc_kr", "big5", "gb18030"]
ALWAYS = USUAL[:2]  # tried on a text that is too short for the detector too
# The letters of each language that are not ASCII. Portuguese õ comes before e; others would hide the Hungarian ő.
ALPHABETS = {
    "Danish and Norwegian": "æøåéèêóòôü",
    "Swedish and Finnish": "åäöéüà",
    "German": "äöüß",
    "Dutch": "äéèëêïíöóüú",
    "Icelandic": "áæðéíóöþúý",
    "French": "àâæçéèêëîïôœùûüÿ",
    "Spanish": "áéíñóúüªº",
    "Portuguese": "áàâãçéêíóôúüªº",
    "Italian": "àéèìîòù",
    "Catalan": "àçéèíïóòúü",
    "Czech": "áčďéěíňóřšťúůýž",
    "Slovak": "áäčďéíĺľňóôŕšťúýž",
    "Polish": "ąćęłńóśźż",
    "Hungarian": "áéíóöőúüű",
    "Croatian and Slovene": "čćđšž",
    "Romanian": "ăâîşţ",
    "Turkish": "çğıöşüâîû\u0307",  # the last: the dot of a small İ
    "Lithuanian": "ąčęėįšųūž",
    "Latvian": "āčēģīķļņšūž",
    "Estonian": "äõöüšž",
    "Greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
    "Russian and Bulgarian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "Ukrainian": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}
FAR = "\u0590"  # from Hebrew on: letters of one script each, which have no capitals
# Letters, and what stands between them if it is a sign of no sentence; no exponent of m², fraction or unit.
WORD = re.compile(r"(?<!\d)[^\W\d_](?:[^\W\d_]|[^\x00-\x7f\w–—·](?=[^\W\d_]))*(?<![¹²³¼½¾])(?!\d)")
BETWEEN = re.compile(rb'[\d,;\t"]+')  # words; not | which is half a letter in some encodings
UTF8_LETTERS = re.compile(rb"(?<![\x80-\xff])(?:[\xc3-\xdf][\x80-\xbf])+(?![\x80-\xff])")  # letters in UTF-8
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
LOOKED_AT = 1 << 20  # from the first byte that is not Unicode, in which lines are looked for
ENCODING_BYTES = 1 << 14  # of lines with non-ASCII bytes, from which a legacy encoding is guessed
TWO_ENCODINGS = "Some lines are UTF-8; the others are read as {}."
CONTROL_BYTES = [bytes([byte]) for byte in range(9)]  # never part of a text table


def guess_encoding(text: bytes) -> str | None:
    """The encoding in which a text reads best; None if it is likely not text in any, or partly UTF-8."""
    matches = charset_normalizer.from_bytes(BETWEEN.sub(b" ", text))
    matches = [match for match in matches if not match.encoding.startswith("utf")]
    order = dict.fromkeys(ALWAYS, 0.0)  # of the letters, as in a language
    order |= {_usual(match.could_be_from_charset): match.coherence - match.chaos for match in matches}
    spelled = {encoding: _spelled(text, encoding) for encoding in order}
    likeliest = max(
        order, key=lambda name: (*spelled[name], name in USUAL, round(order[name], 2), -[*USUAL, name].index(name))
    )
    if spelled[likeliest][0] > 0.5:
        return likeliest
    return _usual(matches[0].could_be_from_charset) if matches and not UTF8_LETTERS.search(text) else None


def _usual(encodings: list[str]) -> str:
    return next((usual for usual in USUAL if usual in encodings), encodings[0])


def _spelled(text: bytes, encoding: str) -> tuple[float, bool]:
    """How well languages spell the words that are not ASCII, from 0 to 1; and whether most of these are no capitals.

    It is the mean of two shares: of the words that any language spells, and of those that one language spells.
    """
    try:
        words = [word for word in WORD.findall(text.decode(encoding)) if not word.isascii()]
    except UnicodeDecodeError:
        return 0.0, False
    spelled = [_languages(word) for word in words]
    most = max(Counter(language for each in spelled for language in each).values(), default=0)
    share = round((sum(map(bool, spelled)) + most) / (2 * max(len(words), 1)), 2)
    return share, 2 * sum(map(str.isupper, words)) <= len(words)


def _languages(word: str) -> list[str]:
    """The languages that spell a word, whose capitals stand where they do; a script beyond Cyrillic is one language."""
    if min(word) >= FAR:
        return [FAR]
    if not (word.islower() or word.istitle() or word.isupper()):
        return []
    small = word.lower().replace("õe", "óe").replace("’", "")
    letters = {letter for letter in small if not letter.isascii()}
    mixed = len(letters) < len({*small}) and max(letters, default="") >= "\u0370"  # Greek or Cyrillic beside ASCII
    return [] if mixed else [language for language, own in ALPHABETS.items() if letters.issubset(own)]


def as_utf8(data: bytes, name: str, encoding: str | None) -> tuple[bytes, str, list[str]]:
    """The text re-encoded as UTF-8, its original encoding, and a sentence where it has two encodings."""
    said = list[str]()
    if encoding is not None:
        text = _decode(data, name, encoding)
    else:
        encoding = next((known for mark, known in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
        if encoding.startswith("utf-8"):
            check_text(data, name)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            text, encoding, said = _decode_legacy(data, name, error)
    if not text.strip():
        raise ValueError(f"{name} is empty; it needs a header and at least one row")
    data = data.removeprefix(b"\xef\xbb\xbf") if encoding == "utf-8" else text.encode()
    check_text(data, name)
    return data, encoding.removesuffix("-sig"), said


def _decode(data: bytes, name: str, encoding: str) -> str:
    """The text in an encoding that the user has chosen, without a byte order mark."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise ValueError(f"{name} line {line}: {byte} is not {encoding} text; choose another encoding") from None
    except (LookupError, UnicodeError):
        raise ValueError(f"{encoding!r} is no text encoding; use a name such as cp1252 or utf-8") from None


def _decode_legacy(data: bytes, name: str, error: UnicodeDecodeError) -> tuple[str, str, list[str]]:
    """The text, and its single- or double-byte encoding as guessed from the lines that are not ASCII.

    Where some of these are UTF-8 and the others read well in one encoding, each line is read in its own, and the text
    is called UTF-8.
    """
    start = data.rfind(b"\n", 0, error.start) + 1
    lines = [line for line in data[start : start + LOOKED_AT].splitlines() if not line.isascii()]
    others = [line for line in lines if not _is_utf8(line)]
    if error.encoding == "utf-8":
        with suppress(UnicodeDecodeError):
            if encoding := guess_encoding(b"\n".join(lines)[:ENCODING_BYTES]):
                return data.decode(encoding), encoding, []
            if encoding := guess_encoding(b"\n".join(others)[:ENCODING_BYTES]):
                own = (line.decode("utf-8" if _is_utf8(line) else encoding) for line in data.split(b"\n"))
                return "\n".join(own), "utf-8-sig", [TWO_ENCODINGS.format(encoding)]
    line = data.count(b"\n", 0, error.start) + 1
    raise ValueError(
        f"{name} line {line}: byte 0x{data[error.start]:02x} is not {error.encoding} text; save the file as UTF-8"
    ) from None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_text(data: bytes, name: str) -> None:
    """Raise ValueError if the data has bytes that no text table holds."""
    if any(byte in data for byte in CONTROL_BYTES):
        raise ValueError(f"{name} is not a table of text: it holds binary data; export it as CSV or Parquet")
