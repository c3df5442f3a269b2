"""The Run page through app.py, without a browser: its settings, its errors, its runs and its results."""

import re
import time
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from app_pages import button, checked, error_text, open_page, sent, words
from plans import plan_of
from streamlit.testing.v1 import AppTest

from mwem_app.base import ON_PUBLIC, PRIVATE, PRIVATE_TABLE, SEEDED_RUN, records
from mwem_app.inputs import MAX_UPLOAD_BYTES
from mwem_app.run import files, frames, rows_of
from mwem_app.session import runner
from mwem_core import Apart
from mwem_core.automatic import public_start

SURVEY = "age,town,smokes\n" + "".join(f"{20 + i % 40},{'ABC'[i % 3]},{'ny'[i % 2]}\n" for i in range(120))
SCHEMA = """
[[attribute]]
name = "age"
edges = [0, 30, 45, 99]
[[attribute]]
name = "town"
values = ["A", "B", "C"]
[[attribute]]
name = "smokes"
values = ["n", "y"]
"""
AUTOMATIC = {"method": "Automatic"}
SMALL = {"table": "Czech car workers", "seed": "1"}
open_app = partial(open_page, "run")


def run(app: AppTest, seconds: float = 20) -> runner.Runner:
    checked(button(app, "Run").click().run())
    started: runner.Runner = app.session_state["_runner"]
    started.wait(seconds)
    checked(app.run())
    return started


def upload(app: AppTest, name: str, content: bytes | str) -> AppTest:
    app.file_uploader(key="_table_file").upload(name, content if isinstance(content, bytes) else content.encode())
    return checked(app.run())


def own_table(content: str = SURVEY, schema: str = SCHEMA, **address: str) -> AppTest:
    """An upload with its schema given as text and confirmed."""
    app = upload(open_app(table="Your own file", **address), "survey.csv", content)
    checked(app.segmented_control(key="_schema_mode").set_value("Text").run())
    app.text_area(key="_schema_text").set_value(schema)
    checked(app.run())
    if any(widget.label == "Use this schema" for widget in app.button):
        checked(button(app, "Use this schema").click().run())
    return app


def player(app: AppTest) -> dict:
    """What the page last sent to the player."""
    return sent(app, "mwem_stage")


def captions(app: AppTest) -> str:
    return "\n".join(caption.value for caption in app.caption)


def both(app: AppTest, seconds: float = 20) -> tuple[runner.Runner, runner.Runner]:
    checked(button(app, "Run both").click().run())
    started = app.session_state["_runner"], app.session_state["_beside"]
    for each in started:
        each.wait(seconds)
    checked(app.run())
    return started


def test_each_method_says_what_it_would_do_in_which_time_and_its_expected_error_where_it_has_one():
    mwem, automatic, slow = (open_app(method=name) for name in ("MWEM", "Automatic", "Figure 1"))
    said = captions(mwem)
    assert "Press **Run** for 19 rounds. Each round measures a marginal" in said
    assert "Expected mean total variation of the pairs:" in said
    assert re.search(r"\*\*MWEM\*\* 19 rounds · \.0\d+ to \.0\d+", said)
    assert re.search(r"\*\*Automatic\*\* all 28 marginals measured once · \.0\d+ to \.0\d+", said)
    assert "A run takes" not in said
    said = captions(automatic)
    assert "Press **Run**: all 28 marginals measured once, and then the model is fitted to them in" in said
    assert "round" not in re.sub(r"\*\*MWEM\*\* 19 rounds .*", "", said)  # what MWEM would do stands beside it
    labels = [{widget.label for widget in app.selectbox} for app in (mwem, automatic)]
    assert ["Rounds T" in each for each in labels] == [True, False]
    assert "A run takes about 10 seconds" in captions(slow)
    assert "**Figure 1** 170 rounds" in captions(slow)
    assert "**MWEM of 2012** 10 rounds" in captions(open_app(method="MWEM of 2012"))


def test_a_result_of_other_settings_says_what_it_is_of_until_they_are_chosen_again():
    app = open_app(**SMALL)
    run(app)
    done, stale = "Done after", "This result is of czech.csv at ε = 1. Press **Run** for {}."
    assert done in captions(app)
    assert "This result is of" not in captions(app)
    checked(app.select_slider(key="epsilon").set_value(2.0).run())
    assert captions(app).count(stale.format("ε = 2")) == 2  # above the player, and above the result
    assert done not in captions(app)
    checked(app.select_slider(key="epsilon").set_value(1.0).run())
    assert done in captions(app)
    checked(app.number_input(key="k").set_value(1).run())
    assert stale.format("the settings above") in captions(app)


def test_while_the_schema_of_a_new_file_is_edited_an_earlier_result_says_its_table_and_no_spending_is_told():
    app = open_app(**SMALL)
    run(app)
    checked(app.selectbox(key="table").set_value("Your own file").run())
    upload(app, "survey.csv", SURVEY)
    assert "This result is of czech.csv at ε = 1. Press **Run** for the settings above." in captions(app)
    assert "Done after" not in captions(app)
    assert "spent in" not in captions(app)


