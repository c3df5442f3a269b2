"""Ask without a browser: a release is given as files or as a zip, asked in words, and answers or refusals are kept."""

import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from app_pages import button, checked, error_text, open_page, words
from finished_runs import finished
from oracles import random_records
from releases import resealed
from streamlit.testing.v1 import AppTest
from workloads import MIXED

from mwem_app.ask import QuestionAnswers, answers_to, as_release
from mwem_app.base import ON_PUBLIC, RELEASE_FILE
from mwem_core.ask import Answer, Question, read_questions

STORED = Path(__file__).parents[1] / "ask" / "stored"
FILES = {file.name: file.read_bytes() for file in (STORED / "format-2").iterdir()}


def give(files: dict[str, bytes], app: AppTest | None = None) -> AppTest:
    app = app or open_page("ask")
    given = [(name, content, "application/octet-stream") for name, content in files.items()]
    app.file_uploader(key="_ask_files").set_value(given)
    return checked(app.run())


def ask(app: AppTest, question: str, key: str = "_ask_question") -> AppTest:
    app.text_input(key=key).set_value(question)
    checked(button(app, "Ask").click().run())
    if "_answers" in app.session_state and (work := app.session_state["_answers"].work):  # models are being fitted
        work.wait(60)
        checked(app.run())
    return app


def test_the_page_opens_with_the_answer_of_a_public_tables_release_and_its_intervals():
    app = open_page("ask")
    assert "**Adult**, a public table: ε = 1, " in words(app)
    assert app.text_input(key="_ask_question").value == "select avg(income = '>50K') from release group by age"
    assert re.search(r"go from \*\*.+%\)\*\* for \[17, 20\) to \*\*.+%\)\*\* for \[50, 55\)", words(app))
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt.count("%)") == 12
    assert chart.proto.alt.endswith(RELEASE_FILE.sentence)
    ask(app, "median(age)")
    assert list(app.table[-1].value["question"]) == ["median age", 'income == "\\>50K" by age']


def test_a_release_is_described_asked_and_its_answers_may_leave():
    app = give(FILES)
    assert "**people**: ε = 3, " in words(app)
    assert not app.text_input(key="_ask_question").value
    assert "ε = 3. Whether a record is in the table or not" in words(app)
    assert RELEASE_FILE.text not in words(app)  # no badge before there is an answer
    ask(app, "avg(age)")
    assert words(app).count(RELEASE_FILE.text) == 2
    assert "The mean of age is **" in words(app)
    assert "in the population, with 95% confidence" in words(app)
    assert "age is in bins: each counts as its " in words(app)
    ask(app, "avg(smoker = 1) group by colour")
    (chart,) = app.get("plotly_chart")
    assert "red: " in chart.proto.alt
    assert chart.proto.alt.endswith(RELEASE_FILE.sentence)
    assert list(app.table[-1].value["question"]) == ["smoker == 1 by colour", "mean age"]
    assert [each.label for each in app.get("download_button")] == ["Answers, CSV"]
    checked(button(app, "Back to the sample").click().run())
    assert app.file_uploader(key="_ask_files")
    assert list(app.table[-1].value["question"]) == ['income == "\\>50K" by age']


def test_an_example_is_asked_by_a_press_and_can_be_pressed_again():
    app = give(FILES)
    example = app.pills(key="_ask_example").options[1]
    for _ in range(2):
        app.pills(key="_ask_example").set_value(example)
        checked(app.run())
        assert app.text_input(key="_ask_question").value == example
    assert len(app.table[-1].value) == 2


def test_a_misread_question_is_an_error_and_a_refused_one_a_reason_with_what_to_measure():
    rounds = [line for line in json.loads(FILES["measurements.json"]) if "tables" not in line]  # pairs alone
    app = ask(give(resealed(FILES | {"measurements.json": json.dumps(rounds).encode()})), "mean")
    assert "expected the name of an attribute; a question is, for example, mean age" in error_text(app)
    ask(app, "smoker == 1 where age >= 25 and hours < 21 and colour == 'red'")
    assert not app.error
    assert "Refused. age, hours, colour and 1 more were not measured" in app.warning[0].value
    assert "measure them" in app.warning[0].value


def test_what_is_no_release_is_one_sentence_and_the_next_files_may_be_one():
    app = give({"release.zip": b"PK\x03\x04 no more"})
    assert "release.zip is a damaged archive" in error_text(app)
    assert "**Adult**" in words(app)
    app = give(FILES | {"rows.csv": b"age\n1\n"}, app)
    assert "rows.csv is not the file that was released" in error_text(app)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(f"release/{name}", content)
    app = give({"release.zip": buffer.getvalue()}, app)
    assert "**people**" in words(app)
    assert not app.error


