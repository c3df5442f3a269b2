"""Compare and Trade-off without a browser: what is run, shown, told where it will not do, kept and taken away."""

import gc
import math
import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mwem_core import Domain, Records, parse_workload
from mwem_core.evaluation.course import course
from mwem_core.evaluation.metrics import Errors
from mwem_core.evaluation.trials import Result, Trial, grid, run_trial
from mwem_core.evaluation.trials_file import from_csv, to_csv
from mwem_core.relatives.weights import Weights
from mwem_core.systems import SYSTEMS
from ui.figures.course import error_and_bound, potential_and_paid
from ui.figures.curves import error_curves
from ui.figures.palette import STROKES
from ui.figures.scatter import MOST, true_against_estimated
from ui.figures.systems import error_bars
from ui.figures.where import group_bars, pair_maps
from ui.inputs.systems import refused
from ui.results.bounds import Bound, bound_on
from ui.results.curves import best_T, crossing, over_epsilon, over_T, smallest_epsilon
from ui.results.metrics import METRICS
from ui.results.recall import answers
from ui.results.standings import as_table, problems, standings, within
from ui.results.where import by_pairs, groups, pairs_apply, part_errors
from ui.session import trials as sweeping
from ui.session.trials import Sweep
from ui.words.badges import PRIVATE

APP = str(Path(__file__).parents[2] / "app.py")
CZECH = {"table": "Czech car workers"}
FEW = CZECH | {"systems": ["Laplace", "Uniform"], "seeds": "2"}
TV = METRICS["Mean TV"]
RNG = np.random.default_rng(0)
BITS = Domain.from_toml("".join(f'[[attribute]]\nname = "<b>{x}"\nvalues = ["0", "1"]\n' for x in "abcd"))
B = Records(BITS, tuple((RNG.random(300) < p).astype(np.uint8) for p in (0.1, 0.3, 0.5, 0.8)))
PAIRS = parse_workload("marginals:2", BITS)


@pytest.fixture(autouse=True)
def _trials_run_here(monkeypatch):
    monkeypatch.setattr("ui.inputs.systems.pool", lambda workers: ThreadPoolExecutor(1))


