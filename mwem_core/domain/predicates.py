"""The language of predicates: conditions of SQL about one record, as in `age >= 40 and sex = 'Female'`.

sqlglot reads them, and nothing is run. They are made of and, or, not and brackets around

    name op value  |  name between low and high  |  name in (values)  |  name is null  |  name like 'A%'

where op is one of = <> != < <= > >=, and == is =. A name that has blanks, or is a word of the language, stands in
backticks or double quotes; a text in quotes, unless it is one word and a value of the attribute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mwem_core.base import hint
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.source import Attrs

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

MAX_QUESTION_LENGTH = 2_000  # characters
MAX_NESTING = 40  # brackets and negations around a comparison
TOKEN = re.compile(
    r"""(?P<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`)|(?P<word>[^\W\d][\w.-]*)(?P<call>\s*\()?|(?P<sign>[()])"""
)
QUESTION = re.compile(r"""(?:"[^"]*"|'[^']*'|`[^`]*`|[^;])+""")  # a quoted semicolon does not end a question
WORDS = {"and", "or", "not", "in", "is", "null", "between", "like", "ilike", "case", "when", "then", "else", "end"}
CLAUSES = {"select", "from", "where", "group", "by", "having", "order", "limit", "as", "filter", "within", "over"}
CLAUSES |= WORDS | {"true", "false", "distinct"}
COMPARISONS = {"eq": "==", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with the value on the left
YES = {"1", "yes", "true", "y", "t"}
EXAMPLE = "age >= 40 and sex = 'Female'"


class NamedAttributes(Protocol):
    """What a question is about: a domain's attributes, by name."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes, in order."""
        ...

    def attrs(self, *names: str) -> Attrs:
        """Sorted indices of the attributes with these names; raises ValueError for an unknown name."""
        ...

    def sizes(self, attrs: Iterable[int]) -> tuple[int, ...]:
        """Shape of the marginal over an attribute set."""
        ...

    def cells(self, attrs: Iterable[int]) -> int:
        """Number of cells of the marginal over an attribute set."""
        ...

    def label(self, attrs: Iterable[int]) -> str:
        """The names of an attribute set."""
        ...


@dataclass(frozen=True, eq=False)
class Predicate:
    """The cells that satisfy a question: `mask` has the shape of the marginal over `attrs`, the attributes it names.

    `text` is as it was written, and `sql` the same with the schema's names, in standard SQL.
    """

    text: str
    attrs: Attrs
    mask: np.ndarray = field(repr=False)
    sql: str = field(default="", repr=False)


def parse_question(text: str, domain: NamedAttributes, *, max_cells: int) -> Predicate:
    """Parse one question about the attributes of `domain`.

    Raises ValueError, with the place of the error, where the text does not follow the grammar, names an unknown
    attribute or value, compares categories by order, or reads a marginal of more than `max_cells` cells.
    """
    text = text.strip()
    if not text:
        raise ValueError(f"a predicate is empty: write a question such as {EXAMPLE}")
    try:
        query = read_sql(text, domain, words=WORDS)
    except ValueError as error:
        raise ValueError(f"the predicate {error}: write a question such as {EXAMPLE}") from None
    if [key for key, value in query.args.items() if value] != ["expressions"] or len(query.expressions) != 1:
        raise ValueError(f"the predicate {text[:80]!r} is more than one condition: write a question such as {EXAMPLE}")
    return predicate_of(query.expressions[0], domain, max_cells=max_cells, text=text)


def predicate_of(node: Expr, domain: NamedAttributes, *, max_cells: int, text: str = "") -> Predicate:
    """The predicate that a part of a query is. Raises ValueError as `parse_question` does."""
    tree = _tree(node, domain)
    attrs, sql = tuple(sorted(_attributes(tree))), _sql(tree)
    if (cells := domain.cells(attrs)) > max_cells:
        raise ValueError(
            f"the predicate {text or sql!r} reads the marginal {domain.label(attrs)} of {cells:,} cells, "
            f"but at most {max_cells:,} fit in memory: name fewer attributes"
        )
    mask = np.broadcast_to(_mask(tree, attrs), domain.sizes(attrs)).copy()
    return Predicate(text or sql, attrs, mask, sql)


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


def read_sql(text: str, domain: NamedAttributes, *, words: Collection[str] = CLAUSES) -> Expr:
    """A query as sqlglot reads it; `select` need not be written.

    A name of the schema needs no quotes, whatever signs it has, unless it is one of `words`. Raises ValueError, in a
    sentence with the place of the error, for what is no SQL.
    """
    from sqlglot import parse
    from sqlglot.errors import ParseError, TokenError

    prepared = with_quoted_names(text, domain, words)
    if not re.match(r"\s*(select|with)\b", prepared, re.IGNORECASE):
        prepared = f"select {prepared}"
    try:
        statements = [each for each in parse(prepared, dialect=_dialect()) if each is not None]
    except ParseError as error:
        at = str(error.errors[0].get("highlight")).strip("`")
        raise ValueError(f"{text[:80]!r} cannot be read at {at!r}") from None
    except TokenError:
        raise ValueError(f"{text[:80]!r} cannot be read, as a quote in it is not closed") from None
    except RecursionError:
        raise ValueError(f"{text[:40]!r}… nests too much to be read") from None
    if len(statements) != 1:
        raise ValueError(f"{text[:80]!r} is more than one question") from None
    return statements[0]


def with_quoted_names(text: str, domain: NamedAttributes, words: Collection[str] = CLAUSES) -> str:
    """A text of SQL or of a formula with all names of the schema in backticks, but for those that are `words`.

    Raises ValueError for one that is too long or nests too much to be parsed.
    """
    if len(text) > MAX_QUESTION_LENGTH:
        raise ValueError(
            f"{text[:40]!r}… has {len(text):,} characters, and at most {MAX_QUESTION_LENGTH:,} are allowed"
        )

    def quote(match: re.Match) -> str:
        word = match["word"]
        if not word or match["call"] or word.lower() in words:
            return match[0]
        if name := _known_as(word, domain):
            return f"`{name}`"
        table, _, column = word.rpartition(".")
        return f"{table}.`{name}`" if table and (name := _known_as(column, domain)) else word

    _check_nesting(text)
    return TOKEN.sub(quote, text)


def attribute_of(node: Expr, domain: NamedAttributes) -> Attribute:
    """The attribute that a part of a query names. Raises ValueError for what names none."""
    name = _word(node)
    if name is None:
        raise ValueError(f"expected the name of an attribute, got {sql_of(node)}")
    (a,) = domain.attrs(_known_as(name, domain) or name)
    return domain.attributes[a]


def is_name(node: Expr, domain: NamedAttributes) -> bool:
    """Whether a part of a query names an attribute."""
    return _known_as(_word(node) or "", domain) is not None


def sql_of(node: Expr) -> str:
    """A part of a query as SQL, for a message."""
    text = node.sql(dialect=_dialect())
    return f"{text[:80]}…" if len(text) > 80 else text


@cache
def _dialect() -> Any:
    """Standard SQL, in which double quotes may stand around a text and around a name."""
    from sqlglot import tokens
    from sqlglot.dialects.dialect import Dialect

    class Questions(Dialect):
        class Tokenizer(tokens.Tokenizer):
            QUOTES = ["'", '"']  # noqa: RUF012 - as sqlglot declares it
            IDENTIFIERS = ["`"]  # noqa: RUF012

    return Questions


def _check_nesting(text: str) -> None:
    depth = nots = 0
    for match in TOKEN.finditer(text):
        is_not = (match["word"] or "").lower() == "not"
        nots = nots + 1 if is_not else 0 if match["word"] or match["quoted"] else nots
        depth += (match["sign"] == "(" or bool(match["call"])) - (match["sign"] == ")")
        if max(depth, nots) > MAX_NESTING:
            raise ValueError(f"{text[:40]!r}… nests more than {MAX_NESTING} brackets or negations")


def _known_as(name: str, domain: NamedAttributes) -> str | None:
    """The schema's name for one with other letter cases or signs, as `Hours_per_week` for `hours-per-week`."""
    known = _names(tuple(attribute.name for attribute in domain.attributes))
    return known.get(name) or known.get(_key(name))


@lru_cache(8)
def _names(names: tuple[str, ...]) -> dict[str, str]:
    """Names by themselves, and by their key where no other has it."""
    keys = [_key(name) for name in names]
    count = Counter(keys)
    own = {key: name for key, name in zip(keys, names, strict=True) if count[key] == 1}
    return own | {name: name for name in names}


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name).casefold()


