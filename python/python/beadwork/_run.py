"""Runs that are read from their folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._answer import Answer, rows_of
from ._arguments import listed, path, whole
from ._beadwork import Folder
from ._error import ArgumentError, Error
from ._frames import Frames
from ._table import Column, Table

if TYPE_CHECKING:
    import MDAnalysis
    from matplotlib.axes import Axes

# A plot with more lines than these has no legend.
_MOST_LABELS = 12
# The columns that say which row it is.
_NOT_MEASURED = ("member", "step", "sweep", "time_ns", "time", "stage", "rung")


@dataclass(frozen=True)
class Member:
    """A trajectory of an ensemble.

    Attributes:
        number: its number over ensemble and sweep, which keys its noise and names its files.
        point: the number of its point of the sweep, from 0.
        replica: which replica of the point it is, from 0.
        settings: the swept keys and their values as the input writes them.
        status: ``not begun``, ``running`` (it has steps left, and `Run.ending` is ``running``), ``stopped`` (it has steps left),
            ``finished``, ``failed``, or ``damaged`` (its checkpoint cannot be read).
        message: why it failed, or what is wrong with its checkpoint; empty otherwise.
        folder: the folder of its files.
    """

    number: int
    point: int
    replica: int
    settings: dict[str, str]
    status: str
    message: str
    folder: Path


class Run:
    """A run in its folder, or in the folders of its parts, as `open`, `run` and `resume` return it.

    What is read from large files is read when it is first asked for, and kept: open the folder again to see what a run that goes
    on has written since.

    Attributes:
        folders: the folders; of a whole run one.
        stages: the names of the stages.
        points: for each point of the sweep the keys and values that it sets; one empty dict without a sweep.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.folders = [Path(path) for path in folder.folders]
        self.stages = folder.stages
        self.points = [dict(point) for point in folder.points]

    @property
    def folder(self) -> Path:
        """The folder, of parts the first one."""
        return self.folders[0]

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The content of each folder's ``run.json``: version, device, seed, times, digests of the input files."""
        return [json.loads((folder / "run.json").read_text(encoding="utf-8")) for folder in self.folders]

    @property
    def ending(self) -> str:
        """``finished``, ``interrupted``, ``time-limit``, ``failure``, ``error``, ``extended``, or ``running``, also if it was killed.

        Of parts the first one that is not ``finished``.
        """
        endings = [str(record.get("ending", "running")) for record in self.records]
        return next((ending for ending in endings if ending != "finished"), "finished")

    @cached_property
    def members(self) -> list[Member]:
        """The members in the order of their numbers, those that have not begun too."""
        endings = {folder: record.get("ending", "running") for folder, record in zip(self.folders, self.records)}
        members = []
        for number, folder, point, replica, status, message in self._folder.members():
            if status == "stopped" and endings[Path(folder)] == "running":
                status = "running"
            members.append(Member(number, point, replica, self.points[point], status, message, Path(folder)))
        return members

    @cached_property
    def tables(self) -> Table:
        """All rows of all members that have begun, one after another.

        It takes 8 bytes for each number, and twice as much while it is read, with the texts of as many tables as there are cores.
        """
        return self._table(None)

    def table(self, member: int) -> Table:
        """The rows of the member with this number."""
        return self._table([whole("member", member)])

    def _table(self, members: list[int] | None) -> Table:
        columns, stages = self._folder.table(members)
        return Table(columns, stages, self._settings(columns[0][2]))

    def _settings(self, members: Column) -> dict[str, tuple[Column, list[str]]]:
        """For each swept key the values, and which of them each row has."""
        points = members // self._folder.replicas
        settings = {}
        for key in self.points[0]:
            values = list(dict.fromkeys(point[key] for point in self.points))
            of_points = [values.index(point[key]) for point in self.points]
            settings[key] = (np.asarray(of_points, dtype=np.int32)[points], values)
        return settings

    @cached_property
    def frames(self) -> Frames:
        """The frames of all members. Nothing is read before an array is asked for."""
        return Frames(self._folder, self._folder.numbers)

    @cached_property
    def answer(self) -> Answer:
        """The answer: that of ``summary.json`` if the run is finished, else that of what has been done so far."""
        data, words = self._folder.answer(self.ending == "finished")
        return Answer.of_data(json.loads(data), words)

    def universe(self, member: int | None = None, **keywords: Any) -> MDAnalysis.Universe:
        """The trajectory of a member, the first one by default, as a ``Universe`` of MDAnalysis, which has to be installed.

        Lengths are Å and times ps there, as MDAnalysis has them; in reduced units they are those of the input.
        `keywords` go to ``MDAnalysis.Universe``.
        """
        import MDAnalysis

        of = self._member(member)
        own = of.folder / f"topology-point-{of.point:04}.psf"
        topology = own if own.exists() else of.folder / "topology.psf"
        trajectory = self._folder.trajectory(of.number)
        if trajectory is None:
            raise ArgumentError(f"{of.folder} has no trajectories: write [output] trajectory into the input")
        return MDAnalysis.Universe(str(topology), str(trajectory), **keywords)

    def plot(
        self,
        column: str | None = None,
        x: str | None = None,
        *,
        members: Iterable[int] | None = None,
        stage: str | None = None,
        ax: Axes | None = None,
        **keywords: Any,
    ) -> Axes:
        """Draws a column of tables against the time, or against column `x`: a line for each member. Returns the axes of matplotlib.

        Args:
            column: its name, such as ``force_pN``; by default the extension, or the first column that was measured.
            x: the name of the column along the axis; time by default, of chains the sweep.
            members: the numbers of the members that are drawn; all by default.
            stage: the stage whose rows are drawn; all by default.
            ax: axes that are drawn into; new ones by default.
            keywords: go to ``Axes.plot``.
        """
        if ax is None:
            import matplotlib.pyplot

            _, ax = matplotlib.pyplot.subplots()
        table = self.tables if members is None else self._table([whole("a member", one) for one in listed("members", members, "numbers")])
        if stage is not None:
            table = table.of_stage(stage)
        along = x or next(name for name in ("time_ns", "time", "sweep") if name in table)
        if column is None:
            first = next(name for name in table if name not in _NOT_MEASURED)
            column = next((name for name in ("extension_nm", "extension") if name in table), first)
        values, places = table[column], table[along]
        numbers, starts = np.unique(table["member"], return_index=True)
        order = np.argsort(starts)
        ends = [*starts[order][1:], table.rows]
        for number, start, end in zip(numbers[order], starts[order], ends, strict=True):
            words = [f"{key} = {value}" for key, value in self.points[int(number) // self._folder.replicas].items()]
            label = ", ".join([f"member {number}", *words])
            ax.plot(places[start:end], values[start:end], **{"label": label, **keywords})
        ax.set_xlabel(_label(along, table.units[along]))
        ax.set_ylabel(_label(column, table.units[column]))
        if 1 < len(numbers) <= _MOST_LABELS:
            ax.legend()
        return ax

    def _member(self, number: int | None) -> Member:
        if number is None:
            return self.members[0]
        number = whole("member", number)
        found = next((member for member in self.members if member.number == number), None)
        if found is None:
            first, last = self.members[0].number, self.members[-1].number
            raise ArgumentError(f"there is no member {number}: the run has {first} to {last}")
        return found

    def __repr__(self) -> str:
        return f"<beadwork.Run in {', '.join(map(str, self.folders))}: {len(self._folder.numbers)} member(s), {self.ending}>"

    def _repr_html_(self) -> str:
        counts: dict[str, int] = {}
        for member in self.members:
            counts[member.status] = counts.get(member.status, 0) + 1
        members = ", ".join(f"{count} {status}" for status, count in counts.items())
        rows = [
            ("run", ", ".join(map(str, self.folders))),
            ("ending", self.ending),
            (
                "members",
                f"{members}; {len(self.points)} point(s) of {', '.join(map(str, sorted({*self._folder.beads})))} beads",
            ),
            ("stages", ", ".join(self.stages)),
            (
                "made by",
                f"beadwork {self.records[0]['beadwork']} on {self.records[0]['device']}, seed {self.records[0]['seed']}",
            ),
        ]
        left = 'style="text-align:left"'
        text = "".join(f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(what)}</td></tr>" for name, what in rows)
        try:
            text += "".join(rows_of(self.answer))
        except Error as error:
            # A run that has just begun, or whose files are damaged, is shown too.
            text += f"<tr><th {left}>{escape(error.code)}</th><td {left}>{escape(error.message)}</td></tr>"
        return f"<table>{text}</table>"


def _label(name: str, unit: str) -> str:
    """The label of an axis: a column's name in words, with its unit."""
    if not unit:
        return name.replace("_", " ")
    # Names end with their unit, written in letters that names can have.
    ending = unit.replace("/", "_per_").replace("²", "2").replace(" ", "_").replace("(", "").replace(")", "")
    words = name.removesuffix(f"_{ending}").replace("_", " ")
    return f"{words} / ({unit})" if "/" in unit or " " in unit else f"{words} / {unit}"


def open(folder: str | os.PathLike[str], *parts: str | os.PathLike[str]) -> Run:
    """Opens the folder of a run to be read, during the run or after it. Nothing in the folder is changed.

    Args:
        folder: the folder.
        parts: the folders of other parts of the same run, made with ``replicas``; together they count as one run.

    Raises:
        Error: a folder that holds no run, or whose input files were changed.
    """
    return Run(Folder([path("folder", one) for one in (folder, *parts)]))
