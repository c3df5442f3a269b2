"""What is kept for a reload: by an unguessable token, for a limited time, number of sessions and size."""

import pytest

from mwem_app.session.kept import HOURS, MAX_BYTES, MAX_SESSIONS, MINUTES_OF_A_COPY, Kept, new_token


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def kept(clock):
    return Kept(clock)


def test_a_token_gives_back_its_own_things_and_no_others(kept):
    kept.put("mine", {"run": 1})
    kept.put("yours", {"run": 2})
    assert kept.take("mine") == {"run": 1}
    assert kept.take("") is None
    assert kept.take("min") is None


def test_tokens_are_long_and_never_repeat():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) == 43  # 256 bits in base64


def test_things_end_some_hours_after_the_last_contact(kept, clock):
    kept.put("token", {})
    clock.seconds = HOURS * 3600 - 1
    kept.put("token", {})
    clock.seconds += HOURS * 3600 - 1
    assert kept.take("token") == {}
    clock.seconds += 1
    assert kept.take("token") is None


def test_what_another_session_took_over_ends_soon_unless_its_own_tab_is_in_contact_again(kept, clock):
    for token in ("reloaded", "duplicated"):
        kept.put(token, {})
        kept.take(token)
    clock.seconds = MINUTES_OF_A_COPY * 60 - 1
    kept.put("duplicated", {})
    clock.seconds += 1
    assert kept.take("reloaded") is None
    assert kept.take("duplicated") == {}


def test_too_many_sessions_drop_the_one_that_would_end_first(kept, clock):
    for number in range(MAX_SESSIONS):
        clock.seconds = number
        kept.put(f"{number}", {})
    clock.seconds += 1
    kept.put("0", {})  # in contact again
    kept.put("new", {})
    assert kept.take("1") is None
    assert kept.take("0") == kept.take("2") == kept.take("new") == {}


def test_uploads_that_take_too_many_bytes_together_drop_the_session_that_would_end_first(kept, clock):
    for token in ("first", "second", "third"):
        clock.seconds += 1
        kept.put(token, {}, size=MAX_BYTES // 2)
    kept.put("without an upload", {})
    assert kept.take("first") is None
    assert kept.take("second") == kept.take("third") == kept.take("without an upload") == {}
    kept.put("second", {}, size=MAX_BYTES // 2 + 1)  # in contact again, with another upload
    assert kept.take("third") is None
    kept.put("too large", {}, size=MAX_BYTES + 1)
    assert kept.take("too large") is None
    assert kept.take("second") == {}
