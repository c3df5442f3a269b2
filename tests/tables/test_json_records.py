"""Records of JSON in each of its layouts, and what is none."""

import json

import pytest

from mwem_core.tables import json_records
from mwem_core.tables.json_records import read_json

ROWS = [{"a": i, "b": "x é\n", "c": None} for i in range(50)]


def test_a_list_is_read_as_its_lines_are():
    lines = read_json("\n\n".join(map(json.dumps, ROWS)).encode(), "t")
    for indent in (None, 1):
        assert read_json(json.dumps(ROWS, indent=indent).encode(), "t").equals(lines)


@pytest.mark.parametrize("data", [b'[{"a": 1}', b'[{"a": 1},]', b'[{"a": 1}] 2', b'{"a": 1} 2', b'[{"a": 1} {"a": 2}]'])
def test_what_is_left_open_or_over_is_no_json(data):
    with pytest.raises(ValueError, match="t line 1 is not JSON; write one record per line"):
        read_json(data, "t")


@pytest.mark.parametrize("data", [b"[{}" + b",{}" * 20 + b"]", b'{"a": ' + b"[" * 30, b'{"a": 1}' + b"\n" * 30])
def test_many_values_are_refused_before_they_are_read(monkeypatch, data):
    monkeypatch.setattr(json_records, "MAX_VALUES", 20)
    monkeypatch.delattr(json_records, "DECODER")
    with pytest.raises(ValueError, match="t has more than 20 values; drop unneeded columns, or export it as CSV"):
        read_json(data, "t")
