"""Files as arrays, and back."""

from __future__ import annotations

import bz2
import gzip
import re
import resource
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, SHORT, UBIQUITIN

import beadwork

STRUCTURE = REPOSITORY / "examples" / "01-ubiquitin" / "1UBQ.pdb"


def beads() -> beadwork.Beads:
    """Two chains of three beads in a box, with all that formats hold."""
    return beadwork.Beads(
        positions=np.array(
            [[0.125, 0.25, 0.5], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [4.5, 1.0, -3.0], [-0.5, 0, 0], [9.0, 0, 0]]
        ),
        types=np.array([0, 1, 1, 0, 1, 1]),
        type_names=["HEAD", "TAIL"],
        masses=np.array([2.0, 1.0, 1.0, 2.0, 1.0, 1.0]),
        charges=np.array([0.5, 0.0, -0.5, 0.5, 0.0, -0.5]),
        velocities=np.arange(18.0).reshape(6, 3) / 8,
        molecules=np.array([0, 0, 0, 1, 1, 1]),
        box=np.array([8.0, 10.0, 12.0]),
        bonds=np.array([[0, 1], [1, 2], [3, 4], [4, 5]]),
        angles=np.array([[0, 1, 2], [3, 4, 5]]),
    )


def read_beads(path: Path, **keywords: Any) -> beadwork.Beads:
    found = beadwork.read(path, **keywords)
    assert isinstance(found, beadwork.Beads)
    return found


def test_a_structure_is_read_in_nanometres() -> None:
    found = read_beads(STRUCTURE)
    lines = [line for line in STRUCTURE.read_text().splitlines() if line.startswith(("ATOM", "HETATM"))]
    assert len(found) == len(lines) and found.unit == "nm"
    places = [[float(line[30 + 8 * axis : 38 + 8 * axis]) / 10 for axis in range(3)] for line in lines]
    assert found.positions == pytest.approx(np.array(places), abs=1e-12)
    carbons = found.select("type CA")
    assert len(carbons) == 76 and {found.names[bead] for bead in carbons} == {"CA"}  # type: ignore[index]
    assert found.select("type CA and residue 5-9").tolist() == carbons[4:9].tolist()
    with pytest.raises(beadwork.Error) as refused:
        found.select("type CA and")
    assert refused.value.code == "structure/bad-selection"


@pytest.mark.parametrize("ending", ["gsd", "data", "xyz", "extxyz", "lmp"])
def test_beads_come_back_from_files(tmp_path: Path, ending: str) -> None:
    own = beads()
    beadwork.write(tmp_path / f"beads.{ending}", own)
    found = read_beads(tmp_path / f"beads.{ending}")
    assert found.type_names == own.type_names and found.unit == ""
    assert found.types is not None and found.types.tolist() == [0, 1, 1, 0, 1, 1]
    assert found.masses == pytest.approx(own.masses) and found.charges == pytest.approx(own.charges)
    assert found.unwrapped() == pytest.approx(own.positions, abs=1e-6)
    assert found.velocities == pytest.approx(own.velocities)
    assert found.box == pytest.approx(own.box) and found.origin == pytest.approx(-0.5 * own.box)
    if ending in ("xyz", "extxyz"):
        assert len(found.bonds) == 0
    else:
        assert found.bonds.tolist() == own.bonds.tolist() and found.angles.tolist() == own.angles.tolist()
    if ending != "gsd":
        assert found.molecules is not None and len(set(found.molecules[:3])) == 1 == len(set(found.molecules[3:]))


def test_beads_of_another_origin_and_in_open_space(tmp_path: Path) -> None:
    own = beads()
    own.origin = np.zeros(3)
    beadwork.write(tmp_path / "moved.gsd", own)
    found = read_beads(tmp_path / "moved.gsd")
    assert found.unwrapped() == pytest.approx(own.positions - [4.0, 5.0, 6.0], abs=1e-6)
    own.box = own.origin = None
    beadwork.write(tmp_path / "open.xyz", own, title='two\n"chains"')
    found = read_beads(tmp_path / "open.xyz")
    assert found.box is None and found.positions == pytest.approx(own.positions)