def test_an_upload_opens_with_mwem_and_one_click_takes_automatic_where_it_is_expected_to_err_less():
    app = own_table()
    assert app.radio(key="method").value == "mwem"
    assert re.search(r"Automatic's expected mean .* is [.\d]+ instead of [.\d]+: \d+% less\.", captions(app))
    checked(button(app, "Use Automatic").click().run())
    assert app.radio(key="method").value == "automatic"
    assert "Automatic's expected" not in captions(app)
    assert run(app).plan.system == "automatic"


def test_automatic_calls_what_fits_the_model_steps_and_says_once_what_was_measured():
    app = open_app(**SMALL, **AUTOMATIC)
    run(app)
    method, (_, *rounds) = player(app)["method"], player(app)["rounds"]
    assert method["turn"] == "step"
    assert method["select"].startswith("64 cells measured once: ")
    assert {frame["once"] for frame in rounds} == {"64 cells measured once"}
    assert "Automatic, 64 cells measured once · " in captions(app)
    assert "round" not in " ".join([*method.values(), *re.findall(r"Done.*", captions(app))])


def noise_of(app: AppTest) -> float:
    """The noise of one measurement, in records, as the page says it."""
    return float(re.search(r"mean noise of \*\*([\d.,]+) records\*\*", captions(app))[1].replace(",", ""))


def test_the_noise_on_the_page_shrinks_as_epsilon_grows():
    app = open_app(rounds="10", epsilon="0.1")
    before = noise_of(app)
    assert "In 10 rounds" in captions(app)
    checked(app.select_slider(key="epsilon").set_value(1.0).run())
    assert noise_of(app) == pytest.approx(before / 10, rel=0.02)  # both are rounded


def test_the_page_says_so_where_delta_only_adds_noise():
    """At ε = 0.1 in 10 rounds Gaussian noise under δ = 1e-9 is wider than Laplace noise; at ε = 1 in 28 it is not."""
    few, many = (
        "\n".join(line.value for line in open_app(delta="1e-9", epsilon=epsilon, rounds=rounds).caption)
        for epsilon, rounds in (("0.1", "10"), ("1", "28"))
    )
    assert "With δ = 0 it would be" in few
    assert "records** on each measured cell" in many
    assert "With δ = 0" not in many


def test_one_click_from_a_cold_start_gives_a_run_on_adult_that_beats_the_baselines():
    app = open_app(seed="1")
    assert not app.error
    assert "48,842 rows · 38,102,400 cells" in captions(app)
    assert "28 marginals, 3,982 cells" in words(app)
    assert app.select_slider(key="epsilon").value == 1.0
    assert not button(app, "Run").disabled
    done = run(app)
    assert done.status == "done"
    tv = next(metric for metric in app.metric if metric.label == "Mean TV")
    assert float(tv.value) < 0.03
    assert tv.value == f"{done.steps[-1].errors.mean_tv:.3f}"
    assert "uniform 0.68  \nplain Laplace 0.041" in captions(app)
    assert "**ε = 1** spent in 1 run" in captions(app)


@pytest.mark.parametrize(("epsilon", "laplace", "explained"), [("0.02", "0.81", False), ("0.01", "1.63", True)])
def test_a_total_variation_of_noisy_answers_above_1_is_explained(epsilon, laplace, explained):
    app = open_app(**SMALL, epsilon=epsilon, rounds="1")
    run(app)
    sentence = "noisy answers are not a distribution, so this can exceed 1"
    assert f"plain Laplace {laplace}{': ' + sentence if explained else ''}\n" in captions(app) + "\n"
    assert (sentence in captions(app)) == explained


def test_where_a_plan_comes_first_the_page_says_so_and_shows_the_choices_after_it():
    app = open_app(seed="1", epsilon="0.05", **AUTOMATIC)
    assert "for 3 rounds. The first measures all one-way marginals, each later one a marginal" in captions(app)
    done = run(app)
    shown = frames(done.plan, done.steps, None, show_truth=True)
    assert [frame.planned for frame in shown] == [False, True, False, False]
    assert [frame.probability is None for frame in shown] == [True, True, False, False]
    assert shown[1].measured == "8 residuals"
    assert shown[2].candidates
    assert shown[3].candidates


def test_where_one_way_marginals_come_first_the_page_says_so_and_shows_no_choice():
    app = open_app(seed="1", epsilon="0.03", k="3", rounds="10")
    assert "for 10 rounds. After all one-way marginals, each round measures a marginal" in captions(app)
    done = run(app)
    shown = frames(done.plan, done.steps, None, show_truth=True)
    assert [frame.planned for frame in shown] == [False] + 8 * [True] + 2 * [False]
    assert [frame.chosen for frame in shown[1:9]] == list(done.plan.records.domain.names)
    assert all((frame.probability is None) == (frame.round < 9) for frame in shown)
    assert "of adult.parquet · ε = 0.03 · MWEM · 10 rounds" in captions(app)


def names(marginal: str) -> set[str]:
    """The attributes of a marginal's title or id, which may come in any order."""
    return set(marginal.split(" × "))


