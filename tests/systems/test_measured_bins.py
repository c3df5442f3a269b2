"""Bins that a run measures first: private, paid for in the run's ledger, and known to everybody afterwards."""

import json
from functools import cache

import numpy as np
import pytest
from command_line import assert_refused, call
from contract import privacy_loss, recorded, released
from messages import exactly
from oracles import Following, neighbours

from mwem_core import (
    Domain,
    MeasuredBins,
    MeasuredTotal,
    Records,
    Run,
    Seeded,
    encode,
    parse_workload,
    read_table,
)
from mwem_core.accounts import LedgerFile
from mwem_core.automatic import default
from mwem_core.output import manifest, nearest_rows, rows_csv, script, transcript
from mwem_core.privacy import ReleaseNoise, Unit
from mwem_core.release import Terms, rehearse, release, simulated_tables
from mwem_core.systems.measured_bins import SHARE
from mwem_core.systems.system import system
from mwem_core.values import Edges

SCHEMA = """
[[attribute]]
name = "gain"
range = [0, 9999]
measured_bins = 8
missing = "?"
[[attribute]]
name = "sex"
values = ["F", "M"]
[[attribute]]
name = "age"
range = [17, 90]
measured_bins = 5
"""
DOMAIN = Domain.from_toml(SCHEMA)
N = 2000
DELTA = 1e-6


def people_csv(rows: int = N) -> str:
    """Nine in ten gain nothing, one in twenty the most there is; half of the others less than 1,100."""
    rng = np.random.default_rng(0)
    gain = np.where(rng.random(rows) < 0.9, 0, np.minimum(np.exp(rng.normal(7, 1, rows)), 9998).astype(int))
    gain = np.where(rng.random(rows) < 0.05, 9999, gain)
    lines = zip(gain, rng.choice(["F", "M"], rows), rng.integers(17, 91, rows), rng.random(rows), strict=True)
    return "gain,sex,age\n" + "".join(f"{'?' if u < 0.02 else g},{s},{a}\n" for g, s, a, u in lines)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("bins") / "people.csv"
    path.write_text(people_csv())
    return read_table(path)


@pytest.fixture(scope="module")
def people(table) -> Records:
    return encode(table, DOMAIN)


@cache
def settings_of(delta=0.0, epsilon=1.0, share=0.2) -> MeasuredBins:
    """Of a run whose number of records is private, and so whose bins are too."""
    return MeasuredBins.of(
        lambda epsilon, delta: MeasuredTotal(epsilon=epsilon, delta=delta), epsilon=epsilon, delta=delta, share=share
    )


def edges_of(B: Records, epsilon: float, seed: int = 0) -> dict[str, tuple]:
    """The edges that a run measures with this ε."""
    settings = settings_of(epsilon=epsilon / 0.2)
    first = next(settings.rounds(B, parse_workload("marginals:1", B.domain), noise=Seeded(seed)))
    assert first.domain is not None
    return {a.name: a.value_set.edges for a in first.domain.attributes if isinstance(a.value_set, Edges)}


@pytest.mark.parametrize("delta", [0.0, DELTA])
def test_neighbours_release_the_same_and_are_told_apart_by_no_more_than_the_ledger_charges(delta, people):
    """Given the same noisy values: the same bins, n, and rounds. The replay finds kind and scale of each draw equal."""
    Q, settings = parse_workload("marginals:2", DOMAIN), settings_of(delta)
    rounds, draws = recorded(settings, people, Q, Seeded(3))
    unit, fine = settings.guarantee.budget.unit, Records(DOMAIN.fine, _fine_codes(people))
    for neighbour in neighbours(fine, np.random.default_rng(0)):
        theirs, their_draws = recorded(settings, neighbour.to_bin(DOMAIN), Q, Following(draws[-1]))
        assert released(theirs, rounds_of(Q, theirs)) == released(rounds, rounds_of(Q, rounds))
        pairs = zip(draws[-1], their_draws[-1], strict=True)
        losses = [privacy_loss(kind, a, b, scale, unit) for (kind, a, scale, _), (_, b, _, _) in pairs]
        for entry, until_here in zip(rounds, draws, strict=True):
            assert sum(losses[: len(until_here)]) <= entry.ledger.spent * (1 + 1e-9)
        *of_bins, of_n = losses[: len(draws[0])]
        assert 0 < sum(of_bins) <= settings.for_bins.amount * (1 + 1e-9)  # less where an interval is not told apart
        assert of_n == pytest.approx(rounds[0].ledger.spent - settings.for_bins.amount)


