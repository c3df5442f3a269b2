"""The message: answers survive to a tenth of a record, and without the truth nothing that only the records tell."""

import json
from dataclasses import replace

import numpy as np
import pytest
from pictures import EPSILONS, SYSTEMS, picture, runs_of, tenths, unpacked

from mwem_app.stage.runs_message import Interval, Question, payload
from mwem_core import parse_workload

INTERVAL = Interval(890.0, 930.0, "It is bounded.")
QUESTION = Question('a == "yes"', "inside", 911.0, {"mwem/1": [900.04, 910.0]}, {"mwem/1": INTERVAL})


def test_answers_survive_to_a_tenth_of_a_record(czech):
    Q, data = parse_workload("marginals:2", czech.domain), picture(czech)
    for (name, i), run in runs_of(czech, Q).items():
        if name == "mwem":
            track = data["tracks"][f"mwem/{i}"]
            assert np.array_equal(unpacked(track["answers"], len(track["spent"])), run.answers)
            assert track["mean"] == pytest.approx(run.mean_error, rel=1e-5)
    assert np.array_equal(unpacked(data["truth"], 1)[0], tenths(czech.marginals(Q.sets)))


def test_answers_of_any_size_and_sign_survive():
    answers = np.array([[0, 2**30, -5], [-(2**30), 7, 2**31 - 1]], dtype=np.int32)
    assert np.array_equal(unpacked(payload(answers), 2), answers)


def test_without_the_truth_the_message_is_the_same_for_any_truth(czech):
    """All that is computed from the records is given, and nothing of it gets in."""
    Q = parse_workload("marginals:2", czech.domain)
    runs, private = {key: run for key, run in runs_of(czech, Q).items() if key[0] == "mwem"}, []
    for factor in (1.0, 3.0):
        wrong = {
            key: replace(run, max_error=factor * run.max_error, mean_error=factor * run.mean_error)
            for key, run in runs.items()
        }
        asked = replace(QUESTION, truth=factor * 911.0)
        told = {"uniform": (factor, factor), "question": asked, "saved": [asked]}
        private.append(picture(czech, truth=False, runs=wrong, **told))
    assert private[0] == private[1]
    shown = picture(czech, question=QUESTION)
    assert shown["question"]["truth"] == 911.0
    lost = {name for name in shown if shown[name] is not None and private[0][name] is None}
    assert lost == {"truth", "uniform"}


def test_the_message_is_json_and_says_what_each_cell_is(czech):
    data = json.loads(json.dumps(picture(czech, systems=2, question=QUESTION), allow_nan=False))
    assert data["epsilons"] == list(EPSILONS)
    assert data["available"] == [f"{system.name}/{i}" for i in range(3) for system in SYSTEMS]
    pair = data["tables"][0]
    assert (pair["shape"], pair["start"], data["tables"][1]["start"]) == ([2, 2], 0, 4)
    assert data["question"]["estimates"] == {"mwem/1": [900.0, 910.0]}
    assert data["question"]["intervals"] == {
        "mwem/1": {"low": 890.0, "high": 930.0, "rests_on": "It is bounded.", "refused": ""}
    }
    single = picture(czech, "marginals:1")["tables"][0]
    assert (single["shape"], single["y"], single["y_terms"]) == ([2, 1], None, None)
