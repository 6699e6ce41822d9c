"""The exception that errors of beadwork are, and the category of its warnings."""

from __future__ import annotations

from typing import NamedTuple


class Where(NamedTuple):
    """A place in an input: the file, or ``--set`` for a value of ``set``, or ``run.toml`` for a dict as it was written.

    Line and column are counted from 1; `text` is the line.
    """

    file: str
    line: int
    column: int
    text: str


class Error(Exception):
    """What the program would print before it ends with an exit code other than 0.

    Attributes:
        message: what is wrong and what to do.
        code: the stable code, such as ``input/unknown-key``; the book's page on errors lists all.
        where: the place in the input, if it is in a text.
        exit_code: 2 for something to repair in input, arguments or folder, 4 for trouble of the machine.
    """

    def __init__(
        self,
        message: str,
        code: str,
        exit_code: int,
        where: tuple[str, int, int, str] | None = None,
    ) -> None:
        super().__init__(message, code, exit_code, where)
        self.message = message
        self.code = code
        self.exit_code = exit_code
        self.where = None if where is None else Where(*where)

    def __str__(self) -> str:
        if self.where is None:
            return f"{self.code}: {self.message}"
        file, line, column, text = self.where
        return f"{self.code}: {self.message} (in {file}, line {line}, column {column}: {text})"


class ArgumentError(Error, ValueError):
    """An `Error` about what a function was given, such as an array of another shape; it is a ``ValueError`` too."""

    def __init__(
        self,
        message: str,
        code: str = "program/arguments",
        exit_code: int = 2,
        where: tuple[str, int, int, str] | None = None,
    ) -> None:
        super().__init__(message, code, exit_code, where)


def error_of(message: str, code: str, exit_code: int, where: tuple[str, int, int, str] | None) -> Error:
    """The exception of an error of the compiled half."""
    kind = ArgumentError if code == "program/arguments" else Error
    return kind(message, code, exit_code, where)


class Remark(UserWarning):
    """What beadwork says of a run while it goes on: warnings, notes, members that failed."""
