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

from mwem_app.ask import QuestionAnswers, answers_to
from mwem_app.base import ON_PUBLIC, RELEASE_FILE
from mwem_core.ask import Answer, LoadedRelease, Question, read_questions

STORED = Path(__file__).parents[1] / "ask" / "stored"
FILES = {file.name: file.read_bytes() for file in (STORED / "format-2").iterdir()}


def give(files: dict[str, bytes], app: AppTest | None = None) -> AppTest:
    app = app or open_page("ask")
    given = [(name, content, "application/octet-stream") for name, content in files.items()]
    app.file_uploader(key="_ask_files").set_value(given)
    return checked(app.run())


def ask(app: AppTest, question: str, key: str = "_ask_question") -> AppTest:
    return answered(checked(app.text_input(key=key).set_value(question).run()))


def choose(app: AppTest, **parts: str) -> AppTest:
    for part, text in parts.items():
        answered(checked(app.selectbox(key=f"_ask_{part}").set_value(text).run()))
    return app


def answered(app: AppTest) -> AppTest:
    if "_ask_work" in app.session_state and (work := app.session_state["_ask_work"]).active:  # models are being fitted
        work.wait(60)
        checked(app.run())
    return app


def sql(app: AppTest) -> str:
    return app.text_input(key="_ask_question").value


def test_the_page_opens_with_the_answer_of_a_public_tables_release_and_its_intervals():
    app = open_page("ask")
    assert "**Adult**, a public table: ε = 1, " in words(app)
    assert sql(app) == "select age, avg(case when income = '>50K' then 1 else 0 end) from release group by age"
    assert "Share where income is >50K by age" in words(app)
    assert re.search(r"go from \*\*.+%\)\*\* for \[17, 20\) to \*\*.+%\)\*\* for \[50, 55\)", words(app))
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt.count("%)") == 12
    assert chart.proto.alt.endswith(RELEASE_FILE.sentence)


def test_a_question_takes_four_clicks_of_two_menus_and_is_said_in_english_and_in_sql():
    app = give(FILES)
    choose(app, what="hours", by="colour")
    assert sql(app) == "select colour, avg(hours) from release group by colour"
    assert "Average hours by colour" in words(app)
    assert app.get("plotly_chart")
    choose(app, by="", statistic="share", what="smoker = '1'")
    assert sql(app) == "select avg(case when smoker = '1' then 1 else 0 end) from release"
    assert "Share where smoker is 1" in words(app)
    assert "in the population, with 95% confidence" in words(app)


def test_menus_make_every_statistic_by_two_groups_among_some_and_what_cannot_be_is_not_in_them():
    app = open_page("ask")
    for name in (menu := app.selectbox(key="_ask_statistic")).options:
        choose(app, statistic=name)
        assert not app.error
        assert app.selectbox(key="_ask_statistic").value == name
    assert "correlation" not in menu.options  # of Adult's five only age has numbers
    choose(app, statistic="difference", what="age", by="sex", and_by="income", among="education = 'Bachelors'")
    assert sql(app) == (
        "select sex, income, difference(age) from release where education = 'Bachelors' group by sex, income"
    )
    assert "age" not in app.selectbox(key="_ask_by").options
    choose(app, and_by="")
    choose(app, by="")
    assert app.selectbox(key="_ask_by").value  # a difference is between groups


def test_what_is_written_in_sql_is_shown_in_the_menus():
    app = ask(
        give(FILES), "select smoker, colour, count(*) from t where age >= 25 or hours < 11 group by smoker, colour"
    )
    values = [app.selectbox(key=f"_ask_{part}").value for part in ("statistic", "what", "by", "and_by", "among")]
    assert values == ["number", "", "smoker", "colour", "age >= 25 or hours < 11"]
    ask(app, "smoker ~ colour where age >= 25")
    assert app.selectbox(key="_ask_statistic").value == "linear regression"
    assert app.selectbox(key="_ask_by").disabled
    choose(app, statistic="share")
    assert sql(app).startswith("select avg(case when ")
    ask(app, "median(age); count(*)")
    assert [each.value for each in app.subheader] == ["Median age", "Number of records"]
    ask(app, "")
    assert sql(app) == "select median(age) from release; select count(*) from release"


