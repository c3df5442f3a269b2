"""Templates escape what they are given, do without no name, and are read when they are named."""

import pytest
from jinja2 import UndefinedError

from mwem_core.base.templates import template


@pytest.fixture
def written(tmp_path):
    """The template of a text."""

    def write(text, name="page.html.jinja"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return template(tmp_path / name)

    return write


def test_a_text_is_escaped_once_also_through_another_template(written):
    inner = written("<b>{{ name }}</b>")(name="<i>&")
    assert written('<p title="{{ text }}">{{ inner }}</p>')(inner=inner, text='"x"') == (
        '<p title="&#34;x&#34;"><b>&lt;i&gt;&amp;</b></p>'
    )


def test_a_name_without_a_value_is_an_error(written):
    with pytest.raises(UndefinedError, match="'size' is undefined"):
        written("{{ name }} {{ size }}")(name="x")


def test_a_number_is_formatted_as_in_python(written):
    assert written("{{ n | number(',.1f') }}")(n=12345.67) == "12,345.7"


def test_the_core_has_the_parts_that_templates_elsewhere_take(written):
    page = written('{% from "release/parts.html.jinja" import table %}{{ table(["a", "b"], [("<", "2")], numbers=1) }}')
    assert '<tr><th>a</th><th class="number">b</th></tr>' in page()
    assert '<tr><td>&lt;</td><td class="number">2</td></tr>' in page()


def test_no_file_is_read_when_a_template_is_filled(written, tmp_path):
    """A file that is missing, or is of another version by then, would cost a release that has drawn its noise."""
    written("p { color: red; }", "page.css")
    page = written('<style>{% include "page.css" %}</style>{{ text }}')
    for file in tmp_path.iterdir():
        file.unlink()
    assert page(text="x") == "<style>p { color: red; }</style>x"


def test_a_missing_file_is_missed_when_the_template_is_named(written):
    with pytest.raises(FileNotFoundError, match=r"missing\.css"):
        written('{%- include "missing.css" %}')