def _fine_codes(B: Records) -> tuple[np.ndarray, ...]:
    return tuple(B.fine.get(name, codes) for name, codes in zip(B.domain.names, B.codes, strict=True))


def rounds_of(Q, rounds):
    """The workload in the bins of a run."""
    return parse_workload(Q.spec, rounds[0].domain)


@pytest.mark.parametrize("delta", [0.0, DELTA])
@pytest.mark.parametrize("name", ["mwem", "aim", "privbayes", "laplace"])
def test_the_bins_and_the_run_spend_the_whole_budget_in_one_ledger(name, delta, people):
    Q, of = parse_workload("marginals:2", DOMAIN), system(name)
    settings = MeasuredBins.of(
        lambda epsilon, delta: of.settings(Q, n=N, epsilon=epsilon, delta=delta), epsilon=0.8, delta=delta
    )
    rounds = list(settings.rounds(people, Q, noise=Seeded(0)))
    whole = settings.guarantee
    assert {entry.ledger.budget for entry in rounds} == {whole.budget}
    assert {entry.domain for entry in rounds} == {rounds[0].domain}
    assert settings.for_bins.amount == pytest.approx(SHARE * whole.budget.amount)
    assert rounds[0].ledger.start >= settings.for_bins.amount
    assert rounds[-1].ledger.exact <= whole.budget.exact
    assert rounds[-1].ledger.spent == pytest.approx(whole.budget.amount)


def test_the_run_is_on_the_table_in_these_bins(table, people):
    """Records under the measured edges, and the same table read with them, are the same, and so is what is asked."""
    settings, Q = settings_of(), parse_workload("marginals:2", DOMAIN)
    domain = next(settings.rounds(people, Q, noise=Seeded(0))).domain
    again = encode(table, Domain.from_toml(domain.to_toml()))
    assert again.domain == domain
    assert people.binned(domain).domain == domain
    for ours, theirs in zip(people.binned(domain).codes, again.codes, strict=True):
        assert ours.tolist() == theirs.tolist()
    run = Run(Q, settings, "default", tuple(settings.rounds(people, Q, noise=Seeded(0))), 0)
    assert (run.domain, run.declared) == (domain, DOMAIN)
    assert [run.workload.query(j)[2] for j in range(Q.size)] == [
        parse_workload(Q.spec, domain).query(j)[2] for j in range(Q.size)
    ]


def test_there_are_as_many_bins_as_declared_and_a_heavy_value_is_one_of_them(people):
    """Nine tenths of `gain` are 0 and a twentieth is 9,999: with little noise both are in bins of their own."""
    edges = edges_of(people, epsilon=20)
    assert {name: len(cuts) - 1 for name, cuts in edges.items()} == {"gain": 8, "age": 5}
    assert edges["gain"][:2] == (0, 1)
    assert (edges["age"][0], edges["age"][-1], edges["gain"][-1]) == (17, 90, 9999)
    domain = DOMAIN.binned({name: Edges(cuts) for name, cuts in edges.items()})
    counts = people.binned(domain).marginal(DOMAIN.attrs("gain"))[:8]
    assert counts.argmax() == 0
    assert people.fine_counts("gain")[0] == counts[0]


def test_the_last_two_values_share_the_last_bin_which_is_closed(table):
    """With as many bins as there can be, all other values are bins by themselves."""
    domain = Domain.from_toml('[[attribute]]\nname = "age"\nrange = [17, 90]\nmeasured_bins = 73\n')
    assert edges_of(encode(table, domain), epsilon=1)["age"] == tuple(range(17, 91))


@pytest.mark.parametrize("epsilon", [1e-4, 1, 1e4])
@pytest.mark.parametrize("values", [[], [5], [0] * 300, [9999] * 300, list(range(0, 9999, 50))])
def test_no_table_and_no_noise_break_the_bins(epsilon, values):
    domain = Domain(DOMAIN.attributes[:1])
    B = Records(domain.fine, (np.array(values, np.uint16),)).to_bin(domain)
    cuts = edges_of(B, epsilon)["gain"]
    assert len(cuts) == 9
    assert list(cuts) == sorted(cuts)