def test_in_view_is_the_marginal_measured_first_or_what_each_round_measured_or_the_readers_own():
    run(app := open_app(**SMALL, rounds="4"))
    sent, (view,) = player(app), player(app)["views"]
    assert names(view["id"]) == names(sent["rounds"][1]["chosen"])
    assert {frame["view"] for frame in sent["rounds"]} == {view["id"]}
    assert len({frame["chosen"] for frame in sent["rounds"]}) == 5
    checked(app.toggle(key="follow").set_value(True).run())
    sent = player(app)
    start, *rounds = sent["rounds"]
    assert start["view"] == "smoking × strenuous_mental_work"  # the suggested one
    assert [names(frame["view"]) for frame in rounds] == [names(frame["chosen"]) for frame in rounds]
    assert {view["id"] for view in sent["views"]} == {frame["view"] for frame in sent["rounds"]}
    assert all(view["truth"] for view in sent["views"])
    checked(app.toggle(key="truth").set_value(False).run())
    assert [view["truth"] for view in player(app)["views"]] == [None] * len(sent["views"])
    app = open_app(**SMALL, rounds="4", across="smoking", down="family_anamnesis_chd")
    (view,) = player(app)["views"]
    assert view["title"] == "smoking × family_anamnesis_chd"


def test_a_round_that_measures_ranges_by_themselves_shows_their_table():
    settings = {"attributes": ["age", "sex", "race"], "ask_2": "Ranges", "which_2": "Prefixes"}
    done = run(app := open_app(**settings, seed="1", follow="true", **AUTOMATIC))
    *_, last = player(app)["rounds"]
    assert isinstance(done.plan.settings, Apart)
    assert (last["chosen"], last["view"]) == ("ranges of age", "age")
    assert last["once"].endswith(" cells measured once, ranges by themselves")


def test_settings_come_from_the_address():
    app = open_app(
        table="Rochdale households",
        ask="Parities",
        k="3",
        epsilon="0.5",
        method="MWEM of 2012",
        rounds="4",
        seed="9",
        truth="false",
    )
    done = run(app)
    plan = done.plan
    assert (plan.workload.spec, plan.settings.epsilon, plan.settings.T) == ("parities:3", 0.5, 4)
    assert (plan.system, plan.seed, plan.table) == ("mwem-paper", 9, "rochdale.csv")
    assert len(done.steps) == 5


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"epsilon": "abc"}, "epsilon must be a positive number, got 'abc'"),
        ({"epsilon": "1e-9"}, "epsilon must lie between 1e-06 and 1e+06, got 1e-09"),
    ],
)
def test_an_invalid_epsilon_in_the_address_is_named_and_the_default_is_used(address, sentence):
    app = open_app(**address)
    assert sentence in error_text(app)
    assert app.select_slider(key="epsilon").value == 1.0


def test_an_epsilon_between_the_marks_can_come_from_the_address_or_be_typed():
    app = open_app(epsilon="1.2345670e-1")
    assert not app.error
    assert app.select_slider(key="epsilon").value == 0.123457
    assert app.query_params["epsilon"] == "0.123457"
    app.text_input(key="_epsilon_exactly").set_value("0.042")
    assert checked(app.run()).select_slider(key="epsilon").value == 0.042
    app.text_input(key="_epsilon_exactly").set_value("-3")
    assert "epsilon must be a positive number" in error_text(checked(app.run()))
    assert app.select_slider(key="epsilon").value == 0.042


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"k": "9"}, "k must be at most the number of attributes, 8, got 9"),
        ({"rounds": "29"}, "rounds must be at most 28, the number of marginals"),
        ({"rounds": "many"}, "rounds must be a whole number of at least 1, theorem or adaptive, got 'many'"),
        ({"delta": "2"}, "delta must be at least 0 and less than 1"),
        ({"seed": "-4"}, "the seed must be a whole number of at least 0, with at most 12 digits"),
        ({"ask": "Predicates", "where": "sex =="}, "cannot be read at"),
        ({"attributes": ""}, "no attribute is chosen"),
        ({"table": "Adult, whole numbers", "which": "Listed", "ranges": "17"}, "cannot be read: write low..high"),
        (
            {"table": "Adult, whole numbers", "columns": ["age", "capital-loss"], "which": "All"},
            "queries, but at most 100,000,000 fit in memory",
        ),
    ],
)
def test_an_invalid_setting_gives_one_error_and_disables_run(address, sentence):
    app = open_app(**address)
    assert sentence in error_text(app)
    assert button(app, "Run").disabled


def test_one_attribute_is_asked_for_its_own_marginal():
    app = open_app(attributes="sex")
    assert app.number_input(key="k").value == 1
    assert run(app).plan.workload.spec == "marginals:1"
    app.pills(key="attributes").set_value(["race", "sex"])
    assert checked(app.run()).number_input(key="k").value == 2


