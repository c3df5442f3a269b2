"""The language of predicates: conditions of SQL about one record, as in `age >= 40 and sex = 'Female'`.

A predicate is parsed by this grammar and never run:

    question  := term {"or" term}        term := factor {"and" factor}
    factor    := "not" factor | "(" question ")" | name [condition] | value op name
    condition := op value | ["not"] "between" value "and" value | ["not"] "in" "(" value {"," value} ")"
                 | ["not"] ("like" | "ilike") text | "is" ["not"] ("null" | "true" | "false")

op is one of = <> != < <= > >=, and == is =. A name by itself is that of a yes or no. A name with blanks, or signs other
than - . _, stands in double quotes or backticks; a text in quotes, unless it is one word and a value of the attribute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from mwem_core.base import hint
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.source import Attrs

MAX_QUESTION_LENGTH = 2_000  # characters
MAX_NESTING = 40  # brackets and negations around a comparison
TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")*"|`[^`]+`)"""
    r"""|(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.-]))"""
    r"""|(?P<op>[=!<>]=|<>|[=<>])|(?P<sign>[(),])|(?P<word>[^\W\d][\w.-]*))"""
)
QUESTION = re.compile(r"""(?:"[^"]*"|'[^']*'|`[^`]*`|[^;])+""")  # a quoted semicolon does not end a question
WORDS = {"and", "or", "not", "in", "is", "null", "between", "like", "ilike", "true", "false"}
CLAUSES = {"select", "from", "where", "group", "by", "having", "order", "limit", "as", "filter", "within", "over"}
CLAUSES |= WORDS | {"case", "when", "then", "else", "end", "distinct"}
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with the value on the left
SQL_SIGNS = {"==": "=", "!=": "<>"}
YES = {"1", "yes", "true", "y", "t"}
EXAMPLE = "age >= 40 and sex = 'Female'"


@dataclass(frozen=True, eq=False)
class Predicate:
    """The cells that satisfy a question: `mask` has the shape of the marginal over `attrs`, the attributes it names.

    `text` is as it was written, and `sql` the same with the schema's names, in standard SQL.
    """

    text: str
    attrs: Attrs
    mask: np.ndarray = field(repr=False)
    sql: str = field(default="", repr=False)


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A condition on one attribute: the codes that satisfy it; its SQL, and that of its negation, "" if `not` is it."""

    a: int
    mask: np.ndarray
    sql: str
    negated: str = ""


Node = _Leaf | tuple[str, list[Any]]  # "and", "or" or "not", and nodes


def parse_question(text: str, domain: Any, *, max_cells: int) -> Predicate:
    """Parse one question about the attributes of a Domain, whose module imports this one.

    Raises ValueError, with the place of the error, where the text does not follow the grammar, names an unknown
    attribute or value, compares categories by order, or reads a marginal of more than `max_cells` cells.
    """
    text = text.strip()
    if not text:
        raise ValueError(f"a predicate is empty: write a question such as {EXAMPLE}")
    if len(text) > MAX_QUESTION_LENGTH:
        raise ValueError(f"a predicate has {len(text):,} characters, but at most {MAX_QUESTION_LENGTH:,} are allowed")
    reader = _Reader(text, domain)
    tree = reader.question(0)
    reader.expect_end()
    attrs = tuple(sorted(_attributes(tree)))
    if domain.cells(attrs) > max_cells:
        raise ValueError(
            f"the predicate {text!r} reads the marginal {domain.label(attrs)} of {domain.cells(attrs):,} cells, "
            f"but at most {max_cells:,} fit in memory: name fewer attributes"
        )
    mask = np.broadcast_to(_mask(tree, attrs), domain.sizes(attrs)).copy()
    return Predicate(text, attrs, mask, _sql(tree))


def quoted_name(name: str) -> str:
    """An attribute's name as SQL has it: in double quotes if it is more than a word, or a word of the language."""
    if re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in CLAUSES:
        return name
    return f"`{name}`" if '"' in name else f'"{name}"'


def quoted_text(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def split_questions(text: str) -> list[str]:
    """Split questions at the semicolons outside of quotes; a text without any question gives one empty question."""
    return [question for question in QUESTION.findall(text) if question.strip()] or [""]


def known_as(name: str, domain: Any) -> str | None:
    """The schema's name for one with other letter cases or signs, as `hours-per-week` for `Hours_per_week`, or None.

    That of a table may stand before it.
    """
    known = _names(domain.names)
    column = name.partition(".")[2]
    return known.get(name) or known.get(_key(name)) or known.get(column) or known.get(_key(column))


@lru_cache(8)
def _names(names: tuple[str, ...]) -> dict[str, str]:
    """Names by themselves, and by their key where no other has it."""
    keys = [_key(name) for name in names]
    count = Counter(keys)
    own = {key: name for key, name in zip(keys, names, strict=True) if count[key] == 1}
    return own | {name: name for name in names}


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name).casefold()