def test_pdb_files_have_names_and_bonds(tmp_path: Path) -> None:
    own = read_beads(STRUCTURE)
    beadwork.write(tmp_path / "again.pdb", own)
    found = read_beads(tmp_path / "again.pdb")
    assert found.positions == pytest.approx(own.positions, abs=1e-9)
    assert (found.names, found.chains) == (own.names, own.chains)
    assert found.residue_numbers is not None and own.residue_numbers is not None
    assert found.residue_numbers.tolist() == own.residue_numbers.tolist()
    beadwork.write(tmp_path / "box.pdb", beads())
    box = read_beads(tmp_path / "box.pdb")
    assert box.box == pytest.approx([8.0, 10.0, 12.0])
    assert sorted(map(sorted, box.bonds.tolist())) == [[0, 1], [1, 2], [3, 4], [4, 5]]


def test_packed_files_and_frames(tmp_path: Path) -> None:
    (tmp_path / "packed.pdb.gz").write_bytes(gzip.compress(STRUCTURE.read_bytes()))
    (tmp_path / "packed.pdb.bz2").write_bytes(bz2.compress(STRUCTURE.read_bytes()))
    for name in ("packed.pdb.gz", "packed.pdb.bz2"):
        assert np.array_equal(read_beads(tmp_path / name).positions, read_beads(STRUCTURE).positions)
    (tmp_path / "two.xyz").write_text("1\n\nA 0 0 0\n1\n\nA 1 0 0\n")
    assert read_beads(tmp_path / "two.xyz").positions[0, 0] == 1.0
    first = read_beads(tmp_path / "two.xyz", frame=0)
    assert (first.positions[0, 0], first.frame, first.frames) == (0.0, 0, 2)
    with pytest.raises(beadwork.Error):
        beadwork.read(tmp_path / "two.xyz", frame=2)


@pytest.mark.parametrize("ending", ["xtc", "dcd"])
def test_trajectories_come_back(tmp_path: Path, ending: str) -> None:
    positions = np.random.default_rng(1).uniform(-2, 2, (5, 20, 3))
    beadwork.write(tmp_path / f"path.{ending}", positions, box=[5.0, 5.0, 6.0], interval=2.0)
    found = beadwork.read(tmp_path / f"path.{ending}")
    assert isinstance(found, np.ndarray) and found.dtype == np.float32 and found.shape == (5, 20, 3)
    assert found == pytest.approx(positions, abs=6e-4 if ending == "xtc" else 1e-6)
    positions[3, 2, 1] = np.nan
    with pytest.raises(beadwork.Error) as refused:
        beadwork.write(tmp_path / f"path.{ending}", positions)
    assert refused.value.code == "io/coordinate"
    assert np.array_equal(beadwork.read(tmp_path / f"path.{ending}"), found)
    assert [path.name for path in tmp_path.iterdir()] == [f"path.{ending}"]
    mdanalysis = pytest.importorskip("MDAnalysis")
    universe = mdanalysis.Universe.empty(20, trajectory=True)
    universe.load_new(str(tmp_path / f"path.{ending}"))
    assert [frame.time for frame in universe.trajectory] == pytest.approx([0, 2000, 4000, 6000, 8000])
    assert universe.dimensions[:3] == pytest.approx([50.0, 50.0, 60.0])
    universe.trajectory[-1]
    assert universe.atoms.positions == pytest.approx(10 * positions[-1], abs=6e-3)


def test_a_run_has_the_frames_of_its_file(tmp_path: Path) -> None:
    run = beadwork.run(UBIQUITIN, output=tmp_path / "run", set=SHORT, device="cpu", plots=False)
    trajectory = beadwork.read(run.folder / "trajectories" / "member-0001.xtc")
    assert np.array_equal(trajectory, run.frames[1].positions)
    table: Any = beadwork.read(run.folder / "tables" / "member-0001.csv")
    own = run.table(1)
    assert list(table) == own.columns[1:]
    for name, column in table.items():
        assert np.array_equal(column, own[name], equal_nan=column.dtype.kind == "f"), name


