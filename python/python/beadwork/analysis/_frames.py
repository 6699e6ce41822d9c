"""What frames of positions say: motion, sizes, structure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _beadwork
from .._arguments import listed, positive, whole
from .._error import ArgumentError
from ._arrays import MOST_SHELLS, Floats, check_room, frames_of, sides_of, triple, types_of, vector

# Curves of structure factors end at so many times 2π over the mean distance of beads, as in answers.
_REACH = 2.5


@dataclass(frozen=True)
class Displacements:
    """Mean squared displacements.

    Attributes:
        times: the lags in the unit of `interval`, of shape (lags,).
        squares: ⟨|r(t₀ + t) − r(t₀)|²⟩ over beads and times t₀, of shape (lags,).
        diffusion: a sixth of the slope from a quarter of the longest time on.
        exponent: of the growth in the later half: 1 of diffusion, 2 of free flight; ``None`` if there are too few times.
    """

    times: Floats
    squares: Floats
    diffusion: float | None
    exponent: float | None


def displacements(
    positions: npt.ArrayLike, *, interval: float = 1.0, lags: Iterable[int] | None = None
) -> Displacements:
    """Mean squared displacements of beads, and their diffusion coefficient.

    Positions must be those of the images that beads have reached, as frames of runs have them, not wrapped into a box.

    Args:
        positions: of shape (frames, beads, 3), at equal intervals.
        interval: the time between frames.
        lags: in frames, ascending, each from 1 to frames − 1; by default about eight for each factor of two, up to half of the frames.
    """
    at = frames_of(positions)
    if lags is None:
        chosen = _beadwork.displacement_lags(len(at) // 2)
    else:
        chosen = [whole("a lag", lag, 1) for lag in listed("lags", lags, "numbers of frames")]
    if not chosen or any(not 0 < lag < len(at) for lag in chosen) or chosen != sorted(set(chosen)):
        raise ArgumentError(f"there are {len(at)} frames, and lags have to ascend from 1 to {len(at) - 1} at most")
    squares = _beadwork.displacements(at, chosen)
    times = np.asarray(chosen, dtype=np.float64) * positive("interval", interval)
    return Displacements(times, squares, *_beadwork.diffusion(times, squares))


def radius_of_gyration(positions: npt.ArrayLike, masses: npt.ArrayLike | None = None) -> Floats:
    """The radius of gyration of each frame, of shape (frames,): the root mean square distance of beads from their centre.

    Args:
        positions: of shape (frames, beads, 3), of one molecule that no box cuts.
        masses: of shape (beads,), for distances that are weighted by mass, from the centre of mass; all alike by default.
    """
    at = frames_of(positions)
    weights = None if masses is None else vector("masses", masses)
    if weights is not None and (len(weights) != at.shape[1] or not (weights > 0).all()):
        raise ArgumentError(f"give a positive mass for each of the {at.shape[1]} beads")
    return _beadwork.radius_of_gyration(at, None if weights is None else weights.tolist())


@dataclass(frozen=True)
class InternalDistances:
    """Distances of the beads of a chain.

    Attributes:
        separations: 1, 2, … bonds, int64 of shape (beads − 1,).
        distances: root mean square distance of beads so far apart, of shape (beads − 1,).
        exponent: ν of R₀ s^ν, fitted from six bonds on; ``None`` for chains of fewer than ten beads.
        prefactor: R₀.
    """

    separations: npt.NDArray[np.int64]
    distances: Floats
    exponent: float | None
    prefactor: float | None


def internal_distances(positions: npt.ArrayLike) -> InternalDistances:
    """Root mean square distances of the beads of one chain by their separation along it, and their scaling exponent.

    Args:
        positions: of shape (frames, beads, 3), of a chain that no box cuts.
    """
    at = frames_of(positions)
    distances, scaling = _beadwork.internal_distances(at)
    return InternalDistances(np.arange(1, at.shape[1], dtype=np.int64), distances, *(scaling or (None, None)))


def contact_map(positions: npt.ArrayLike, reach: float) -> Floats:
    """The share of frames in which each pair of beads is nearer than `reach`, of shape (beads, beads); NaN on the diagonal.

    It takes 12 bytes for each pair, in both orders.

    Args:
        positions: of shape (frames, beads, 3); no box counts.
        reach: the distance.
    """
    return _beadwork.contact_map(frames_of(positions), positive("reach", reach))


@dataclass(frozen=True)
class PairDistribution:
    """Pair distribution functions.

    Attributes:
        distances: the middle of each bin, of shape (bins,).
        values: g of each pair of types, of shape (types, types, bins); NaN where there are no such pairs.
    """

    distances: Floats
    values: Floats


def pair_distribution(
    positions: npt.ArrayLike,
    box: npt.ArrayLike,
    *,
    types: npt.ArrayLike | None = None,
    reach: float | None = None,
    bins: int = 200,
) -> PairDistribution:
    """The pair distribution functions g(r) of beads in a periodic box, over frames; bonded pairs count too.

    Args:
        positions: of shape (frames, beads, 3), in the box or not: nearest images count.
        box: the sides, of shape (3,).
        types: whole numbers from 0 of shape (beads,); all beads are of type 0 by default.
        reach: the end of the last bin, at most half of the shortest side, which is the default.
        bins: the number of bins, at most 131,072, and fewer with more than 15 types.
    """
    at, sides = frames_of(positions), sides_of(box)
    kinds, number = types_of(types, at.shape[1])
    half = 0.5 * float(sides.min())
    end = half if reach is None else positive("reach", reach)
    if end > half:
        raise ArgumentError(f"reach is {end}, and half of the shortest side of the box {half}: give that at most")
    count = whole("bins", bins, 1)
    check_room("bins", count, number)
    return PairDistribution(*_beadwork.pair_distribution(at, triple(sides), kinds, number, end, count))


@dataclass(frozen=True)
class StructureFactor:
    """Static structure factors.

    Attributes:
        wave_numbers: mean |q| of each shell of wave vectors, in the inverse unit of lengths, of shape (shells,).
        values: ⟨ρ_a(q) ρ_b(−q)⟩/√(N_a N_b) of each pair of types, of shape (types, types, shells); NaN where there are no such beads.
        total: of all beads together, of shape (shells,).
    """

    wave_numbers: Floats
    values: Floats
    total: Floats


def structure_factor(
    positions: npt.ArrayLike,
    box: npt.ArrayLike,
    *,
    types: npt.ArrayLike | None = None,
    largest: float | None = None,
) -> StructureFactor:
    """The static structure factors of beads in a periodic box, over frames, by exact sums over wave vectors of the box.

    Its time is that of frames × beads × wave vectors.

    Args:
        positions: of shape (frames, beads, 3), in the box or not.
        box: the sides, of shape (3,).
        types: whole numbers from 0 of shape (beads,); all beads are of type 0 by default.
        largest: the largest |q|, in the inverse unit of lengths; by default 2.5 times 2π over the mean distance of beads. There are
            all wave vectors up to 1.5 times 2π over it, but at most about 20,000, and 24 of each shell beyond. Shells are 2π over the
            longest side wide, and at most 16,384.
    """
    at, sides = frames_of(positions), sides_of(box)
    kinds, number = types_of(types, at.shape[1])
    if largest is None:
        largest = _REACH * 2.0 * np.pi / float(np.prod(sides) / at.shape[1]) ** (1.0 / 3.0)
    end = positive("largest", largest)
    # Shells are as wide as the shortest wave vector is long.
    check_room("largest", int(min(end / (2.0 * np.pi / sides.max()), 1e18)), number, MOST_SHELLS)
    return StructureFactor(*_beadwork.structure_factor(at, triple(sides), kinds, number, end))