def open_page(page: str, **address: str | list[str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60).switch_page(f"pages/{page}.py")
    for name, value in address.items():
        app.query_params[name] = value
    return checked(app.run())


def checked(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].message
    return app


def button(app: AppTest, label: str):
    return next(found for found in app.button if found.label == label)


def run(app: AppTest, label: str = "Run") -> Sweep:
    checked(button(app, label).click().run())
    started: Sweep = app.session_state["_sweep"]
    started.wait(60)
    checked(app.run())
    return started


def words(app: AppTest) -> str:
    return "\n".join(found.value for found in (*app.markdown, *app.caption, *app.subheader, *app.warning, *app.info))


def told(app: AppTest) -> str:
    assert len(app.error) == 1, [error.value for error in app.error]
    return app.error[0].value.replace("\\", "")


def result(error: float, *, system="mwem", epsilon=1.0, seed=0, T=None, rounds=5, problem="", entropy=None) -> Result:
    found = None if problem else Errors(error, error / 2, error**2, error, error)
    trial = Trial(system=system, epsilon=epsilon, seed=seed, T=T)
    return Result(
        trial=trial,
        workload=PAIRS.spec,
        n=300,
        domain_size=16,
        problem=problem,
        rounds=rounds,
        answers=found,
        rows=found,
        relative_entropy=entropy,
    )


# ---- Compare ----
def test_a_comparison_names_the_winner_and_shows_every_system_in_the_table():
    app = open_page("compare", **FEW)
    assert not app.error
    assert run(app).status == "done"
    assert "Laplace wins here: in mean total variation of a table, Uniform errs" in words(app).replace("\\", "")
    table = app.dataframe[0].value
    assert list(table["System"]) == ["Laplace", "Uniform"]
    assert list(table["Privacy"]) == ["ε", "no data"]
    assert button(app, "Run").disabled


ADULT_THREE = {"table": "Adult", "attributes": ["education", "occupation", "native-country"]}
NOISES = {"systems": ["Laplace on cells", "Laplace", "Uniform"], "seeds": "5"}


@pytest.mark.parametrize(
    ("settings", "sizes", "winner"),
    [
        (CZECH, [2] * 6, "Laplace on cells"),
        ({"table": "Rochdale households"}, [2] * 8, "Laplace on cells"),
        (ADULT_THREE, [16, 15, 42], "Laplace"),
    ],
    ids=["czech", "rochdale", "adult"],
)
def test_the_sentence_names_the_winner_that_theory_knows_and_by_how_much(settings, sizes, winner):
    """A cell of a pair's table gets Laplace noise of scale |pairs|, or a sum of noises of scale 1, all but normal.

    There is one in the sum for each cell of the domain. The 5% are for what "all but" leaves, and for rounding.
    """
    pairs = list(combinations(sizes, 2))
    direct = len(pairs) * np.sum([a * b for a, b in pairs])
    summed = np.sum([a * b * math.sqrt(2 / math.pi * 2 * math.prod(sizes) / (a * b)) for a, b in pairs])
    expected = max(direct / summed, summed / direct)
    app = open_page("compare", **settings, **NOISES)
    run(app)
    (said,) = (found.value for found in app.markdown if "wins here" in found.value)
    assert f"{winner} wins here" in said
    found = re.search(r"errs ([\d.]+) times as much .* interval ([\d.]+) to ([\d.]+), 5 seeds", said)
    ratio, low, high = map(float, found.groups())
    assert low * 0.95 <= expected <= high * 1.05
    assert ratio == pytest.approx(expected, rel=0.35)


def test_the_sentence_on_adult_is_that_of_a_separate_trial_of_ten_seeds():
    """`benchmarks/relatives.csv`: mean TV 0.0159 for MWEM, 0.0412 for Laplace, either to 1% or so."""
    app = open_page("compare", table="Adult", systems=["MWEM", "Laplace", "Uniform"], seeds="2")
    run(app)
    assert "MWEM wins here: in mean total variation of a table, Laplace errs 2.5" in words(app).replace("\\", "")


def test_the_sentence_calls_a_tie_where_two_systems_are_one():
    """No answer is negative at this ε, so that the clean-up changes nothing of note."""
    systems = ["Optimal Gaussian marginals", "Optimal Gaussian marginals, cleaned", "Uniform"]
    app = open_page("compare", **CZECH, systems=systems, seeds="5", epsilon="10")
    run(app)
    (said,) = (found.value for found in app.markdown if "cannot be told apart here" in found.value)
    assert re.search(r"Optimal Gaussian marginals(, cleaned)? errs as much as Optimal Gaussian marginals", said)


def test_where_the_noise_drowns_the_answers_the_sentence_says_that_uniform_wins():
    app = open_page("compare", **FEW, epsilon="0.01")
    run(app)
    assert "Uniform wins here" in words(app)


def test_what_is_known_is_not_run_again_and_what_is_new_is():
    app = open_page("compare", **FEW)
    run(app)
    checked(app.number_input(key="seeds").set_value(3).run())
    assert len(run(app, "Run 2 more").todo) == 2
    checked(app.select_slider(key="epsilon").set_value(0.5).run())
    assert not button(app, "Run").disabled
    assert "wins here" not in words(app)
    checked(app.select_slider(key="epsilon").set_value(1.0).run())
    assert "wins here" in words(app)


def test_systems_that_cannot_serve_the_workload_say_why_and_the_others_run():
    app = open_page("compare", table="Adult", systems=["Net mechanism", "Laplace on cells", "Uniform"], seeds="1")
    out = [caption.value for caption in app.caption if "sits this out" in caption.value]
    assert any("Net mechanism" in line for line in out)
    started = run(app)
    assert {trial.system for trial in started.todo} >= {"uniform"}
    assert "net" not in {trial.system for trial in started.todo}
    assert started.status == "done"


def test_no_system_and_no_data_are_told_and_nothing_runs():
    app = open_page("compare", **CZECH)
    checked(app.button_group(key="systems").set_value([]).run())
    assert "No system is chosen" in words(app)
    assert button(app, "Run").disabled
    app = open_page("compare", table="Your own file")
    assert not app.error
    assert all(found.label != "Run" for found in app.button)


@pytest.mark.parametrize("page", ["compare", "trade_off"])
def test_with_the_truth_hidden_a_page_has_nothing_to_say(page):
    app = open_page(page, **FEW, truth="false")
    assert "measured against the private data" in words(app)
    assert button(app, "Run").disabled
    app = open_page(page, **FEW)
    run(app)
    checked(app.toggle(key="truth").set_value(False).run())
    assert not app.dataframe
    assert "wins" not in words(app)
    assert "ε does it take" not in words(app)


@pytest.mark.parametrize(
    "settings",
    [{"ask": "Parities"}, {"ask": "Predicates"}, {"ask": "Cuboids", "k": "3"}, {"k": "1"}, {"metric": "Nope"}],
    ids=str,
)
def test_every_family_is_compared_down_to_where_it_is_wrong(settings):
    app = open_page("compare", **(FEW | settings))
    run(app)
    for future in app.session_state["_recalled"].values():
        future.result(30)
    checked(app.run())
    assert "Where they are wrong" in words(app)
    assert "Classifiers trained on the rows" in words(app)
    assert len(app.get("plotly_chart")) >= 3
    assert not app.error


def test_a_sweep_that_breaks_says_so_in_a_sentence_and_can_be_run_again(monkeypatch):
    def broken(*_):
        raise ValueError("no scheduler answers")

    app = open_page("compare", **FEW)
    with monkeypatch.context() as patch:
        patch.setattr(sweeping, "run_trials", broken)
        assert run(app).status == "failed"
        assert "no scheduler answers" in told(app)
    assert run(app).status == "done"
    assert not app.error


def test_the_weights_show_their_bound_and_potential_where_they_are_among_the_systems():
    app = open_page("compare", **FEW)
    run(app)
    assert "Why it works" not in words(app)
    app = open_page("compare", **(FEW | {"systems": ["Multiplicative weights", "Uniform"], "seeds": "1"}))
    run(app)
    assert "Why it works: the weights without noise" in words(app)
    assert app.session_state["_held course"][1].average.shape == (100,)


# ---- Trade-off ----
SMALL = FEW | {"epsilons": "0.1, 1, 10"}


def test_a_sweep_draws_what_epsilon_an_error_takes_and_warns():
    app = open_page("trade_off", **SMALL)
    assert "12 trials in all" in words(app)
    assert run(app).status == "done"
    text = words(app)
    assert "What ε does it take?" in text
    assert "is itself a query" in text
    assert "Laplace: **" in text
    assert "What T is best" not in text


def test_with_several_T_the_best_is_told():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM"], "Ts": "rule, 2, 4", "epsilons": "1"}))
    assert len(run(app).todo) == 6
    assert "What T is best at ε = 1?" in words(app)
    assert "MWEM: **" in words(app)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epsilons": "1, two"}, "every ε must be a positive number, got 'two'"),
        ({"epsilons": "0, 1"}, "epsilon must be a positive number"),
        ({"epsilons": "1, nan"}, "epsilon must be a positive number"),
        ({"epsilons": " , "}, "a sweep takes 1 to 40 values of ε, got 0"),
        ({"Ts": "0"}, "every T must be a whole number of at least 1, or rule, got '0'"),
        ({"Ts": "adaptive"}, "or rule, got 'adaptive'"),
        ({"delta": "2"}, "delta must be at least 0 and less than 1"),
        ({"delta": "x"}, "delta must be a number"),
    ],
)
def test_settings_that_do_not_go_are_told_in_one_sentence(settings, sentence):
    app = open_page("trade_off", **(SMALL | settings))
    assert sentence in told(app)
    assert all(found.label != "Run" for found in app.button)


