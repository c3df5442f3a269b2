"""Exercises that are answered by a number, by settings or by a drawn curve, and what is found of an answer.

The drawing `exercise.js` asks what is in `data`. In a file, `exercise_answers.js` finds the same as `verdict`, from
`held`.
"""