def is_yes_or_no(attribute: Attribute) -> bool:
    """Whether its values are two, one of which is a yes."""
    labels = attribute.labels[: attribute.value_set.size]
    return len(labels) == 2 and sum(label.lower() in YES for label in labels) == 1


def _of_truth(attribute: Attribute, wants: bool) -> str:
    """The label of a yes or no. Raises ValueError for an attribute without these."""
    labels = attribute.labels[: attribute.value_set.size]
    if not is_yes_or_no(attribute):
        example = f"{quoted_name(attribute.name)} = {quoted_text(labels[0])}"
        raise ValueError(f"{attribute.name} is no yes or no: compare it with a value, such as {example}")
    return next(label for label in labels if (label.lower() in YES) is wants)


class _Reader:
    """Recursive descent over the tokens: (kind, text, position), of which the last has the kind "end"."""

    def __init__(self, text: str, domain: Any):
        self.text, self.domain, self.tokens, self.next = text, domain, list[tuple[str, str, int]](), 0
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise ValueError(
                    f"the predicate {text!r} cannot be read at {text[position:].strip()[:12]!r}: write texts in"
                    " quotes, and names with blanks or signs in double quotes"
                )
            self.tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            position = match.end()
        self.tokens.append(("end", "", len(text)))

    def question(self, depth: int) -> Node:
        return self._chain("or", lambda: self._chain("and", lambda: self.factor(depth)))

    def _chain(self, word: str, parse_node: Callable[[], Node]) -> Node:
        nodes = [parse_node()]
        while self._take(word):
            nodes.append(parse_node())
        return nodes[0] if len(nodes) == 1 else (word, nodes)

    def factor(self, depth: int) -> Node:
        if depth > MAX_NESTING:
            raise ValueError(f"the predicate {self.text[:40]!r}… nests more than {MAX_NESTING} brackets or negations")
        if self._take("not"):
            return ("not", [self.factor(depth + 1)])
        if self._take("("):
            inner = self.question(depth + 1)
            self._need(")")
            return inner
        if self.tokens[self.next][0] in ("number", "text"):
            value, op = self.next, self._op(self.next + 1)
            self.next += 2
            attribute = self._attribute()
            after, self.next = self.next, value
            leaf = self._comparison(attribute, MIRROR.get(op, op))
            self.next = after
            return leaf
        attribute = self._attribute()
        if self.tokens[self.next][0] == "op":
            op = self._op(self.next)
            self.next += 1
            return self._comparison(attribute, op)
        return self._of_values(attribute)

    def _op(self, at: int) -> str:
        kind, op, _ = self.tokens[at]
        if kind != "op":
            self.next = at
            raise self._error("one of = <> < <= > >= between in like is")
        return {"=": "==", "<>": "!="}.get(op, op)

    def _attribute(self) -> Attribute:
        kind, name, _ = self.tokens[self.next]
        if kind not in ("word", "quoted") or name.lower() in WORDS:
            raise self._error("the name of an attribute")
        self.next += 1
        name = name.strip('`"')
        (a,) = self.domain.attrs(known_as(name, self.domain) or name)
        return self.domain.attributes[a]

    def _comparison(self, attribute: Attribute, op: str) -> _Leaf:
        value, text = self._value(attribute)
        return self._leaf(attribute, attribute.compare(op, value), f"{SQL_SIGNS.get(op, op)} {text}")

    def _of_values(self, attribute: Attribute) -> Node:
        """What is none of the comparisons by a sign."""
        negated = self._take("not")
        if self._take("between"):
            low, low_text = self._value(attribute)
            self._need("and")
            high, high_text = self._value(attribute)
            mask = attribute.compare(">=", low) & attribute.compare("<=", high)
            leaf = self._leaf(attribute, mask, f"between {low_text} and {high_text}", "not ")
        elif self._take("in"):
            self._need("(")
            values = [self._value(attribute)]
            while self._take(","):
                values.append(self._value(attribute))
            self._need(")")
            mask = reduce(np.logical_or, (attribute.compare("==", value) for value, _ in values))
            leaf = self._leaf(attribute, mask, f"in ({', '.join(text for _, text in values)})", "not ")
        elif (word := self.tokens[self.next][1].lower()) in ("like", "ilike"):
            self.next += 1
            leaf = self._like(attribute, word)
        elif negated:
            raise self._error("between, in or like")
        elif self._take("is"):
            negated = self._take("not")
            leaf = self._is(attribute)
        else:
            if self.tokens[self.next][:2] not in (("end", ""), ("sign", ")")) and not self._at("and", "or"):
                self._op(self.next)
            leaf = self._is(attribute, alone=True)
        return ("not", [leaf]) if negated else leaf

    def _like(self, attribute: Attribute, word: str) -> _Leaf:
        text = self.tokens[self.next][1][1:-1].replace("''", "'")
        if self.tokens[self.next][0] not in ("text", "quoted") or attribute.number_set:
            raise self._error("a text in quotes" if attribute.number_set is None else "= and a number")
        self.next += 1
        pattern = re.escape(text).replace("%", ".*").replace("_", ".")
        flags = re.DOTALL | (re.IGNORECASE if word == "ilike" else 0)
        mask = np.array([re.fullmatch(pattern, label, flags) is not None for label in attribute.labels])
        if not mask.any():
            raise ValueError(f"{attribute.name} has no value like {text!r}{hint('', attribute.labels)}")
        return self._leaf(attribute, mask, f"{word} {quoted_text(text)}", "not ")

    def _is(self, attribute: Attribute, *, alone: bool = False) -> _Leaf:
        """A missing value, or the truth of a yes or no."""
        if not alone and self._take("null"):
            mask = np.zeros(attribute.size, bool)
            if attribute.missing is not None:
                mask[attribute.value_set.size + len(attribute.special)] = True
            return self._leaf(attribute, mask, "is null", "is not null")
        if not (alone or self._at("true", "false")):
            raise self._error("null, true or false")
        label = _of_truth(attribute, wants=alone or self._take("true"))
        self.next += not alone and self._at("false")
        return self._leaf(attribute, attribute.compare("==", label), f"= {quoted_text(label)}")

    def _leaf(self, attribute: Attribute, mask: np.ndarray, text: str, negation: str = "") -> _Leaf:
        """`negation` is what `not` makes of the text: a word before it, or all of it, or nothing that is shorter."""
        (a,), name = self.domain.attrs(attribute.name), quoted_name(attribute.name)
        negated = negation + text if negation == "not " else negation
        return _Leaf(a, mask, f"{name} {text}", negated and f"{name} {negated}")

    def _value(self, attribute: Attribute) -> tuple[float | str, str]:
        """A value, and the same as SQL."""
        kind, text, _ = self.tokens[self.next]
        if kind == "number":
            self.next += 1
            return float(text), text
        if kind in ("text", "quoted"):
            text = text[1:-1].replace(text[0] * 2, text[0])
        elif kind != "word":
            raise self._error("a number or a text in quotes")
        elif text.lower() == "null":
            raise ValueError(f"nothing equals null: write {quoted_name(attribute.name)} is null")
        elif text not in attribute.labels:
            if text.lower() in ("true", "false"):
                text = _of_truth(attribute, wants=text.lower() == "true")
            elif attribute.number_set or text.lower() in WORDS or known_as(text, self.domain):
                raise self._error("a number or a text in quotes")
        self.next += 1
        return text, quoted_text(text)

    def expect_end(self) -> None:
        if self.tokens[self.next][0] != "end":
            raise self._error("and, or, or the end")

    def _at(self, *words: str) -> bool:
        kind, text, _ = self.tokens[self.next]
        return kind in ("word", "sign") and text.lower() in words

    def _take(self, word: str) -> bool:
        """Whether the next token is this word or sign; if so, move past it."""
        matches = self._at(word)
        self.next += matches
        return matches

    def _need(self, word: str) -> None:
        if not self._take(word):
            raise self._error(word)

    def _error(self, expected: str) -> ValueError:
        _, token, position = self.tokens[self.next]
        where = f"at {token!r} (character {position + 1})" if token else "at its end"
        return ValueError(f"the predicate {self.text!r} cannot be read {where}: expected {expected}")


def _attributes(node: Node) -> set[int]:
    return {node.a} if isinstance(node, _Leaf) else set().union(*map(_attributes, node[1]))


def _mask(node: Node, attrs: Attrs) -> np.ndarray:
    """The node's value at every cell of `attrs`, with axes of length 1 for attributes that it does not name."""
    if isinstance(node, _Leaf):
        return node.mask.reshape([-1 if a == node.a else 1 for a in attrs])
    connective, nodes = node
    masks = [_mask(child, attrs) for child in nodes]
    if connective == "not":
        return ~masks[0]
    return reduce(np.logical_and if connective == "and" else np.logical_or, masks)


def _sql(node: Node, within: str = "or") -> str:
    """The text of a tree, with brackets where they are needed."""
    if isinstance(node, _Leaf):
        return node.sql
    connective, nodes = node
    if connective == "not":
        inner = nodes[0]
        return inner.negated if isinstance(inner, _Leaf) and inner.negated else f"not {_sql(inner, 'not')}"
    text = f" {connective} ".join(_sql(each, connective) for each in nodes)
    return f"({text})" if within == "not" or (within == "and" and connective == "or") else text