def test_T_beyond_what_a_workload_has_is_told_and_the_rest_runs():
    app = open_page("trade_off", **(SMALL | {"systems": ["MWEM", "Uniform"], "Ts": "2, 99", "epsilons": "1"}))
    run(app)
    assert any("rounds must be at most 15" in caption.value for caption in app.caption)
    assert not button(app, "Try 2 again").disabled
    assert "What ε does it take?" in words(app)


def upload(app: AppTest, content: bytes) -> AppTest:
    app.file_uploader(key="_trials_file").upload("trials.csv", content)
    return checked(app.run())


def test_a_file_of_trials_is_gone_on_from_and_none_of_it_is_run_again():
    app = open_page("trade_off", **SMALL)
    done = run(app)
    csv = to_csv(done.found.values())
    assert [r.trial for r in from_csv(csv)] == list(done.found)
    other = upload(open_page("trade_off", **CZECH), csv.encode())
    assert other.text_input(key="epsilons").value == "0.1, 1.0, 10.0"
    assert other.number_input(key="seeds").value == 2
    assert other.button_group(key="systems").value == ["laplace", "uniform"]
    assert "12 trials taken from the file" in words(other)
    assert "What ε does it take?" in words(other)
    assert button(other, "Run").disabled
    checked(other.number_input(key="seeds").set_value(3).run())
    assert len(run(other, "Run 6 more").todo) == 6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda csv: "a,b\n1,2\n", "the file is no CSV of trials: take one"),
        (lambda csv: csv.replace(",60,", ",x,").splitlines()[0] + "\n", "the file holds no trial"),
        (lambda csv: csv.replace("laplace", "magic"), "trials of 'magic', which is no system here"),
        (lambda csv: csv.replace("marginals:2", "marginals:1"), "trials of marginals:1 on 1,841 records and 64 cells"),
        (lambda csv: csv + "laplace,x\n", "cannot be read: take it out"),
    ],
)
def test_a_file_that_is_not_of_these_trials_is_told_and_changes_nothing(change, sentence):
    app = open_page("trade_off", **SMALL)
    csv = to_csv(run(app).found.values())
    fresh = upload(open_page("trade_off", **SMALL), change(csv).encode())
    assert sentence in told(fresh)
    assert "What ε does it take?" not in words(fresh)
    assert "not text" in told(upload(fresh, b"\xff\xfe\x00"))