@pytest.mark.parametrize(
    ("address", "sentence", "click", "spec"),
    [
        (SMALL | {"k": "9"}, "k must be at most the number of attributes, 6, got 9", "Use k = 6", "marginals:6"),
        ({"ask": "Parities"}, "'race' has ", "Keep only 1 two-valued attribute", "parities:1"),
        ({"ask": "Parities", "attributes": ["race", "education"]}, "'race' has ", "Ask for marginals", "marginals:2"),
        (SMALL | {"ask": "Ranges"}, "ranges need an attribute with an order", "Ask for marginals", "marginals:2"),
        ({"ask": "Ranges"}, "ranges need an attribute with an order", "Add age", "ranges:age:"),
    ],
)
def test_questions_that_the_table_cannot_be_asked_are_made_askable_in_one_click(address, sentence, click, spec):
    app = open_app(**address)
    assert sentence in error_text(app)
    checked(button(app, click).click().run())
    assert not app.error
    assert run(app).plan.workload.spec.startswith(spec)


def test_parities_run_with_the_plan_of_the_default_and_the_page_says_so():
    app = open_app(table="Czech car workers", ask="Parities", **AUTOMATIC)
    assert "**64 cells measured once**, with about" in captions(app)
    assert "records** of noise in an answer" in captions(app)
    done = run(app)
    assert (done.status, plan_of(done.plan.settings)) == ("done", "cells")
    assert done.as_run().epsilon_spent == pytest.approx(1)
    assert done.steps[-1].errors.max_error < 0.05 < done.steps[0].errors.max_error
    assert not app.error


@pytest.mark.parametrize("table", ["Adult, whole numbers", "Czech car workers", "Rochdale households", "Class survey"])
def test_every_sample_runs_as_it_comes(table):
    app = open_app()
    checked(app.selectbox(key="table").set_value(table).run())
    assert not app.error
    assert run(app).status == "done"
    checked(app.selectbox(key="table").set_value("Adult").run())
    assert not app.error
    assert "28 marginals" in words(app)


@pytest.mark.parametrize(
    ("settings", "family", "T", "delta"),
    [
        ({"ask": "Cuboids", "method": "MWEM of 2012"}, "cuboids", 10, 0),
        ({"rounds": "theorem"}, "marginals", "theorem", 0),
        ({"rounds": "adaptive"}, "marginals", "adaptive", 0),
        ({"delta": "1e-6", "rounds": "4"}, "marginals", 4, 1e-6),
    ],
    ids=str,
)
def test_every_family_and_variant_runs_on_a_small_table(settings, family, T, delta):
    app = open_app(**SMALL, **settings)
    assert not app.error
    done = run(app)
    assert (done.status, done.plan.workload.family, done.plan.settings.delta) == ("done", family, delta)
    assert done.plan.settings.T == T
    assert done.as_run().epsilon_spent == pytest.approx(1)


def test_ranges_are_measured_by_a_plan_that_says_what_it_measures_and_gives_rows():
    app = open_app(
        table="Adult, whole numbers", columns=["age", "hours-per-week"], which="Random", seed="1", **AUTOMATIC
    )
    assert any(
        text.value.startswith("**Counts of 16 × 16, 16 × 128, 128 × 16 and 128 × 128 intervals, each measured once**.")
        for text in app.caption
    )
    assert "Press **Run**: counts of intervals measured once, and then the model is fitted to them" in captions(app)
    done = run(app)
    assert (done.status, plan_of(done.plan.settings)) == ("done", "halvings")
    shown = frames(done.plan, done.steps, None, show_truth=True)
    assert [frame.chosen for frame in shown[1:]] == [f"{2**i} × {2**i} intervals" for i in range(1, 8)]
    assert shown[-1].mean < 0.1 * shown[0].mean
    finished = done.as_run()
    assert finished.epsilon_spent == pytest.approx(1)
    rows = rows_of(finished).table
    ages = rows.marginal((finished.domain.names.index("age"),))
    assert rows.total == 48_842
    assert np.abs(ages - done.plan.records.marginal((finished.domain.names.index("age"),))).sum() < 0.05 * 48_842


def test_parts_are_added_weighted_run_together_and_removed():
    """Each with its own widgets; what is removed leaves the others as they are. The result is shown by part."""
    app = open_app(attributes=["age", "sex", "race"], weight_2="3", ask_2="Ranges", which_2="Prefixes", seed="1")
    checked(button(app, "Add a part").click().run())
    assert app.segmented_control(key="ask_3").value == "Predicates"
    app.text_area(key="where_3").set_value('sex == "Male" and age >= 40')
    checked(app.run())
    done = run(app)
    spec = 'marginals:2 + 3*ranges:age:prefixes + where:sex == "Male" and age >= 40'
    assert (done.status, done.plan.workload.spec) == ("done", spec)
    (table,) = (each.value for each in app.table if "error by part" in each.value.columns)
    assert len(table) == 3
    assert (table["released answers"].astype(float) < table["uniform, no data used"].astype(float) / 10).all()
    checked(app.button(key="_remove_part_2").click().run())
    assert app.segmented_control(key="ask_2").value == "Predicates"
    assert app.text_area(key="where_2").value == 'sex == "Male" and age >= 40'
    assert "Together **2 parts, 95 queries** · sensitivity 4" in words(app)
    checked(app.button(key="_remove_part_1").click().run())
    assert app.segmented_control(key="ask").value == "Predicates"
    assert not [each for each in app.button if each.label == "Remove"]


