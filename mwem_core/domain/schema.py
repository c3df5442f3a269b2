"""The schema file, which declares the attributes of a record and their values.

A schema is TOML, with one `[[attribute]]` block per attribute. Each block has a `name` and one of

    values = ["a", "b"]          categorical
    edges = [17, 25, 35, 90]     bins [17, 25), [25, 35) and, closed, [35, 90]
    edges = "0..100000 log"      bins by a rule: log, equal, or by and a width; see `values.public_edges`
    range = [0, 4356]            whole numbers, both ends included; `width = 10` groups them, the last may be short
    bits = true                  short for range = [0, 1]
    dates = ["2019-01-01", "2024-12-31"]   with `by = "month"` (hour, day, week, year); without it, edges that are dates

Some keys say more of these. `values` with `prefix = 3` are codes, grouped by their first three characters. `dates` in
another form than 2024-12-31 have it as `form = "DD.MM.YYYY"`; see `values.dates`. `edges` and `range` with
`decimals = 1` are written so, 29.4, and lie inside a bin as its neighbours suggest. Without `decimals`, numbers fill
their bin evenly, unrounded: the older rule.

With a range, `measured_bins = 16` has a run measure so many bins first, with a share of its budget; such a range may
have `decimals` of 1 and more.

Numbers that are written otherwise than 1234.5 have their form, as `form = "$0,000.00"`; see `values.number_forms`.

Three keys are optional: `missing = "?"` makes that text a category of its own; of `missing = ["", "NULL"]` the first is
written, and the others are read as it. `special = ["refused", "<5"]` makes a category of each text beside the values,
and `other = true` adds a catch-all for all other values. Values are compared as text without surrounding blanks, here
and in the table; an empty cell is the value "".

Three tables say how pages show values: `phrase = { Doctorate = "have a doctorate" }` in a sentence, where "education is
Doctorate" stands without it, `short = { Doctorate = "PhD" }` below a picture, and the values of `groups = { School =
["9th", "10th"] }` are drawn as one where there are many.

`from_data = ["values", "missing", "other"]` marks what was read off the data; "values" stands for the key that declares
them. Marked cells are private until somebody says that they are not, so a release is refused until the marks are gone.

A table `[rules]` may list combinations of values that no record has: `never = ["age < 15 and status == 'Married'"]`.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from mwem_core.base import hint, is_whole
from mwem_core.domain.attribute import Attribute, Words
from mwem_core.forms import ISO, NumberStyle, number_form
from mwem_core.values import BITS, BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values, ValueSet, public_edges

CELLS = ("values", "special", "missing", "other")
Marks = Mapping[str, frozenset[str]]  # by attribute; one without marks may be absent
NO_MARKS: Marks = {}
MAX_NAMED = 3  # attributes, in a sentence
VALUE_SET_KEYS = ("values", "edges", "range", "bits", "dates")
BELONGS_TO = {  # further keys, and the value sets that they describe
    "prefix": ("values",),
    "width": ("range",),
    "measured_bins": ("range",),
    "by": ("dates",),
    "form": ("dates", "edges", "range"),
    "decimals": ("edges", "range"),
}
FROM_DATA = "from_data"
WORDS = "phrase", "short", "groups"
KEYS = ("name", *VALUE_SET_KEYS, *BELONGS_TO, "special", "missing", "other", *WORDS, FROM_DATA)


def cells(attribute: Attribute) -> dict[str, Any]:
    """What the cells of an attribute say, not how values are written; those that say nothing are left out."""
    values = {key: said for key, said in attribute.value_set.declaration().items() if key not in ("form", "decimals")}
    beside = {"special": attribute.special, "missing": attribute.missing_texts, "other": attribute.other}
    return {"values": values, **{cell: said for cell, said in beside.items() if said}}


def all_marked(attributes: Iterable[Attribute]) -> Marks:
    """Marks on every cell."""
    return {attribute.name: frozenset(cells(attribute)) for attribute in attributes}


def still_marked(attributes: Iterable[Attribute], marks: Marks, before: Iterable[Attribute]) -> Marks:
    """The marks on cells that say what they said `before`: an edited cell is the user's own."""
    said = {attribute.name: cells(attribute) for attribute in before}
    left = {
        a.name: frozenset(c for c, value in cells(a).items() if c in marks[a.name] and said[a.name].get(c) == value)
        for a in attributes
        if a.name in marks and a.name in said
    }
    return {name: marked for name, marked in left.items() if marked}