def _word(node: Expr) -> str | None:
    """A name or a word, also one with hyphens that SQL takes for differences, or one in quotes."""
    if node.key == "column" or (node.key == "literal" and node.is_string):
        return node.name
    if node.key in ("sub", "dot") and not any(part.key in ("paren", "neg") for part in node.walk()):
        return node.sql(dialect=_dialect()).replace(" - ", "-").replace("`", "")
    return None


def _tree(node: Expr, domain: NamedAttributes) -> tuple:
    """("is", attribute, mask of its codes, text, negated text) or ("and" | "or" | "not", nodes)."""
    key = node.key
    if key == "paren":
        return _tree(node.this, domain)
    if key in ("and", "or"):
        return key, [_tree(part, domain) for part in node.flatten()]
    if key == "not":
        return "not", [_tree(node.this, domain)]
    if key in COMPARISONS:
        return _comparison(COMPARISONS[key], node.this, node.expression, domain)
    if key in ("between", "in", "is", "like", "ilike", "column") or is_name(node, domain):
        return _of_values(node, domain)
    raise ValueError(f"expected a condition such as {EXAMPLE}, got {sql_of(node)}")


def _comparison(op: str, left: Expr, right: Expr, domain: NamedAttributes) -> tuple:
    if not is_name(left, domain) and is_name(right, domain):
        left, right, op = right, left, MIRROR.get(op, op)
    attribute = attribute_of(left, domain)
    value, text = _value(right, attribute)
    if is_name(right, domain) and str(value) not in attribute.labels:
        raise ValueError(f"{sql_of(left)} is compared with {sql_of(right)}, which is an attribute too: give a value")
    shown = {"==": "=", "!=": "<>"}.get(op, op)
    return _leaf(attribute, attribute.compare(op, value), f"{shown} {text}", "", domain)


