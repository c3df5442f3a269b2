"""The text form of a workload, as in `marginals:2`: used on the command line, in links and in manifests."""

import re
from fractions import Fraction

from mwem_core.base import check_kind
from mwem_core.domain import Domain, split_questions
from mwem_core.workload.families import cuboids, listed_ranges, marginals, mixture, parities, predicates, ranges
from mwem_core.workload.workload import MAX_QUERIES, Workload

DATE = re.compile(r"\s*(\d{4}-\d\d-\d\d|\d\d?:\d\d)", re.ASCII)
WEIGHT = re.compile(r"\s*(?P<weight>\d{1,9}(?:\.\d{1,9})?)\s*\*\s*")
NEXT_TERM = re.compile(r"\s+\+\s+(?=(?:\d[\d.]*\s*\*\s*)?(?:marginals|cuboids|parities|ranges|where):)")
QUOTED_TEXT = re.compile(r"""\"[^\"]*\"|'[^']*'|`[^`]*`""")


def parse_workload(spec: str, domain: Domain, *, limit: int = MAX_QUERIES) -> Workload:
    """Make the workload that a text names.

    `marginals:K`, `cuboids:K`, `parities:K` (`<=K` for all orders up to K), the first two also within groups of
    attributes, as in `marginals:2:health_* | age, sex` (`workload.groups`); `ranges:COLUMN[,COLUMN]:WHICH`, where WHICH
    is a number of random ranges (`2000`, or `2000@SEED`), `all`, `prefixes` or a list (`17..30;40..50`, with the sides
    of a box joined by `x`; dates as `2024-03-01..2024-05-31`); and `where:PREDICATE[;PREDICATE]`. Several of these are
    joined by ` + `, each with a weight in front if it is not 1: `2*marginals:2 + ranges:age:prefixes`. Raises
    ValueError for any other text, and before it makes more than `limit` ranges or cells of a predicate.

    >>> from mwem_core import Domain
    >>> age = Domain.from_toml('[[attribute]] \\n name = "age" \\n range = [17, 90]')
    >>> parse_workload("marginals:1", age).size, parse_workload("ranges:age:all", age).size
    (74, 2775)
    """
    check_kind(spec, str, "a workload is named by a text such as 'marginals:2'")
    check_kind(domain, Domain, "a workload is of the attributes of a Domain, as Domain.from_toml makes it")
    return mixture([_weighted(term, domain, limit) for term in split_terms(spec)])


def split_terms(spec: str) -> list[str]:
    """The texts of a workload's terms, with their weights. A ` + ` within quotes of a predicate splits nothing."""
    start = re.match(r"(?:\s*[\d.]+\s*\*)?\s*where:", spec)
    hidden = QUOTED_TEXT.sub(lambda quoted: "_" * len(quoted[0]), spec) if start else spec
    found = NEXT_TERM.search(hidden)
    return [spec] if found is None else [spec[: found.start()], *split_terms(spec[found.end() :])]


def _weighted(text: str, domain: Domain, limit: int) -> tuple[Workload, Fraction]:
    found = WEIGHT.match(text)
    if found is None:
        return _one_family(text, domain, limit), Fraction(1)
    return _one_family(text[found.end() :], domain, limit), Fraction(found["weight"])


def _one_family(spec: str, domain: Domain, limit: int) -> Workload:
    family, _, rest = spec.partition(":")
    if family in ("marginals", "cuboids"):
        make = marginals if family == "marginals" else cuboids
        order, _, within = rest.partition(":")
        return make(domain, _number(order.removeprefix("<="), spec), up_to=order.startswith("<="), within=within)
    if family == "parities":
        return parities(domain, _number(rest.removeprefix("<="), spec))
    if family == "ranges":
        return _parse_ranges(spec, rest, domain, limit)
    if family == "where":
        return predicates(domain, split_questions(rest), limit)
    raise ValueError(
        f"there is no workload {spec!r}: "
        "write marginals:K, cuboids:K, parities:K, ranges:COLUMN:COUNT or where:PREDICATE"
    )


def _parse_ranges(spec: str, rest: str, domain: Domain, limit: int) -> Workload:
    columns, which = _columns_and_ranges(rest, domain)
    if not columns:
        raise ValueError(
            f"the workload {spec!r} lacks a column or a number: "
            "write ranges:COLUMN[,COLUMN]:COUNT, as in ranges:age:2000"
        )
    names = [columns] if columns in domain.names else [name.strip() for name in columns.split(",")]
    if which == "all" or which == "prefixes":
        return ranges(domain, names, which, limit=limit)
    if ".." not in which:
        count, _, seed = which.partition("@")
        return ranges(domain, names, _number(count, spec), seed=_number(seed or "0", spec), limit=limit)
    boxes = []
    for text in filter(str.strip, which.split(";")):
        sides = [side.split("..") for side in text.split("x")]
        try:
            boxes.append([(_end(low), _end(high)) for low, high in sides])
        except ValueError:
            raise ValueError(
                f"the range {text.strip()!r} cannot be read: "
                "write low..high, as in 17..30, with the sides of a box joined by x"
            ) from None
    return listed_ranges(domain, names, boxes)


def _columns_and_ranges(text: str, domain: Domain) -> tuple[str, str]:
    """Split at the last colon, or at the first one after names of attributes: names and times may have colons too."""
    colons = [match.start() for match in re.finditer(":", text)]
    for i in [*colons[-1:], *colons]:
        if text[:i] in domain.names or {name.strip() for name in text[:i].split(",")} <= set(domain.names):
            return text[:i], text[i + 1 :]
    columns, _, which = text.rpartition(":")
    return columns, which


def _end(text: str) -> float | str:
    """An end of a range: a number, or a date or a time as text. Raises ValueError for any other text."""
    return text.strip() if DATE.match(text) else float(text)


def _number(digits: str, spec: str) -> int:
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise ValueError(
            f"the workload {spec!r} needs a whole number, as in marginals:2 or ranges:age:2000, got {digits!r}"
        )
    return int(digits)
