"""What functions take: arrays of the right shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arguments import array, listed, shown
from .._error import ArgumentError

Floats = npt.NDArray[np.float64]

# Blocks of time that errors of reweighted averages come from.
_BLOCKS = 16


def vector(name: str, values: npt.ArrayLike) -> Floats:
    given: Floats = array(name, values)
    if given.ndim != 1:
        raise ArgumentError(f"{name} has the shape {given.shape}: give one row of numbers")
    return given


def series_of(series: npt.ArrayLike | Sequence[npt.ArrayLike]) -> list[Floats]:
    """Independent series, of an array or of a list of arrays."""
    if isinstance(series, np.ndarray):
        if series.ndim not in (1, 2):
            raise ArgumentError(f"the series have the shape {series.shape}: give (values,) or (series, values)")
        parts: Sequence[Any] = [series] if series.ndim == 1 else list(series)
    else:
        given = listed("the series", series, "numbers, or of lists of numbers")
        parts = [given] if all(np.ndim(one) == 0 for one in given) else given
    return [vector("a series", one) for one in parts]


def groups_of(name: str, given: Sequence[Any], temperatures: int) -> list[list[Floats]]:
    """Values of each group at each temperature."""
    entries = listed(name, given, "samples of each temperature")
    if len(entries) != temperatures:
        raise ArgumentError(
            f"{name} has {len(entries)} entries and there are {temperatures} temperatures: give one for each"
        )
    groups = []
    for entry in entries:
        of_one = listed(f"an entry of {name}", entry, "numbers, or of lists of numbers")
        if len(of_one) == 0 or np.ndim(of_one[0]) == 0:
            # The list has taken all that an iterator gives.
            values = vector(name, entry if hasattr(entry, "__array__") else of_one)
            edges = [block * len(values) // _BLOCKS for block in range(_BLOCKS + 1)]
            groups.append([values[start:end] for start, end in zip(edges, edges[1:], strict=False)])
        else:
            groups.append([vector(name, one) for one in of_one])
    return groups


def frames_of(given: npt.ArrayLike) -> npt.NDArray[np.float32 | np.float64]:
    at = array("positions", given, keeps_single=True)
    if at.ndim == 2:
        at = at[np.newaxis]
    if at.ndim != 3 or at.shape[2] != 3 or 0 in at.shape:
        raise ArgumentError(
            f"positions have the shape {np.shape(given)}: give (frames, beads, 3), or (beads, 3) for one frame"
        )
    return at


def sides_of(box: npt.ArrayLike) -> Floats:
    sides = vector("box", box)
    if sides.shape != (3,) or not (np.isfinite(sides).all() and (sides > 0).all()):
        raise ArgumentError(f"box is {shown(box)}: give the three sides")
    return sides


def triple(sides: Floats) -> tuple[float, float, float]:
    return float(sides[0]), float(sides[1]), float(sides[2])


def types_of(types: npt.ArrayLike | None, beads: int) -> tuple[npt.NDArray[np.uint16], int]:
    if types is None:
        return np.zeros(beads, dtype=np.uint16), 1
    given = np.asarray(types)
    if given.shape != (beads,) or not np.issubdtype(given.dtype, np.integer):
        raise ArgumentError(
            f"types have the shape {given.shape} of {given.dtype}: give a whole number for each of {beads} beads"
        )
    least, most = int(given.min()), int(given.max())
    if least < 0 or most > 255:
        raise ArgumentError(f"types go from {least} to {most}: give numbers from 0 to 255 at most")
    return np.ascontiguousarray(given, dtype=np.uint16), most + 1


# Pairs of types times bins or shells, of 8 bytes each, which each thread has; and bins or shells.
_MOST_NUMBERS = 1 << 24
MOST_BINS = 1 << 17
# Powers of exp(iq·r) take a kilobyte for each shell and side.
MOST_SHELLS = 1 << 14


def check_room(name: str, bins: int, types: int, most_bins: int = MOST_BINS) -> None:
    """Refuses more bins or shells of all pairs of types than memory should be asked for."""
    most = min(most_bins, _MOST_NUMBERS // (types * (types + 1) // 2))
    if bins > most:
        raise ArgumentError(f"{name} asks for {bins} values for each pair of {types} type(s): ask for {most} at most")
