"""Two servers of the app, and one class on both of them."""

import json
from urllib.request import Request, urlopen

import pytest
from browser import serving

from mwem_app.session.rooms import SETTING, rooms_at

pytestmark = pytest.mark.slow


def tell(app: str, **message: object) -> dict:
    """What a server answers to a phone."""
    body, kind = json.dumps(message).encode(), {"content-type": "application/json"}
    with urlopen(Request(f"{app}class", body, kind), timeout=30) as answer:
        return json.load(answer)


def test_phones_of_one_class_talk_to_two_servers_and_one_goes_on_when_the_other_has_ended(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'rooms.db'}"
    monkeypatch.setenv(SETTING, url)
    rooms = rooms_at(url)
    teacher = rooms.open()
    room = rooms.room(teacher)
    with serving() as here:
        with serving() as there:
            with urlopen(f"{there}class") as page:
                assert b"in a database of these servers" in page.read()
            first, second = (tell(app, do="join", code=teacher.code)["seat"] for app in (here, there))
            question = room.ask(["Tea?"], epsilon=1.0)
            for app, seat in ((here, first), (there, second)):
                tell(app, do="answer", seat=seat, number=question.number, answer=[True])
        assert tell(here, do="show", seat=second)["now"]["sent"] == [True]  # its server has ended
    assert room.students == 2
    assert room.answers(question.number) == [(True,), (True,)]
    rooms.close(teacher)
    rooms._store.engine.dispose()
