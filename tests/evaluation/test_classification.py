"""Classifiers learn from rows what is in them, and are judged on real records that no system has seen."""

import numpy as np
import pytest
from oracles import domain_of, random_records
from streamlit.testing.v1 import AppTest

from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.evaluation import classification as classify
from mwem_core.evaluation.classification import (
    FEWEST,
    MAJORITY,
    REAL,
    Learned,
    Score,
    Target,
    compare,
    learn,
    majority,
    split,
)
from mwem_core.evaluation.classifiers import CLASSIFIERS
from mwem_core.relatives.uniform import Uniform
from mwem_core.workload.spec import parse_workload
from ui.figures.classifiers import errors_by_system
from ui.page.wording import plain
from ui.words.badges import PRIVATE

pytest.importorskip("sklearn")

DOMAIN = domain_of([4, 3, 2])
ONE = [next(iter(CLASSIFIERS))]


def separable(n=2000, seed=0) -> Records:
    """Records whose c is 1 exactly where a is 2 or 3: half of them, whatever b is."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(4, size=n), rng.integers(3, size=n)
    return Records(DOMAIN, tuple(c.astype(np.uint8) for c in (a, b, a >= 2)))


def expanded(rows: Records) -> Records:
    return Records(rows.domain, tuple(np.repeat(c, rows.weights) for c in rows.codes))


def judged(systems, B=None, spec="marginals:2", **options):
    B = separable() if B is None else B
    options = {"target": Target("c"), "epsilon": 1.0} | options
    return list(compare(B, parse_workload(spec, B.domain), systems, **options))


def score_of(found, rows, classifier):
    return [s for learned in found if learned.rows == rows for s in learned.scores if s.classifier == classifier]


# ---- the split ----
@pytest.mark.parametrize("B", [separable(), separable().distinct()], ids=["rows", "weights"])
def test_the_parts_of_a_split_are_disjoint_and_complete_and_always_the_same(B):
    training, test = split(B)
    assert training.total + test.total == B.total
    everything = (0, 1, 2)
    assert (training.marginal(everything) + test.marginal(everything) == B.marginal(everything)).all()
    again = split(B)[1]
    assert all((one == other).all() for one, other in zip(test.codes, again.codes, strict=True))


def test_a_row_of_many_records_is_torn_like_single_records():
    n = 10_000  # the standard deviation of a binomial share of a fifth is 0.4 / √n: five of them are let pass
    alone = Records(DOMAIN, tuple(np.zeros(1, np.uint8) for _ in DOMAIN.shape), np.array([n]))
    for B in (alone, separable(n)):
        assert split(B)[1].total / n == pytest.approx(0.2, abs=5 * 0.4 / np.sqrt(n))


def test_a_system_is_run_on_the_training_part_and_sees_no_record_of_the_test(monkeypatch):
    B, seen, rounds = separable(), [], Uniform.rounds

    def spy(self, table, Q, *, noise):
        seen.append(table)
        return rounds(self, table, Q, noise=noise)

    monkeypatch.setattr(Uniform, "rounds", spy)
    judged(["uniform"], B, classifiers=ONE)
    training, _ = split(B)
    assert [table.total for table in seen] == [training.total]
    assert (seen[0].marginal((0, 1, 2)) == training.marginal((0, 1, 2))).all()


# ---- what is learned ----
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_what_can_be_learned_without_error_is_from_the_real_rows_and_from_rows_true_to_them(classifier):
    found = judged(["mwem"], epsilon=100.0, classifiers=[classifier])
    assert [s.error for s in score_of(found, REAL, classifier)] == [0.0]
    # noise of 1/100 record leaves a rounding to whole rows: at most one in a hundred may end on the wrong side
    assert [s.error for s in score_of(found, "mwem", classifier)] == [pytest.approx(0.0, abs=0.01)]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_rows_that_know_nothing_teach_no_more_than_guessing(classifier):
    # what is learned from noise splits the 12 cells by chance: its error varies by about 0.2 over seeds, and the mean
    # of 20 by 0.05 about the half that guessing gets
    found = judged(["uniform"], classifiers=[classifier], seeds=range(20))
    assert np.mean([s.error for s in score_of(found, "uniform", classifier)]) == pytest.approx(0.5, abs=0.15)
    assert score_of(found, MAJORITY, MAJORITY)[0].error == pytest.approx(0.5, abs=0.05)


def test_a_workload_without_the_target_s_pairs_cannot_teach_it():
    found = judged(["mwem"], spec="marginals:1", epsilon=100.0, classifiers=ONE, seeds=range(5))
    assert np.mean([s.error for s in score_of(found, "mwem", ONE[0])]) > 0.2


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("target", [Target("c"), Target("a"), Target("a", ("1", "3"))], ids=str)
def test_a_row_that_weighs_many_records_counts_as_many(classifier, target):
    rng = np.random.default_rng(1)
    rows, test = (random_records(DOMAIN, 300, rng).distinct() for _ in range(2))
    (weighted,) = learn(rows, test, target, [classifier])
    (one_by_one,) = learn(expanded(rows), expanded(test), target, [classifier])
    assert weighted == one_by_one
    assert majority(rows, test, target) == majority(expanded(rows), expanded(test), target)


def test_scores_are_their_definitions():
    metrics = pytest.importorskip("sklearn.metrics")
    test = random_records(DOMAIN, 500, np.random.default_rng(2))
    predicted = np.random.default_rng(3).integers(3, size=500)  # never the fourth value of a
    found = classify._score("guess", predicted, test, Target("a"))
    assert found.error == pytest.approx(1 - metrics.accuracy_score(test.codes[0], predicted))
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(test.codes[0], predicted))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_rows_of_one_class_predict_it_and_the_others_are_named(classifier):
    B = separable()
    rows = Records(DOMAIN, (B.codes[0], B.codes[1], np.zeros(B.total, np.uint8)))
    (score,) = learn(rows, B, Target("c"), [classifier])
    assert (score.error, score.balanced_accuracy) == (pytest.approx(B.codes[2].mean()), 0.5)
    assert classify._never(rows, Target("c")) == ("1",)
    assert classify._never(rows, Target("c", ("1",))) == ("1",)
    assert classify._never(rows, Target("a")) == ()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_value_that_no_row_had_is_met_in_the_test_all_the_same(classifier):
    B = separable()
    rows = Records(DOMAIN, tuple(c[B.codes[1] == 0] for c in B.codes))
    (score,) = learn(rows, B, Target("c"), [classifier])
    assert score.error == 0


# ---- targets, and what is refused ----
def test_values_that_count_as_yes_are_told_from_the_rest():
    B = separable()
    assert Target("a").classes(DOMAIN) == ("0", "1", "2", "3")
    assert Target("a", ("2",)).classes(DOMAIN) == ("not 2", "2")
    assert Target("a", ("2", "3")).classes(DOMAIN) == ("no", "yes")
    assert (Target("a", ("2", "3")).of(B) == B.codes[2]).all()
    assert (Target("a").of(B) == B.codes[0]).all()


WIDE = Domain.from_toml('[[attribute]]\nname = "loss"\nrange = [0, 99]\n[[attribute]]\nname = "c"\nbits = true')


@pytest.mark.parametrize(
    ("domain", "n", "options", "problem"),
    [
        (DOMAIN, 500, {"target": Target("d")}, "no attribute 'd' in the schema; there are 'a', 'b', 'c'"),
        (DOMAIN, 500, {"target": Target("c", ("9",))}, "c has no value '9'; there are '0', '1'"),
        (DOMAIN, 500, {"target": Target("c", ("0", "1"))}, "every value of c counts as yes: leave at least one out"),
        (
            WIDE,
            500,
            {"target": Target("loss")},
            "loss has 100 values, 50 classes fit: choose some that count as yes",
        ),
        (domain_of([4]), 500, {"target": Target("a")}, "there is nothing to predict a from: keep another attribute"),
        (DOMAIN, 20, {}, "20 records are too few to hold a fifth of them out: it takes about 60"),
        (DOMAIN, 500, {"systems": ["nobody"]}, "there is no system 'nobody': choose from mwem, "),
        (
            DOMAIN,
            500,
            {"classifiers": ["oracle"]},
            "there is no classifier 'oracle': choose from logistic regression, linear SVM, boosted trees",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused_on_the_call_in_a_sentence(domain, n, options, problem):
    B = random_records(domain, n, np.random.default_rng(0))
    options = {"systems": ["uniform"], "target": Target("c"), "epsilon": 1.0} | options
    with pytest.raises(ValueError, match="^" + problem.replace("(", r"\(")):
        compare(B, parse_workload("marginals:1", domain), **options)


def test_either_part_has_the_fewest_records_at_least():
    for n in range(1, 200):
        B = Records(DOMAIN, tuple(np.zeros(1, np.uint8) for _ in DOMAIN.shape), np.array([n]))
        try:
            assert min(part.total for part in split(B)) >= FEWEST
        except ValueError:
            assert n < 6 * FEWEST + 40  # five standard deviations of a fifth of a hundred are 20 records


def test_a_system_that_cannot_make_rows_says_why_and_the_others_are_judged():
    *_, refused, gives, wrong = judged(["laplace", "uniform", "mwem"], classifiers=ONE, epsilon=-1.0)
    assert refused.problem == "Laplace gives answers and no rows: there is nothing to learn from"
    assert refused.scores == ()
    assert (len(gives.scores), gives.problem) == (1, "")
    assert wrong.problem.startswith("epsilon must be a positive number")


# ---- on the page ----
SCRIPT = """
import streamlit as st
from mwem_core import parse_workload
from ui.trials.classifiers import show_classifiers
from ui.inputs.data import choose_table

