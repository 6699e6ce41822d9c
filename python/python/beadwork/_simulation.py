"""Runs that are stepped in pieces, read between them, and changed on their way."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arguments, _input, _steering
from ._beadwork import Segment
from ._doing import Progress, _listening, _remark
from ._error import ArgumentError, Error
from ._input import Input, MaxTime
from ._observations import Array, Observations, Observer
from ._steering import Change
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from ._run import Run

# The stage of an input that has none: it becomes as long as it is asked for.
_STAGE = "advance"


class Simulation:
    """A run that is advanced in pieces, with all its members at once. What is read between the pieces costs no call a step.

    Advanced to the end, in pieces of any lengths, it has the bits of ``beadwork run``. When something is `set`, the present
    *segment* ends and a new one begins from files with the state there, so that the program can repeat each from its
    ``resolved.toml`` alone. A new segment counts steps and time from 0, has noise of its own, and the averages of its first row
    begin anew.

    With `output` the first segment is a run folder, and others are folders beside it (``runs/a``, ``runs/a-segment-1``, …), as
    `segments` lists them. Without it all is in memory: some 100 bytes a bead for each member's state, and 16 bytes a column for each
    row. No trajectories are kept then, and the inputs of segments lie in a folder for temporary files, which goes with the simulation.

    Args:
        input: a file, a dict with the same sections and keys, or a `System`. Without ``stage`` the simulation has one stage, which
            becomes as long as it is asked for.
        set: settings that replace those of the input, such as ``{"dynamics.temperature": "310 K", "ensemble.replicas": 1000}``.
        output: the folder of the run; it is made with the first steps.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:0,1``.
        threads: as many as cores by default. Results do not depend on it.

    Raises:
        Error: an input that the program would refuse.
    """

    def __init__(
        self,
        input: Input,
        *,
        set: Mapping[str, Any] | None = None,
        output: str | os.PathLike[str] | None = None,
        device: str | None = None,
        threads: int | None = None,
    ) -> None:
        if isinstance(input, System):
            input = {"system": input}
        if isinstance(input, Mapping) and "stage" not in input:
            input = {**input, "stage": [{"name": _STAGE, _length_of(input): 1}]}
        self._prepare(output, device, threads)
        given = _input.settings(set)
        with _input.source(input, given) as (name, text, base):
            self._now = Segment(name, text, base, given, self._folder("first"))

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str], *, device: str | None = None, threads: int | None = None
    ) -> Simulation:
        """A simulation that goes on with the run in a folder, whether the program or this package began it."""
        made = cls.__new__(cls)
        place = _arguments.path("folder", folder)
        made._prepare(place, device, threads)
        made._now = Segment.open(place)
        made._segments.append(made._now)
        return made

    def _prepare(self, output: str | os.PathLike[str] | None, device: str | None, threads: int | None) -> None:
        self._output = None if output is None else Path(_arguments.path("output", output))
        self._device = _arguments.device(device)
        self._threads = _arguments.threads(threads)
        # Inputs of segments that have no run folder, and their starts.
        self._inputs = Path(tempfile.mkdtemp(prefix="beadwork-"))
        weakref.finalize(self, _remove_inputs, self._inputs, os.getpid())
        self._folders_made = 0
        self._segments: list[Segment] = []
        # The segment from which the present one comes, until that has made steps, and what was set.
        self._before: Segment | None = None
        self._change = Change()
        # The step to which a segment was asked to go, if it stops at rows before it.
        self._asked: tuple[Segment, int] | None = None
        self._home: str | None = None
        self._observations = Observations()
        # Held by the call that changes the simulation.
        self._changing = threading.Lock()

    def _folder(self, what: str) -> str:
        self._folders_made += 1
        path = self._inputs / f"{self._folders_made}-{what}"
        path.mkdir()
        return str(path)

    def advance(
        self,
        amount: str | int | float | None = None,
        *,
        max_time: MaxTime = None,
        progress: bool | Progress | None = False,
    ) -> str:
        """Steps all members. The last stage becomes longer where the input has fewer steps left.

        Other threads of Python go on meanwhile. Ctrl-C, and any other exception that a signal raises, stops all members with
        checkpoints and is then raised; ``advance(0)`` completes what was asked for, with the same bits.

        Args:
            amount: a time such as ``"1 us"``, in reduced units a float; a number of steps, of chains that are sampled of sweeps, as
                an int; all that the input has left without it. In reduced units ``advance(2)`` makes two steps, and ``advance(2.0)``
                as many as a time of 2 has.
            max_time: stop with checkpoints after this time: seconds, a ``timedelta``, or a text such as ``"23h 50m"``.
            progress: ``True`` shows a bar if tqdm is installed, ``None`` as ``False`` nothing; a function is called ten times a second
                with the steps that are settled, the steps of all members, and the members that are over. Steps are those of the present
                segment, up to where it is asked to go. An exception that the function raises stops the members.

        Returns:
            ``paused``, ``finished`` if no member has steps left, ``time-limit``, or ``failure`` with
            ``run.on_failure = "stop"``.

        Raises:
            Error: what the program would refuse, a call while another one changes the simulation, such as from an observable or a
                progress function, or a failure of the machine.
        """
        with self._alone():
            return self._advance(amount, max_time, _arguments.progress(progress))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuses to change the simulation while another call does, and keeps others from it meanwhile."""
        # Asked for and taken at once, since two threads may come together.
        if not self._changing.acquire(blocking=False):
            raise ArgumentError(
                "this simulation is being advanced or changed: observables, progress functions and other threads may read it, and change it when that call has returned"
            )
        try:
            yield
        finally:
            self._changing.release()

    def _advance(self, amount: str | int | float | None, max_time: MaxTime, progress: bool | Progress) -> str:
        steps = None if amount is None else _steering.steps(self._now, amount)
        said = _input.command("Simulation.advance", *([] if amount is None else [amount]), max_time=max_time)
        limit = _input.max_time(max_time)
        began = time.monotonic()
        if steps is not None:
            # Rows at which an earlier call was stopped are on the way.
            steps += self._goal() - self._now.target
        needs_room = steps is not None and self._now.target + steps > self._now.length
        if (needs_room or self._observations) and self._now.is_over:
            return "finished"
        if steps is not None:
            self._now.make_room(steps)
        with _listening(progress, depth=6) as listen:

            def step(count: int | None, end: int | None = None) -> str:
                folder = None if self._output is None else str(self._name(len(self._segments)))
                spent = time.monotonic() - began
                # The warning is of the line that called this method.
                remark = partial(_remark, depth=5 if end is None else 6)
                try:
                    return self._now.advance(
                        count, end, folder, self._device, self._threads, limit, spent, said, listen, remark
                    )
                finally:
                    self._note_begun()

            if self._before is not None and self._before.is_begun:
                # The segment before keeps its length until this one has its folder.
                if not self._now.is_begun:
                    step(0)
                self._before.end(self._threads, False, said, partial(_remark, depth=4))
                self._before = None
            return step(steps) if not self._observations else self._advance_by_rows(steps, step)

    def _goal(self) -> int:
        """The step to which the present segment was asked to go."""
        if self._asked is None or self._asked[0] is not self._now:
            return self._now.target
        return max(self._now.target, self._asked[1])

    def _note_begun(self) -> None:
        is_new = not self._segments or self._segments[-1] is not self._now
        if is_new and self._now.is_begun:
            self._segments.append(self._now)
            self._change = Change()
            if self._before is not None and not self._before.is_begun:
                self._before = None
            if self._output is not None:
                self._forget_home()
            self._home = None

    def _forget_home(self) -> None:
        """Removes the input of a segment that was set and never begun, or has a run folder now."""
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)

    def _advance_by_rows(self, steps: int | None, step: Callable[[int | None, int | None], str]) -> str:
        """Stops at each step at which a row is due, and observes there."""
        every, now = self._now.rows_every, self._now
        end = max(now.length, now.target) if steps is None else now.target + steps
        if now.target == 0 and self._is_row_due():
            self._observe()
        while True:
            before = now.target
            left = end - before
            # A piece that was stopped is completed first, and observed.
            count = 0 if self._is_row_due() else min(left, every - before % every)
            try:
                ending = step(None if steps is None and left == 0 else count, end)
            finally:
                if now.target != before:
                    self._asked = (now, end)
            if ending not in ("paused", "finished"):
                return ending
            if self._is_row_due():
                self._observe()
            # Members that are finished before the end have been ended by stop rules, or failed.
            if ending == "finished" or (now.target >= end and steps is not None):
                return ending

    def _is_row_due(self) -> bool:
        """Whether a row is due at the present step and not observed yet."""
        target = self._now.target
        return target % self._now.rows_every == 0 and not self._observations.were_asked_at(self._number(), target)

    def _observe(self) -> None:
        """Observes the members that are at the present step: others have failed or ended before it, as in the tables."""
        self._observations.ask(self._number(), self._now.target, *self._now.at_row())

    def _number(self) -> int:
        """The number of the present segment."""
        is_listed = bool(self._segments) and self._segments[-1] is self._now
        return len(self._segments) - is_listed

    def observe(self, name: str, function: Observer) -> None:
        """Adds an observable of one's own: `advance` then stops wherever a row is due, and calls `function` for all members at once.

        To stop and go on takes some 0.1 ms a member in memory. In a folder it takes some 50 ms and 2 ms a member, since checkpoints have to
        reach the disk.

        Args:
            name: its name in `observed`. An observable of the same name is replaced, and its rows are kept.
            function: takes positions of shape (members, beads, 3), in nm or reduced units, and returns an array whose first axis is
                the members, of the same shape at each row; `advance` refuses another shape, and what is no array of numbers. It may
                read the simulation, and cannot change it. Members that failed or ended have their last positions.

        Raises:
            Error: a call while another one changes the simulation, such as from an observable or a progress function.
        """
        with self._alone():
            self._observations.add(name, function)

    @property
    def observed(self) -> dict[str, npt.NDArray[Any]]:
        """One's own observables in all segments: arrays of shape (rows, members, …), with ``segment``, ``step`` and ``time`` of shape (rows,).

        `tables` has the present segment alone; ``observed["segment"]`` says of which segment a row is, in the order of `all_tables`.
        Steps are those of dynamics, or sweeps. Times are ns or reduced units since the beginning of the segment, and NaN where
        members have different time steps. As tables end with their members, cells are NaN of a member that has failed or ended
        before the row, and no row comes after all members have failed or ended. Rows before an observable was added are NaN.
        """
        return self._observations.arrays([segment.timestep for segment in (*self._segments, self._now)])

    def set(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        positions: npt.ArrayLike | None = None,
        velocities: npt.ArrayLike | None = None,
        temperature: str | float | None = None,
        stages: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Ends the present segment where it is, and begins a new one with something else. The new segment is made with the next steps.

        What is not set stays: positions and velocities, and the stages that are left, the present one with its steps that are left.
        If none are left, the last stage begins again.

        Args:
            settings: settings of the input, such as ``{"system.pairs.1.depth": "0.3 kcal/mol"}``.
            positions: nm or reduced units, of shape (members, beads, 3), or (beads, 3) for all.
            velocities: nm/ps or reduced units, of the same shapes; only with ``model = "beads"``. Proteins draw new ones.
            temperature: the bath's, a number in K or reduced units, or a quantity. Velocities stay, and the bath changes them.
            stages: stages in place of those that are left, as dicts with the keys of the input.

        Raises:
            Error: what no input can say (``run/steering``): sweeps, replica exchange, oscillators, drives that have moved, members at
                different steps, members that failed unless positions of all are set; a call from an observable or a progress function.
                What does not fit, or is said twice, is an `ArgumentError`. Nothing is changed then.
        """
        with self._alone():
            made = self._begin_segment(settings, positions, velocities, temperature, stages)
        if made.draws_velocities:
            _remark(
                "note: the new segment draws velocities at its temperature, since start files of this model hold none"
            )

    def _begin_segment(self, *given: Any) -> Segment:
        """The segment that is next, with what is set; the arguments are those of `set`."""
        change = self._change.joined(self._now, *given)
        before = self._before or self._now
        if self._now.is_begun:
            before = self._now
        staging, home = self._folder("staging"), self._folder("segment")
        try:
            made = before.next(
                staging,
                home,
                change.positions,
                change.velocities,
                list(change.settings.items()),
                change.stages,
            )
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        self._forget_home()
        self._now, self._before, self._change, self._home = made, before, change, home
        self._observations.forget(self._number())
        return made

    @property
    def members(self) -> int:
        """The number of members."""
        return self._now.members

    @property
    def beads(self) -> int:
        """The number of beads of a member."""
        beads = self._now.beads
        if beads is None:
            raise ArgumentError("the members have different numbers of beads: make a simulation of each point")
        return beads

    @property
    def box(self) -> Array | None:
        """The sides of the box in nm or reduced units, float64 of shape (3,); ``None`` in open space."""
        sides = self._now.sides
        return None if sides is None else _read_only(np.asarray(sides, dtype=np.float64))

    @property
    def step(self) -> int:
        """Steps of dynamics, or sweeps, of the present segment that were asked for."""
        return self._goal()

    @property
    def time(self) -> float:
        """The time of the present segment that was asked for, in ns or reduced units; of chains the sweep."""
        timestep = self._now.timestep
        if timestep is None:
            raise ArgumentError("the members have different time steps: use `step`")
        return self._goal() * timestep

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """Steps of dynamics, or sweeps, that each member has made in the present segment, int64 of shape (members,).

        Members have made less than `step` where they failed, where stop rules ended them, and after an interruption.
        """
        return _read_only(self._now.statuses()[0])

    @property
    def statuses(self) -> list[tuple[str, str]]:
        """For each member ``not begun``, ``stopped`` (it has steps left), ``finished`` or ``failed``, and why it failed."""
        return self._now.statuses()[1]

    @property
    def positions(self) -> Array:
        """Positions in nm or reduced units, float64 of shape (members, beads, 3): those of the images that beads have reached.

        They are read from the state when asked for, with the precision of the dynamics. The array is read-only: change a copy, and
        give it to `set`.
        """
        return _read_only(self._now.positions())

    @property
    def velocities(self) -> Array | None:
        """Velocities in nm/ps or reduced units, float64 of shape (members, beads, 3); ``None`` for dynamics without velocities.

        Those of ``langevin-middle`` are of the half step. The array is read-only, as that of positions.
        """
        velocities = self._now.velocities()
        return None if velocities is None else _read_only(velocities)

    @property
    def values(self) -> Table:
        """What a row of the tables would hold now, such as energies: a `Table` with a row for each member.

        Averages are those since the last row. Members that cannot be measured are absent.
        """
        columns, stages = self._now.values()
        return Table(columns, stages)

    @property
    def tables(self) -> Table:
        """All rows of all members in the present segment."""
        return self._tables(self._now)

    @property
    def all_tables(self) -> list[Table]:
        """The rows of each segment that has begun."""
        return [self._tables(segment) for segment in self._segments]

    def _tables(self, segment: Segment) -> Table:
        rows = segment.rows()
        if rows is not None:
            return Table(*rows)
        from ._run import open

        return open(segment.home).tables

    @property
    def segments(self) -> list[Path]:
        """The folders of the segments that have begun, each with a ``resolved.toml`` that repeats it: run folders, or inputs alone
        for a simulation in memory, which are gone with it unless `write` copies them."""
        return [Path(segment.home) for segment in self._segments]

    def finish(self, *, plots: bool = True) -> Run | None:
        """Ends the present segment where it is: its input then says how long it was. In a folder its answer is written.

        Steps and stages that its input has left are removed, with a `Remark`. When the simulation is advanced further, the last stage
        that it has kept becomes longer. Returns the run in the folder; ``None`` for a simulation in memory.

        Raises:
            Error: a simulation that has made no steps, members at different steps, a file that cannot be written, or a call from an
                observable or a progress function.
        """
        with self._alone():
            plots = _arguments.flag("plots", plots)
            if not self._now.is_begun:
                raise ArgumentError("no steps have been made yet: advance first")
            length, stages = self._now.length, self._now.stages
            self._now.end(self._threads, plots, _input.command("Simulation.finish"), _remark)
            self._asked = None
            if self._now.length < length:
                lost = ", ".join(f'"{name}"' for name in stages[len(self._now.stages) :])
                _remark(
                    f"note: the segment ends after {self._now.length} of the {length} steps or sweeps of its input"
                    + (f", without stage(s) {lost}" if lost else "")
                    + "; advance() before finish() makes all of them"
                )
            if self._output is None:
                return None
            from ._run import open

            return open(self._now.home)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Copies the inputs of all segments that have begun, so that the program can repeat them: ``segment-0/resolved.toml``, ….

        The last one is as long as its input says, which may be longer than it has gone; `finish` ends it.

        Returns:
            the inputs.

        Raises:
            Error: a folder of such a name that is there already, or one that cannot be written.
        """
        target = Path(_arguments.path("folder", folder))
        homes = self.segments
        places = [target / f"segment-{number}" for number in range(len(homes))]
        if (taken := next((place for place in places if os.path.lexists(place)), None)) is not None:
            raise ArgumentError(f"{taken} is there already: name another folder")
        try:
            for home, place in zip(homes, places, strict=True):
                place.mkdir(parents=True)
                shutil.copy(home / "resolved.toml", place)
                if (home / "inputs").is_dir():
                    shutil.copytree(home / "inputs", place / "inputs")
        except OSError as error:
            raise Error(f"the inputs of segments cannot be written to {target} ({error})", "io/write", 4) from error
        return [place / "resolved.toml" for place in places]

    def _name(self, number: int) -> Path:
        """The run folder of a segment."""
        output = self._output or Path()
        return output if number == 0 else output.with_name(f"{output.name}-segment-{number}")

    def __repr__(self) -> str:
        where = "in memory" if self._output is None else f"in {self._output}"
        beads = self._now.beads
        size = "different sizes" if beads is None else f"{beads} beads"
        return (
            f"<beadwork.Simulation {where}: {self.members} member(s) of {size}, "
            f"segment {self._number()}, step {self.step}>"
        )


def _read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array to which nothing can be written, since the simulation would not have it."""
    values.flags.writeable = False
    return values


def _remove_inputs(folder: Path, process: int) -> None:
    # A process that was forked from the simulation's ends without it.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _length_of(input: Mapping[str, Any]) -> str:
    """The key of the length of a stage."""
    system = input.get("system")
    model = system.get("model") if isinstance(system, Mapping) else None
    return "sweeps" if model == "elastic-polymer" else "steps"