def test_tables_come_back(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "i": np.array([0, 5, -3]),
        "energy_kcal_per_mol": np.array([1.5, np.nan, 1 / 3]),
        'name, with "quotes"': ["a,b", "", 'c"d'],
    }
    beadwork.write(tmp_path / "table.csv", columns)
    found: Any = beadwork.read(tmp_path / "table.csv")
    assert list(found) == list(columns)
    assert found["i"].dtype == np.int64 and found["i"].tolist() == [0, 5, -3]
    assert np.array_equal(found["energy_kcal_per_mol"], columns["energy_kcal_per_mol"], equal_nan=True)
    assert found['name, with "quotes"'].tolist() == ["a,b", "", 'c"d']
    (tmp_path / "cut.csv").write_text("a\n1\n2")
    assert beadwork.read(tmp_path / "cut.csv")["a"].tolist() == [1, 2]  # type: ignore[index, union-attr]
    (tmp_path / "run.csv").write_text("step,stage\n1,a\n2,a")
    with pytest.warns(beadwork.Remark, match="left out"):
        assert beadwork.read(tmp_path / "run.csv")["step"].tolist() == [1]  # type: ignore[index, union-attr]
    # Runs put no name into quotes, so this is a table of another program, and nothing of it is left out.
    (tmp_path / "quoted.csv").write_text('"step", stage\n1,a\n2,a')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert beadwork.read(tmp_path / "quoted.csv")["step"].tolist() == [1, 2]  # type: ignore[index, union-attr]
    (tmp_path / "short.csv").write_text("a,b\n1\n")
    with pytest.raises(beadwork.Error, match="Correct the line"):
        beadwork.read(tmp_path / "short.csv")
    (tmp_path / "beads.csv").write_text("x,y,z,type\n0,1,2,B\n")
    assert read_beads(tmp_path / "beads.csv").positions.tolist() == [[0.0, 1.0, 2.0]]
    (tmp_path / "two.fasta").write_text(">FUS low\nMASN\nDY\n>linker\ngsgs\n")
    assert beadwork.read(tmp_path / "two.fasta") == {"FUS": "MASNDY", "linker": "GSGS"}


def test_errors_of_writing_name_the_file(tmp_path: Path) -> None:
    far = np.full((1, 2, 3), 1e9)
    for name, what in [("no/path.xtc", np.zeros((1, 2, 3))), ("no/a.csv", {"a": [1]}), ("path.xtc", far)]:
        with pytest.raises(beadwork.Error, match=re.escape(str(tmp_path / name))) as refused:
            beadwork.write(tmp_path / name, what)
        assert "partial" not in refused.value.message and "resumed" not in refused.value.message
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    large: list[tuple[str, Any]] = [("a.csv", {"a": np.arange(9_000)}), ("path.dcd", np.zeros((9, 99, 3)))]
    for name, what in large:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
        try:
            with pytest.raises(beadwork.Error, match=re.escape(str(tmp_path / name))) as refused:
                beadwork.write(tmp_path / name, what)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert refused.value.code == "io/write" and "ulimit -f" in refused.value.message
        assert "partial" not in refused.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "what", "why"),
    [
        ("beads.cif", beads(), ".pdb, .xyz"),
        ("table.txt", {"a": [1]}, ".csv"),
        ("table.csv", {"a": [1], "b": [1, 2]}, "column b has 2 values"),
        ("table.csv", {"a": [np.inf]}, "column a"),
        ("path.pdb", np.zeros((1, 2, 3)), ".xtc or .dcd"),
        ("path.xtc", np.zeros((2, 3)), "shape"),
        ("path.xtc", np.full((1, 2, 3), np.nan), "coordinate|x"),
    ],
)
def test_what_formats_cannot_hold_is_told(tmp_path: Path, name: str, what: Any, why: str) -> None:
    with pytest.raises((ValueError, beadwork.Error), match=why):
        beadwork.write(tmp_path / name, what)


def test_beads_that_do_not_fit_are_told(tmp_path: Path) -> None:
    for change, why in [
        ({"masses": np.ones(5)}, "masses"),
        ({"types": np.full(6, 2)}, "types"),
        ({"bonds": np.array([[0, 6]])}, "beads 0 to 5"),
        ({"box": np.array([1.0, -1.0, 1.0])}, "three sides"),
        ({"names": ["A"]}, "names"),
    ]:
        wrong = beads()
        for key, value in change.items():
            setattr(wrong, key, value)
        with pytest.raises(ValueError, match=why):
            beadwork.write(tmp_path / "wrong.gsd", wrong)
    for name in ("positions", "velocities"):
        for ending in ("xyz", "data", "gsd"):
            wrong = beads()
            broken = np.zeros((6, 3))
            broken[4, 1] = np.nan
            setattr(wrong, name, broken)
            with pytest.raises(ValueError, match=f"{name}: bead 4"):
                beadwork.write(tmp_path / f"wrong.{ending}", wrong)
            assert not (tmp_path / f"wrong.{ending}").exists()
    uneven = beads()
    uneven.masses = np.arange(1.0, 7.0)
    with pytest.raises(beadwork.Error, match="one for each type"):
        beadwork.write(tmp_path / "uneven.data", uneven)
    with pytest.raises(beadwork.Error) as refused:
        beadwork.read(tmp_path / "missing.xtc")
    assert refused.value.code == "io/read"