def _of_values(node: Expr, domain: NamedAttributes) -> tuple:
    """What is none of the comparisons by a sign."""
    alone, key = node.key == "column" or is_name(node, domain), node.key
    attribute = attribute_of(node if alone else node.this, domain)
    labels = attribute.labels
    if alone or (key == "is" and node.expression.key == "boolean"):
        label = _of_truth(attribute, alone or node.expression.this)
        return _leaf(attribute, attribute.compare("==", label), f"= {quoted_text(label)}", "", domain)
    if key == "between":
        (low, low_text), (high, high_text) = (_value(node.args[end], attribute) for end in ("low", "high"))
        mask = attribute.compare(">=", low) & attribute.compare("<=", high)
        return _leaf(attribute, mask, f"between {low_text} and {high_text}", "not ", domain)
    if key == "in":
        if not node.expressions:
            raise ValueError(f"in needs values in brackets, as in ('a', 'b'), got {sql_of(node)}")
        values, texts = zip(*(_value(each, attribute) for each in node.expressions), strict=True)
        mask = reduce(np.logical_or, (attribute.compare("==", value) for value in values))
        return _leaf(attribute, mask, f"in ({', '.join(texts)})", "not ", domain)
    if key == "is" and node.expression.key == "null":
        mask = np.zeros(attribute.size, bool)
        if attribute.missing is not None:
            mask[attribute.value_set.size + len(attribute.special)] = True
        return _leaf(attribute, mask, "is null", "is not null", domain)
    if key == "is" or node.expression.key != "literal" or attribute.number_set:
        raise ValueError(f"{attribute.name} is compared by {key}: write = and a value, got {sql_of(node)}")
    pattern = re.escape(node.expression.name).replace("%", ".*").replace("_", ".")
    flags = re.DOTALL | (re.IGNORECASE if key == "ilike" else 0)
    mask = np.array([re.fullmatch(pattern, label, flags) is not None for label in labels])
    if not mask.any():
        raise ValueError(f"{attribute.name} has no value like {node.expression.name!r}{hint('', labels)}")
    return _leaf(attribute, mask, f"{key} {quoted_text(node.expression.name)}", "not ", domain)