def test_rows_in_measured_bins_keep_the_mean_and_quantiles_of_a_skewed_number(people):
    """At ε = 1, the mean of rows is within 15% of the true one, and more than 40% off it in bins of equal width.

    Of 20 seeds the worst was 9% off in measured bins, and the best 47% off in bins of equal width.
    """
    Q, truth = parse_workload("marginals:1", DOMAIN), people.fine_counts("gain")
    mean = float(truth @ np.arange(10_000) / truth.sum())
    settings = MeasuredBins.of(lambda epsilon, _: default(Q, n=N, epsilon=epsilon), epsilon=1.0)
    *_, last = settings.rounds(people, Q, noise=Seeded(0))
    equal = DOMAIN.binned({a.name: a.value_set.equal for a in DOMAIN.attributes if a.fine})
    B = people.binned(equal)
    *_, theirs = default(parse_workload(Q.spec, equal), n=N, epsilon=1.0).rounds(
        B, parse_workload(Q.spec, equal), noise=Seeded(0)
    )
    assert abs(mean_of_rows(last.domain, last.model) / mean - 1) < 0.15
    assert abs(mean_of_rows(equal, theirs.model) / mean - 1) > 0.4


def mean_of_rows(domain, model) -> float:
    """The mean gain of the synthetic rows that have one."""
    rows = nearest_rows(parse_workload("marginals:1", domain), model, N, np.random.default_rng(0))
    gains = domain.attributes[0].decode(rows.codes[0], np.random.default_rng(0))
    return float(np.mean([float(gain) for gain in gains if gain != "?"]))


def test_manifest_transcript_and_script_say_what_was_measured_and_repeat_it(people, tmp_path, monkeypatch):
    Q, settings = parse_workload("marginals:2", DOMAIN), settings_of(share=0.1)
    rounds = tuple(settings.rounds(people, Q, noise=Seeded(0)))
    run = Run(Q, settings, "automatic", rounds, 0, table="people.csv", provenance="file")
    told = manifest(run)
    assert Domain.from_toml(told["measured_bins"]["declared"]) == DOMAIN
    assert Domain.from_toml(told["schema"]) == run.domain == rounds[0].domain
    assert told["measured_bins"]["spent"] == {"amount": pytest.approx(0.1), "unit": "ε"}
    assert told["measured_bins"]["edges"] == transcript(run)[0]["bins"]
    assert set(told["measured_bins"]["edges"]) == {"gain", "age"}
    (tmp_path / "people.csv").write_text(people_csv())
    monkeypatch.chdir(tmp_path)
    exec(compile(script(run), "repeat.py", "exec"), {"__name__": "__main__"})
    rng = np.random.default_rng(0)
    rows = nearest_rows(run.workload, run.model, round(run.model.total), rng)
    assert (tmp_path / "synthetic.csv").read_bytes() == rows_csv(rows, rng)


