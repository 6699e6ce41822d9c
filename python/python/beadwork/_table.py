"""Tables of rows as numpy arrays by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arguments import shown, whole
from ._error import ArgumentError

if TYPE_CHECKING:
    import pandas

Column = npt.NDArray[Any]


class Table(Mapping[str, Column]):
    """The rows of one member or of several, one after another: a mapping from the names of columns to arrays of shape (rows,).

    ``member``, ``step``, ``sweep`` and ``rung`` are int64; ``stage`` is text; all other columns are float64, NaN where a cell is
    empty or a member lacks the column. Names end with their unit, which `units` has too.

    Attributes:
        units: from the name of a column to its unit; ``""`` for numbers and in reduced units.
        stages: the names of the stages. ``stage_numbers`` counts them from 0.
    """

    def __init__(
        self,
        columns: list[tuple[str, str, Column]],
        stages: list[str],
        settings: Mapping[str, tuple[Column, list[str]]] | None = None,
    ) -> None:
        self._columns = {name: array for name, _, array in columns}
        self.units = {name: unit for name, unit, _ in columns}
        self.stages = stages
        # Swept keys: for each row the place of its value in a list.
        self._settings = dict(settings or {})

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order of the files."""
        return list(self._columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self._columns["member"])

    @property
    def stage_numbers(self) -> Column:
        """The number of each row's stage, int32 of shape (rows,), from 0."""
        return self._columns["stage"]

    def __getitem__(self, name: str) -> Column:
        if name == "stage":
            return np.asarray(self.stages, dtype=np.str_)[self._columns["stage"]]
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"{name}: the columns are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<beadwork.Table of {self.rows} rows: {', '.join(self._columns)}>"

    def of_stage(self, name: str) -> Table:
        """The rows of a stage."""
        if name not in self.stages:
            raise ArgumentError(f"there is no stage {shown(name)}: the stages are {', '.join(self.stages)}")
        return self._where(self.stage_numbers == self.stages.index(name))

    def of_member(self, member: int) -> Table:
        """The rows of a member."""
        return self._where(self._columns["member"] == whole("member", member))

    def _where(self, chosen: npt.NDArray[np.bool_]) -> Table:
        columns = [(name, self.units[name], array[chosen]) for name, array in self._columns.items()]
        settings = {key: (places[chosen], values) for key, (places, values) in self._settings.items()}
        return Table(columns, self.stages, settings)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas ``DataFrame``; ``attrs["units"]`` has the units.

        ``stage`` and swept keys are categories, which take a few bytes a row.
        """
        import pandas

        columns: dict[str, Any] = {}
        for name, array in self._columns.items():
            if name == "stage":
                columns[name] = pandas.Categorical.from_codes(array, categories=self.stages)
            else:
                columns[name] = array
            if name == "member":
                for key, (places, values) in self._settings.items():
                    columns[key] = pandas.Categorical.from_codes(places, categories=values)
        frame = pandas.DataFrame(columns, copy=False)
        frame.attrs["units"] = dict(self.units)
        return frame

    def _repr_html_(self) -> str:
        return str(self.to_pandas()._repr_html_())
