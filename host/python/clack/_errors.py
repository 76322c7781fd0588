"""Errors of the library as exceptions; each line of its report with file, line, column and key."""
from __future__ import annotations

import os
import sys
import warnings
from typing import NamedTuple, Optional

from ._library import ffi, lib, text


class Problem(NamedTuple):
    """One line of a report. line and column count from 1; None where the line speaks of no place in a file."""
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    key: Optional[str] = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.key, self.message) if part)


class Error(Exception):
    """What went wrong: problems, a list of Problem; status, the library's word, such as "study"."""
    status = "internal"

    def __init__(self, problems: list[Problem], status: str | None = None):
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
        if status is not None:
            self.status = status


class StudyError(Error, ValueError):
    """The study is not valid: all errors that were found."""
    status = "study"


class UsageError(Error, ValueError):
    """An argument that cannot be."""
    status = "usage"


class FileError(Error, OSError):
    """A file cannot be read or written."""
    status = "io"

    def __str__(self) -> str: # OSError's own would leave the text out
        return "\n".join(map(str, self.problems))


class DeviceError(Error, RuntimeError):
    """The device is not there, or failed."""
    status = "device"


class CorruptError(Error, ValueError):
    """Input or ensemble is damaged, or not what it should be."""
    status = "corrupt"


class FailedScenes(Error, RuntimeError):
    """More scenes failed than `failures_allowed`. result: the Result of all scenes."""
    status = "failed_scenes"
    result = None


class StudyWarning(UserWarning):
    """A study is valid but perhaps not meant so. problem: a Problem."""

    def __init__(self, problem: Problem):
        super().__init__(str(problem))
        self.problem = problem


_CLASSES = {kind.status: kind for kind in (StudyError, UsageError, FileError, DeviceError, CorruptError, FailedScenes)}


_ARGUMENTS = {"--overwrite": "overwrite=True", "--extend": "extend"} # what the command line calls otherwise


def _problem(line: str, raw: bytes, place) -> Problem:
    if place.file_bytes == 0:
        return Problem(line)

    def part(at: int, count: int) -> str:
        return raw[at:at + count].decode("utf-8", "replace")
    return Problem(raw[place.message_at:].decode("utf-8", "replace"), part(0, place.file_bytes), place.line or None,
                   place.column or None, part(place.key_at, place.key_bytes) if place.key_bytes else None)


def caller_level() -> int:
    """stacklevel of the line that called into this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, level = frame.f_back, level + 1
    return level


class Report:
    """A ClackReport: with Report() as report: report.check(lib.clack_...(..., report.pointer))."""

    def __init__(self):
        self.pointer = ffi.new("ClackReport *")

    def __enter__(self) -> "Report":
        return self

    def __exit__(self, *_):
        lib.clack_report_clear(self.pointer)

    def lines(self, places: bool) -> tuple[list[Problem], list[Problem]]:
        """Errors and warnings; places=False: without places in what was a dict."""
        errors, told = [], []
        for i in range(self.pointer.count):
            raw = ffi.string(self.pointer.lines[i])
            place = self.pointer.places[i]
            problem = _problem(raw.decode("utf-8", "replace"), raw, place)
            for option, argument in _ARGUMENTS.items():
                problem = problem._replace(message=problem.message.replace(option, argument))
            if not places and problem.key:
                problem = Problem(problem.message, key=problem.key)
            (told if place.is_warning else errors).append(problem)
        return errors, told

    def error(self, status: int, places: bool = True) -> Error | None:
        """Warn of what the report warns of; the exception of a status, None where it is ok."""
        errors, told = self.lines(places)
        for problem in told:
            warnings.warn(StudyWarning(problem), stacklevel=caller_level())
        word = text(lib.clack_status_word(status))
        if word == "ok":
            return None
        if word == "memory":
            raise MemoryError("\n".join(map(str, errors)))
        if word == "interrupted":
            raise KeyboardInterrupt
        return _CLASSES.get(word, Error)(errors or [Problem(text(lib.clack_status_sentence(status)))], word)

    def check(self, status: int, places: bool = True) -> None:
        """Raise the exception of a status."""
        error = self.error(status, places)
        if error is not None:
            raise error
