"""The language of predicates: questions about one record, as in `age >= 40 and sex == "Female"`.

A question is parsed by this grammar and never run as code:

    question := term {"or" term}        term := factor {"and" factor}
    factor   := "not" factor | "(" question ")" | name op value | name ["not"] "in" "(" value {"," value} ")"

A name with blanks, or signs other than - . _, stands in `backticks`. A text stands in quotes, unless it is one word and
a value of the attribute. op is == != < <= > >=.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.source import Attrs

MAX_QUESTION_LENGTH = 2_000  # characters
MAX_NESTING = 40  # brackets and negations around a comparison
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*"|'[^']*')|(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.-]))"""
    r"""|(?P<quoted>`[^`]+`)|(?P<op>[=!<>]=|[=<>])|(?P<sign>[(),])|(?P<word>[^\W\d][\w.-]*))"""
)
QUESTION = re.compile(r"""(?:"[^"]*"|'[^']*'|`[^`]*`|[^;])+""")  # a quoted semicolon does not end a question


@dataclass(frozen=True, eq=False)
class Predicate:
    """The cells that satisfy a question: `mask` has the shape of the marginal over `attrs`, the attributes it names."""

    text: str
    attrs: Attrs
    mask: np.ndarray = field(repr=False)


def parse_question(text: str, domain: Any, *, max_cells: int) -> Predicate:
    """Parse one question about the attributes of a Domain, whose module imports this one.

    Raises ValueError, with the place of the error, where the text does not follow the grammar, names an unknown
    attribute or value, compares categories by order, or reads a marginal of more than `max_cells` cells.
    """
    text = text.strip()
    if not text:
        raise ValueError('a predicate is empty: write a question such as age >= 40 and sex == "Female"')
    if len(text) > MAX_QUESTION_LENGTH:
        raise ValueError(f"a predicate has {len(text):,} characters, but at most {MAX_QUESTION_LENGTH:,} are allowed")
    reader = _Reader(text, _tokens(text), domain)
    tree = reader.question(0)
    reader.expect_end()
    attrs = tuple(sorted(_attributes(tree)))
    if domain.cells(attrs) > max_cells:
        raise ValueError(
            f"the predicate {text!r} reads the marginal {domain.label(attrs)} of {domain.cells(attrs):,} cells, "
            f"but at most {max_cells:,} fit in memory: name fewer attributes"
        )
    mask = np.broadcast_to(_mask(tree, attrs), domain.sizes(attrs)).copy()
    return Predicate(text, attrs, mask)


def quoted_name(name: str) -> str:
    """An attribute's name as a question has it: in backticks if it has blanks or further signs."""
    return name if re.fullmatch(r"[^\W\d][\w.-]*", name) else f"`{name}`"


def quoted_text(text: str) -> str:
    """A text as a question has it, in quotes that it does not contain."""
    return f"'{text}'" if '"' in text else f'"{text}"'


def split_questions(text: str) -> list[str]:
    """Split questions at the semicolons outside of quotes; a text without any question gives one empty question."""
    return [question for question in QUESTION.findall(text) if question.strip()] or [""]


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """(kind, text, position) of each token; the last token has the kind "end"."""
    tokens, position = [], 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()[:12]
            raise ValueError(
                f"the predicate {text!r} cannot be read at {rest!r}: "
                "write texts in quotes, and names with blanks or signs in backticks"
            )
        tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        position = match.end()
    return [*tokens, ("end", "", len(text))]


class _Reader:
    """Recursive descent over the tokens.

    A node of the tree is ("is", attribute, mask of its codes) or ("and" | "or" | "not", nodes).
    """

    def __init__(self, text: str, tokens: list[tuple[str, str, int]], domain: Any):
        self.text, self.tokens, self.domain, self.next = text, tokens, domain, 0

    def question(self, depth: int) -> tuple:
        return self._chain("or", lambda: self._chain("and", lambda: self.factor(depth)))

    def _chain(self, word: str, parse_node: Callable[[], tuple]) -> tuple:
        nodes = [parse_node()]
        while self._take("word", word):
            nodes.append(parse_node())
        return nodes[0] if len(nodes) == 1 else (word, nodes)

    def factor(self, depth: int) -> tuple:
        if depth > MAX_NESTING:
            raise ValueError(f"the predicate {self.text[:40]!r}… nests more than {MAX_NESTING} brackets or negations")
        if self._take("word", "not"):
            return ("not", [self.factor(depth + 1)])
        if self._take("sign", "("):
            inner = self.question(depth + 1)
            self._need("sign", ")")
            return inner
        kind, name, _ = self.tokens[self.next]
        if kind not in ("word", "quoted"):
            raise self._error("the name of an attribute")
        self.next += 1
        (a,) = self.domain.attrs(name.strip("`"))
        attribute = self.domain.attributes[a]
        negated = self._take("word", "not")
        if negated or self.tokens[self.next][:2] == ("word", "in"):
            self._need("word", "in")
            self._need("sign", "(")
            mask = attribute.compare("==", self._value(attribute))
            while self._take("sign", ","):
                mask = mask | attribute.compare("==", self._value(attribute))
            self._need("sign", ")")
            return ("is", a, ~mask if negated else mask)
        kind, op, _ = self.tokens[self.next]
        if kind != "op":
            raise self._error("one of == != < <= > >= in")
        self.next += 1
        return ("is", a, attribute.compare(op, self._value(attribute)))

    def expect_end(self) -> None:
        if self.tokens[self.next][0] != "end":
            raise self._error("and, or, or the end")

    def _value(self, attribute: Attribute) -> float | str:
        kind, value, _ = self.tokens[self.next]
        if kind == "word" and value in attribute.labels:
            self.next += 1
            return value
        if kind not in ("text", "number"):
            raise self._error("a number or a text in quotes")
        self.next += 1
        return value[1:-1] if kind == "text" else float(value)

    def _take(self, kind: str, value: str) -> bool:
        """Whether the next token is this one; if so, move past it."""
        matches = self.tokens[self.next][:2] == (kind, value)
        self.next += matches
        return matches

    def _need(self, kind: str, value: str) -> None:
        if not self._take(kind, value):
            raise self._error(value)

    def _error(self, expected: str) -> ValueError:
        _, token, position = self.tokens[self.next]
        where = f"at {token!r} (character {position + 1})" if token else "at its end"
        return ValueError(f"the predicate {self.text!r} cannot be read {where}: expected {expected}")


def _attributes(node: tuple) -> set[int]:
    return {node[1]} if node[0] == "is" else set().union(*map(_attributes, node[1]))


def _mask(node: tuple, attrs: Attrs) -> np.ndarray:
    """The node's value at every cell of `attrs`, with axes of length 1 for attributes that it does not name."""
    if node[0] == "is":
        _, attribute, mask = node
        return mask.reshape([-1 if a == attribute else 1 for a in attrs])
    connective, nodes = node
    masks = [_mask(child, attrs) for child in nodes]
    if connective == "not":
        return ~masks[0]
    return reduce(np.logical_and if connective == "and" else np.logical_or, masks)
