"""A live class in a real browser: a teacher and three phones, whose coins the test decides."""

import re

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, WIDER, button, choose, main, until_whole
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
HEADS, TAILS = 0, 2**32 - 1
WIDTH = "document.documentElement.scrollWidth"
COINS = """faces => { crypto.getRandomValues = (numbers) => { numbers[0] = faces.shift(); return numbers; }; }"""


def join(visitors, code: str, faces: list[int]) -> Page:
    """A phone in the class, whose coins fall like this."""
    phone = visitors.visit(f"{visitors.app}class?room={code}", viewport=NARROW)
    phone.get_by_role("button", name="Join").click()
    phone.get_by_text("Wait for the teacher").wait_for()
    phone.evaluate(COINS, faces)
    return phone


def flip(phone: Page, truth: str) -> None:
    phone.get_by_role("radio", name=truth).check()
    phone.get_by_role("button", name="Flip the coins and send").click()


def say_yes_five_times(phone: Page) -> None:
    for each in range(5):
        phone.get_by_role("radio", name="Yes").nth(each).check()
    phone.get_by_role("button", name="Send all 5").click()
    expect(phone.get_by_role("main")).to_contain_text("Your answers have arrived.")


def test_a_teacher_and_three_phones_through_a_question_by_coins_reloads_and_the_class_as_a_table(visitors):
    teacher = visitors.visit(f"{visitors.app}room")
    button(teacher, "Open a room").click()
    code = teacher.locator(".st-key-class_code h2").inner_text().replace("-", "")
    expect(main(teacher)).to_contain_text("Phones cannot join or open a link: this server listens on localhost only.")
    phones = [join(visitors, code, faces) for faces in ([HEADS, TAILS], [TAILS, HEADS], [TAILS, TAILS])]
    expect(main(teacher)).to_contain_text("3 phones are here.")

    button(teacher, "Ask the class").click()
    for phone, truth in zip(phones, ("No", "No", "Yes"), strict=True):
        flip(phone, truth)
    for phone, sent in zip(phones, ("no", "yes", "no"), strict=True):  # the truth; the second coin; the second coin
        expect(phone.get_by_role("main")).to_contain_text(f"This phone sent {sent}.")
        assert phone.evaluate(WIDTH) == NARROW["width"]
    assert violations(phones[0]) == []
    expect(main(teacher)).to_contain_text("3 of 3 phones have answered.")
    expect(main(teacher).get_by_role("img", name="1 answers are yes, 2 are no")).to_be_visible()

    assert violations(teacher) == []

    for page in (phones[1], teacher):
        page.reload()
    expect(phones[1].get_by_role("main")).to_contain_text("This phone sent yes.")
    expect(main(teacher)).to_contain_text("3 of 3 phones have answered.")
    assert code not in teacher.url

    teacher.get_by_role("radio", name="The class as a table").click()
    button(teacher, "Ask the class").click()
    phones[0].get_by_role("radio", name="Yes").last.wait_for()
    assert violations(phones[0]) == []
    say_yes_five_times(phones[0])
    expect(main(teacher)).to_contain_text("1 of 3 phones have answered. They are shown from 10 answers on: 9 more")
    expect(button(teacher, "Run MWEM on the class")).to_be_disabled()
    for _ in range(9):
        phones[2].evaluate("sessionStorage.clear()")  # another student's phone
        phones[2].reload()
        phones[2].get_by_role("button", name="Join").click()
        say_yes_five_times(phones[2])
    expect(main(teacher)).to_contain_text("10 of 12 phones have answered.")
    button(teacher, "Run MWEM on the class").click()
    expect(main(teacher).locator("figure.cross")).to_have_count(10)
    first, last = (main(teacher).locator("figure.cross").nth(i).bounding_box() for i in (0, 9))
    assert first["y"] + first["height"] < last["y"]  # the tables stand beside and below one another
    assert teacher.evaluate(WIDER) == [0, 0]
    expect(main(teacher).get_by_role("radio", name="100 times as many")).to_have_count(0)
    main(teacher).get_by_text("Show the truth").click()
    main(teacher).get_by_role("radio", name="100 times as many").check()
    expect(main(teacher).locator("figure.cross").first).to_have_attribute(
        "aria-label", re.compile(r"yes, yes (9\d|100)%, in truth 100%")
    )
    assert violations(teacher) == []