def _leaf(attribute: Attribute, mask: np.ndarray, text: str, negation: str, domain: NamedAttributes) -> tuple:
    """`negation` is what `not` makes of the text: words before it, or all of it, or nothing that is shorter."""
    (a,), name = domain.attrs(attribute.name), quoted_name(attribute.name)
    negated = negation if negation.endswith("null") else negation and negation + text
    return "is", a, mask, f"{name} {text}", negated and f"{name} {negated}"


def _value(node: Expr, attribute: Attribute) -> tuple[float | str, str]:
    """A value, and the same as SQL."""
    if node.key == "cast":
        node = node.this
    if node.key == "boolean":
        label = _of_truth(attribute, node.this)
        return label, quoted_text(label)
    number, sign = (node.this, "-") if node.key == "neg" else (node, "")
    if number.key == "literal" and not number.is_string:
        return float(sign + number.name), sign + number.name
    if node.key == "literal":
        return node.name, quoted_text(node.name)
    word = _word(node)
    if word is None or word not in attribute.labels:
        if node.key == "null":
            raise ValueError(f"nothing equals null: write {quoted_name(attribute.name)} is null")
        if word and attribute.number_set is None:
            attribute.compare("==", word)  # says which values there are
        raise ValueError(f"{attribute.name} is compared with {sql_of(node)}: write a number, or a text in quotes")
    return word, quoted_text(word)


def is_yes_or_no(attribute: Attribute) -> bool:
    """Whether its values are two, one of which is a yes."""
    labels = attribute.labels[: attribute.value_set.size]
    return len(labels) == 2 and sum(label.lower() in YES for label in labels) == 1


def _of_truth(attribute: Attribute, wants: bool) -> str:
    """The label of a yes or no. Raises ValueError for an attribute without these."""
    labels = attribute.labels[: attribute.value_set.size]
    yes = [label for label in labels if label.lower() in YES]
    if not is_yes_or_no(attribute):
        example = f"{quoted_name(attribute.name)} = {quoted_text(labels[0])}"
        raise ValueError(f"{attribute.name} is no yes or no: compare it with a value, such as {example}")
    return yes[0] if wants else next(label for label in labels if label != yes[0])


def _sql(node: tuple, within: str = "or") -> str:
    """The text of a tree, with brackets where they are needed."""
    if node[0] == "is":
        return node[3]
    connective, nodes = node
    if connective == "not":
        inner = nodes[0]
        return inner[4] if inner[0] == "is" and inner[4] else f"not {_sql(inner, 'not')}"
    text = f" {connective} ".join(_sql(each, connective) for each in nodes)
    return f"({text})" if within == "not" or (within == "and" and connective == "or") else text


def _attributes(node: tuple) -> set[int]:
    return {node[1]} if node[0] == "is" else set().union(*map(_attributes, node[1]))


def _mask(node: tuple, attrs: Attrs) -> np.ndarray:
    """The node's value at every cell of `attrs`, with axes of length 1 for attributes that it does not name."""
    if node[0] == "is":
        return node[2].reshape([-1 if a == node[1] else 1 for a in attrs])
    connective, nodes = node
    masks = [_mask(child, attrs) for child in nodes]
    if connective == "not":
        return ~masks[0]
    return reduce(np.logical_and if connective == "and" else np.logical_or, masks)
