"""The course: lessons, the site without a server, and the live class.

Each lesson is a folder: `attack`, `under_attack`, `noise`, `choosing`, `reweighting`, `mwem`, `rounds`, `factored` and
`composition`. `lesson` says what is in it, and finds them all. What lessons share is here: `blocks`, of which they
consist; `exercises`, more than one choice; `sheet`, a lesson on paper; `tasks`, what is asked and answered on a page;
`lesson_page`, a lesson as a page of the app; and the drawings `exercise.js` and `symbols.js`. `site` writes lessons as
files, and `classroom` has the live class: its rooms, the students' page, and the teacher's screens.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
