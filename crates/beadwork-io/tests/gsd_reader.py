"""Checks that the gsd package reads the trajectories that tests/gsd.rs writes; the folder is the only argument."""

import sys
from pathlib import Path

import gsd.fl
import gsd.hoomd
import gsd.pygsd
import gsd.version
import numpy

FRAMES = 18
SIDES = numpy.array([5.0, 6.0, 7.5])


def positions(frame):
    return numpy.array(
        [[0.125 * frame, -0.25 * frame, 0.0], [2.5, -3.0, 0.5 * frame], [-7.5, 11.0, 1.5 - frame]]
    )


def check(name, periodic, velocities, bonded):
    path = folder / name
    with gsd.hoomd.open(path) as trajectory:
        assert len(trajectory) == FRAMES
        for number, frame in enumerate(trajectory):
            frame.validate()
            particles, side = frame.particles, frame.configuration.box[:3]
            assert frame.configuration.step == 50 * number
            assert list(frame.configuration.box[3:]) == [0, 0, 0]
            assert (numpy.abs(particles.position) <= side / 2).all()
            assert (particles.position < side / 2).all()
            found = particles.position + particles.image * side
            assert (found == positions(number)).all(), (name, number, found)
            if periodic:
                assert (side == SIDES).all()
            else:
                assert (side >= 4 * numpy.abs(positions(number)).max()).all()
            expected = positions(number + 1) if velocities else numpy.zeros((3, 3))
            assert (particles.velocity == expected).all()
            assert particles.types == ["A", "long name"]
            assert list(particles.typeid) == [0, 1, 0]
            assert list(particles.mass) == [1, 2.5, 1]
            assert list(particles.charge) == [0, -1, 0.5]
            if bonded:
                assert frame.bonds.types == ["harmonic_bond", "fene_bond"]
                assert frame.bonds.typeid.tolist() == [0, 1]
                assert frame.bonds.group.tolist() == [[0, 1], [1, 2]]
                assert frame.angles.types == ["cosine_angle"]
                assert frame.angles.group.tolist() == [[0, 1, 2]]
            else:
                assert frame.bonds.N == frame.angles.N == 0
    # The reader in pure Python, which other programs use.
    with gsd.pygsd.GSDFile(open(path, "rb")) as file:
        assert file.schema == "hoomd" and file.nframes == FRAMES
        assert file.read_chunk(FRAMES - 1, "configuration/step")[0] == 50 * (FRAMES - 1)


folder = Path(sys.argv[1])
check("box.gsd", periodic=True, velocities=True, bonded=True)
check("open.gsd", periodic=False, velocities=False, bonded=True)
check("plain.gsd", periodic=False, velocities=True, bonded=False)
print("read by gsd", gsd.version.version)