def marks_in_words(marks: Marks) -> str:
    """The marked cells: "age (values), sex (values, missing) and 3 more attributes"."""
    named = [f"{name} ({', '.join(cell for cell in CELLS if cell in marked)})" for name, marked in marks.items()]
    more = len(named) - MAX_NAMED
    return ", ".join(named[:MAX_NAMED]) + (f" and {more} more attribute{'s' * (more > 1)}" if more > 0 else "")


def check_confirmed(marks: Marks) -> None:
    """Raise ValueError if any cell is marked: a release must not publish it."""
    if marks:
        raise ValueError(
            f"the schema says that these were read off the data: {marks_in_words(marks)}; compare them with a public"
            " source, such as a code book, and take them out of from_data"
        )


def read_schema(text: str) -> tuple[tuple[Attribute, ...], tuple[str, ...]]:
    """Read the attributes of a schema, and the texts of its rules.

    Raises ValueError if it does not parse or contradicts itself.
    """
    try:
        schema = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the schema is not valid TOML: {error}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or a list in thousands of lists
        raise ValueError("the schema has a number too long to read, or lists in too many lists") from None
    never = _read_never(schema.pop("rules", {}))
    if unknown := [key for key in schema if key != "attribute"]:
        raise ValueError(f"the schema has an unknown key {unknown[0]!r}; it holds [[attribute]] blocks only")
    blocks = schema.get("attribute", [])
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ValueError("attributes are declared in [[attribute]] blocks, with two brackets on each side")
    return tuple(read_attribute(block, f"attribute {number}") for number, block in enumerate(blocks, start=1)), never


def read_marks(text: str) -> Marks:
    """The cells that a schema marks as read off the data. Raises ValueError as `read_schema` does."""
    read_schema(text)
    blocks = tomllib.loads(text).get("attribute", [])
    return {block["name"].strip(): marks for block in blocks if (marks := frozenset(block.get(FROM_DATA, ())))}


def write_schema(attributes: Iterable[Attribute], never: Sequence[str] = (), marks: Marks = NO_MARKS) -> str:
    """Write the schema that declares these attributes and rules; `read_schema` returns equal ones."""
    blocks = [("[[attribute]]", _attribute_block(attribute, marks)) for attribute in attributes]
    blocks += [("[rules]", {"never": list(never)})] if never else []
    return "\n".join(
        f"{head}\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in block.items()) for head, block in blocks
    )


def _read_never(rules: Any) -> tuple[str, ...]:
    """The texts of the table [rules]."""
    if not isinstance(rules, dict):
        raise ValueError('rules are declared in a table: write [rules], and below it never = ["..."]')
    if unknown := [key for key in rules if key != "never"]:
        raise ValueError(f"[rules] has an unknown key {unknown[0]!r}; it holds never = [...] only")
    never = rules.get("never", [])
    if not isinstance(never, list) or not all(isinstance(text, str) for text in never):
        raise ValueError("never must be a list of texts in quotes, as in never = [\"age < 15 and sex == 'F'\"]")
    return tuple(text.strip() for text in never)


def _attribute_block(attribute: Attribute, marks: Marks) -> dict[str, Any]:
    """The keys that declare an attribute."""
    block: dict[str, Any] = {"name": attribute.name, **attribute.value_set.declaration()}
    if attribute.special:
        block["special"] = list(attribute.special)
    if attribute.missing is not None:
        block["missing"] = list(attribute.missing_texts) if attribute.also_missing else attribute.missing
    if attribute.other:
        block["other"] = True
    words = attribute.words
    block |= {key: said for key in ("phrase", "short") if (said := dict(getattr(words, key)))}
    if words.groups:
        block["groups"] = {name: list(labels) for name, labels in words.groups.items()}
    if marked := [cell for cell in CELLS if cell in marks.get(attribute.name, ())]:
        block[FROM_DATA] = marked
    return block


