"""Systems from arrays: what they are written as, what the program makes of that, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import results

import beadwork
from beadwork import _input

REDUCED: dict[str, Any] = {
    "dynamics": {"integrator": "langevin", "collision_rate": 1.0, "timestep": 0.005, "precision": "double"},
    "stage": [{"name": "sample", "steps": 60}],
    "output": {"table": {"every_steps": 20}},
}


def trimers(members: int | None = None, **keywords: Any) -> beadwork.System:
    """Two bent trimers A-B-A in a box, in reduced units."""
    random = np.random.default_rng(3)
    shape = (6, 3) if members is None else (members, 6, 3)
    straight = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [4, 0, 0], [5, 0, 0], [5, 1, 0]], dtype=float)
    bonded = np.array([[0, 1], [1, 2], [3, 4], [4, 5]])
    terms: dict[str, Any] = {
        "types": ["A", "B", "A"] * 2,
        "units": "reduced",
        "box": [10.0, 11.0, 12.5],
        "masses": {"A": 1.0, "B": 2.5},
        "charges": np.array([0.25, -0.5, 0.25, 0, 0, 0]),
        "molecules": [0, 0, 0, 1, 1, 1],
        "bonds": [{"kind": "harmonic", "between": bonded, "stiffness": 100.0, "length": [1.0, 1.125, 1.0, 1.125]}],
        "angles": [{"kind": "cosine-squared", "between": [[0, 1, 2], [3, 4, 5]], "stiffness": 2.0, "angle": 90}],
        "pairs": [{"kind": "wca", "depth": 1.0, "diameter": {"A": 1.0, "B": 0.8, "AB": 0.9}}],
        "exclude": 2,
    }
    return beadwork.System(straight + 0.01 * random.random(shape), **{**terms, **keywords})


def test_numbers_are_read_back_as_they_were(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    positions = random.normal(size=(6, 3)) * 10.0 ** random.integers(-20, 3, size=(6, 1))
    velocities = random.normal(size=(6, 3)) * np.pi
    system = trimers(velocities=velocities)
    system.positions = positions
    section = system.write(tmp_path)
    with open(tmp_path / section["start"]["file"], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for columns, vectors in ((("x", "y", "z"), positions), (("vx", "vy", "vz"), velocities)):
        assert np.array_equal([[float(row[column]) for column in columns] for row in rows], vectors)
    assert [row["type"] for row in rows] == system.types
    assert [float(row["charge"]) for row in rows] == [0.25, -0.5, 0.25, 0, 0, 0]
    # In real units the file has angstroms.
    real = beadwork.System(positions, "A", units="real", masses={"A": 57.0})
    real.write(tmp_path / "real")
    text = (tmp_path / "real" / "beads.csv").read_text(encoding="utf-8").splitlines()[1]
    assert [float(cell) for cell in text.split(",")[:3]] == (positions[0] * 10).tolist()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_the_program_repeats_a_run_of_arrays(tmp_path: Path, program: Any) -> None:
    velocities = np.random.default_rng(2).normal(size=(6, 3))
    given = trimers(velocities=velocities)
    simulation = beadwork.Simulation({**REDUCED, "system": given})
    # In a box places are counted in 2^-64 of a side.
    assert np.allclose(simulation.positions[0], given.positions, rtol=0, atol=1e-15)
    assert np.array_equal(simulation.velocities[0], velocities)  # type: ignore[index]
    assert simulation.box is not None and simulation.box.tolist() == [10.0, 11.0, 12.5]

    run = beadwork.run({**REDUCED, "system": given}, output=tmp_path / "arrays", device="cpu", plots=False)
    assert run._folder.beads == [6]
    options = ["--device", "cpu", "--quiet", "--no-plots"]
    program("run", tmp_path / "arrays" / "resolved.toml", "--output", tmp_path / "again", *options)
    ours, theirs = results(tmp_path / "arrays"), results(tmp_path / "again")
    assert ours.keys() == theirs.keys() and len(ours) > 4
    for name, content in ours.items():
        assert theirs[name] == content, name
    # The four bonds have the lengths that were given: no energy without displacements.
    bonds = run.tables["bond_energy"][0]
    lengths = np.linalg.norm(given.positions[[1, 2, 4, 5]] - given.positions[[0, 1, 3, 4]], axis=1)
    expected = np.sum(50.0 * (lengths - [1.0, 1.125, 1.0, 1.125]) ** 2)
    assert bonds == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_members_have_starts_of_their_own() -> None:
    given = trimers(members=3)
    simulation = beadwork.Simulation({**REDUCED, "system": given})
    assert simulation.members == 3
    assert np.allclose(simulation.positions, given.positions, rtol=0, atol=1e-15)
    assert not np.array_equal(simulation.positions[0], simulation.positions[1])


def test_as_many_starts_as_replicas_are_asked_for() -> None:
    given = trimers(members=3)
    for replicas in (1, 2, 4):
        for keywords in ({"set": {"ensemble.replicas": replicas}}, {}):
            ensemble = {} if keywords else {"ensemble": {"replicas": replicas}}
            with pytest.raises(beadwork.ArgumentError, match=f"3 member.*replicas is .?{replicas}"):
                beadwork.check({**REDUCED, **ensemble, "system": given}, device="cpu", **keywords)
    asked = {**REDUCED, "ensemble": {"replicas": np.int64(3)}, "system": given}
    with _input.source(asked) as (_, text, _):
        assert text is not None and "replicas = 3" in text


def test_no_bonds_are_no_term() -> None:
    for none in ([], np.zeros((0, 2), dtype=int)):
        assert trimers(bonds=[{"kind": "harmonic", "between": none, "stiffness": 1.0, "length": 1.0}]).bonds == []


def test_real_units_and_open_space() -> None:
    system = beadwork.System(
        [[0, 0, 0], [0.38, 0, 0]],
        ["A", "A"],
        masses={"A": 57.0},
        bonds=[{"kind": "harmonic", "between": [[0, 1]], "stiffness": "20 kcal/(mol A^2)", "length": "3.8 A"}],
    )
    explained = beadwork.check({"system": system, "stage": [{"duration": "1 ps"}]}, device="cpu")
    assert explained["members"] == 1 and "2 beads" in str(explained)
    simulation = beadwork.Simulation({"system": system, "dynamics": {"precision": "double"}})
    assert simulation.positions.tolist() == [[[0, 0, 0], [0.38, 0, 0]]] and simulation.box is None


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"dihedrals": [[0, 1, 2, 3]]}, "no dihedrals"),
        ({"constraints": [[0, 1]]}, "no constraints"),
        ({"box": np.eye(3)}, "right angles"),
        ({"masses": [1.0, 2.0]}, r"\(6,\)"),
        ({"masses": {"C": 1.0}}, "no bead is of the type 'C'"),
        ({"molecules": [0.5] * 6}, "whole numbers"),
        ({"velocities": np.zeros((5, 3))}, "velocities have the shape"),
        ({"bonds": [{"kind": "harmonic", "between": [[0, 6]], "stiffness": 1.0, "length": 1.0}]}, "beads are 0 to 5"),
        ({"bonds": [{"kind": "harmonic", "between": [[0, 1]], "length": [1.0, 2.0]}]}, "2 values of 'length'"),
        ({"units": "si"}, "units"),
        ({"bonds": {"kind": "harmonic"}}, "bonds is a dict"),
        ({"bonds": ["x"]}, "a term of bonds is 'x'"),
        ({"bonds": [{"kind": "harmonic", "between": [[0.0, 1.0]]}]}, "float64"),
        ({"pairs": {"kind": "wca"}}, "pairs is a dict"),
        ({"types": None}, "types is None"),
        ({"types": "#"}, "'#' is no name"),
        ({"types": "\ud800"}, "no name"),
        ({"charges": "x"}, "charges"),
        ({"velocities": np.full((6, 3), 1e300)}, "at most 1e[+]100"),
    ],
)
def test_what_cannot_be_expressed_is_named(keywords: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        trimers(**keywords).write(tmp_path)


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        beadwork.System(np.zeros(3))
    with pytest.raises(ValueError, match="finite"):
        beadwork.System([[0, 0, np.nan]])
    with pytest.raises(ValueError, match="3 types for 2 beads"):
        beadwork.System(np.zeros((2, 3)), ["A", "B", "C"])
    with pytest.raises(beadwork.ArgumentError, match="positions"):
        beadwork.System("abc")
    with pytest.raises(TypeError, match="colour"):
        beadwork.System(np.zeros((2, 3)), colour="red")
    # What the program refuses it refuses here too.
    with pytest.raises(beadwork.Error) as raised:
        beadwork.check({**REDUCED, "system": trimers(bonds=[{"kind": "morse"}])})
    assert raised.value.exit_code == 2


def test_files_live_as_long_as_they_are_read() -> None:
    with _input.source({**REDUCED, "system": trimers()}) as (name, text, base):
        assert name == "run.toml" and text is not None and 'file = "beads.csv"' in text
        assert (Path(base) / "beads.csv").exists()
    assert not Path(base).exists()
