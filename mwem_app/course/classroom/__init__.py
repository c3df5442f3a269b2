"""The live class. Teachers have screens in the app, and students one small page, which is no session of Streamlit.

`room` and `rooms` hold what a class sends, in memory alone; `seat` is a session's place in one. `routes` serves the
students' page, beside the pages of the app, and `phone` answers it. `class_screens`, `class_lessons` and `class_table`
are what a teacher sees.
"""
