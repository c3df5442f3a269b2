"""The pages of a release: every tag is closed, every row is as long as its head, and texts are there as texts."""

from html.parser import HTMLParser

import pytest
from releases import page_of

from mwem_core import Attribute, Domain
from mwem_core.release.quality_pages import sections_of
from mwem_core.values import Values

EMPTY = {"meta", "line", "polyline", "circle"}
EVIL = "<script>alert(1)</script>"
HOSTILE = Domain(
    (
        Attribute(EVIL, Values((EVIL, '"><img src=x onerror=alert(2)>', "</section>"))),
        Attribute("{{ 7 * 7 }}", Values(("a & b", "{% raw %}"))),
        Attribute("&lt;it's&gt;", Values(("x", "y"))),
    )
)


class Reader(HTMLParser):
    """Reads a page: its tags must be closed in order. Gives its texts and the lengths of its tables' rows."""

    def __init__(self, document: str):
        super().__init__()
        self.open, self.tags, self.texts = list[str](), set[str](), list[str]()
        self.tables: list[list[int]] = []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append(0)
        elif tag in ("td", "th"):
            self.tables[-1][-1] += 1

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(params=["report.html", "quality.html"])
def pages(request):
    """The same page of two releases: of a table with plain names, and with names that try to be more than texts."""
    return page_of(request.param), page_of(request.param, "marginals:2", HOSTILE, dataset=EVIL)


def test_every_tag_is_closed_and_every_row_of_a_table_is_as_long_as_its_head(pages):
    for page in pages:
        tables = Reader(page).tables
        assert len(tables) >= 2
        assert all(len(set(lengths)) == 1 for lengths in tables)
        assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
        assert page.endswith("</main>\n</body>\n</html>\n")


def test_names_are_texts_and_bring_no_tag_and_no_section(pages):
    plain, hostile = pages
    texts = " ".join(Reader(hostile).texts)
    assert all(name in texts for name in (EVIL, *HOSTILE.names))
    assert Reader(hostile).tags <= Reader(plain).tags
    assert list(sections_of(hostile)) == list(sections_of(plain))


def test_a_section_is_what_is_below_its_heading(pages):
    page = pages[0]
    sections = sections_of(page)
    assert len(sections) == page.count("<h2>") > 4
    for heading, below in sections.items():
        assert heading in Reader(page).texts
        assert Reader(below).texts  # its tags are closed, too
        assert below in page
        assert "<section" not in below
