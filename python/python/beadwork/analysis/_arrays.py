"""What functions take: arrays of the right shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Blocks of time that errors of reweighted averages come from.
_BLOCKS = 16


def vector(name: str, values: npt.ArrayLike) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if np.ndim(values) != 1:
        raise ValueError(f"{name} has the shape {np.shape(values)}: give one row of numbers")
    return array


def series_of(series: npt.ArrayLike | Sequence[npt.ArrayLike]) -> list[Floats]:
    """Independent series, of an array or of a list of arrays."""
    if isinstance(series, np.ndarray):
        if series.ndim not in (1, 2):
            raise ValueError(f"the series have the shape {series.shape}: give (values,) or (series, values)")
        parts: Sequence[Any] = [series] if series.ndim == 1 else list(series)
    else:
        listed: Any = list(series)  # type: ignore[arg-type]
        parts = [listed] if all(np.ndim(one) == 0 for one in listed) else listed
    return [vector("a series", one) for one in parts]


def groups_of(name: str, given: Sequence[Any], temperatures: int) -> list[list[Floats]]:
    """Values of each group at each temperature."""
    if len(given) != temperatures:
        raise ValueError(
            f"{name} has {len(given)} entries and there are {temperatures} temperatures: give one for each"
        )
    groups = []
    for of_one in given:
        if len(of_one) == 0 or np.ndim(of_one[0]) == 0:
            values = vector(name, of_one)
            edges = [block * len(values) // _BLOCKS for block in range(_BLOCKS + 1)]
            groups.append([values[start:end] for start, end in zip(edges, edges[1:], strict=False)])
        else:
            groups.append([vector(name, one) for one in of_one])
    return groups


def frames_of(given: npt.ArrayLike) -> npt.NDArray[np.float32 | np.float64]:
    array = np.asarray(given)
    single = array.dtype == np.float32
    array = np.ascontiguousarray(array, dtype=np.float32 if single else np.float64)
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or array.shape[2] != 3 or 0 in array.shape:
        raise ValueError(
            f"positions have the shape {np.shape(given)}: give (frames, beads, 3), or (beads, 3) for one frame"
        )
    return array


def sides_of(box: npt.ArrayLike) -> Floats:
    sides = vector("box", box)
    if sides.shape != (3,) or not (np.isfinite(sides).all() and (sides > 0).all()):
        raise ValueError(f"box is {box!r}: give the three sides")
    return sides


def triple(sides: Floats) -> tuple[float, float, float]:
    return float(sides[0]), float(sides[1]), float(sides[2])


def types_of(types: npt.ArrayLike | None, beads: int) -> tuple[npt.NDArray[np.uint16], int]:
    if types is None:
        return np.zeros(beads, dtype=np.uint16), 1
    given = np.asarray(types)
    if given.shape != (beads,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"types have the shape {given.shape} of {given.dtype}: give a whole number for each of {beads} beads"
        )
    least, most = int(given.min()), int(given.max())
    if least < 0 or most > 255:
        raise ValueError(f"types go from {least} to {most}: give numbers from 0 to 255 at most")
    return np.ascontiguousarray(given, dtype=np.uint16), most + 1


def positive(name: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value}: give a positive number")
    return float(value)


# Pairs of types times bins or shells, of 8 bytes each, which each thread has; and bins or shells.
_MOST_NUMBERS = 1 << 24
_MOST_BINS = 1 << 17


def check_room(name: str, bins: int, types: int) -> None:
    """Refuses more bins or shells of all pairs of types than memory should be asked for."""
    most = min(_MOST_BINS, _MOST_NUMBERS // (types * (types + 1) // 2))
    if bins > most:
        raise ValueError(f"{name} asks for {bins} values for each pair of {types} type(s): ask for {most} at most")


def check_natural(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}: give a whole number from 1 on")
