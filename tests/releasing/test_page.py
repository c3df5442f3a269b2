"""The frame of the report: every tag is closed, and every text is there as text, once."""

from html.parser import HTMLParser

from mwem_core.releasing.page import facts, listing, page, paragraph, section, table

EMPTY = {"meta", "!doctype"}


class Reader(HTMLParser):
    """Reads a page: its tags must be closed in order; texts with the tags that they are in."""

    def __init__(self):
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []

    def handle_starttag(self, tag, attrs):
        if tag not in EMPTY:
            self.open.append((tag, str(dict(attrs).get("class", ""))))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if data.strip():
            tag, kind = self.open[-1]
            self.texts.append((f"{tag}.{kind}" if kind else tag, data))


def read(document: str) -> list[tuple[str, str]]:
    reader = Reader()
    reader.feed(document)
    reader.close()
    assert reader.open == []
    return [text for text in reader.texts if text[0] != "style"]


def test_a_page_has_the_texts_of_its_parts_in_order_and_nothing_else():
    rows = [("one & two", "1"), ("three", "<3>")]
    parts = paragraph("A <b>"), "", listing(["x", "y"]), facts(rows), table(["name", "size"], rows, numbers=1)
    document = page("Title & more", [section("Heading", *parts), paragraph("soft words", "soft")])
    assert read(document) == [
        ("title", "Title & more"),
        ("h2", "Heading"),
        ("p", "A <b>"),
        *[("li", "x"), ("li", "y")],
        *[("th", "one & two"), ("td", "1"), ("th", "three"), ("td", "<3>")],
        *[("th", "name"), ("th.number", "size")],
        *[("td", "one & two"), ("td.number", "1"), ("td", "three"), ("td.number", "<3>")],
        ("p.soft", "soft words"),
    ]
    assert document.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
    assert document.endswith("</main>\n</body>\n</html>\n")


def test_without_numbers_no_column_is_one():
    assert "number" not in table(["a", "b"], [("1", "2")])
    assert paragraph("plain") == "<p>plain</p>"