def test_of_an_upload_with_many_columns_all_that_can_be_used_are_chosen():
    names = [f"c{i}" for i in range(60)]
    rows = "".join(",".join(str((i * k) % 7) for k in range(1, 61)) + "\n" for i in range(30))
    app = upload(open_app(table="Your own file"), "wide.csv", ",".join(names) + "\n" + rows)
    checked(button(app, "Use this schema").click().run())
    constant = [6, 13, 20, 27, 34, 41, 48, 55]  # multiples of 7: 0 in every row
    assert app.multiselect(key="attributes").value == [name for i, name in enumerate(names) if i not in constant]
    assert not button(app, "Run").disabled


def test_a_query_family_chosen_by_the_user_survives_a_change_of_table():
    app = open_app()
    checked(app.segmented_control(key="ask").set_value("Cuboids").run())
    checked(app.selectbox(key="table").set_value("Adult, whole numbers").run())
    assert app.segmented_control(key="ask").value == "Cuboids"


def test_a_run_that_ends_early_says_why_and_what_is_left():
    """Attributes of 300, 300, 400 and 400 values: one pair fits the model. One-way marginals come first."""
    content = "a,b,c,d\n" + "".join(f"{i},{i},{i},{i}\n" for i in range(300))
    last = {"a": 299, "b": 299, "c": 399, "d": 399}
    schema = "".join(f'[[attribute]]\nname = "{name}"\nrange = [0, {last[name]}]\n' for name in last)
    app = own_table(content, schema)
    app.selectbox(key="rounds").set_value("10")
    done = run(app)
    assert done.status == "done"
    assert "Ended after 5 of 10 planned rounds: no further marginal fits the model's 100,000 cells. " in captions(app)
    assert f"ε = {done.as_run().epsilon_spent:.3g} of 1 is spent. The other " in captions(app)


def test_stopping_in_mid_run_keeps_the_rounds_and_their_cost():
    app = open_app(table="Adult, whole numbers", seed="1", rounds="1000")
    checked(button(app, "Run").click().run())
    started = app.session_state["_runner"]
    until = time.monotonic() + 20
    while len(started.steps) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    checked(button(app, "Stop run").click().run())
    started.wait(20)
    checked(app.run())
    assert started.status == "stopped"
    assert f"{len(started.steps) - 1} rounds before it was stopped" in captions(app)
    spent = started.as_run().epsilon_spent
    assert 0 < spent < 1
    assert f"**ε = {spent:.3g}** spent" in captions(app)


def test_a_run_that_fails_says_so_and_keeps_its_rounds(monkeypatch):
    steps = runner.steps_of

    def breaks(plan):
        for step in steps(plan):
            if step.round.index == 2:
                raise MemoryError
            yield step

    monkeypatch.setattr(runner, "steps_of", breaks)
    app = open_app(**SMALL)
    failed = run(app)
    assert "does not fit in memory" in error_text(app)
    assert (failed.status, len(failed.steps)) == ("failed", 2)
    assert not button(app, "Run").disabled


def test_sessions_on_one_link_see_one_run_and_each_counts_its_own_epsilon():
    one, two = open_app(table="Class survey", seed="1"), open_app(table="Class survey", seed="1")
    first = run(one)
    checked(button(two, "Run").click().run())
    second = two.session_state["_runner"]
    assert (second.status, second.computation) == ("done", first.computation)
    assert second.id != first.id
    assert player(two)["run"] == second.id
    assert [frame["round"] for frame in player(two)["rounds"]] == [step.round.index for step in first.steps]
    assert "**ε = 1** spent in 1 run" in captions(two)
    checked(button(two, "Run").click().run())
    assert "**ε = 2** spent in 2 runs" in captions(two)
    assert "**ε = 1** spent in 1 run" in captions(one)


def test_a_run_without_a_seed_or_of_an_upload_is_the_sessions_own():
    for start in (lambda: open_app(table="Class survey"), lambda: own_table(seed="1")):
        first, second = run(start()), run(start())
        assert first.computation is not second.computation
        assert runner.shared_values_of(first.as_run().model) is None
        assert not runner.is_there(first.original_plan)


def test_an_upload_gets_a_proposed_schema_and_runs_once_it_is_confirmed():
    app = upload(open_app(table="Your own file"), "survey.csv", SURVEY)
    assert "proposed from the data" in app.warning[0].value
    assert button(app, "Run").disabled
    checked(button(app, "Use this schema").click().run())
    assert "120 rows · 240 cells" in captions(app)
    assert "schema confirmed, 3 attributes, proposed from the data" in captions(app)
    ran = run(app)
    assert (ran.status, ran.plan.provenance) == ("done", "proposed")
    assert "The schema was proposed from the data" in ran.as_run().publication.statement
    checked(button(app, "Edit schema").click().run())
    assert "proposed from the data. **Values" in app.warning[0].value, "confirming it does not make it public"