def test_a_stopped_sweep_keeps_what_is_done_and_resumes(monkeypatch):
    run_trials = sweeping.run_trials

    def dawdle(B, Q, trials, executor):
        for i, found in enumerate(run_trials(B, Q, trials, executor)):
            yield found
            if i == 3:
                app.session_state["_sweep"].stop()

    monkeypatch.setattr(sweeping, "run_trials", dawdle)
    app = open_page("trade_off", **SMALL)
    stopped = run(app)
    assert (stopped.status, stopped.done) == ("stopped", 4)
    resumed = run(app, "Resume")
    assert len(resumed.todo) == 8
    assert set(resumed.todo).isdisjoint(list(stopped.found)[:4])


def test_a_session_that_ends_ends_its_sweep(monkeypatch):
    monkeypatch.setattr(sweeping, "run_trials", lambda *_: iter(lambda: time.sleep(0.01) or result(0.1), None))
    app = open_page("trade_off", **SMALL)
    checked(button(app, "Run").click().run())
    started = app.session_state["_sweep"]
    assert started.active
    del app.session_state["_life"]
    gc.collect()
    started.wait(10)
    assert started.status == "stopped"


# ---- what the figures and words are made of ----
def test_pages_share_their_trials():
    app = open_page("trade_off", **SMALL)
    run(app)
    checked(app.switch_page("pages/compare.py").run())  # no address here, as a browser has: set anew
    checked(app.selectbox(key="table").set_value("Czech car workers").run())
    app.button_group(key="systems").set_value(["laplace", "uniform"])
    checked(app.number_input(key="seeds").set_value(2).run())
    assert "wins here" in words(app)


def test_the_answers_looked_at_are_those_that_were_judged():
    trial = Trial(system="laplace", epsilon=1.0, seed=3)
    judged, again = run_trial(B, PAIRS, trial), answers(B.distinct(), PAIRS, trial)
    assert np.abs(again - PAIRS.answers(B) / 300).max() == pytest.approx(judged.answers.max_error)


def test_every_system_is_refused_by_a_sentence_or_serves():
    for spec in ("marginals:2", "parities:2", "cuboids:1"):
        for why in refused(parse_workload(spec, BITS), n=300, epsilon=1.0, delta=0.0).values():
            assert why
            assert "\n" not in why


