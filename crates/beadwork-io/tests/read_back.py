"""Reads what tests/read_back.rs wrote with MDAnalysis, and compares it with the formulas there."""

import pathlib
import sys
import warnings

import MDAnalysis
import numpy

warnings.simplefilter("ignore")
folder = pathlib.Path(sys.argv[1])

BEADS = 40
FRAMES = 5
FIRST_STEP = 1000
INTERVAL = 500
TIMESTEP = 0.02


def number(frame, beads, axis):
    bead = numpy.arange(beads)
    return ((bead * 7919 + axis * 3571 + frame * 613 + bead * bead * 31) % 1009) / 1009.0


def positions(frame, beads, extent):
    return numpy.stack([(number(frame, beads, axis) - 0.5) * extent for axis in range(3)], axis=1)


def times(universe):
    return [step.time for step in universe.trajectory]


def compare(universe, extent, tolerance):
    assert len(universe.trajectory) == FRAMES, len(universe.trajectory)
    assert len(universe.atoms) == BEADS
    expected_times = [(FIRST_STEP + INTERVAL * frame) * TIMESTEP for frame in range(FRAMES)]
    numpy.testing.assert_allclose(times(universe), expected_times, rtol=1e-6)
    for frame, step in enumerate(universe.trajectory):
        difference = numpy.abs(step.positions - positions(frame, BEADS, extent)).max()
        # Single precision in three operations comes on top of the format's rounding.
        assert difference <= tolerance + 2e-7 * extent, (frame, extent, difference)


def bonds(universe):
    return {tuple(sorted(int(index) for index in bond)) for bond in universe.bonds.indices}


# Two chains of 20 beads.
chain_bonds = {(bead - 1, bead) for bead in range(1, BEADS) if bead != 20}

for topology in ["topology.psf", "extended.psf"]:
    for name, tolerance in [("run.xtc", 0.005), ("run.dcd", 0.0)]:
        universe = MDAnalysis.Universe(str(folder / topology), str(folder / name))
        compare(universe, 100.0, tolerance)
        assert bonds(universe) == chain_bonds
        numpy.testing.assert_allclose(universe.atoms.masses, 110.5)
        numpy.testing.assert_allclose(universe.atoms.charges, -0.25)
        # MDAnalysis takes negative numbers of a PSF file for 0.
        assert list(universe.atoms.resids) == [max(bead % 20 - 2, 0) for bead in range(BEADS)]
        assert list(universe.segments.segids) == ["A", "SEGB"]
        print(topology, name, len(universe.atoms), "beads", len(universe.bonds), "bonds", times(universe))

universe = MDAnalysis.Universe(str(folder / "topology.pdb"))
assert len(universe.atoms) == BEADS
assert bonds(universe) == chain_bonds
assert list(universe.atoms.resids) == [bead % 20 - 2 for bead in range(BEADS)]
assert list(universe.atoms.chainIDs) == ["A"] * 20 + ["B"] * 20
assert set(universe.atoms.names) == {"CA"}
assert numpy.abs(universe.atoms.positions - positions(0, BEADS, 100.0)).max() < 0.0006
print("topology.pdb", len(universe.atoms), "beads", len(universe.bonds), "bonds")

for name, tolerance in [("boxed.xtc", 0.005), ("boxed.dcd", 0.0)]:
    universe = MDAnalysis.Universe(str(folder / "topology.psf"), str(folder / name))
    compare(universe, 100.0, tolerance)
    for step in universe.trajectory:
        numpy.testing.assert_allclose(step.dimensions, [100.0, 110.5, 120.25, 90.0, 90.0, 90.0], rtol=1e-6)
    print(name, universe.dimensions)
universe = MDAnalysis.Universe(str(folder / "boxed.pdb"))
numpy.testing.assert_allclose(universe.dimensions, [100.0, 110.5, 120.25, 90.0, 90.0, 90.0])
assert MDAnalysis.Universe(str(folder / "topology.psf"), str(folder / "run.dcd")).dimensions is None

for extent in [10, 10000, 25000, 27000, 100000, 160000, 200000, 5000000]:
    universe = MDAnalysis.Universe(str(folder / "topology.psf"), str(folder / f"wide-{extent}.xtc"))
    compare(universe, float(extent), 0.005)
    print("wide", extent)

universe = MDAnalysis.Universe(str(folder / "large.psf"), str(folder / "large.xtc"))
beads = 100_002
assert len(universe.atoms) == beads
assert bonds(universe) == {(bead - 1, bead) for bead in range(1, beads)}
numpy.testing.assert_allclose(universe.atoms.masses, 110.5)
assert numpy.abs(universe.atoms.positions - positions(0, beads, 300.0)).max() <= 0.005 + 1e-4
universe = MDAnalysis.Universe(str(folder / "large.pdb"))
assert len(universe.atoms) == beads
assert list(universe.atoms.ids) == list(range(1, beads + 1))
assert list(universe.atoms.resids) == list(range(1, beads + 1))
assert len(universe.bonds) == 99_998
print("large", beads, "beads")