def read_attribute(block: dict[str, Any], position: str) -> Attribute:
    """Read an attribute from its TOML block; errors call a block without a name by its position."""
    name = block.get("name")
    if not isinstance(name, str):
        raise ValueError(f'{position} has no name; add name = "...", the column\'s header')
    name = name.strip()
    try:
        for key in block:
            if key not in KEYS:
                raise ValueError(f"unknown key {key!r}{hint(key, KEYS)}")
        other = block.get("other", False)
        if not isinstance(other, bool):
            raise ValueError(f"other must be true or false, got {other!r}")
        marked = block.get(FROM_DATA, [])
        if not isinstance(marked, list) or not all(isinstance(cell, str) and cell in CELLS for cell in marked):
            raise ValueError(f"{FROM_DATA} must list some of {', '.join(CELLS)}, got {marked!r}")
        value_set = _read_value_set(block)
        special, missing = (_read_texts(block.get(key, []), key) for key in ("special", "missing"))
        words = Words(**{key: _read_words(block.get(key, {}), key) for key in WORDS})
    except ValueError as error:
        raise ValueError(f"attribute {name!r}: {error}") from None
    return Attribute(name, value_set, missing[0] if missing else None, other, special, missing[1:], words)


def _read_value_set(block: dict[str, Any]) -> ValueSet:
    declared = [key for key in VALUE_SET_KEYS if key in block]
    if len(declared) != 1:
        raise ValueError(f"needs exactly one of {', '.join(VALUE_SET_KEYS)}; it has {' and '.join(declared) or 'none'}")
    key, value = declared[0], block[declared[0]]
    for further, owners in BELONGS_TO.items():
        if further in block and key not in owners:
            raise ValueError(f"{further} belongs to {' or '.join(owners)}, not to {key}; remove it")
    if key == "bits":
        if value is not True:
            raise ValueError(f"bits must be true, got {value!r}")
        return BITS
    inside = None if key == "dates" else _read_inside(block)
    if key == "edges" and isinstance(value, str):
        return Edges(public_edges(value, inside.decimals if inside else None), inside)
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list in brackets, got {value!r}")
    if key == "values":
        texts = tuple(_read_text(text, "values") for text in value)
        return Codes(texts, block["prefix"]) if "prefix" in block else Values(texts)
    if key == "edges":
        return Edges(tuple(value), inside)
    if key == "dates":
        days = tuple(str(day) if isinstance(day, date) else day for day in value)  # TOML has dates without quotes
        return Dates(days, block.get("by"), block.get("form", ISO))
    if len(value) != 2:
        raise ValueError(f"range must be two whole numbers, got {value!r}")
    if "measured_bins" not in block:
        return Range(value[0], value[1], block.get("width", 1), inside)
    if inside is None or inside.decimals == 0:
        return BinsToMeasure(Range(value[0], value[1], block.get("width", 1), inside), block["measured_bins"])
    if "width" in block:
        raise ValueError("width is for whole numbers; declare fewer decimals instead")
    return BinsToMeasure(Steps(value[0], value[1], inside), block["measured_bins"])


def _read_inside(block: dict[str, Any]) -> NumberStyle | None:
    form = block.get("form", "")
    if not isinstance(form, str):
        raise ValueError(f"form must be text in quotes, got {form!r}")
    if "decimals" in block or form:
        return NumberStyle(block["decimals"] if "decimals" in block else number_form(form).decimals, form)
    return None


def _read_text(value: Any, key: str) -> str:
    """A text of the schema, without surrounding blanks; a whole number may stand without quotes."""
    if not isinstance(value, str) and not is_whole(value):
        raise ValueError(f"{key} must be text in quotes, got {value!r}")
    return str(value).strip()


def _read_texts(value: Any, key: str) -> tuple[str, ...]:
    """A text of the schema, or a list of them."""
    return tuple(_read_text(text, key) for text in (value if isinstance(value, list) else [value]))


def _read_words(value: Any, key: str) -> dict[str, Any]:
    """A table of texts by value, or of lists of values by group."""
    kind, example = (list, '{ School = ["9th", "10th"] }') if key == "groups" else (str, '{ Doctorate = "a text" }')
    if not isinstance(value, dict) or not all(isinstance(each, kind) for each in value.values()):
        raise ValueError(f"{key} must be a table, as in {key} = {example}, got {value!r}")
    return {name: _read_texts(said, key) if key == "groups" else said.strip() for name, said in value.items()}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_toml(name)} = {_toml(said)}' for name, said in value.items())} }}"
    if isinstance(value, list):
        items = [_toml(item) for item in value]
        flat = f"[{', '.join(items)}]"
        return flat if len(flat) <= 100 else "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    if isinstance(value, str):
        # JSON and TOML escape the same characters, except DEL, which only TOML escapes.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value).lower()
