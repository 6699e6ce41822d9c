"""One's own observables of a simulation, at the times of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import array, shown, text
from ._error import ArgumentError

Array = npt.NDArray[np.float64]
Observer = Callable[[Array], npt.ArrayLike]


class Observations:
    """Functions of the positions of all members, and what they returned at each row."""

    def __init__(self) -> None:
        self._functions: dict[str, Observer] = {}
        # Segment, step and values of each row.
        self._rows: list[tuple[int, int, dict[str, Array]]] = []
        # The segment and the step at which they were last asked.
        self._asked_at: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        return bool(self._functions)

    def add(self, name: str, function: Observer) -> None:
        """Adds a function, or puts it in the place of one with the same name."""
        name = text("name", name, "bond")
        if name in ("segment", "step", "time"):
            raise ArgumentError(f"{name!r} is a column already: take another name")
        if not callable(function):
            raise ArgumentError(f"function is {shown(function)}: give a function of the positions of all members")
        self._functions[name] = function

    def were_asked_at(self, segment: int, step: int) -> bool:
        """Whether they know this place."""
        return self._asked_at == (segment, step)

    def ask(self, segment: int, step: int, positions: Array, are_there: npt.NDArray[np.bool_]) -> None:
        """Adds a row; values of members that are not there are NaN. There is no row if none is."""
        row = {}
        if are_there.any():
            for name, function in self._functions.items():
                # No function sees what another one does to its array.
                found = function(positions.copy())
                # Cells are made NaN in a copy, since the function may keep its array.
                values = array(f"the observable {name!r}", found).copy()
                self._refuse_shape(name, values.shape, len(positions))
                values[~are_there] = np.nan
                row[name] = values
            self._rows.append((segment, step, row))
        self._asked_at = (segment, step)

    def forget(self, segment: int) -> None:
        """Forgets the rows of a segment that never began, in whose place another one comes."""
        self._rows = [row for row in self._rows if row[0] != segment]
        if self._asked_at is not None and self._asked_at[0] == segment:
            self._asked_at = None

    def _refuse_shape(self, name: str, shape: tuple[int, ...], members: int) -> None:
        if shape[:1] != (members,):
            raise ArgumentError(
                f"the observable {name!r} has the shape {shape}: its first axis must be the {members} members"
            )
        before = next((row[name].shape for _, _, row in reversed(self._rows) if name in row), shape)
        if shape != before:
            raise ArgumentError(
                f"the observable {name!r} has the shape {shape}, and had {before} in earlier rows: "
                "return arrays of one shape, or observe under another name"
            )

    def arrays(self, timesteps: Sequence[float | None]) -> dict[str, npt.NDArray[Any]]:
        """All rows as columns; `timesteps` are those of the segments."""
        lengths = [timesteps[segment] for segment, _, _ in self._rows]
        steps = np.asarray([step for _, step, _ in self._rows], dtype=np.int64)
        found: dict[str, npt.NDArray[Any]] = {
            "segment": np.asarray([segment for segment, _, _ in self._rows], dtype=np.int64),
            "step": steps,
            "time": steps * np.asarray([np.nan if one is None else one for one in lengths], dtype=np.float64),
        }
        for name in self._functions:
            rows = [row.get(name) for _, _, row in self._rows]
            first = next((row for row in rows if row is not None), None)
            if first is not None:
                found[name] = np.stack([np.full_like(first, np.nan) if row is None else row for row in rows])
        return found