def test_infinite_errors_are_shown_as_such_and_never_averaged():
    some = [result(0.1, seed=0, entropy=math.inf), result(0.1, seed=1, entropy=2.0)]
    assert not METRICS["Relative entropy"].values(some)
    table = as_table(some, tabular=True, first=TV)
    assert table["Relative entropy"][0] == "∞"
    assert not standings(some, METRICS["Relative entropy"])


def test_a_spread_reads_as_a_percentage_or_as_a_factor():
    assert within([0.1, 0.1, 0.1]) == within([0.1]) == "0.1"
    assert within([0.1, 0.102, 0.098]).startswith("0.1 ± ")
    assert " ×/÷ " in within([0.01, 1.0, 0.1])
    assert within([]) == within([None]) == "–"


def test_problems_are_told_once_each():
    some = [result(0, seed=seed, problem="it is too large") for seed in range(3)]
    assert problems([*some, result(0.1)]) == [("MWEM", "it is too large")]


def test_curves_take_the_T_asked_for_and_a_rule_stands_at_the_rounds_it_gave():
    some = [result(0.1 * T, T=T) for T in (2, 4)] + [result(0.05, rounds=3), result(0.5, system="uniform")]
    assert [curve.name for curve in over_epsilon(some, TV, 4)] == ["mwem", "uniform"]
    (curve,) = over_T(some, TV, 1.0)
    assert [(point.x, point.T) for point in curve.points] == [(2, 2), (3, None), (4, 4)]
    assert best_T(curve).startswith("**the rule's T = 3**, which cannot be told apart")


def test_a_crossing_is_straight_between_logarithms():
    x = [0.1, 1.0, 10.0]
    assert crossing(x, [1 / e for e in x], 0.5) == pytest.approx(2.0)
    assert crossing(x, [1 / e for e in x], 1.0) == pytest.approx(1.0)
    assert crossing(x, [1.0, 0.5, 0.4], 2.0) == 0
    assert crossing(x, [1.0, 0.5, 0.4], 0.3) == math.inf
    assert crossing(x, [1.0, 3.0, 0.4], 2.0) > 1  # it must stay below from there on


def test_the_smallest_epsilon_has_an_interval_and_says_where_it_was_not_swept():
    some = [result(f / e, epsilon=e, seed=i) for e in (0.1, 1.0, 10.0) for i, f in enumerate((0.9, 1.0, 1.1))]
    (curve,) = over_epsilon(some, TV, None)
    found = smallest_epsilon(curve, 0.5)
    assert found.startswith("**1.99** (1.5")
    assert smallest_epsilon(curve, 100) == "0.1 or less"
    assert smallest_epsilon(curve, 0.01) == "more than 10"


def test_a_map_of_pairs_is_the_mean_over_the_tables_that_hold_both():
    triples, gap = parse_workload("marginals:3", BITS), RNG.random(4 * 8)
    errors = part_errors(triples, gap)
    assert errors == pytest.approx(gap.reshape(4, 8).sum(axis=1) / 2)
    found = by_pairs(triples, gap)
    for a in range(4):
        for b in range(a + 1):
            holding = [e for S, e in zip(triples.sets, errors, strict=True) if {a, b} <= set(S)]
            assert found[a, b] == pytest.approx(np.mean(holding))
    assert np.isnan(found[np.triu_indices(4, 1)]).all()
    assert pairs_apply(triples)


def test_theory_draws_what_it_promises_and_nothing_else():
    """Theorem 2.3 at its best T, or at the T given, below 1; the SVD bound, on which the optimal measurement lies."""
    many, given = 10**7, {"n": 10**7, "epsilons": [0.01, 0.1], "T": None}
    theorem = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **given)
    best = [min(_theorem(T, epsilon, many) for T in range(1, 4000)) for epsilon in (0.01, 0.1)]
    assert theorem.points == ((0.01, pytest.approx(best[0])), (0.1, pytest.approx(best[1])))
    at_nine = bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(given | {"T": 9}))
    assert at_nine is None  # above 1
    assert bound_on(METRICS["Max error"], PAIRS, delta=0.0, **(given | {"n": 100})) is None
    assert bound_on(METRICS["Max error"], PAIRS, delta=1e-9, **given) is None
    assert bound_on(TV, PAIRS, delta=1e-9, **given) is None
    assert bound_on(METRICS["Squared error"], PAIRS, delta=0.0, **given) is None
    line = bound_on(METRICS["Squared error"], PAIRS, delta=1e-9, **given)
    trials = [Trial(system="planner", epsilon=0.1, seed=seed, delta=1e-9) for seed in range(40)]
    mean = np.mean([run_trial(B, PAIRS, trial).answers.mean_squared_error for trial in trials])
    assert line.points[1][1] == pytest.approx(mean, rel=0.3)  # which has a standard error of 0.07


