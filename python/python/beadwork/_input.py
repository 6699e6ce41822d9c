"""Inputs and settings from Python values."""

from __future__ import annotations

import datetime
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import _arguments
from ._arguments import mapping, number, path, shown
from ._error import ArgumentError
from ._system import System

Input = str | os.PathLike[str] | Mapping[str, Any] | System
MaxTime = str | float | datetime.timedelta | None

# The name of a dict in messages. Its folder is runs/run, unless another is named.
NAME_OF_DICT = "run.toml"


@dataclass(frozen=True)
class Placed:
    """An input that means the same in any current folder: names of files are looked for in `base`."""

    given: Input
    base: str


def placed(given: Input) -> Placed:
    """An input as it is meant in the current folder."""
    return Placed(given, os.getcwd())


def _plain(value: Any) -> Any:
    """Scalars and arrays of numpy as values of Python, paths as texts."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def inline(value: Any) -> str:
    """A value as TOML on one line."""
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        items = (f"{_key(key)} = {inline(inner)}" for key, inner in value.items())
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(inline, value)) + "]"
    kind = type(value).__name__
    raise ArgumentError(f"{shown(value)} is a {kind}, and an input has texts, numbers, booleans, lists and dicts")


def _text(given: str) -> str:
    # Texts of JSON are texts of TOML, but for DEL, which TOML wants as an escape.
    text = _arguments.text("a text of the input", given, "310 K")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ArgumentError(f"{shown(key)} is no text, and keys of an input are texts")
    is_bare = bool(key) and key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if is_bare else _text(key)


def toml(document: Mapping[str, Any]) -> str:
    """A dict as the text of an input: a section for each dict in it, one for each dict of a list of dicts."""
    plain, sections = [], []
    for key, value in document.items():
        value = _plain(value)
        is_list = isinstance(value, (list, tuple)) and len(value) > 0
        if isinstance(value, Mapping):
            sections.append(_section(f"[{_key(key)}]", value))
        elif is_list and all(isinstance(item, Mapping) for item in value):
            sections.extend(_section(f"[[{_key(key)}]]", item) for item in value)
        else:
            plain.append(f"{_key(key)} = {inline(value)}\n")
    return "\n".join(["".join(plain)] * bool(plain) + sections)


def _section(head: str, table: Mapping[str, Any]) -> str:
    return head + "\n" + "".join(f"{_key(key)} = {inline(value)}\n" for key, value in table.items())


@contextmanager
def source(
    given: Input | Placed, settings: Sequence[tuple[str, str]] = ()
) -> Iterator[tuple[str, str | None, str]]:
    """The file of an input; or the name and the text of a dict, and the folder of its files. They are read within the context.

    `settings` are those that replace values of the input.
    """
    base = ""
    if isinstance(given, Placed):
        base, given = given.base, given.given
    if isinstance(given, System):
        given = {"system": given}
    if not isinstance(given, Mapping):
        if not isinstance(given, (str, os.PathLike)):
            raise ArgumentError(f"the input is {shown(given)}: give the path of a file, a dict or a System")
        yield os.path.join(base, path("the input", given)), None, ""
        return
    system = given.get("system")
    if not isinstance(system, System):
        yield NAME_OF_DICT, toml(given), base
        return
    given = _with_replicas(given, system, dict(settings))
    with tempfile.TemporaryDirectory(prefix="beadwork-") as folder:
        yield NAME_OF_DICT, toml({**given, "system": system.write(folder)}), folder


def _with_replicas(given: Mapping[str, Any], system: System, settings: Mapping[str, str]) -> Mapping[str, Any]:
    """The input with as many replicas as its system has starts."""
    ensemble = given.get("ensemble", {})
    if system.members is None or not isinstance(ensemble, Mapping):
        return given
    asked = settings.get("ensemble.replicas", ensemble.get("replicas", system.members))
    if str(_plain(asked)) != str(system.members):
        raise ArgumentError(
            f"the system has starts of {system.members} member(s), and ensemble.replicas is {shown(_plain(asked))}: "
            f"leave it out, give positions of as many members, or of shape (beads, 3) for one start of all"
        )
    return {**given, "ensemble": {**ensemble, "replicas": system.members}}


def settings(given: Mapping[str, Any] | None, name: str = "set") -> list[tuple[str, str]]:
    """Paths and values as ``--set PATH=VALUE`` has them: a text needs no quotes. `name` is that of the argument."""
    if given is None:
        return []
    pairs = []
    for key, value in mapping(name, given, '{"ensemble.replicas": 4}').items():
        if not isinstance(key, str):
            raise ArgumentError(f"{name} has the key {shown(key)}: give texts such as 'ensemble.replicas'")
        key = _arguments.text(f"a key of {name}", key, "ensemble.replicas")
        is_text = isinstance(value, str)
        pairs.append((key, _arguments.text(f"{name}[{key!r}]", value, "310 K") if is_text else inline(value)))
    return pairs


def max_time(given: MaxTime) -> str | None:
    """A time limit as the program reads it."""
    if given is None:
        return None
    if isinstance(given, str):
        return _arguments.text("max_time", given, "23h 50m")
    seconds = given.total_seconds() if isinstance(given, datetime.timedelta) else number("max_time", given)
    if not 0 <= seconds < float("inf"):
        raise ArgumentError(f"max_time is {given!r}: give seconds of at least 0, or leave it out")
    return f"{round(seconds * 1e9)}ns"


def command(name: str, *arguments: Any, **keywords: Any) -> str:
    """A call as the log has it, without keywords that say nothing."""
    words = [repr(argument) for argument in arguments]
    words += [f"{key}={value!r}" for key, value in keywords.items() if value not in (None, False)]
    return f"beadwork.{name}({', '.join(words)})"
