"""Templates escape what they are given, and do without no name."""

import pytest
from jinja2 import UndefinedError

from mwem_core.templates import filled


@pytest.fixture
def template(tmp_path):
    def written(text, name="page.html.jinja"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


def test_a_text_is_escaped_once_also_through_another_template(template):
    inner = filled(template("<b>{{ name }}</b>", "inner.jinja"), name="<i>&")
    assert filled(template('<p title="{{ text }}">{{ inner }}</p>'), inner=inner, text='"x"') == (
        '<p title="&#34;x&#34;"><b>&lt;i&gt;&amp;</b></p>'
    )


def test_a_name_without_a_value_is_an_error(template):
    with pytest.raises(UndefinedError, match="'size' is undefined"):
        filled(template("{{ name }} {{ size }}"), name="x")


def test_a_number_is_formatted_as_in_python(template):
    assert filled(template("{{ n | number(',.1f') }}"), n=12345.67) == "12,345.7"


def test_the_core_has_the_parts_that_templates_elsewhere_take(template):
    page = template(
        '{% from "releasing/parts.html.jinja" import table %}{{ table(["a", "b"], [("<", "2")], numbers=1) }}'
    )
    assert '<tr><th>a</th><th class="number">b</th></tr>' in filled(page)
    assert '<tr><td>&lt;</td><td class="number">2</td></tr>' in filled(page)
