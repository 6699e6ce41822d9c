"""Frames of trajectories as numpy arrays, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from ._beadwork import Folder


class MemberFrames:
    """The frames of a member. Files are read when an array is first asked for, and the array is kept.

    Attributes:
        member: the number of the member.
        unit: of lengths, ``nm``, or ``""`` in reduced units.
        time_unit: ``ns``, or ``""`` in reduced units and for sweeps.
    """

    def __init__(self, folder: Folder, member: int) -> None:
        self._folder = folder
        self.member = member
        self.unit = folder.length_unit
        self.time_unit = folder.time_unit

    @cached_property
    def positions(self) -> npt.NDArray[np.float32]:
        """Positions in nm or reduced units, float32 of shape (frames, beads, 3): those of the images that beads have reached.

        They have the digits of the file: 0.001 nm in XTC files. Nothing can be written into the array: copy it to change it.
        """
        positions: npt.NDArray[np.float32] = self._folder.positions([self.member])[0]
        # It is kept: what would be written into it would stay.
        positions.setflags(write=False)
        return positions

    @cached_property
    def _times(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int32], list[str]]:
        return self._folder.frame_times(self.member)

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """The step of each frame, int64 of shape (frames,)."""
        return self._times[0]

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The time of each frame in ns or reduced units, float64 of shape (frames,); of chains the sweep."""
        return self._times[1]

    @property
    def stages(self) -> npt.NDArray[np.str_]:
        """The name of the stage of each frame, of shape (frames,)."""
        return np.asarray(self._times[3], dtype=np.str_)[self._times[2]]

    @property
    def box(self) -> npt.NDArray[np.float64] | None:
        """The sides of the box in nm or reduced units, float64 of shape (3,); ``None`` in open space."""
        boxes = self._folder.boxes([self.member])
        return None if boxes is None else boxes[0]

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"<beadwork.MemberFrames of member {self.member}: {len(self)} frames>"


class Frames(Sequence[MemberFrames]):
    """The frames of all members. ``frames[3]`` is the one at place 3 of `Run.members`; nothing is read before it is asked for."""

    def __init__(self, folder: Folder, members: list[int]) -> None:
        self._folder = folder
        self._members = [MemberFrames(folder, member) for member in members]
        self.unit = folder.length_unit

    @overload
    def __getitem__(self, place: int) -> MemberFrames: ...
    @overload
    def __getitem__(self, place: slice) -> list[MemberFrames]: ...
    def __getitem__(self, place: int | slice) -> MemberFrames | list[MemberFrames]:
        return self._members[place]

    def __iter__(self) -> Iterator[MemberFrames]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of frames of each member, int64 of shape (members,)."""
        return np.asarray(self._folder.frame_counts([one.member for one in self._members]), dtype=np.int64)

    @property
    def boxes(self) -> npt.NDArray[np.float64] | None:
        """The sides of the boxes in nm or reduced units, float64 of shape (members, 3); ``None`` in open space."""
        return self._folder.boxes([one.member for one in self._members])

    def array(self) -> npt.NDArray[np.float32]:
        """All positions in nm or reduced units, float32 of shape (members, frames, beads, 3).

        All cores read into one new array of 12 bytes for each bead of each frame, which is not kept here.

        Raises:
            Error: members with different numbers of frames or beads.
        """
        return self._folder.positions([one.member for one in self._members])

    def __repr__(self) -> str:
        return f"<beadwork.Frames of {len(self)} member(s)>"
