"""Encodings from before Unicode: the bytes do not name them, so they are guessed.

A detector scores the encodings by how well the text reads. It cannot tell Western from Central European text, whose
encodings give letters to the same bytes. The alphabets of their languages decide between these two.
"""

from __future__ import annotations

import re

import charset_normalizer

# If several of these decode the text to the same characters, the first is taken.
LEGACY_ENCODINGS = ["cp1252", "cp1250", "cp1251", "koi8_r", "cp932", "gb18030", "euc_kr", "big5"]
# The letters of each language that are not ASCII. Portuguese õ comes before e; others would hide the Hungarian ő.
ALPHABETS = {
    "cp1252": {
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
    },
    "cp1250": {
        "Czech": "áčďéěíňóřšťúůýž",
        "Slovak": "áäčďéíĺľňóôŕšťúýž",
        "Polish": "ąćęłńóśźż",
        "Hungarian": "áéíóöőúüű",
        "Croatian and Slovene": "čćđšž",
        "Romanian": "ăâîşţ",
        "German": "äöüß",
    },
}
WORD = re.compile(r"[^\W\d_]*[^\W\d_¹²³¼½¾]")  # letters, without the exponent of m² or a fraction


def guess_encoding(text: bytes) -> str | None:
    """The encoding in which a text reads best; None if it is likely not text in any of `LEGACY_ENCODINGS`."""
    matches = charset_normalizer.from_bytes(text, cp_isolation=LEGACY_ENCODINGS)
    best = matches.best()
    shares = {encoding: _share_of_spelled_words(text, encoding) for encoding in ALPHABETS}
    likeliest = max(shares, key=lambda encoding: shares[encoding])  # Western, if both read equally well
    if best is None:
        return likeliest if shares[likeliest] > 0.5 else None
    equals = [match for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
    tied = any(likeliest in match.could_be_from_charset for match in equals)
    if best.encoding in ALPHABETS or (tied and shares[likeliest] > 0.5):
        return likeliest
    return next((known for known in LEGACY_ENCODINGS if known in best.could_be_from_charset), best.encoding)


def _share_of_spelled_words(text: bytes, encoding: str) -> float:
    """Of the words with letters that are not ASCII, the share that one language of the encoding can spell."""
    try:
        decoded = text.decode(encoding).lower()
    except UnicodeDecodeError:
        return 0.0
    if encoding == "cp1252":
        decoded = decoded.replace("õe", "óe")
    words = [{letter for letter in word if not letter.isascii()} for word in WORD.findall(decoded)]
    words = [letters for letters in words if letters]
    spelled = [any(letters <= set(alphabet) for alphabet in ALPHABETS[encoding].values()) for letters in words]
    return sum(spelled) / max(len(words), 1)
