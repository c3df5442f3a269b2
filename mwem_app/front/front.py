"""The front page: what runs say to a question, at every ε. One drawing, and files of answers that browsers fetch."""

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from mwem_app.base import ON_PUBLIC
from mwem_app.charts import HTML, script_of, show, style_of
from mwem_app.front.stored_answers import EPSILONS, file_of
from mwem_app.inputs import SAMPLE, load_sample
from mwem_app.page import problem, refusal
from mwem_app.stage import CHART_SCRIPTS, STYLES, page_of
from mwem_core.domain import Attribute, Records

SCRIPTS = *CHART_SCRIPTS, *(Path(__file__).with_name(f"{name}.js") for name in ("answers", "trumpet", "front"))
FRONT_STYLES = *STYLES, Path(__file__).with_name("front.css")
STATIC = "./app/static/answers/"  # relative, so that it works under any base path
FULL_SCREEN = Path(__file__).with_name("full_screen.css")  # for a projector
MAX_GROUPS = 11  # values of an attribute that are drawn, before the one that is asked for stands alone


class Front(NamedTuple):
    """A bundled table on the front page: its name in a sentence, its records' noun, and the first question."""

    name: str
    noun: str
    first: tuple[tuple[str, str], tuple[str, str]]


FRONTS = {
    "Adult": Front("Adult, census of 1994", "people", (("sex", "Female"), ("education", "Doctorate"))),
    "Czech car workers": Front(
        "Czech car workers", "workers", (("smoking", "yes"), ("strenuous_physical_work", "yes"))
    ),
    "Rochdale households": Front("Rochdale", "households", (("EconActive", "yes"), ("Child", "yes"))),
    "Class survey": Front("the class survey", "students", (("sleep", "under 6 h"), ("drink", "coffee"))),
}


def records_of(title: str) -> Records:
    """The records of a bundled table, with the attributes that all pages open with."""
    B = load_sample(title)
    return B.project([name for name in B.domain.names if name in (SAMPLE[title].attributes or B.domain.names)])


def front_message(asked: dict[str, Any] | None = None, *, present: bool = False, offline: str = "") -> dict[str, Any]:
    """What the drawing shows: every table by name, with where its answers are.

    `asked` is what the address asks for: table, how_many, epsilon, system. With `offline`, the title of a table, its
    answers are in the message, and no other table is.
    """
    titles = [offline] if offline else list(FRONTS)
    return {
        "run": "front",
        "epsilons": EPSILONS,
        "tables": [_table(title, packed=bool(offline)) for title in titles],
        "asked": asked,
        "present": present,
        "addressed": not offline,
    }


@cache
def _table(title: str, *, packed: bool) -> dict[str, Any]:
    B, (name, noun, first), file = records_of(title), FRONTS[title], file_of(title)
    marginals = B.marginals([(a,) for a in range(len(B.domain))])
    where = {a.name: {label: i for i, label in enumerate(a.labels)} for a in B.domain.attributes}
    return {
        "title": title,
        "name": name,
        "noun": noun,
        "n": int(B.total),
        "badge": ON_PUBLIC.text,
        "attributes": [_attribute(a, rows) for a, rows in zip(B.domain.attributes, marginals, strict=True)],
        "start": [[B.domain.names.index(a), where[a][label]] for a, label in first],
        "pack": base64.b64encode(file.read_bytes()).decode() if packed else None,
        "file": f"{STATIC}{file.name}",
    }


def _attribute(attribute: Attribute, marginal: np.ndarray) -> dict[str, Any]:
    """The values of an attribute in words, and its groups: the largest alone or as the schema says, the rest as one."""
    words, labels = attribute.words, attribute.labels
    of = {name: [labels.index(label) for label in group] for name, group in words.groups.items()}
    alone = {labels[i]: [i] for i in range(len(labels)) if not any(i in group for group in of.values())}
    groups = sorted((of | alone).items(), key=lambda item: -marginal[item[1]].sum())
    if len(groups) > MAX_GROUPS:
        rest = [i for _, group in groups[MAX_GROUPS - 1 :] for i in group]
        groups = [*groups[: MAX_GROUPS - 1], (f"{len(rest)} others", sorted(rest))]
    others = [group for group in groups if group[0] not in of and len(group[1]) > 1]  # they stand last
    drawn = sorted((group for group in groups if group not in others), key=lambda group: group[1][0]) + others
    short = lambda label: words.short.get(label, label)  # noqa: E731 - of a value or a group
    return {
        "name": attribute.name,
        "values": [
            {"label": v, "phrase": words.phrase.get(v, f"{attribute.name} is {v}"), "short": short(v)} for v in labels
        ],
        "groups": [{"label": name, "short": short(name), "of": group} for name, group in drawn],
    }


def show_front(*, present: bool) -> Any:
    """Show the front page; returns what it sends, else None.

    `watch`, `own`: {"table": title, "epsilon": number, "pair": the names of the two attributes}."""
    asked = asked_in(st.query_params)
    if sentences := refusals(asked):
        problem("  \n".join(sentences))  # a line each
    if asked.get("epsilon", 1.0) not in EPSILONS:
        del asked["epsilon"]  # JSON has no NaN
    return show(_front(), front_message(asked, present=present), key="front", sends=("watch", "own"))


def front_page(title: str) -> str:
    """The front page of a bundled table as a page in one file: it fetches nothing, so it opens offline."""
    return page_of("MWEM Explorer", front_message(offline=title), SCRIPTS, FRONT_STYLES)


def asked_in(address: Mapping[str, str]) -> dict[str, Any]:
    """What an address asks for: a table by its title, a question, ε (the text, if it is no number) and a system."""
    asked: dict[str, Any] = {key: address[key] for key in ("table", "how_many", "epsilon") if key in address}
    with suppress(KeyError, ValueError):
        asked["epsilon"] = float(asked["epsilon"])
    return asked | ({"system": "automatic"} if address.get("method") == "Automatic" else {})


def refusals(asked: Mapping[str, Any]) -> list[str]:
    """A sentence for each thing that the address asks for and the front has not: what is used instead."""
    title = asked.get("table", next(iter(FRONTS)))
    found = [] if title in FRONTS else [refusal("table", [title], False, next(iter(FRONTS)))]
    if asked.get("epsilon", 1.0) not in EPSILONS:
        found.append(refusal("epsilon", [f"{asked['epsilon']}"], False, "1"))
    table = _table(title if title in FRONTS else next(iter(FRONTS)), packed=False)
    names = {f"{each['name']} is {value['label']}" for each in table["attributes"] for value in each["values"]}
    if "how_many" in asked and not names.issuperset(asked["how_many"].split(" and ")):
        found.append(refusal("how_many", [asked["how_many"]], False, "the first question"))
    return found


@cache
def _front() -> Callable[..., Any]:
    css, js = style_of(FRONT_STYLES), script_of(SCRIPTS)
    return component("mwem_front", html=HTML, css=css, js=js, isolate_styles=False)
