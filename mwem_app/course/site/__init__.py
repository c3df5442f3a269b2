"""The lessons as files that need no server: an index, and for each lesson a page, slides and a handout.

They fetch nothing. A teacher's key and notes are made here too, for a folder of their own. `pages` and `slides` make
what learners read, `teacher_key` the rest. `mwem lessons` starts `python -m mwem_app.course.site`, which writes all.
"""
