"""The compiled half of the package: plain values and arrays. `beadwork` is what programs call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Folder",
    "Reweighting",
    "Segment",
    "WordStream",
    "__version__",
    "autocorrelation",
    "average",
    "bell_evans",
    "bell_evans_force",
    "check",
    "contact_map",
    "diffusion",
    "displacement_lags",
    "displacements",
    "generators",
    "hertz",
    "internal_distances",
    "noise_fall",
    "pair_distribution",
    "radius_of_gyration",
    "read_beads",
    "read_fasta",
    "read_table",
    "read_trajectory",
    "resume",
    "run",
    "select",
    "structure_factor",
    "survival",
    "unfolding",
    "write_beads",
    "write_table",
    "write_trajectory",
]

_Floats: TypeAlias = npt.NDArray[np.float64]
_Positions: TypeAlias = npt.NDArray[np.float32 | np.float64]
_Peak: TypeAlias = tuple[float, float, float, float, float, int]
_Estimate: TypeAlias = tuple[float, float | None, float, float | None]

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

    def at_row(self) -> tuple[_Floats, npt.NDArray[np.bool_]]:
        """Positions in nm or reduced units, of shape (members, beads, 3), and which members have made the steps that were asked for.

        Others have failed or ended before.
        """

    def make_room(self, steps: int) -> None:
        """Makes the last stage longer if so many more steps are not left."""

    @property
    def rows_every(self) -> int:
        """Steps between rows."""

    @property
    def members(self) -> int:
        """The number of members."""

    @property
    def beads(self) -> int | None:
        """The number of beads of a member; ``None`` if members have different numbers."""

    @property
    def timestep(self) -> float | None:
        """A step in ns or reduced units; of chains a sweep, 1. ``None`` if members have different time steps."""

    @property
    def stages(self) -> list[str]:
        """The names of its stages."""

    @property
    def is_over(self) -> bool:
        """Whether no member would go on, however long the last stage."""

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
        end: int | None,
        folder: str | None,
        device: str | None,
        threads: int | None,
        max_time: str | None,
        spent: float,
        command: str,
        progress: Callable[[int, int, int], object] | None,
        remark: Callable[[str], object],
    ) -> str:
        """Steps all members, in a folder that is made with the first steps, or in memory; returns how that ended.

        `end` is the step to which this piece and later ones go, and `spent` are the seconds of the time limit that earlier ones took.
        """

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

@final
class WordStream:
    """The words of a bead or a pair of a simulation, for a bit generator of numpy.

    Who calls any method, or a function of a connected struct, holds the lock of the bit generator.
    """

    def __new__(
        cls,
        generator: str,
        scheme: str | None,
        seed: int,
        replica: int,
        step: int,
        bead: int,
        partner: int,
        beads: int,
        words: int,
    ) -> WordStream:
        """The words of a place from a step on; `partner` is 0 for a single bead. Raises `beadwork.Error`."""

    @property
    def scheme(self) -> str:
        """The scheme."""

    def connect(self, capsule: object) -> None:
        """Makes a bit generator of numpy, which has this capsule, draw from here. It must keep this object."""

    def state(self) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32] | None]:
        """The next step, the words that are left of the last one, and the states of a generator that has any."""

    def restore(self, step: int, left: npt.NDArray[np.uint32], states: npt.NDArray[np.uint32] | None) -> None:
        """Goes on from what `state` returned for the same place."""

def generators() -> list[tuple[str, list[str], str, str | None]]:
    """Name, schemes, period in words, and known flaw of each generator."""

def unfolding(
    time: _Floats,
    extension: _Floats,
    force: _Floats,
    contacts: _Floats,
    window: int,
    prominence: float,
    taut_extension: float | None,
) -> tuple[_Peak | None, list[_Peak], float | None]:
    """Of a curve in ns, nm and pN: the peak before the largest fall, all peaks, and the loading rate in pN/ns.

    A peak is its force, extension, time, contacts, fall, and sample.
    """

def noise_fall(stiffness: float, temperature: float, window: int, samples: int) -> float:
    """The fall in pN that the noise of a spring alone exceeds in fewer than one of a thousand curves."""

def bell_evans(
    rates: list[float], forces: list[list[float]], most_probable: bool
) -> tuple[float, float, float, float, float | None, int, int]:
    """The law that fits forces in pN at loading rates in pN/s: s, k₀, the errors of ln s and ln k₀, the lack of fit, rates, forces."""

def bell_evans_force(thermal_force: float, rate: float, loading_rates: _Floats, most_probable: bool) -> _Floats:
    """The mean or most probable force, pN, of shape (rates,), of a law of s and k₀ at loading rates in pN/s."""

def hertz(depths: _Floats, forces: _Floats, radius: float) -> tuple[float, float, float, int] | None:
    """Modulus, zero, deviation and points of Hertz's law."""