def test_the_digits_of_an_answer_are_those_that_its_interval_allows():
    def numbers(value: float, low: float, high: float, kind="mean") -> tuple[str, str]:
        answer = Answer(name="", of="table", value=value, low=low, high=high)
        return QuestionAnswers(Question(kind), "table", (answer,), (None,)).numbers(answer)

    assert numbers(0.30412, 0.29885, 0.30939, "share") == ("30.4%", "29.9% to 30.9%")
    assert numbers(38.6437, 38.56, 38.73) == ("38.64", "38.56 to 38.73")
    assert numbers(12345.6, 11000, 13700) == ("12,346", "11,000 to 13,700")
    assert numbers(2.0, 2.0, 2.0) == ("2.000", "2.000 to 2.000")


def test_a_group_is_told_by_its_value_alone():
    def label(answer: Answer, kind="share") -> str:
        return QuestionAnswers(Question(kind), "table", (answer,), (None,)).label(answer)

    assert label(Answer(name="", of="table", group=("[17, 25)",))) == "[17, 25)"
    assert label(Answer(name="", of="table", group=("x", "y")), "table") == "x, y"
    assert label(Answer(name="coefficient of age", of="table"), "ols") == "age"


QUESTIONS = [
    *(
        "smoking = 'yes'",
        "avg(smoking = 'yes') group by systolic_bp_over_140",
        "share(*) group by smoking, family_anamnesis_chd",
    ),
    *("odds_ratio(smoking = 'yes', lipoprotein_ratio_over_3 = 'yes')", "difference(smoking = 'yes') group by smoking"),
    *("smoking = 'yes' ~ lipoprotein_ratio_over_3", "logit(smoking = 'yes' ~ lipoprotein_ratio_over_3)"),
]


def test_a_run_is_asked_as_a_release_is_and_the_truth_beside_it_is_that_of_its_records(czech):
    records, (run, rows) = czech, finished(czech)
    release = as_release(run, rows)
    found = [answers_to(release, *read_questions(text, czech.domain), "table", records=records) for text in QUESTIONS]
    smoking, pressure = records.marginal((0,)), records.marginal((0, 3))
    assert found[0].truths == pytest.approx((smoking[1] / records.total,))
    assert found[1].truths == pytest.approx(pressure[1] / pressure.sum(axis=0))
    assert found[2].truths == pytest.approx(records.marginal((0, 5)).ravel() / records.total)
    (a, b), (c, d) = records.marginal((0, 4))
    assert found[3].truths == pytest.approx((a * d / (b * c),))
    assert found[4].truths == pytest.approx((1.0,))
    assert found[5].truths == pytest.approx((c / (a + c), d / (b + d) - c / (a + c)))
    assert found[6].truths == pytest.approx((np.log(c / a), np.log(a * d / (b * c))), rel=1e-5)
    pairs = [pair for each in found for pair in zip(each.answers, each.truths, strict=True)]
    held = [answer.low <= truth <= answer.high for answer, truth in pairs if not answer.refused]
    assert len(held) >= 10
    assert sum(held) >= len(held) - 2


def test_no_truth_of_bins_stands_beside_a_mean_or_a_quantile_of_a_binned_number():
    records = random_records(MIXED, 500, np.random.default_rng(0))
    run, rows = finished(records)
    release = as_release(run, rows)
    for text, known in [("avg(age)", False), ("median(age)", False), ("sum(smoker)", True), ("age >= 25", True)]:
        (truth,) = answers_to(release, *read_questions(text, MIXED), "table", records=records).truths
        assert (truth is not None) == known


@pytest.mark.slow
def test_below_a_finished_run_the_truth_stands_beside_the_interval_only_where_it_is_shown():
    app = open_page("run", table="Czech car workers", seed="1")
    checked(button(app, "Run").click().run())
    app.session_state["_runner"].wait(30)
    checked(app.run())
    ask(app, 'smoking == "yes"', key="_ask_run_question")
    assert "The table's own number is " in words(app)
    assert RELEASE_FILE.text not in words(app)
    ask(app, 'smoking == "yes" by systolic_bp_over_140', key="_ask_run_question")
    assert app.get("plotly_chart")[-1].proto.alt.endswith(ON_PUBLIC.sentence)
    checked(app.toggle(key="truth").set_value(False).run())
    assert "Ask this run" not in words(app)