def _theorem(T, epsilon, n):
    return 2 * math.sqrt(math.log(16) / T) + 10 * T * math.log(PAIRS.size) / (epsilon * n)


def test_groups_hold_every_query_once_in_the_order_of_the_truth():
    truth = RNG.random(PAIRS.size)
    found = groups(PAIRS, truth)
    joined = np.concatenate([part for _, part in found])
    assert sorted(joined) == list(range(PAIRS.size))
    assert (np.diff(truth[joined]) >= 0).all()


def charts():
    some = [result(e, system=s, seed=i, epsilon=x) for s in SYSTEMS for i, e in enumerate((0.1, 0.2)) for x in (1, 2)]
    truth, estimate = RNG.random(PAIRS.size), RNG.random(PAIRS.size) - 0.2
    gap = np.abs(truth - estimate)
    maps = {"MWEM": by_pairs(PAIRS, gap), "Laplace": by_pairs(PAIRS, gap / 2)}
    yield error_bars(standings(some, TV), TV)
    bound = Bound("SVD bound", ((1, 0.5), (2, 0.3)), "No less.")
    yield error_curves(over_epsilon(some, TV, None), TV, "ε", bound=bound)
    found = course(Weights(T=5), B, PAIRS)
    yield from (error_and_bound(found), potential_and_paid(found))
    drawn = {"MWEM": (estimate, STROKES["mwem"]), "Net mechanism": (estimate / 2, STROKES["net"])}
    yield from true_against_estimated(PAIRS, np.arange(PAIRS.size), truth, drawn, 300)
    yield from pair_maps(BITS.names, "mean total variation", maps)
    yield group_bars(
        ["<b>one", "two"], "", "mean error", {"MWEM": (gap[:2], STROKES["mwem"]), "AIM": (gap[2:4], STROKES["aim"])}
    )


@pytest.mark.parametrize("chart", list(charts()), ids=lambda chart: chart.title)
def test_every_chart_is_marked_private_says_what_it_shows_and_lets_no_label_become_markup(chart):
    assert chart.badge == PRIVATE
    assert len(chart.alt) > 20
    shown = chart.figure.to_json()
    assert "<b>a" not in shown
    assert "<b>one" not in shown


def test_a_scatter_of_many_dots_keeps_the_most_wrong():
    line = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 4999]\n')
    workload = parse_workload("marginals:1", line)
    truth = np.full(5000, 2e-4)
    estimate = truth + np.where(np.arange(5000) % 10 == 0, 1e-3, 1e-6)
    (chart,) = true_against_estimated(workload, np.arange(5000), truth, {"MWEM": (estimate, STROKES["mwem"])}, 5000)
    drawn = chart.figure.data[1]
    assert len(drawn.x) == MOST
    assert (drawn.y > 1e-3).sum() >= 500
    assert "1,500 dots of 5,000" in chart.note


def test_each_system_has_a_stroke_of_its_own():
    assert set(STROKES) == set(SYSTEMS)
    assert len(set(STROKES.values())) == len(SYSTEMS)


def test_a_sweep_runs_what_is_left_and_adds_to_what_was_found():
    trials = grid(["uniform"], [1.0], range(3))
    found = {trials[0]: run_trial(B, PAIRS, trials[0])}
    run_now = Sweep(B, PAIRS, trials, found, lambda: ThreadPoolExecutor(1))
    run_now.wait(30)
    assert (run_now.status, run_now.done, set(found)) == ("done", 2, set(trials))
    assert all(not r.problem for r in found.values())