def survival(
    times: _Floats, has_ended: list[bool]
) -> tuple[list[_Floats], npt.NDArray[np.int64], _Estimate | None, float | None]:
    """Of the survival curve of lifetimes: times, shares and errors, numbers at risk; the mean lifetime, and the median."""

def autocorrelation(series: list[_Floats], of_mean: bool) -> tuple[float, float, int, int, bool, float] | None:
    """Autocorrelation time of series, its error, window, samples, whether the series are long enough, and the inefficiency."""

def average(series: list[_Floats]) -> tuple[float, float | None, float, bool] | None:
    """Mean of series, its standard error, the number of independent values, and whether the error is more than a lower bound."""

@final
class Reweighting:
    """Samples at several temperatures with their free energies."""

    def __new__(
        cls,
        temperatures: list[float],
        energies: list[list[_Floats]],
        observables: list[list[list[_Floats]]],
        inefficiencies: list[float],
        width: float | None,
    ) -> Reweighting:
        """Of temperatures × groups × samples; a width of bins of 0 puts only equal energies into one. Raises `beadwork.Error`."""

    @property
    def bin_width(self) -> float:
        """The width of the bins; 0 if only equal energies share one."""

    def free_energies(self) -> list[_Estimate]:
        """The free energy of each temperature over kT, less that of the first."""

    def at(
        self, temperature: float, beads: int
    ) -> tuple[_Estimate, _Estimate, float, list[tuple[_Estimate, _Estimate]]]:
        """Energy, heat capacity a bead, effective samples, and mean and derivative of each observable."""

    def peak(self, low: float, high: float, beads: int, observable: int | None) -> tuple[_Estimate, _Estimate] | None:
        """Temperature and height of the maximum of the heat capacity a bead, or of the growth of an observable."""

def displacements(positions: _Positions, lags: list[int]) -> _Floats:
    """Mean squared displacements of positions of shape (frames, beads, 3) at lags in frames."""

def displacement_lags(longest: int) -> list[int]:
    """Lags in frames up to a longest one."""

def diffusion(times: _Floats, squares: _Floats) -> tuple[float | None, float | None]:
    """The diffusion coefficient and the exponent of growth of mean squared displacements at ascending times."""

def radius_of_gyration(positions: _Positions, masses: list[float] | None) -> _Floats:
    """The radius of gyration of each frame, of shape (frames,)."""

def internal_distances(positions: _Positions) -> tuple[_Floats, tuple[float, float] | None]:
    """Root mean square distances by separation, of shape (beads − 1,), and exponent and prefactor of their growth."""

def contact_map(positions: _Positions, reach: float) -> _Floats:
    """The share of frames in which each pair is nearer than `reach`, of shape (beads, beads)."""

def pair_distribution(
    positions: _Positions,
    sides: tuple[float, float, float],
    types: npt.NDArray[np.uint16],
    kinds: int,
    reach: float,
    bins: int,
) -> tuple[_Floats, _Floats]:
    """Distances of shape (bins,), and g of shape (kinds, kinds, bins)."""

def structure_factor(
    positions: _Positions,
    sides: tuple[float, float, float],
    types: npt.NDArray[np.uint16],
    kinds: int,
    longest: float,
) -> tuple[_Floats, _Floats, _Floats]:
    """|q| of shape (shells,), S of shape (kinds, kinds, shells), and that of all beads of shape (shells,)."""

def read_beads(path: str, frame: int) -> dict[str, Any]:
    """The beads of a frame of a file, by the names of the attributes of `beadwork.Beads`, and ``warnings``."""

def select(
    selection: str,
    names: list[str],
    residue_names: list[str],
    residue_numbers: list[int],
    insertions: list[str],
    chains: list[str],
    segments: list[str],
) -> list[int]:
    """The places of the beads with these labels that a selection chooses."""

def read_fasta(path: str) -> list[tuple[str, str, str]]:
    """Names, descriptions and sequences of a FASTA file."""

def read_table(path: str) -> tuple[list[tuple[str, npt.NDArray[Any] | list[str]]], bool]:
    """The columns of a table: whole numbers as int64, other numbers as float64 with NaN for empty cells, texts as a list.

    The second value says whether the last line of a run's table was left out, since it has no end.
    """

def write_table(path: str, names: list[str], columns: list[npt.NDArray[Any] | list[str]]) -> None:
    """Writes columns of one length as a table, all at once. NaN is an empty cell."""

def read_trajectory(path: str, is_dcd: bool) -> npt.NDArray[np.float32]:
    """The positions of all whole frames, nm, of shape (frames, beads, 3)."""

def write_trajectory(
    path: str,
    is_dcd: bool,
    positions: _Floats,
    sides: tuple[float, float, float] | None,
    interval: float,
) -> None:
    """Writes positions in nm of shape (frames, beads, 3), `interval` ns apart, and the sides of a box in nm."""

def write_beads(path: str, format: str, beads: object, title: str) -> None:
    """Writes beads in the format ``pdb``, ``xyz``, ``gsd`` or ``lammps``; a box has its centre at the origin."""