def test_an_upload_can_protect_persons_of_several_records():
    """At most two of three records each. The ε of the page is a person's; the release page starts from the choice."""
    lines = SURVEY.splitlines()
    visits = "\n".join(f"{'who' if i == 0 else f'p{i % 40}'},{line}" for i, line in enumerate(lines))
    app = upload(open_app(table="Your own file", epsilon="2"), "visits.csv", visits)
    (key,) = (group.key for group in app.button_group if group.key.endswith("_unit"))
    checked(app.button_group(key=key).set_value("A person").run())
    checked(app.number_input(key=key.replace("_unit", "_most")).set_value(2).run())
    assert "tables that are linked by a key, such as persons and their visits, are not supported" in captions(app)
    checked(button(app, "Use this schema").click().run())
    assert "80 rows, at most 2 of a person" in captions(app)
    assert "For a person of up to 2 records. Each of them has ε = 1." in captions(app)
    done = run(app)
    assert (done.plan.settings.epsilon, done.plan.guarantee.epsilon, done.plan.records.total) == (1.0, 2.0, 80)
    assert "ε = 2 for a person of up to 2 records" in captions(app)
    assert "key=b''" in {file.name: file.make() for file in files(done.as_run(), rows_of(done.as_run()))}["repeat.py"]
    checked(app.switch_page("pages/release.py").run())
    assert app.session_state["_upload"].unit.records == 2


def test_an_edited_proposal_says_so_and_a_schema_from_a_file_does_not_warn():
    app = own_table()
    assert "proposed, then edited" in captions(app)
    assert run(app).plan.provenance == "proposed and edited"
    app = upload(open_app(table="Your own file"), "survey.csv", SURVEY)
    app.file_uploader(key="_schema_file").upload("survey.toml", SCHEMA.encode())
    checked(app.run())
    assert "schema confirmed, 3 attributes, from a file" in captions(app)
    assert run(app).plan.provenance == "file"
    checked(button(app, "Edit schema").click().run())
    assert not app.warning


def test_rules_are_written_below_the_schema_and_the_records_that_break_one_are_told():
    app = own_table()
    checked(button(app, "Edit schema").click().run())
    checked(app.segmented_control(key="_schema_mode").set_value("Table").run())
    rules = next(area for area in app.text_area if area.label.startswith("Never"))
    checked(rules.set_value("age < 30 and town == 'A'\n\nage < 20").run())
    assert "rule 2 of the schema: " in error_text(app)
    rules = next(area for area in app.text_area if area.label.startswith("Never"))
    checked(rules.set_value("age < 30 and town == 'A'").run())
    checked(button(app, "Use this schema").click().run())
    assert "1 rule; records break rule 1 (" in captions(app)
    checked(button(app, "Edit schema").click().run())
    checked(app.segmented_control(key="_schema_mode").set_value("Columns").run())
    assert "Never: age \\< 30 and town == 'A'." in captions(app)
    checked(button(app, "Use this schema").click().run())
    ran = run(app)
    assert ran.plan.records.domain.never == ("age < 30 and town == 'A'",)
    assert ran.steps[-1].round.model.marginal((0, 1))[~ran.plan.workload.domain.possible[0, 1]].sum() == 0
    checked(app.toggle(key="truth").set_value(False).run())
    assert "records break" not in captions(app)


def test_a_run_starts_from_a_public_table_beside_its_own():
    app = own_table()
    app.file_uploader(key="_public_start_file").upload("last year.csv", b"age,town,smokes\n20,Z,n\n")
    checked(app.run())
    assert "The public table last year.csv is not used: column 'town' has 1 row outside" in error_text(app)
    app.file_uploader(key="_public_start_file").upload("last year.csv", SURVEY.encode())
    checked(app.run())
    ran = run(app)
    assert public_start(ran.plan.settings).summary()["records"] == 120
    assert ran.steps[0].errors.mean_error < ran.steps[0].baseline.mean_error
    assert "starts from last year.csv" in captions(app)


def test_a_second_upload_with_the_same_columns_keeps_the_schema_of_the_first():
    app = upload(own_table(), "again.csv", SURVEY.replace("20,A", "21,A"))
    assert "proposed from the data, and then edited" in app.warning[0].value, "the first schema, and its source"
    checked(button(app, "Use this schema").click().run())
    assert "120 rows · 18 cells" in captions(app)


def test_a_share_for_bins_that_an_address_misstates_is_named():
    schema = SCHEMA.replace("edges = [0, 30, 45, 99]", "range = [0, 99]\nmeasured_bins = 3")
    for wrong in ("nope", "2"):
        assert f"the address asks for bins = '{wrong}'" in error_text(own_table(schema=schema, bins=wrong))


