"""A lesson's blocks, by the lesson."""

from collections.abc import Iterator
from importlib import import_module

from mwem_app.course.learn.blocks import Block
from mwem_app.course.learn.lessons import Lesson


def blocks_of(lesson: Lesson, seed: int) -> Iterator[Block]:
    """The blocks of a lesson, made one after another; only its own module is imported."""
    return import_module(f"mwem_app.course.lessons.{lesson.path}").blocks(seed)