def test_a_release_is_described_asked_and_its_answers_may_leave():
    app = give(FILES)
    assert "**people**: ε = 3, " in words(app)
    assert sql(app) == "select avg(age) from release"
    assert "ε = 3. Whether a record is in the table or not" in words(app)
    assert words(app).count(RELEASE_FILE.text) == 1
    assert "The mean of age is **" in words(app)
    assert "in the population, with 95% confidence" in words(app)
    assert "age is in bins: each counts as its " in words(app)
    ask(app, "avg(smoker = 1) group by colour")
    (chart,) = app.get("plotly_chart")
    assert "red: " in chart.proto.alt
    assert chart.proto.alt.endswith(RELEASE_FILE.sentence)
    assert [each.label for each in app.get("download_button")] == ["Answers, CSV"]
    checked(button(app, "Back to the sample").click().run())
    assert app.file_uploader(key="_ask_files")
    assert "Share where income is >50K by age" in words(app)


def test_a_misread_question_is_an_error_and_a_refused_one_a_reason_with_what_to_measure():
    rounds = [line for line in json.loads(FILES["measurements.json"]) if "tables" not in line]  # pairs alone
    app = ask(give(resealed(FILES | {"measurements.json": json.dumps(rounds).encode()})), "avg(agee)")
    assert "no attribute 'agee' in the schema; did you mean 'age'" in error_text(app)
    assert "Not in the menus, as not measured together with what is asked: " in words(app)
    ask(app, "smoker = 1 where age >= 25 and hours < 21 and colour = 'red'")
    assert not app.error
    assert "Refused. age, hours, colour and 1 more were not measured" in app.warning[0].value
    assert "declare the question in a release's --for, or measure every table" in app.warning[0].value


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
        return QuestionAnswers(Question(kind), (answer,), (None,)).numbers(answer)

    assert numbers(0.30412, 0.29885, 0.30939, "share") == ("30.4%", "29.9% to 30.9%")
    assert numbers(38.6437, 38.56, 38.73) == ("38.64", "38.56 to 38.73")
    assert numbers(12345.6, 11000, 13700) == ("12,346", "11,000 to 13,700")
    assert numbers(2.0, 2.0, 2.0) == ("2.000", "2.000 to 2.000")


def test_a_group_is_told_by_its_value_alone():
    def label(answer: Answer, kind="share") -> str:
        return QuestionAnswers(Question(kind), (answer,), (None,)).label(answer)

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
    release = LoadedRelease.of_rounds(run.rounds, rows, run.guarantee)
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
    release = LoadedRelease.of_rounds(run.rounds, rows, run.guarantee)
    for text, known in [("avg(age)", False), ("median(age)", False), ("sum(smoker)", True), ("age >= 25", True)]:
        (truth,) = answers_to(release, *read_questions(text, MIXED), "table", records=records).truths
        assert (truth is not None) == known


@pytest.mark.slow
def test_below_a_finished_run_the_truth_stands_beside_the_interval_only_where_it_is_shown():
    app = open_page("run", table="Czech car workers", seed="1")
    checked(button(app, "Run").click().run())
    app.session_state["_runner"].wait(30)
    checked(app.run())
    ask(app, "smoking = 'yes'", key="_ask_run_question")
    assert "The table's own number is " in words(app)
    assert RELEASE_FILE.text not in words(app)
    ask(app, "avg(smoking = 'yes') group by systolic_bp_over_140", key="_ask_run_question")
    assert app.get("plotly_chart")[-1].proto.alt.endswith(ON_PUBLIC.sentence)
    checked(app.toggle(key="truth").set_value(False).run())
    assert "Ask this run" not in words(app)