@pytest.mark.parametrize(("delta", "unit"), [(0.0, Unit()), (DELTA, Unit("person", 2))])
def test_a_release_charges_the_whole_and_publishes_the_bins_and_the_schema_before_them(delta, unit, table, tmp_path):
    """With the exact noise of releases, for records and for persons of two."""
    named = table.append_column("person", [[str(i // 2) for i in range(N)]])
    named = named.set_column(3, "person", named["person"].combine_chunks().dictionary_encode())
    terms = Terms(
        dataset="people",
        workload=parse_workload("marginals:2", DOMAIN),
        provenance="file",
        epsilon=1.0,
        delta=delta,
        unit=unit,
    )
    book = LedgerFile(tmp_path / "ledger.sqlite")
    files = release(terms, named, book, noise=ReleaseNoise())
    told, domain = json.loads(files["manifest.json"]), Domain.from_toml(files["schema.toml"].decode())
    (entry,) = book.accounts()[0].entries
    assert (str(entry.amount), entry.state) == (told["spent"]["charged"], "settled")
    assert not domain.unbinned
    assert Domain.from_toml(told["measured_bins"]["declared"]) == DOMAIN
    assert {a.name: list(a.value_set.edges) for a in domain.attributes if isinstance(a.value_set, Edges)} == told[
        "measured_bins"
    ]["edges"]
    spent, whole = told["measured_bins"]["spent"], told["spent"]
    assert spent["unit"] == whole["unit"] == ("ρ" if delta else "ε")
    assert spent["amount"] == pytest.approx(SHARE * whole["of_a_record"])
    assert whole["start"] + whole["select"] + whole["measure"] <= whole["of_a_record"] * (1 + 1e-12)
    assert "The bins of gain, age were measured first" in told["bins"] in files["report.html"].decode()
    assert {"0"} <= {line.split(",")[0] for line in files["rows.csv"].decode().splitlines()[1:]}


def test_a_rehearsal_measures_bins_too(people):
    terms = Terms(dataset="x", workload=parse_workload("marginals:1", DOMAIN), provenance="file", epsilon=1.0)
    for B in simulated_tables(DOMAIN, 5000).values():
        found = rehearse(terms, B)
        assert found.mean_tv is not None
        assert 0 < found.mean_tv < 0.05


def test_the_command_line_measures_bins_and_prints_them(tmp_path, capsys):
    (tmp_path / "people.csv").write_text(people_csv(200))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    asked = {"--table": str(tmp_path / "people.csv"), "--schema": str(tmp_path / "schema.toml")}
    asked |= {"--workload": "marginals:2", "--epsilon": "1"}
    assert call("run", asked, "--seed", "0", "--bins-share", "0.25") == 0
    assert "\nbins of gain, measured: 0, " in capsys.readouterr().out
    no_budget = "this system has no budget to measure bins with: choose a private system, or declare edges"
    for more, message in {
        ("--bins-share", "1.5"): "the share of the budget for the bins must lie between 0 and 1, got 1.5:"
        " what it leaves is for the questions",
        ("--epsilon", "1e-6"): "epsilon 1e-06 leaves next to nothing once bins are measured:"
        " raise it, or declare edges",
        ("--algorithm", "uniform"): no_budget,
        ("--workload", "where:age < 30"): "age has 5 bins that the run measures,"
        " so no question can name a number of it: declare edges",
    }.items():
        assert_refused(capsys, "run", asked | dict([more]), message)
    message = "each run would measure its own bins of 'gain', so runs cannot be compared: declare its edges"
    assert_refused(capsys, "compare", asked, message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("range = [0, 9]\nmeasured_bins = 1", "measured_bins must be a whole number from 2 up, got 1"),
        (
            "range = [0, 9]\nmeasured_bins = 10",
            "measured_bins asks for 10 bins, but 9 are the most that the range has: lower it, or leave it out",
        ),
        ("edges = [0, 9]\nmeasured_bins = 2", "measured_bins belongs to range, not to edges; remove it"),
        ("measured_bins = 2", "needs exactly one of values, edges, range, bits, dates; it has none"),
        (
            "range = [0, 99999999]\nmeasured_bins = 2",
            "the range has 100,000,000 values, and at most 10,000,000 are counted: set a larger width",
        ),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(body, message):
    with pytest.raises(ValueError, match=exactly(f"attribute 'age': {message}")):
        Domain.from_toml(f'[[attribute]]\nname = "age"\n{body}\n')


def test_a_table_without_bins_to_measure_is_refused_before_anything_is_drawn(people):
    settings, counted = (
        settings_of(),
        people.binned(DOMAIN.binned({"gain": Edges((0, 9999)), "age": Edges((17, 50, 90))})),
    )
    with pytest.raises(ValueError, match="the schema leaves no bins to be measured"):
        settings.rounds(counted, parse_workload("marginals:1", counted.domain), noise=Following([]))
    with pytest.raises(ValueError, match="bins are measured on a table that was read"):
        settings.rounds(counted, parse_workload("marginals:1", DOMAIN), noise=Following([]))


def test_settings_that_would_spend_more_than_the_rest_are_refused():
    with pytest.raises(ValueError, match=r"^the run after the bins may spend 0.9 ε, and its settings say 1 ε"):
        MeasuredBins(epsilon=1.0, inner=MeasuredTotal(epsilon=1.0))


def test_wider_cells_are_measured_as_declared():
    """Values in tens from 17 on: edges begin cells, and the last bin ends at the end of the range."""
    domain = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [17, 1009]\nwidth = 10\nmeasured_bins = 6\n')
    B = Records(domain.fine, (np.random.default_rng(0).integers(100, size=500).astype(np.uint8),)).to_bin(domain)
    cuts = edges_of(B, epsilon=10)["x"]
    assert {(cut - 17) % 10 for cut in cuts[:-1]} == {0}
    assert cuts[-1] == 1009
    assert Domain.from_toml(domain.to_toml()) == domain


def test_decimals_are_measured_and_written_as_declared(tmp_path):
    """Amounts of two decimals: edges and rows have no more, also those that begin between values of the table."""
    domain = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 500.5]\ndecimals = 2\nmeasured_bins = 6\n')
    assert Domain.from_toml(domain.to_toml()) == domain
    amounts = np.minimum(np.random.default_rng(0).exponential(20, 3000), 500).round(2)
    (tmp_path / "x.csv").write_text("x\n" + "".join(f"{amount}\n" for amount in amounts))
    B = encode(read_table(tmp_path / "x.csv"), domain)
    assert B.fine_counts("x").nonzero()[0].tolist() == np.unique((amounts * 100).round()).astype(int).tolist()
    Q = parse_workload("marginals:1", domain)
    settings = MeasuredBins.of(lambda epsilon, _: default(Q, n=3000, epsilon=epsilon), epsilon=5.0)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    again = Domain.from_toml(last.domain.to_toml())
    assert again == last.domain
    assert B.binned(again).codes[0].tolist() == encode(read_table(tmp_path / "x.csv"), again).codes[0].tolist()
    rows = nearest_rows(parse_workload("marginals:1", again), last.model, 3000, np.random.default_rng(0))
    made = again.attributes[0].decode(rows.codes[0], np.random.default_rng(0))
    assert (made.round(2) == made).all()
    assert made.mean() == pytest.approx(amounts.mean(), rel=0.1)


def test_a_long_range_of_decimals_is_told_apart_by_as_many_digits_as_can_be_counted():
    """A million of two decimals: tenths, as hundredths would be more than ten million."""
    domain = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [-0.25, 999999.5]\ndecimals = 2\nmeasured_bins = 6\n')
    grid = domain.attributes[0].value_set.grid
    assert (grid.digits, grid.first, grid.size) == (1, -3, 9_999_999)
    assert grid.encode(["-0.25", "-0.2", "0", "0.19", "999999.5", "999999.51"]).tolist() == [0, 1, 3, 4, 9_999_998, -1]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("width = 2", "width is for whole numbers; declare fewer decimals instead"),
        ("other = 1", "other must be true or false, got 1"),
    ],
)
def test_decimals_that_cannot_be_measured_are_refused(body, message):
    text = f'[[attribute]]\nname = "x"\nrange = [0, 9.5]\ndecimals = 1\nmeasured_bins = 3\n{body}\n'
    with pytest.raises(ValueError, match=exactly(f"attribute 'x': {message}")):
        Domain.from_toml(text)


RULES = "[rules]\nnever = [\"sex == 'F' and smoker == 1\"]\n"
SMOKER = '[[attribute]]\nname = "smoker"\nbits = true\n'


def test_rules_hold_before_and_after_bins_are_measured(tmp_path):
    """Records that break a rule are changed once, and counted; no row breaks one."""
    domain = Domain.from_toml(SCHEMA + SMOKER + RULES)
    lines = people_csv(300).splitlines()
    bits = [f"{line},{i % 2}" for i, line in enumerate(lines[1:])]
    (tmp_path / "x.csv").write_text("\n".join([f"{lines[0]},smoker", *bits]))
    B = encode(read_table(tmp_path / "x.csv"), domain)
    (broken,) = B.broken
    assert broken == sum(line.split(",")[1] == "F" and line[-1] == "1" for line in bits) > 0
    Q = parse_workload("marginals:2", domain)
    settings = MeasuredBins.of(lambda epsilon, _: default(Q, n=300, epsilon=epsilon), epsilon=1.0)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert (last.domain.never, B.binned(last.domain).broken) == (domain.never, B.broken)
    assert last.model.marginal(domain.attrs("sex", "smoker"))[0, 1] == 0


def test_a_rule_about_a_number_whose_bins_are_to_be_measured_is_refused():
    rule = "[rules]\nnever = [\"age < 30 and sex == 'F'\"]\n"
    with pytest.raises(ValueError, match="age has 5 bins that the run measures, so no question can name a number"):
        Domain.from_toml(SCHEMA + rule)
