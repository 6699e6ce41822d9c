"""What the program finds in runs, over arrays of numpy: forces, errors, reweighting, structure, motion.

    from beadwork import analysis

    curve = run.table(0).of_stage("pull")
    found = analysis.unfolding(curve["time_ns"], curve["extension_nm"], curve["force_pN"], window=50, prominence=30.0)
    print(found.rupture.force)                      # pN
    print(analysis.average(curve["force_pN"]))      # mean ± standard error, correlations counted

Functions take anything that numpy makes an array of. Positions have the shape (frames, beads, 3), or (beads, 3) for one frame, and
are read in single or double precision as they are. Where no unit is named, lengths, times and energies are in any unit, and results
in its powers. Functions work while other threads of Python run, those over many frames on all cores; no result depends on the
number of cores.
"""

from ._forces import BellEvans, Hertz, Peak, Survival, Unfolding, bell_evans, hertz, noise_fall, survival, unfolding
from ._frames import (
    Displacements,
    InternalDistances,
    PairDistribution,
    StructureFactor,
    contact_map,
    displacements,
    internal_distances,
    pair_distribution,
    radius_of_gyration,
    structure_factor,
)
from ._reweighting import Point, Response, Reweighting, TemperaturePeak, reweight
from ._series import AutocorrelationTime, Average, Estimate, autocorrelation_time, average

__all__ = [
    "AutocorrelationTime",
    "Average",
    "BellEvans",
    "Displacements",
    "Estimate",
    "Hertz",
    "InternalDistances",
    "PairDistribution",
    "Peak",
    "Point",
    "Response",
    "Reweighting",
    "StructureFactor",
    "Survival",
    "TemperaturePeak",
    "Unfolding",
    "autocorrelation_time",
    "average",
    "bell_evans",
    "contact_map",
    "displacements",
    "hertz",
    "internal_distances",
    "noise_fall",
    "pair_distribution",
    "radius_of_gyration",
    "reweight",
    "structure_factor",
    "survival",
    "unfolding",
]
