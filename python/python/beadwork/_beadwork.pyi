"""The compiled half of the package: plain values and arrays. `beadwork` is what programs call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = ["Folder", "Segment", "__version__", "check", "resume", "run"]

__version__: str

@final
class Folder:
    """A run, or the parts of one, in folders."""

    def __new__(cls, folders: list[str]) -> Folder:
        """Opens folders that hold one run or its parts. Raises `beadwork.Error`."""

    @property
    def folders(self) -> list[Path]:
        """The folders."""

    @property
    def stages(self) -> list[str]:
        """The names of the stages."""

    @property
    def points(self) -> list[list[tuple[str, str]]]:
        """For each point of the sweep the keys and values that it sets."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the members in the folders."""

    @property
    def replicas(self) -> int:
        """The replicas of each point: member ``point * replicas + replica``."""

    @property
    def beads(self) -> list[int]:
        """The number of beads of each point."""

    @property
    def length_unit(self) -> str:
        """``nm``, or nothing in reduced units."""

    @property
    def time_unit(self) -> str:
        """``ns``, or nothing in reduced units."""

    def members(self) -> list[tuple[int, Path, int, int, str, str]]:
        """Number, folder, point, replica of the point, status and message of each member."""

    def table(self, members: list[int] | None = None) -> tuple[list[tuple[str, str, npt.NDArray[Any]]], list[str]]:
        """Name, unit and cells of each column, and the names of the stages.

        Arrays have the shape (rows,): ``member``, ``step``, ``sweep`` and ``rung`` int64, -1 where a member lacks the column;
        ``stage`` int32, the number of the stage; all others float64, NaN where a cell is empty.
        """

    def frame_counts(self, members: list[int]) -> list[int]:
        """The number of frames of each of these members."""

    def frame_times(
        self, member: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int32], list[str]]:
        """Steps, times in ns or reduced units, and numbers of stages, each of shape (frames,); the names of the stages."""

    def positions(self, members: list[int]) -> npt.NDArray[np.float32]:
        """Positions in nm or reduced units, of shape (members, frames, beads, 3)."""

    def boxes(self, members: list[int]) -> npt.NDArray[np.float64] | None:
        """The sides of the boxes in nm or reduced units, of shape (members, 3); ``None`` in open space."""

    def trajectory(self, member: int) -> Path | None:
        """The trajectory of a member; ``None`` if the run writes none."""

    def answer(self, written: bool) -> tuple[str, str]:
        """The answer as JSON and in words: that of ``summary.json`` if it is there and wanted, or else of the run so far."""

@final
class Segment:
    """A segment of a simulation: a run in a folder or in memory, which is stepped in pieces."""

    def __new__(cls, name: str, text: str | None, base: str, settings: list[tuple[str, str]], home: str) -> Segment:
        """Reads an input, whose segment has not begun; `home` is an empty folder. Raises `beadwork.Error`."""

    @staticmethod
    def open(folder: str) -> Segment:
        """The segment in the folder of a run."""

    def next(
        self,
        staging: str,
        home: str,
        positions: npt.NDArray[np.float64] | None,
        velocities: npt.NDArray[np.float64] | None,
        settings: list[tuple[str, str]],
        stages: str | None,
    ) -> Segment:
        """The segment that begins where this one is, with something set; `staging` and `home` are empty folders.

        Positions in nm and velocities in nm/ps, or in reduced units, have the shape (members, beads, 3); stages are TOML.
        """

    @property
    def is_begun(self) -> bool:
        """Whether it has been asked for steps."""

    @property
    def home(self) -> Path:
        """The folder with the resolved input."""

    @property
    def target(self) -> int:
        """Steps of dynamics, or sweeps, that were asked for."""

    @property
    def length(self) -> int:
        """Steps of dynamics, or sweeps, of all stages."""

    def make_room(self, steps: int) -> None:
        """Makes the last stage longer if so many more steps are not left."""

    @property
    def rows_every(self) -> int:
        """Steps between rows."""

    @property
    def members(self) -> int:
        """The number of members."""

    @property
    def beads(self) -> int:
        """The number of beads of a member."""

    @property
    def timestep(self) -> float:
        """A step in ns or reduced units; of chains a sweep, 1."""

    @property
    def is_sampled(self) -> bool:
        """Whether Monte Carlo samples the members, in sweeps."""

    @property
    def draws_velocities(self) -> bool:
        """Whether members have velocities that no start file holds, so that a new segment draws others."""

    @property
    def is_reduced(self) -> bool:
        """Whether quantities have no units."""

    @property
    def sides(self) -> list[float] | None:
        """The sides of the box in nm or reduced units; ``None`` in open space."""

    def steps_in(self, time: str) -> int:
        """The steps, or sweeps, in a time."""

    def positions(self) -> npt.NDArray[np.float64]:
        """Positions in nm or reduced units, of shape (members, beads, 3)."""

    def velocities(self) -> npt.NDArray[np.float64] | None:
        """Velocities in nm/ps or reduced units, of shape (members, beads, 3); ``None`` without velocities."""

    def statuses(self) -> tuple[npt.NDArray[np.int64], list[tuple[str, str]]]:
        """Steps of each member, of shape (members,); its status, and why it failed."""

    def values(self) -> tuple[list[tuple[str, str, npt.NDArray[Any]]], list[str]]:
        """What a row would hold of each member as it is; columns as those of `Folder.table`."""

    def rows(self) -> tuple[list[tuple[str, str, npt.NDArray[Any]]], list[str]] | None:
        """The rows of all members that were recorded in memory; ``None`` for a run in a folder."""

    def advance(
        self,
        steps: int | None,
        folder: str | None,
        device: str | None,
        threads: int | None,
        max_time: str | None,
        command: str,
        progress: Callable[[int, int, int], object] | None,
        remark: Callable[[str], object],
    ) -> str:
        """Steps all members, in a folder that is made with the first steps, or in memory; returns how that ended."""

    def end(self, threads: int | None, draws: bool, command: str, remark: Callable[[str], object]) -> None:
        """Ends the segment where it is; a run in a folder gets its answer, and plots if `draws`."""

def check(
    name: str,
    text: str | None,
    base: str,
    settings: list[tuple[str, str]],
    device: str | None,
    threads: int | None,
) -> tuple[str, str, str | None]:
    """The words and the JSON of ``beadwork check``, and a notice."""

def run(
    name: str,
    text: str | None,
    base: str,
    settings: list[tuple[str, str]],
    folder: str | None,
    replicas: str | None,
    go_on: bool,
    from_start: bool,
    device: str | None,
    threads: int | None,
    max_time: str | None,
    draws: bool,
    command: str,
    progress: Callable[[int, int, int], object] | None,
    remark: Callable[[str], object],
) -> tuple[Path, str, int]:
    """Runs an input; returns the folder, how the run ended, and how many members failed."""

def resume(
    folder: str,
    from_start: bool,
    device: str | None,
    threads: int | None,
    max_time: str | None,
    draws: bool,
    command: str,
    progress: Callable[[int, int, int], object] | None,
    remark: Callable[[str], object],
) -> tuple[Path, str, int]:
    """Goes on with the run in a folder; returns what `run` returns."""