def test_bins_are_measured_with_a_share_of_the_budget_that_can_be_set():
    """The summary and the files are in these bins; a page that compares runs says that it cannot."""
    app = own_table(schema=SCHEMA.replace("edges = [0, 30, 45, 99]", "range = [0, 99]\nmeasured_bins = 3"))
    assert "It first measures the open bins" in captions(app)
    app.number_input(key="bins").set_value(0.25)
    started = run(checked(app.run()))
    assert started.steps[0].round.ledger.start == pytest.approx(0.25)
    assert started.as_run().domain.attributes[0].value_set.edges[-1] == 99
    assert "25% for bins" in captions(app)
    app.switch_page("pages/compare.py").run()
    assert error_text(app) == (
        "each run would measure its own bins of 'age', so runs cannot be compared: declare its edges"
    )


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"x,y\n1,2\n3\n", "a.csv line 3 has 1 cell where the header has 2"),
        ("a.parquet", b"PAR1 and then nothing", "a damaged Parquet file"),
        ("large.csv", b"a,b\n" + bytes(MAX_UPLOAD_BYTES), "large.csv has 200.0 MB, over the limit of 200.0 MB"),
    ],
)
def test_a_file_that_is_no_table_gives_one_error_and_replaces_nothing(name, content, sentence):
    app = upload(own_table(), name, content)
    assert sentence in error_text(app)
    assert "120 rows · 18 cells" in captions(app)


def test_a_table_without_records_cannot_be_explored():
    app = upload(open_app(table="Your own file"), "a.csv", "x,y\n")
    assert error_text(app) == "a.csv has a header but no rows; it needs at least one"
    assert not any(each.label == "Use this schema" for each in app.button)
    weightless = own_table("x,count\n1,0\n", '[[attribute]]\nname = "x"\nvalues = ["1", "2"]')
    assert error_text(weightless) == "say below what column 'count' is, as the schema does not name it"
    checked(say_count(weightless, "the number of records of each row"))
    checked(button(weightless, "Use this schema").click().run())
    assert error_text(weightless) == "the table has no records: there is nothing to release"


def say_count(app: AppTest, what: str) -> AppTest:
    """Say what the column called `count` is."""
    (question,) = [each for each in app.button_group if each.label == "Column count is"]
    return question.set_value(what).run()


def test_a_column_called_count_is_an_attribute_until_the_user_says_that_it_is_none():
    numbers = "sex,count\n" + "".join(f"{'FM'[i % 2]},{i % 3}\n" for i in range(26))
    app = upload(open_app(table="Your own file"), "own.csv", numbers)
    assert "2 attributes" in captions(app)
    checked(button(app, "Use this schema").click().run())
    assert "26 rows · 6 cells" in captions(app)
    checked(button(app, "Edit schema").click().run())
    say_count(app, "the number of records of each row")
    shown = "".join(element.proto.body for element in app.get("html"))
    assert "left out: holds the number of records of each row" in shown
    checked(button(app, "Use this schema").click().run())
    assert "25 rows · 2 cells" in captions(app)
    assert run(app).as_run().count == "count"
    checked(button(app, "Edit schema").click().run())
    say_count(app, "like any other")
    assert "2 attributes" in captions(app)


@pytest.mark.parametrize(
    ("content", "schema", "sentence"),
    [
        (SURVEY, "[[attribute]\n", "the schema is not valid TOML"),
        (SURVEY, SCHEMA.replace('"B", ', ""), "column 'town' has 40 rows outside the schema"),
        (SURVEY, SCHEMA.replace('"age"', '"years"'), "the table has no column 'years'"),
        (SURVEY, "", "the schema has no attribute"),
    ],
)
def test_a_schema_that_does_not_fit_gives_an_error_and_keeps_its_text(content, schema, sentence):
    app = own_table(content, schema)
    assert sentence in error_text(app)
    assert app.text_area(key="_schema_text").value == schema
    assert button(app, "Run").disabled
    checked(
        app.text_area(key="_schema_text").set_value('[[attribute]]\nname = "town"\nother = true\nvalues = ["A"]').run()
    )
    assert not app.error
    checked(button(app, "Use this schema").click().run())
    assert "rows · 2 cells" in captions(app)


def test_a_table_of_no_usable_column_gives_one_reason_until_a_schema_is_written():
    app = upload(open_app(table="Your own file"), "blank.csv", "a,b\nx,\nx,\n")
    (reason,) = app.error
    assert "no column can be proposed as an attribute ('a' has the same value in every row" in reason.value
    assert not app.warning  # nothing was read off the data
    app.text_area(key="_schema_text").set_value("[[attribute]\n")
    (reason,) = checked(app.run()).error
    assert "no column can be proposed" not in reason.value
    app.text_area(key="_schema_text").set_value('[[attribute]]\nname = "a"\nvalues = ["", "x"]\n')
    assert not checked(app.run()).error


def badges_by_section(app: AppTest) -> dict[str, list[str]]:
    """The texts of the badges after each heading of the page; those before the first heading are left out."""
    by_section: dict[str, list[str]] = {}
    for element in app.main:
        if element.type == "subheader":
            by_section[element.value] = []
        elif (
            by_section and element.type == "markdown" and (badge := re.match(r":\w+-badge\[:\S+ (.*)\]", element.value))
        ):
            by_section[list(by_section)[-1]].append(badge[1])
    return by_section


