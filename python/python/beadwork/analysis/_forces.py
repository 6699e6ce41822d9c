"""Chains that are pulled, bodies that are pressed, lifetimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from .. import _beadwork
from .._arguments import array, listed, number, positive, shown, whole
from .._error import ArgumentError
from ._arrays import Floats, vector
from ._series import Estimate

# kB in pN nm/K, exact in the SI of 2019.
_BOLTZMANN_PN_NM_PER_K = 0.01380649


@dataclass(frozen=True)
class Peak:
    """A peak of the averaged force of a pulled chain.

    Attributes:
        force: averaged force, pN.
        extension: averaged extension, nm.
        time: ns, in the middle of the window.
        contacts: averaged number of native contacts; NaN if none were given.
        fall: height above the lowest averaged force before the next higher value or the end, pN.
        index: the sample in the middle of the window.
    """

    force: float
    extension: float
    time: float
    contacts: float
    fall: float
    index: int


@dataclass(frozen=True)
class Unfolding:
    """The peaks of one curve.

    Attributes:
        rupture: the peak before the largest fall, whose force is the unfolding force; ``None`` if nothing unfolded.
        peaks: all peaks with a fall of at least the prominence, in the order of time.
        loading_rate: slope of the averaged force before the rupture, pN/ns; ``None`` if there are too few samples.
    """

    rupture: Peak | None
    peaks: tuple[Peak, ...]
    loading_rate: float | None


def unfolding(
    time: npt.ArrayLike,
    extension: npt.ArrayLike,
    force: npt.ArrayLike,
    contacts: npt.ArrayLike | None = None,
    *,
    window: int = 1,
    prominence: float = 0.0,
    taut_extension: float | None = None,
) -> Unfolding:
    """Finds the peaks of the force of a pulled chain before it is taut, and the unfolding force.

    The unfolding force is the highest averaged force before the largest fall. Samples whose time, extension or force is not finite
    are left out.

    Args:
        time: ns, at equal intervals, of shape (samples,). They may jitter by half or be rounded; the first and the last may be shorter.
        extension: nm, of shape (samples,).
        force: of the spring, pN, of shape (samples,).
        contacts: number of native contacts, of shape (samples,).
        window: samples of the running average.
        prominence: the least fall of the averaged force that counts, pN; `noise_fall` says what noise alone makes.
        taut_extension: the averaged extension at which the chain is taut, nm: samples from the first that reaches it are left out.
    """
    times = vector("time", time)
    extensions, forces = vector("extension", extension), vector("force", force)
    known = None if contacts is None else vector("contacts", contacts)
    for name, values in zip(("extension", "force", "contacts"), [extensions, forces, known], strict=True):
        if values is not None and len(values) != len(times):
            raise ArgumentError(f"{name} has {len(values)} values, and time {len(times)}: give one for each time")
    _check_intervals(times, np.isfinite(times) & np.isfinite(extensions) & np.isfinite(forces))
    rupture, peaks, loading_rate = _beadwork.unfolding(
        times,
        extensions,
        forces,
        np.empty(0) if known is None else known,
        whole("window", window, 1),
        number("prominence", prominence),
        None if taut_extension is None else number("taut_extension", taut_extension),
    )
    return Unfolding(None if rupture is None else Peak(*rupture), tuple(Peak(*one) for one in peaks), loading_rate)


def _check_intervals(times: Floats, is_known: npt.NDArray[np.bool_]) -> None:
    """Refuses samples at unequal intervals, such as those of two stages, or with some left out.

    The first and the last interval may be shorter, as at the ends of a stage. Others may jitter by half, as those of clocks and of
    times with few digits: no peak depends on it.
    """
    places = np.flatnonzero(is_known)
    steps = np.diff(times[places])
    if len(wrong := np.flatnonzero(steps <= 0)):
        place = places[wrong[0] + 1]
        raise ArgumentError(
            f"time has to ascend, and sample {place} (from 0) is at {times[place]:g}: sort the samples, or give times with more digits"
        )
    if len(steps) < 3:
        return
    # Samples that are left out make an interval of several.
    steps = steps / np.diff(places)
    usual = float(np.quantile(steps[1:-1], 0.5, method="lower"))
    # Beyond half of it, and a little more, since quotients are rounded.
    is_wrong = steps > 1.55 * usual
    if is_wrong.any() and _are_rounded(places[1:-1], times[places[1:-1]], usual):
        is_wrong = steps > 2.05 * usual
    is_wrong[1:-1] |= steps[1:-1] < 0.45 * usual
    if len(wrong := np.flatnonzero(is_wrong)):
        place = places[wrong[0] + 1]
        raise ArgumentError(
            f"time has to have equal intervals, and sample {place} (from 0) is {steps[wrong[0]]:g} after the one before, "
            f"where others are {usual:g}: give the samples of one stage"
        )


def _are_rounded(places: npt.NDArray[np.intp], times: Floats, unit: float) -> bool:
    """Whether times may be those of equal intervals, rounded to a `unit`: all then lie on a line, as far as it tells.

    Every 0.013 ns, written with two digits, some intervals are 0.01 ns and some 0.02 ns.
    """
    line = np.polyval(np.polyfit(places, times, 1), places)
    return bool(np.abs(times - line).max() <= 0.75 * unit)


def noise_fall(stiffness: float, temperature: float, *, window: int = 1, samples: int = 1) -> float:
    """The fall of a spring's force, pN, that its thermal noise alone exceeds in fewer than one of a thousand curves.

    Args:
        stiffness: of the spring, pN/nm.
        temperature: K.
        window: samples of the running average, which are taken to be independent.
        samples: of the curve.
    """
    return _beadwork.noise_fall(
        positive("stiffness", stiffness),
        positive("temperature", temperature),
        whole("window", window, 1),
        whole("samples", samples, 1),
    )


@dataclass(frozen=True)
class BellEvans:
    """A barrier that forces lower: the rate of escape under a force F is k₀ exp(F/s).

    Attributes:
        thermal_force: s = kT/x, pN.
        rate: k₀, the rate of escape without a force, 1/s.
        relative_error_of_distance: standard error of ln s, which is that of the distance x in parts of x.
        error_of_log_rate: standard error of ln k₀.
        lack_of_fit: the probability that forces which follow the law deviate so much from it; ``None`` for most probable forces.
        rates: the number of loading rates.
        forces: the number of forces.
    """

    thermal_force: float
    rate: float
    relative_error_of_distance: float
    error_of_log_rate: float
    lack_of_fit: float | None
    rates: int
    forces: int

    def distance(self, temperature: float) -> float:
        """The distance of the barrier, nm, at a temperature in K."""
        return _BOLTZMANN_PN_NM_PER_K * temperature / self.thermal_force

    def mean(self, loading_rates: npt.ArrayLike) -> Floats:
        """The mean force, pN, at loading rates in pN/s; of the same shape."""
        return self._forces(loading_rates, False)

    def most_probable(self, loading_rates: npt.ArrayLike) -> Floats:
        """The most probable force, pN, at loading rates in pN/s; of the same shape."""
        return self._forces(loading_rates, True)

    def _forces(self, loading_rates: npt.ArrayLike, most_probable: bool) -> Floats:
        rates: Floats = array("loading_rates", loading_rates)
        flat = np.ascontiguousarray(rates.ravel())
        return _beadwork.bell_evans_force(self.thermal_force, self.rate, flat, most_probable).reshape(rates.shape)


def bell_evans(
    loading_rates: npt.ArrayLike,
    forces: Sequence[npt.ArrayLike],
    *,
    estimator: Literal["mean", "most-probable"] = "mean",
) -> BellEvans:
    """Fits the law of Bell and Evans to forces at several loading rates, with errors from 1,000 resampled sets.

    Args:
        loading_rates: pN/s, of shape (rates,).
        forces: for each rate the forces at which replicas gave way, pN; rates with fewer than two are left out.
        estimator: which force of a rate is fitted.

    Raises:
        Error: too few rates, or rates too near to each other; forces that do not grow with the rate, or not as the law says.
    """
    rates = vector("loading_rates", loading_rates)
    measured = [vector("forces", one) for one in listed("forces", forces, "the forces at each rate")]
    if len(rates) != len(measured):
        raise ArgumentError(f"there are {len(rates)} loading rates and forces of {len(measured)}: give forces for each")
    if not all(np.isfinite(values).all() for values in [rates, *measured]):
        raise ArgumentError("a rate or a force is not finite: leave it out")
    if estimator not in ("mean", "most-probable"):
        raise ArgumentError(f'estimator is {shown(estimator)}: take "mean" or "most-probable"')
    fit = _beadwork.bell_evans(rates.tolist(), [one.tolist() for one in measured], estimator == "most-probable")
    return BellEvans(*fit)


@dataclass(frozen=True)
class Hertz:
    """A fit of F = (4/3) E √R (d − d₀)^(3/2). With nm and pN, moduli are in MPa.

    Attributes:
        modulus: E, the reduced modulus: that of the body over 1 − ν², if the tip is rigid.
        zero: d₀, the depth at which the force begins.
        deviation: the root mean square distance of the forces from the law.
        points: the number of points.
        radius: R.
    """

    modulus: float
    zero: float
    deviation: float
    points: int
    radius: float

    def force(self, depths: npt.ArrayLike) -> Floats:
        """The force of the law at depths; of the same shape."""
        pressed = np.maximum(array("depths", depths) - self.zero, 0.0)
        return np.asarray(4.0 / 3.0 * self.modulus * np.sqrt(self.radius) * pressed**1.5, dtype=np.float64)


def hertz(depths: npt.ArrayLike, forces: npt.ArrayLike, radius: float) -> Hertz | None:
    """Fits Hertz's law of a sphere to forces at depths, by least squares of the force, with the zero free.

    Args:
        depths: the way of the tip, such as ``deformation_nm``, of shape (points,).
        forces: on the tip, such as ``tip_force_pN``, of shape (points,).
        radius: of the sphere, in the unit of the depths.

    Returns:
        The fit; ``None`` for fewer than five points, forces that do not grow, or points that bend in another way.
    """
    depth, force = vector("depths", depths), vector("forces", forces)
    if len(depth) != len(force):
        raise ArgumentError(f"there are {len(depth)} depths and {len(force)} forces: give one for each")
    if not (np.isfinite(depth).all() and np.isfinite(force).all()):
        raise ArgumentError("a depth or a force is not finite: leave such points out")
    found = _beadwork.hertz(depth, force, positive("radius", radius))
    return None if found is None else Hertz(*found, radius=float(radius))


@dataclass(frozen=True)
class Survival:
    """Lifetimes, some of which are longer than they were observed.

    Attributes:
        times: those at which lifetimes ended, of shape (points,).
        shares: the share that is longer, of shape (points,).
        errors: Greenwood's standard error of the share, of shape (points,).
        at_risk: how many were observed until then, int64 of shape (points,).
        mean: the mean lifetime; where some have not ended, as ends at a constant rate have it. ``None`` if none has ended.
        median: the first time at which at most half are longer; ``None`` if it was not reached.
    """

    times: Floats
    shares: Floats
    errors: Floats
    at_risk: npt.NDArray[np.int64]
    mean: Estimate | None
    median: float | None


def survival(times: npt.ArrayLike, ended: npt.ArrayLike) -> Survival:
    """The survival curve of Kaplan and Meier, and the mean lifetime.

    Args:
        times: how long each was observed, in any unit, of shape (lifetimes,).
        ended: whether it ended then, of shape (lifetimes,).
    """
    observed, given = vector("times", times), array("ended", ended)
    if not np.isin(given, (0.0, 1.0)).all():
        raise ArgumentError(f"ended is {shown(ended)}: give True or False for each time")
    has_ended = given != 0.0
    if has_ended.shape != observed.shape:
        raise ArgumentError(f"ended has the shape {has_ended.shape}, and times {observed.shape}: give one for each time")
    if not (np.isfinite(observed).all() and (observed >= 0).all()):
        raise ArgumentError("a time is negative or not finite: leave it out")
    (points, shares, errors), at_risk, mean, median = _beadwork.survival(observed, has_ended.tolist())
    return Survival(points, shares, errors, at_risk, None if mean is None else Estimate(*mean), median)
