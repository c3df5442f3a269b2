"""A lesson on paper: its formulas with every symbol explained, and its questions with room for answers."""

from html import escape

from mwem_app.learn.lessons import Lesson
from mwem_app.learn.record import Task

STYLE = """
body { font: 12pt/1.5 Georgia, serif; max-width: 17cm; margin: 1.5cm auto; color: #12161e; background: #fff; }
h1, h2 { line-height: 1.25; } h2 { font-size: 13pt; margin-top: 1.6em; }
.formula { font-size: 14pt; } .formula sup { line-height: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }
dt { font-style: italic; } dd { margin: 0; }
ul { list-style: none; padding: 0; } li::before { content: "☐"; margin-right: .6em; }
.line { border-bottom: 1px solid #6b6f78; height: 2em; }
footer { margin-top: 3em; font-size: 10pt; color: #4a4e57; }
section { break-inside: avoid; }
"""


def handout(lesson: Lesson, tasks: list[Task], link: str) -> str:
    """A page of HTML to print: for the learner, so it has no answers."""
    parts = "\n".join(_section(task) for task in tasks)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(lesson.title)}</title><style>{STYLE}</style></head>
<body><main><h1>{escape(lesson.title)}</h1>
<p>{lesson.minutes} minutes. After this lesson you will be able to {escape(lesson.aim)}</p>
{parts}
<footer>Open the lesson: {escape(link)}</footer></main></body></html>
"""


def _section(task: Task) -> str:
    if task.kind == "formula":
        symbols = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in task.symbols.items())
        return f'<section><p class="formula">{task.text}</p><dl>{symbols}</dl></section>'
    title = {"prediction": "Predict first", "exercise": "Exercise"}[task.kind]
    options = "".join(f"<li>{escape(option)}</li>" for option in task.options)
    room = f"<ul>{options}</ul>" if options else '<div class="line"></div>'
    why = '<p>Because</p><div class="line"></div><div class="line"></div>' if task.kind == "exercise" else ""
    return f"<section><h2>{title}</h2><p>{escape(task.text)}</p>{room}{why}</section>"