def test_a_page_says_once_what_may_be_published_a_section_what_differs_and_a_chart_its_own():
    app = own_table(seed="1")
    run(app)
    sections = ("Result", "Original beside synthetic", "Error against the truth", "Downloads")
    badges = {key: [] for key in (*sections, "Quality by column and pair", "Ask this run", "Average age")}
    assert PRIVATE_TABLE.text in words(app)
    app.session_state["_ask_run_work"].wait(30)
    for view in ("All columns", "One column", "Two columns"):
        app.session_state["takeaway_view"] = view
        checked(app.run())
        assert badges_by_section(app) == badges | {"Downloads": [SEEDED_RUN.text]}
        charts = [chart.proto.alt for chart in app.get("plotly_chart")]
        assert all(alt.endswith((PRIVATE.sentence, SEEDED_RUN.sentence)) for alt in charts)
    checked(app.toggle(key="truth").set_value(False).run())
    sections = ("Result", "The synthetic rows", "Downloads", "Quality by column and pair")
    assert badges_by_section(app) == {key: [SEEDED_RUN.text] for key in sections}
    assert all(chart.proto.alt.endswith(SEEDED_RUN.sentence) for chart in app.get("plotly_chart"))


@pytest.mark.parametrize(
    ("settings", "figures"),
    [
        ({"table": "Czech car workers"}, ["Mean TV", "Mean error", "Max error", "Spent"]),
        ({"table": "Adult, whole numbers", "rounds": "2"}, ["Squared error", "Mean error", "Max error", "Spent"]),
        ({"table": "Czech car workers", "truth": "false"}, ["Residual", "Change", "Records", "Spent"]),
    ],
)
def test_every_error_has_its_unit_and_its_baselines_below_a_label_short_enough_for_a_telephone(settings, figures):
    app = open_app(seed="1", **settings)
    done = run(app)
    assert [metric.label for metric in app.metric] == figures
    if settings.get("truth") == "false":
        assert ON_PUBLIC.text in words(app)
        assert not any(badges_by_section(app).values())
        assert all(chart.proto.alt.endswith(ON_PUBLIC.sentence) for chart in app.get("plotly_chart"))
    below = {metric.label: caption for metric, caption in zip(app.metric, captions_of_metrics(app), strict=True)}
    for name in {"Mean TV", "Squared error", "Mean error", "Max error"} & set(figures):
        unit, *baselines = below[name].split("  \n")
        assert re.search("0 to 1|records", unit)
        assert [line.rsplit(" ", 1)[0] for line in baselines] == ["uniform", "plain Laplace"]
    for name in {"Residual", "Change"} & set(figures):
        assert re.fullmatch(r"= [\d.,]+ of 1,841 records  \nnoise alone [\d.]+", below[name])
    if "Max error" in figures:
        n = done.plan.records.total
        assert f"= {records(done.steps[-1].errors.max_error * n)} of {n:,} records" in below["Max error"]


def captions_of_metrics(app: AppTest) -> list[str]:
    """The caption after each metric, in the order of the page."""
    elements = list(app.main)
    return [after.value for metric, after in pairwise(elements) if metric.type == "metric"]


def test_run_both_shows_the_rounds_and_automatic_beside_them_and_the_files_of_either_until_a_run_is_alone():
    app = open_app(**SMALL)
    watched, beside = both(app)
    assert (watched.plan.system, beside.plan.system) == ("mwem", "automatic")
    assert watched.plan.seed == beside.plan.seed == 1
    errors = beside.steps[-1].errors
    lines = player(app)["lines"]
    assert (lines["automatic_max"], lines["automatic_mean"]) == pytest.approx((errors.max_error, errors.mean_error))
    assert len(player(app)["rounds"]) == len(watched.steps) > 2
    table = next(table.value for table in app.table if "MWEM" in table.value.columns)
    assert list(table.columns) == ["on the same table", "MWEM", "Automatic"]
    rows = {row.iloc[0]: (row.iloc[1], row.iloc[2]) for _, row in table.iterrows()}
    assert rows["what it did"] == (watched.as_run().ran, "64 cells measured once")
    assert float(rows["mean total variation"][0]) == pytest.approx(watched.steps[-1].errors.mean_tv, rel=0.02)
    assert rows["ε spent"] == ("1", "1")
    assert "**ε = 2** spent in 2 runs" in captions(app)
    choice = next(each for each in app.button_group if each.key == "_result_of")
    assert (choice.options, choice.value) == (["Automatic", "MWEM"], "Automatic")
    assert any(each.value.startswith('"""Repeats a run of Automatic') for each in app.code)
    checked(choice.set_value("MWEM").run())
    assert any(each.value.startswith('"""Repeats a run of MWEM') for each in app.code)
    run(app)
    assert app.session_state["_beside"] is None
    assert player(app)["lines"]["automatic_max"] is None


def test_without_the_truth_both_say_what_they_did_and_no_error_leaves_the_server():
    app = open_app(table="Czech car workers", truth="false")
    both(app)
    assert player(app)["lines"]["automatic_max"] is None
    table = next(table.value for table in app.table if "MWEM" in table.value.columns)
    assert table.iloc[:, 0].tolist() == ["what it did", "ε spent"]


def test_both_are_offered_only_where_automatic_would_do_something_else():
    assert any(each.label == "Run both" for each in open_app(table="Czech car workers").button)
    assert not any(each.label == "Run both" for each in open_app(table="Czech car workers", **AUTOMATIC).button)
