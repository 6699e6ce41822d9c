"""Files of the program's formats as arrays."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arguments as arguments
from . import _beadwork
from ._error import ArgumentError, Remark

Floats: TypeAlias = npt.NDArray[np.float64]
Whole: TypeAlias = npt.NDArray[np.int64]
Columns: TypeAlias = dict[str, npt.NDArray[Any]]
PathLike: TypeAlias = str | os.PathLike[str]

_BEADS = {
    "pdb": "pdb",
    "ent": "pdb",
    "xyz": "xyz",
    "extxyz": "xyz",
    "gsd": "gsd",
    "data": "lammps",
    "lmp": "lammps",
    "lammps": "lammps",
}
_TRAJECTORIES = {"xtc": False, "dcd": True}
_SEQUENCES = ("fasta", "fa", "faa")
_WRITTEN = ".pdb, .xyz, .gsd or .data for Beads, .xtc or .dcd for positions of frames, .csv for columns"


@dataclass
class Beads:
    """Beads of one frame of a file, or beads to be written.

    Lengths are in nm in files whose format has a unit of lengths (PDB, mmCIF), and as the file has them in others. What is ``None``
    the file does not say.

    Attributes:
        positions: of shape (beads, 3).
        types: the place of each bead's type in `type_names`, int64 of shape (beads,).
        type_names: the names of the types.
        masses: of shape (beads,), Da or the file's unit; NaN where the file has none.
        charges: of shape (beads,), elementary charges or the file's unit.
        velocities: of shape (beads, 3), as the file has them.
        molecules: the number of each bead's molecule, int64 of shape (beads,); -1 for none.
        images: how many boxes each bead has crossed, int32 of shape (beads, 3).
        box: the sides of the box, of shape (3,); ``None`` in open space.
        origin: the lower corner of the box, of shape (3,); by default it puts the centre of the box at 0.
        bonds: pairs of beads, int64 of shape (bonds, 2).
        bond_types: the kind of each bond, int64 of shape (bonds,).
        angles: triples of beads, int64 of shape (angles, 3).
        angle_types: the kind of each angle, int64 of shape (angles,).
        names: of the beads, such as ``CA``; by default the names of their types.
        residue_names: such as ``ALA``; by default the names of the types.
        residue_numbers: int64 of shape (beads,); by default beads are counted from 1.
        insertions: insertion codes of the residues.
        chains: identifiers of the chains.
        segments: identifiers of the segments.
        unit: of lengths: ``nm``, or ``""`` where the format does not say.
        frame: the frame that was read, from 0.
        frames: the number of frames of the file; 0 where the format has none.
    """

    positions: Floats
    types: Whole | None = None
    type_names: list[str] = field(default_factory=lambda: ["A"])
    masses: Floats | None = None
    charges: Floats | None = None
    velocities: Floats | None = None
    molecules: Whole | None = None
    images: npt.NDArray[np.int32] | None = None
    box: Floats | None = None
    origin: Floats | None = None
    bonds: Whole = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    bond_types: Whole | None = None
    angles: Whole = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    angle_types: Whole | None = None
    names: list[str] | None = None
    residue_names: list[str] | None = None
    residue_numbers: Whole | None = None
    insertions: list[str] | None = None
    chains: list[str] | None = None
    segments: list[str] | None = None
    unit: str = ""
    frame: int = 0
    frames: int = 0

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        box = "" if self.box is None else f", box {' × '.join(f'{side:g}' for side in self.box)}"
        return f"<beadwork.Beads: {len(self)} of {len(self.type_names)} type(s){box} {self.unit}".rstrip() + ">"

    def select(self, selection: str) -> Whole:
        """The places of the beads that a selection of inputs chooses, such as ``type CA and chain A``, where types are `names`; int64 of shape (chosen,)."""
        own = _prepared(self)
        chosen = _beadwork.select(
            arguments.text("selection", selection, "type CA and chain A"),
            own.names,
            own.residue_names,
            own.residue_numbers,
            own.insertions,
            own.chains,
            own.segments,
        )
        return np.asarray(chosen, dtype=np.int64)

    def unwrapped(self) -> Floats:
        """Positions in the images of the box that `images` name, of shape (beads, 3)."""
        if self.images is None or self.box is None:
            return self.positions.copy()
        return np.asarray(self.positions + self.images * self.box, dtype=np.float64)


def read(path: PathLike, *, frame: int = -1) -> Beads | Columns | npt.NDArray[np.float32] | dict[str, str]:
    """Reads a file of any format that the program reads, by the ending of its name.

    - ``.pdb``, ``.ent``, ``.cif``, ``.mmcif``: `Beads`, one for each atom, in nm
    - ``.xyz``, ``.extxyz``, ``.gsd``, ``.data``, ``.lmp``, ``.lammps``, and ``.csv`` with columns x, y and z: `Beads`, in the units of the file
    - ``.xtc``, ``.dcd``: positions in nm, float32 of shape (frames, beads, 3)
    - other ``.csv``, such as lists of contacts and tables of runs: a dict of columns of shape (rows,), each int64, float64 with NaN for
      empty cells, or text
    - ``.fasta``, ``.fa``, ``.faa``: a dict from names to sequences

    Files that gzip or bzip2 packed are unpacked, except trajectories and tables. DCD files are those that this program wrote. A last frame that
    is not whole is left out, and so is the last line of a run's table if it has no end. Runs in reduced units have a tenth of their lengths in trajectories: `open` reads runs.

    Args:
        path: the file.
        frame: of formats with frames or models, which one, from 0; -1 is the last one.

    Raises:
        Error: a file that cannot be read, with its line or bead.
    """
    name, frame = arguments.path("path", path), arguments.whole("frame", frame, None)
    ending = _ending(name)
    if ending in _TRAJECTORIES:
        return _beadwork.read_trajectory(name, _TRAJECTORIES[ending])
    if ending in _SEQUENCES:
        return {own: sequence for own, _, sequence in _beadwork.read_fasta(name)}
    if name.lower().endswith(".csv"):
        columns, is_cut = _beadwork.read_table(name)
        if not {"x", "y", "z"} <= {one.strip().lower() for one, _ in columns}:
            if is_cut:
                warnings.warn(f"{name}: the last line has no end and is left out", Remark, stacklevel=2)
            return {one: np.asarray(cells) for one, cells in columns}
    content = _beadwork.read_beads(name, frame)
    for warning in content.pop("warnings"):
        warnings.warn(warning, Remark, stacklevel=2)
    return Beads(**content)


def write(
    path: PathLike,
    what: Beads | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    *,
    box: npt.ArrayLike | None = None,
    interval: float = 1.0,
    title: str = "beadwork",
) -> None:
    """Writes a file of a format that the program reads, by the ending of its name. A file of this name is replaced.

    In XYZ, GSD and LAMMPS data files a box has its centre at the origin, so positions in a box with another origin are moved. Formats
    hold what they can: PDB files no origin, masses, charges and velocities; XYZ files no bonds, and they say so; LAMMPS data files one mass for each type.

    Args:
        path: the file: ``.pdb`` (lengths in nm), ``.xyz``, ``.gsd`` or ``.data`` for `Beads`; ``.xtc`` or ``.dcd`` for positions in nm of
            shape (frames, beads, 3); ``.csv`` for a mapping from names of columns to arrays of one length.
        what: what is written.
        box: of trajectories, the sides of the box, nm, of shape (3,).
        interval: of trajectories, the time between frames, ns.
        title: of beads, a line that says what they are.

    Raises:
        Error: what the format cannot hold, and files that cannot be written.
    """
    name, title = arguments.path("path", path), arguments.text("title", title, "beadwork")
    ending = PurePath(name).suffix.lower().lstrip(".")
    if isinstance(what, Beads):
        if ending not in _BEADS:
            raise ArgumentError(f"{name}: beads are written to files of other names: {_WRITTEN}")
        own = _prepared(what, is_centred=_BEADS[ending] != "pdb")
        _check_finite(own)
        _beadwork.write_beads(name, _BEADS[ending], own, " ".join(title.split()))
    elif isinstance(what, Mapping):
        if ending != "csv":
            raise ArgumentError(f"{name}: columns are written to files of other names: {_WRITTEN}")
        _write_columns(name, what)
    else:
        if ending not in _TRAJECTORIES:
            raise ArgumentError(f"{name}: arrays are written to files of other names: {_WRITTEN}")
        frames = arguments.array("positions", what)
        if frames.ndim != 3 or frames.shape[2] != 3 or 0 in frames.shape:
            raise ArgumentError(f"positions have the shape {np.shape(what)}: give (frames, beads, 3)")
        interval = arguments.positive("interval (ns)", interval)
        sides = None if box is None else _sides(box)
        _beadwork.write_trajectory(name, _TRAJECTORIES[ending], frames, sides, interval)


def _ending(name: str) -> str:
    """The ending of a name, without that of a packer and without a dot, in lower case."""
    pure = PurePath(name)
    if pure.suffix.lower() in (".gz", ".bz2"):
        pure = PurePath(pure.stem)
    return pure.suffix.lower().lstrip(".")


def _write_columns(name: str, columns: Mapping[str, npt.ArrayLike]) -> None:
    arrays: list[Any] = []
    rows: int | None = None
    for column, values in columns.items():
        array = np.asarray(values)
        if array.ndim != 1:
            raise ArgumentError(f"column {column} has the shape {array.shape}: give one value for each row")
        if rows is not None and len(array) != rows:
            raise ArgumentError(f"column {column} has {len(array)} values, and those before it {rows}: give as many")
        rows = len(array)
        if array.dtype.kind in "iub":
            arrays.append(np.ascontiguousarray(array, dtype=np.int64))
        elif array.dtype.kind == "f":
            arrays.append(np.ascontiguousarray(array, dtype=np.float64))
        else:
            arrays.append([str(value) for value in array])
    if not arrays:
        raise ArgumentError("there are no columns")
    _beadwork.write_table(name, list(columns), arrays)


def _prepared(beads: Beads, *, is_centred: bool = False) -> SimpleNamespace:
    """The beads as the compiled half takes them; `is_centred` puts the centre of the box at the origin."""
    positions = arguments.array("positions", beads.positions)
    if positions.ndim != 2 or positions.shape[1] != 3 or len(positions) == 0:
        raise ArgumentError(f"positions have the shape {np.shape(beads.positions)}: give (beads, 3)")
    count = len(positions)
    sides = None if beads.box is None else _sides(beads.box)
    if is_centred and sides is not None and beads.origin is not None:
        positions = positions - (np.asarray(beads.origin, dtype=np.float64) + 0.5 * np.asarray(sides))
    if sides is not None and beads.images is not None:
        positions = positions + np.asarray(beads.images) * np.asarray(sides)
    types = _whole("types", beads.types, count, len(beads.type_names), np.zeros(count, dtype=np.uint32))
    velocities = None
    if beads.velocities is not None:
        velocities = arguments.array("velocities", beads.velocities)
        if velocities.shape != positions.shape:
            raise ArgumentError(f"velocities have the shape {velocities.shape}, and positions {positions.shape}")
    molecules = np.arange(count) if beads.molecules is None else np.asarray(beads.molecules, dtype=np.int64)
    if np.any(molecules < 0):
        # Beads of no molecule get one of their own.
        free = np.cumsum(molecules < 0) + int(molecules.max(initial=-1))
        molecules = np.where(molecules < 0, free, molecules)
    of_types = [beads.type_names[kind] for kind in types]
    numbers = np.arange(1, count + 1) if beads.residue_numbers is None else beads.residue_numbers
    bonds, angles = _terms("bonds", beads.bonds, 2, count), _terms("angles", beads.angles, 3, count)
    empty = [""] * count
    return SimpleNamespace(
        positions=np.ascontiguousarray(positions),
        velocities=velocities,
        types=types,
        type_names=list(beads.type_names),
        masses=_numbers("masses", beads.masses, count, 1.0),
        charges=_numbers("charges", beads.charges, count, 0.0),
        molecules=_whole("molecules", molecules, count, 1 << 31, types),
        sides=sides,
        bonds=bonds.tolist(),
        bond_types=_kinds("bond_types", beads.bond_types, len(bonds)),
        angles=angles.tolist(),
        angle_types=_kinds("angle_types", beads.angle_types, len(angles)),
        names=_texts("names", beads.names, of_types),
        residue_names=_texts("residue_names", beads.residue_names, of_types),
        residue_numbers=[int(number) for number in numbers],
        insertions=_texts("insertions", beads.insertions, empty),
        chains=_texts("chains", beads.chains, empty),
        segments=_texts("segments", beads.segments, empty),
    )


def _check_finite(own: SimpleNamespace) -> None:
    """Refuses what would be no number in a file, or one that its readers take otherwise."""
    for name in ("positions", "velocities", "masses", "charges"):
        values = getattr(own, name)
        if values is not None and not np.isfinite(values).all():
            bead = int(np.argwhere(~np.isfinite(values))[0, 0])
            raise ArgumentError(f"{name}: bead {bead} (from 0) has {values[bead]}: files hold finite numbers alone")


def _sides(box: npt.ArrayLike) -> tuple[float, float, float]:
    sides = arguments.array("box", box)
    if sides.shape != (3,) or not (np.isfinite(sides).all() and (sides > 0).all()):
        raise ArgumentError(f"box is {arguments.shown(box)}: give the three sides")
    return float(sides[0]), float(sides[1]), float(sides[2])


def _numbers(name: str, given: npt.ArrayLike | None, count: int, unknown: float) -> Floats:
    """A number for each bead; `unknown` where there is none."""
    if given is None:
        return np.full(count, unknown)
    numbers = arguments.array(name, given).copy()
    if numbers.shape != (count,):
        raise ArgumentError(f"{name} has the shape {numbers.shape}: give one for each of the {count} beads")
    numbers[np.isnan(numbers)] = unknown
    return numbers


def _whole(
    name: str, given: npt.ArrayLike | None, count: int, end: int, default: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """Whole numbers below `end`, one for each bead."""
    if given is None:
        return default
    numbers = np.asarray(given)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu":
        raise ArgumentError(
            f"{name} has the shape {numbers.shape} of {numbers.dtype}: give a whole number for each of the {count} beads"
        )
    if numbers.min() < 0 or numbers.max() >= end:
        raise ArgumentError(f"{name} go from {numbers.min()} to {numbers.max()}: give numbers from 0 to {end - 1}")
    return np.ascontiguousarray(numbers, dtype=np.uint32)


def _terms(name: str, given: npt.ArrayLike, size: int, count: int) -> Whole:
    terms = (
        np.asarray(given, dtype=np.int64).reshape(-1, size)
        if np.size(given) == 0
        else np.asarray(given, dtype=np.int64)
    )
    if terms.ndim != 2 or terms.shape[1] != size:
        raise ArgumentError(f"{name} have the shape {terms.shape}: give {size} beads for each")
    if len(terms) and (terms.min() < 0 or terms.max() >= count):
        raise ArgumentError(f"{name} have beads from {terms.min()} to {terms.max()}: there are beads 0 to {count - 1}")
    return terms


def _kinds(name: str, given: npt.ArrayLike | None, count: int) -> list[int]:
    """Kinds, counted from the least one."""
    kinds = np.zeros(count, dtype=np.int64) if given is None else np.asarray(given, dtype=np.int64)
    if kinds.shape != (count,):
        raise ArgumentError(f"{name} has the shape {kinds.shape}: give one for each of {count}")
    return [int(kind) for kind in kinds - (kinds.min() if count else 0)]


def _texts(name: str, given: Sequence[str] | None, default: list[str]) -> list[str]:
    texts = default if given is None else [str(text) for text in arguments.listed(name, given, "texts")]
    if len(texts) != len(default):
        raise ArgumentError(f"{name} has {len(texts)} entries: give one for each of the {len(default)} beads")
    return texts
