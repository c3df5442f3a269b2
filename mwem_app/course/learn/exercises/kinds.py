"""All exercises that a drawing asks, and what it is told."""

from typing import Any

from mwem_app.course.learn.exercises.curve import CurveExercise
from mwem_app.course.learn.exercises.number import NumberExercise
from mwem_app.course.learn.exercises.settings import SettingsExercise

DrawnExercise = NumberExercise | SettingsExercise | CurveExercise


def message(exercise: DrawnExercise, answer: Any) -> dict[str, Any]:
    """What the drawing gets before an answer was checked, None, or after it: then also the right curve."""
    if answer is None:
        return exercise.data | {"answer": None, "verdict": None}
    curve = {"curve": exercise.curve} if isinstance(exercise, CurveExercise) else {}
    return exercise.data | curve | {"answer": answer, "verdict": exercise.verdict(answer)}
