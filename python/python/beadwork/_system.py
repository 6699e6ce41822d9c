"""Systems of beads from arrays: they become a file of beads and a section of an input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import array, listed, mapping, path, shown
from ._error import ArgumentError

Array = npt.ArrayLike
Term = Mapping[str, Any]

# What people of other programs look for, and why it is not there.
_NOT_THERE = {
    "dihedrals": "beadwork has no dihedrals",
    "impropers": "beadwork has no impropers",
    "constraints": "beadwork has no constraints: take a stiff bond",
    "virtual_sites": "beadwork has no virtual sites",
    "rigid_bodies": "beadwork has no rigid bodies: hold folded parts by bonds of the kind elastic-network",
    "images": "positions may lie outside of the box: add whole sides to them",
    "temperature": "it belongs to [dynamics] of the input",
    "drives": "they belong to the stages of the input",
}
_ANGSTROMS = 10.0
# Numbers of such a size stay finite as squares, in ångström too.
_LARGEST = 1e100


class System:
    """Beads with their interactions, from arrays. It stands for the section ``system`` of an input.

    ``beadwork.run({"system": system, "dynamics": {…}, "stage": [{…}]})`` writes its beads into a file (CSV) and the rest into the
    input, so the run folder holds all of it in ``resolved.toml`` and ``inputs/``, and the program repeats the run. What is refused
    is what the section ``[system]`` of bead models cannot say.

    Args:
        positions: nm or reduced units, of shape (beads, 3); of shape (members, beads, 3) if each member has a start of its own,
            of which ``ensemble.replicas`` must have as many. In a box also outside of it.
        types: a name for each bead, or one for all.
        units: ``real`` or ``reduced``. In real units terms have quantities with units as texts, such as ``"2 kcal/mol"``.
        box: three sides in nm or reduced units; open space without it.
        velocities: nm/ps or reduced units, of the shape of `positions`; drawn at the temperature without them.
        masses: Da or reduced units, a mapping from types or an array of shape (beads,), where beads of a type have one mass.
        charges: elementary charges, a mapping from types or an array of shape (beads,).
        frictions: a mapping from types, in place of the friction of the input.
        molecules: a number for each bead, of shape (beads,); without it bonds make molecules.
        bonds: terms as in the input, such as ``{"kind": "harmonic", "between": pairs, "stiffness": "20 kcal/(mol A^2)", "length":
            "3.8 A"}`` with pairs of beads from 0 as an array of shape (bonds, 2). A parameter may also be a sequence with a value for
            each bond.
        angles: the same with triples of beads, of shape (angles, 3).
        pairs: terms that act on all pairs by types, as in the input: ``{"kind": "wca", "depth": 1.0, "diameter": {"A": 1.0, "B": 2.0,
            "AB": 1.4}}``.
        exclude: the number of bonds up to which pairs do not act, or ``{"bonds": 1, "list": pairs}``.

    Raises:
        ArgumentError: arrays of other shapes, and what bead models do not have, by its name.
    """

    def __init__(
        self,
        positions: Array,
        types: str | Sequence[Any] | npt.NDArray[Any] = "A",
        *,
        units: str = "real",
        box: Array | None = None,
        velocities: Array | None = None,
        masses: Mapping[str, float] | Array | None = None,
        charges: Mapping[str, float] | Array | None = None,
        frictions: Mapping[str, Any] | None = None,
        molecules: Array | None = None,
        bonds: Iterable[Term] = (),
        angles: Iterable[Term] = (),
        pairs: Iterable[Term] = (),
        exclude: int | Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        for name in others:
            if name in _NOT_THERE:
                raise ArgumentError(f"{name}: {_NOT_THERE[name]}")
            raise TypeError(f"a System has no {name!r}")
        if not isinstance(units, str) or units not in ("real", "reduced"):
            raise ArgumentError(f'units is {shown(units)}: write "real" or "reduced"')
        self.units = units
        given = array("positions", positions).copy()
        if given.ndim not in (2, 3) or given.shape[-1] != 3 or 0 in given.shape:
            raise ArgumentError(f"positions have the shape {given.shape}, and must be (beads, 3) or (members, beads, 3)")
        self.positions = _finite("positions", given)
        beads = given.shape[-2]
        if isinstance(types, str):
            names = [types] * beads
        else:
            names = [str(name) for name in listed("types", types, "names, one for each bead")]
        self.types = _one_each("types", names, beads)
        self.velocities = None if velocities is None else _finite("velocities", array("velocities", velocities).copy())
        if self.velocities is not None and self.velocities.shape != given.shape:
            raise ArgumentError(f"velocities have the shape {self.velocities.shape}, and positions {given.shape}")
        self.box = None if box is None else _finite("box", array("box", box).copy())
        if self.box is not None and self.box.shape != (3,):
            raise ArgumentError(f"box has the shape {self.box.shape}, and must be three sides: boxes have right angles")
        self.masses = _by_type_or_bead("masses", masses, beads)
        self.charges = _by_type_or_bead("charges", charges, beads)
        if frictions is not None and not isinstance(frictions, Mapping):
            raise ArgumentError("frictions must be a mapping from types: beads of one type have one friction")
        self.frictions = frictions
        self.molecules = None if molecules is None else _whole("molecules", molecules, beads)
        self.bonds = [term for one in _terms("bonds", bonds) for term in _listed("bonds", one, 2, beads)]
        self.angles = [term for one in _terms("angles", angles) for term in _listed("angles", one, 3, beads)]
        self.pairs = [dict(term) for term in _terms("pairs", pairs)]
        self.exclude = exclude

    @property
    def beads(self) -> int:
        """The number of beads."""
        return int(self.positions.shape[-2])

    @property
    def members(self) -> int | None:
        """The number of members that have starts of their own; ``None`` with one start for all."""
        return int(self.positions.shape[0]) if self.positions.ndim == 3 else None

    def write(self, folder: str | os.PathLike[str]) -> dict[str, Any]:
        """Writes the files of beads into a folder; returns the section ``system`` of an input beside them.

        Numbers have the shortest text that is read as the same float64; lengths are Å with real units, and velocities Å/ps.
        """
        place = Path(path("folder", folder))
        place.mkdir(parents=True, exist_ok=True)
        if self.members is None:
            names = ["beads.csv"]
        else:
            names = [f"beads-{member}.csv" for member in range(self.members)]
        positions = self.positions.reshape(-1, self.beads, 3)
        velocities = [None] * len(names) if self.velocities is None else self.velocities.reshape(-1, self.beads, 3)
        for name, at, moving in zip(names, positions, velocities, strict=True):
            text = "\n".join(self._lines(at, moving)) + "\n"
            (place / name).write_text(text, encoding="utf-8")
        return self._section("beads.csv" if self.members is None else "beads-{replica}.csv")

    def _lines(self, positions: npt.NDArray[np.float64], velocities: npt.NDArray[np.float64] | None) -> Iterator[str]:
        """The rows of a CSV file, its header first."""
        unit = _ANGSTROMS if self.units == "real" else 1.0
        columns: dict[str, list[str]] = {}
        columns.update(zip("xyz", _texts(positions * unit), strict=True))
        columns["type"] = [_cell(name) for name in self.types]
        if self.molecules is not None:
            columns["molecule"] = [str(number) for number in self.molecules.tolist()]
        for name, values in (("mass", self.masses), ("charge", self.charges)):
            if isinstance(values, np.ndarray):
                columns[name] = [repr(number) for number in values.tolist()]
        if velocities is not None:
            columns.update(zip(("vx", "vy", "vz"), _texts(velocities * unit), strict=True))
        yield ",".join(columns)
        yield from map(",".join, zip(*columns.values(), strict=True))

    def _section(self, file: str) -> dict[str, Any]:
        start: dict[str, Any] = {"file": file}
        if self.velocities is not None:
            start["velocities"] = "file"
        section: dict[str, Any] = {"model": "beads", "units": self.units, "start": start, "box": self._sides()}
        types = self._types()
        for key, terms in (("types", types), ("pairs", self.pairs), ("bonds", self.bonds), ("angles", self.angles)):
            if terms:
                section[key] = terms
        if self.exclude is not None:
            section["exclude"] = self.exclude
        return section

    def _sides(self) -> str | list[Any]:
        if self.box is None:
            return "open"
        sides = self.box.tolist()
        return sides if self.units == "reduced" else [f"{side!r} nm" for side in sides]

    def _types(self) -> list[dict[str, Any]]:
        """What is known of types, not of single beads."""
        known = {"mass": self.masses, "charge": self.charges, "friction": self.frictions}
        mappings = {key: values for key, values in known.items() if isinstance(values, Mapping)}
        for values in mappings.values():
            if unknown := [name for name in values if name not in self.types]:
                raise ArgumentError(f"no bead is of the type {unknown[0]!r}; the types are {', '.join(self._names())}")
        types = [
            {"name": name, **{key: values[name] for key, values in mappings.items() if name in values}}
            for name in self._names()
        ]
        return [one for one in types if len(one) > 1]

    def _names(self) -> list[str]:
        return list(dict.fromkeys(self.types))

    def __repr__(self) -> str:
        of = "" if self.members is None else f" of each of {self.members} members"
        return f"<beadwork.System of {self.beads} beads{of}, {self.units} units>"


def _finite(name: str, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise ArgumentError(f"{name} must be finite numbers")
    if np.abs(values).max(initial=0.0) > _LARGEST:
        raise ArgumentError(f"{name} must be numbers of at most {_LARGEST:g} in size")
    return values


def _terms(name: str, given: Any) -> list[Term]:
    example = '{"kind": …}'
    if isinstance(given, Mapping):
        raise ArgumentError(f"{name} is a dict: give a list of them, such as [{example}]")
    return [mapping(f"a term of {name}", term, example) for term in listed(name, given, "dicts")]


def _one_each(name: str, values: list[Any], beads: int) -> list[Any]:
    if len(values) != beads:
        raise ArgumentError(f"there are {len(values)} {name} for {beads} beads")
    return values


def _whole(name: str, values: Array, beads: int) -> npt.NDArray[Any]:
    given = np.asarray(values)
    if given.shape != (beads,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise ArgumentError(f"{name} must be whole numbers from 0, one for each of {beads} beads")
    return given


def _by_type_or_bead(name: str, values: Any, beads: int) -> Mapping[str, Any] | npt.NDArray[np.float64] | None:
    if values is None or isinstance(values, Mapping):
        return values
    given = _finite(name, array(name, values).copy())
    if given.shape != (beads,):
        raise ArgumentError(f"{name} must be a mapping from types, or an array of shape ({beads},), not {given.shape}")
    return given


def _texts(vectors: npt.NDArray[np.float64]) -> list[list[str]]:
    """The shortest texts of x, of y and of z of all beads."""
    return [[repr(number) for number in axis] for axis in vectors.T.tolist()]


def _cell(text: str) -> str:
    is_word = not any(sign in ',"#' or sign.isspace() for sign in text) and bool(text)
    if not is_word or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ArgumentError(f"{text!r} is no name of a type: write letters, digits and underscores")
    return text


def _listed(what: str, term: Term, count: int, beads: int) -> Iterator[dict[str, Any]]:
    """A term of listed beads, and several of them if it has parameters for each bond or angle."""
    between = term.get("between")
    if between is None or isinstance(between, str):
        yield dict(term)
        return
    if np.size(array(f"`between` of {what}", between)) == 0:
        return
    lists = np.asarray(between)
    if lists.ndim != 2 or lists.shape[1] != count:
        raise ArgumentError(f"`between` of {what} has the shape {lists.shape}, and must have ({what}, {count})")
    if lists.dtype.kind not in "iu":
        raise ArgumentError(f"`between` of {what} has numbers of the type {lists.dtype}, and must have whole ones (int64)")
    if len(wrong := lists[(lists < 0) | (lists >= beads)]) > 0:
        raise ArgumentError(f"`between` of {what} names bead {int(wrong[0])}, and beads are 0 to {beads - 1}")
    single = {key: value for key, value in term.items() if key != "between" and not _is_sequence(value)}
    each = {key: list(value) for key, value in term.items() if key != "between" and _is_sequence(value)}
    for key, values in each.items():
        if len(values) != len(lists):
            raise ArgumentError(f"{what} have {len(values)} values of {key!r} for {len(lists)} lists of beads")
    groups: dict[tuple[Any, ...], list[list[int]]] = {}
    for place, members in enumerate(lists.tolist()):
        groups.setdefault(tuple(values[place] for values in each.values()), []).append(members)
    for chosen, members in groups.items():
        yield {**single, "between": members, **dict(zip(each, chosen, strict=True))}


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1)
