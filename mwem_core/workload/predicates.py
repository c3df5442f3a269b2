"""A small language for questions about one record, `age >= 40 and sex == "Female"`: read, never evaluated as code.

    question := term {"or" term}        term := factor {"and" factor}
    factor   := "not" factor | "(" question ")" | name op value | name ["not"] "in" "(" value {"," value} ")"

A name holding blanks or signs other than - . _ is put in `backticks`; a text is put in quotes; op is == != < <= > >=.
"""

import re
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs

LONGEST, DEEPEST = 2_000, 40  # characters of a question, brackets within brackets
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*"|'[^']*')|(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.-]))"""
    r"""|(?P<quoted>`[^`]+`)|(?P<op>[=!<>]=|[=<>])|(?P<sign>[(),])|(?P<word>[^\W\d][\w.-]*))"""
)
PART = re.compile(r"""(?:"[^"]*"|'[^']*'|`[^`]*`|[^;])+""")  # a quoted semicolon does not end a question


@dataclass(frozen=True, eq=False)
class Predicate:
    """Which cells of the marginal over `attrs` a question says yes to: `mask` has the marginal's shape."""

    text: str
    attrs: Attrs
    mask: np.ndarray


def parse(text: str, domain: Domain, *, most_cells: int) -> Predicate:
    """Read one question about the attributes of `domain`.

    Raises ValueError, in one sentence with the place, for what the grammar does not have, an unknown attribute or
    value, an order asked of categories, and a question over more than `most_cells` cells.
    """
    text = text.strip()
    if not text:
        raise ValueError('a predicate is empty: write a question such as age >= 40 and sex == "Female"')
    if len(text) > LONGEST:
        raise ValueError(f"a predicate has {len(text):,} characters: {LONGEST:,} is the most")
    reader = _Reader(text, _tokens(text), domain)
    tree = reader.question(0)
    reader.expect_end()
    attrs = tuple(sorted(_mentioned(tree)))
    if domain.cells(attrs) > most_cells:
        raise ValueError(
            f"the predicate {text!r} asks of {domain.label(attrs)}, {domain.cells(attrs):,} cells, "
            f"{most_cells:,} fit in memory: ask of fewer attributes"
        )
    mask = np.broadcast_to(_mask(tree, attrs), domain.sizes(attrs)).copy()
    return Predicate(text, attrs, mask)


def split(text: str) -> list[str]:
    """Questions joined by semicolons, one by one; a single empty one where there is none."""
    return [part for part in PART.findall(text) if part.strip()] or [""]


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """(kind, text, place) triples, ended by an `end`."""
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            found = text[place:].strip()[:12]
            raise ValueError(
                f"the predicate {text!r} cannot be read at {found!r}: texts go in quotes, odd names in backticks"
            )
        tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        place = match.end()
    return [*tokens, ("end", "", len(text))]


class _Reader:
    """Recursive descent over the tokens; a node is ("is", attribute, mask) or ("and" | "or" | "not", nodes)."""

    def __init__(self, text: str, tokens: list[tuple[str, str, int]], domain: Domain):
        self.text, self.tokens, self.domain, self.at = text, tokens, domain, 0

    def question(self, depth: int) -> tuple:
        return self._chain("or", lambda: self._chain("and", lambda: self.factor(depth)))

    def _chain(self, word: str, part) -> tuple:
        nodes = [part()]
        while self._take("word", word):
            nodes.append(part())
        return nodes[0] if len(nodes) == 1 else (word, nodes)

    def factor(self, depth: int) -> tuple:
        if depth > DEEPEST:
            raise ValueError(f"the predicate {self.text[:40]!r}… has more than {DEEPEST} brackets within brackets")
        if self._take("word", "not"):
            return ("not", [self.factor(depth + 1)])
        if self._take("sign", "("):
            inner = self.question(depth + 1)
            self._need("sign", ")")
            return inner
        kind, name, _ = self.tokens[self.at]
        if kind not in ("word", "quoted"):
            raise self._wrong("the name of an attribute")
        self.at += 1
        (a,) = self.domain.attrs(name.strip("`"))
        attribute = self.domain.attributes[a]
        refuse = self._take("word", "not")
        if refuse or self.tokens[self.at][:2] == ("word", "in"):
            self._need("word", "in")
            self._need("sign", "(")
            mask = attribute.compare("==", self._value())
            while self._take("sign", ","):
                mask = mask | attribute.compare("==", self._value())
            self._need("sign", ")")
            return ("is", a, ~mask if refuse else mask)
        kind, op, _ = self.tokens[self.at]
        if kind != "op":
            raise self._wrong("one of == != < <= > >= in")
        self.at += 1
        return ("is", a, attribute.compare(op, self._value()))

    def expect_end(self) -> None:
        if self.tokens[self.at][0] != "end":
            raise self._wrong("and, or, or the end")

    def _value(self) -> float | str:
        kind, value, _ = self.tokens[self.at]
        if kind not in ("text", "number"):
            raise self._wrong("a number or a text in quotes")
        self.at += 1
        return value[1:-1] if kind == "text" else float(value)

    def _take(self, kind: str, value: str) -> bool:
        found = self.tokens[self.at][:2] == (kind, value)
        self.at += found
        return found

    def _need(self, kind: str, value: str) -> None:
        if not self._take(kind, value):
            raise self._wrong(value)

    def _wrong(self, wanted: str) -> ValueError:
        _, found, place = self.tokens[self.at]
        where = f"at {found!r} (character {place + 1})" if found else "at its end"
        return ValueError(f"the predicate {self.text!r} cannot be read {where}: expected {wanted}")


def _mentioned(node: tuple) -> set[int]:
    return {node[1]} if node[0] == "is" else set().union(*map(_mentioned, node[1]))


def _mask(node: tuple, attrs: Attrs) -> np.ndarray:
    kind, rest = node[0], node[1]
    if kind == "is":
        return node[2].reshape([-1 if a == rest else 1 for a in attrs])
    if kind == "not":
        return ~_mask(rest[0], attrs)
    combine = np.logical_and if kind == "and" else np.logical_or
    mask = _mask(rest[0], attrs)
    for part in rest[1:]:
        mask = combine(mask, _mask(part, attrs))
    return mask