data = choose_table()
workload = parse_workload(st.session_state.get("spec", "marginals:2"), data.records.domain)
systems = st.session_state.get("systems", ["mwem", "laplace", "uniform"])
show_classifiers(data, workload, systems, epsilon=st.session_state.get("epsilon", 1.0), delta=0.0, seeds=2)
"""


def section(**settings):
    app = AppTest.from_string(SCRIPT, default_timeout=60)
    app.session_state["table"] = "Czech car workers"
    for name, value in settings.items():
        app.session_state[name] = value
    return app.run()


def words(app):
    assert not app.exception, app.exception[0].message
    return "\n".join(each.value for kind in (app.markdown, app.caption, app.info, app.error) for each in kind)


def test_the_section_asks_what_to_predict_runs_on_the_button_and_says_when_it_is_out_of_date():
    app = section()
    assert PRIVATE.text in words(app)
    assert not app.table
    app.button(key="train").click().run()
    assert "predicting family" in words(app)
    (table,) = app.table
    assert list(table.value.index) == ["real rows", "MWEM", "Uniform", "always the majority class"]
    assert list(table.value.columns) == list(CLASSIFIERS)
    app.run()
    assert "settings have changed" not in words(app)
    assert app.table
    app.selectbox(key="target").select("smoking").run()
    assert "settings have changed" in words(app)
    assert not app.table


def test_values_that_count_as_yes_are_chosen_where_there_are_several_and_another_table_has_other_attributes():
    app = section(table="Class survey", systems=["uniform"])
    app.multiselect(key="yes drink").select("tea").run()
    app.button(key="train").click().run()
    assert "predicting drink is tea" in words(app)
    app.selectbox(key="table").select("Czech car workers").run()
    assert app.selectbox(key="target").value == "family_anamnesis_chd"
    assert "settings have changed" in words(app)


def test_the_section_says_what_questions_systems_and_settings_cannot_teach():
    app = section(spec="marginals:1", systems=["mwem"], epsilon=1e9)
    assert "ask of no other attribute together with" in words(app)
    app.button(key="train").click().run()
    assert plain("MWEM: epsilon must lie between") in words(app)
    assert list(app.table[0].value.index) == ["real rows", "always the majority class"]
    app = section(systems=["laplace", "gaussian"])
    assert "None of the chosen systems gives rows" in words(app)
    assert not app.button


def learned(rows, *errors, seed=0, classifier="linear SVM"):
    return [
        Learned(rows=rows, seed=seed, scores=(Score(classifier, error, 1 - error),))
        for seed, error in enumerate(errors)
    ]


def test_the_chart_has_a_point_a_system_and_its_lines_are_the_ceiling_and_the_floor():
    found = [
        *learned(REAL, 0.1),
        *learned(MAJORITY, 0.5, classifier=MAJORITY),
        *learned("mwem", 0.2, 0.1, 0.4),
        *learned("uniform", 0.6),
    ]
    chart = errors_by_system(found, "Errors in predicting <b>income</b>")
    (points,) = chart.figure.data
    assert chart.badge == PRIVATE
    assert list(points.x) == [0.2, 0.6]
    assert (list(points.error_x.arrayminus), list(points.error_x.array)) == (
        [pytest.approx(0.1), 0],
        [pytest.approx(0.2), 0],
    )
    assert list(chart.figure.layout.yaxis.ticktext) == ["MWEM", "Uniform"]
    assert [line.x0 for line in chart.figure.layout.shapes] == [0.1, 0.5]
    assert chart.alt == (
        "Share of the held-out real records misclassified, by the best classifier of each: trained on real rows 10.0%; "
        "MWEM 20.0% (linear SVM); Uniform 60.0% (linear SVM); always the majority class 50.0%."
    )