def test_a_phone_keeps_its_predictions_through_reloads_and_says_that_the_class_has_ended(visitors):
    teacher = visitors.visit(f"{visitors.app}room")
    button(teacher, "Open a room").click()
    phone = join(visitors, teacher.locator(".st-key-class_code h2").inner_text(), [])
    teacher.get_by_role("radio", name="Predictions").click()
    choose(teacher, "Lesson", "Noise")
    expect(main(teacher).get_by_role("link", name="Open it here")).to_have_attribute("href", re.compile("lesson=noise"))
    button(teacher, "Send the phones there").click()
    phone.get_by_role("slider").press("ArrowRight")
    assert violations(phone) == []
    phone.get_by_role("button", name="Lock in").click()
    for _ in range(2):
        expect(phone.get_by_role("main")).to_contain_text("You predicted: 11.")
        phone.reload()
    phone.get_by_role("link", name="open Noise").click()
    expect(main(phone)).to_contain_text("You predicted 11.")
    main(phone).get_by_role("link", name="Back to the class").click()
    expect(phone.get_by_role("main")).to_contain_text("You predicted: 11.")
    teacher.get_by_text("Close the room").click()
    teacher.get_by_role("button", name="Close it now").click()
    expect(phone.get_by_role("alert")).to_contain_text("The class has ended")
    assert violations(phone) == []
    phone.get_by_role("link", name="All lessons").click()  # no dead end
    main(phone).get_by_role("link", name="Noise").click()
    expect(main(phone)).to_contain_text("You predicted 11.")
    phone.goto(f"{visitors.app}class")
    button(teacher, "Open a room").click()
    phone.get_by_role("textbox").fill(teacher.locator(".st-key-class_code h2").inner_text())
    phone.get_by_role("button", name="Join").click()
    expect(phone.get_by_role("main")).to_contain_text("Wait for the teacher")


def test_what_a_phone_could_not_send_arrives_when_the_connection_is_back(visitors):
    teacher = visitors.visit(f"{visitors.app}room")
    button(teacher, "Open a room").click()
    phone = join(visitors, teacher.locator(".st-key-class_code h2").inner_text(), [HEADS, TAILS])
    button(teacher, "Ask the class").click()
    phone.get_by_role("radio", name="Yes").check()
    phone.route("**/class", lambda route: route.fulfill(status=200, body="a proxy's page"))
    phone.get_by_role("button", name="Flip the coins and send").click()
    expect(phone.get_by_role("alert")).to_contain_text("No connection to the server.")
    phone.unroute("**/class")
    expect(phone.get_by_role("main")).to_contain_text("This phone sent yes.")
    expect(phone.get_by_role("alert")).to_have_count(0)


def test_the_doors_of_a_class_have_no_violation(visitors):
    room = visitors.visit(visitors.app + "room", viewport=NARROW)
    button(room, "Open a room").click()
    room.locator(".st-key-class_code").wait_for()
    until_whole(room)
    assert violations(room) == []
    phone = visitors.visit(visitors.app + "class?room=22222222", viewport=NARROW)
    phone.get_by_role("button", name="Join").click()
    expect(phone.get_by_role("alert")).to_contain_text("There is no room with this code")
    assert violations(phone) == []
    room.goto(visitors.app + "class")  # in the teacher's own tab
    expect(room.get_by_role("main")).to_contain_text("You are the teacher of a class")
    room.get_by_role("link", name="Back to your class").click()
    room.locator(".st-key-class_code").wait_for()
