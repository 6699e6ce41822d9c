"""What functions are given, as values of the kinds that they need. What does not fit is refused by its name."""

from __future__ import annotations

import numbers
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._error import ArgumentError

# The largest whole number that the compiled half takes everywhere.
_MOST = (1 << 63) - 1
_MOST_THREADS = (1 << 16) - 1
# Letters of a value in a message.
_SHOWN = 60


def shown(value: Any) -> str:
    """A value as it is written in Python, shortened if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def whole(name: str, value: Any, least: int | None = 0, most: int = _MOST) -> int:
    """A whole number from `least` to `most`; without `least` any that 64 bits hold."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is not None and (-_MOST if least is None else least) <= number <= most:
        return number
    if least is None:
        asked = "" if number is None else " that 64 bits hold"
    else:
        asked = f" from {least} on" if most == _MOST else f" from {least} to {most}"
    raise ArgumentError(f"{name} is {shown(value)}: give a whole number{asked}")


def number(name: str, value: Any) -> float:
    """A number, which may be infinite or NaN."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ArgumentError(f"{name} is {shown(value)}: give a number")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"{name} is {shown(value)}: give a number below 1e308") from None


def positive(name: str, value: Any) -> float:
    """A positive, finite number."""
    found = number(name, value)
    if not (np.isfinite(found) and found > 0):
        raise ArgumentError(f"{name} is {shown(value)}: give a positive number")
    return found


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name} is {shown(value)}: give True or False")
    return bool(value)


def progress(value: Any) -> Any:
    """A function that is told of progress, or whether a bar is shown; ``None`` shows none."""
    if callable(value) or isinstance(value, (bool, np.bool_)):
        return value
    if value is not None:
        raise ArgumentError(f"progress is {shown(value)}: give True, False or a function")
    return False


def text(name: str, value: Any, example: str) -> str:
    """A text that UTF-8 can write."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is {shown(value)}: give a text such as {example!r}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ArgumentError(f"{name} is {shown(value)}, which has half of a character: give whole ones")
    return str(value)


def path(name: str, value: Any) -> str:
    """The name of a file or a folder."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise ArgumentError(f"{name} is {shown(value)}: give a path as a text or a pathlib.Path") from None


def mapping(name: str, value: Any, example: str) -> Mapping[Any, Any]:
    """A dict, or something like one."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name} is {shown(value)}: give a dict such as {example}")
    return value


def listed(name: str, value: Any, of: str) -> list[Any]:
    """The entries of a list, a tuple or an array; a text or a dict is none."""
    is_single = isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0
    if is_single or not isinstance(value, Iterable):
        raise ArgumentError(f"{name} is {shown(value)}: give a list of {of}")
    return list(value)


def array(name: str, values: Any, *, keeps_single: bool = False) -> npt.NDArray[Any]:
    """Numbers as an array of float64 without gaps in memory; `keeps_single` leaves float32 as it is."""
    if np.ma.is_masked(values):
        raise ArgumentError(f"{name} has masked values: leave them out, or fill them")
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise ArgumentError(f"{name} has values of the type {given.dtype}: give real numbers")
        kind = np.float32 if keeps_single and given.dtype == np.float32 else np.float64
        return np.asarray(given, dtype=kind, order="C")
    except ArgumentError:
        raise
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} makes no array of numbers ({error}): {shown(values)}") from None


def threads(value: Any) -> int | None:
    """A number of threads; ``None`` for as many as cores."""
    return None if value is None else whole("threads", value, 1, _MOST_THREADS)


def device(value: Any) -> str | None:
    """A device, which the compiled half reads."""
    return None if value is None else text("device", value, "cuda:0")
