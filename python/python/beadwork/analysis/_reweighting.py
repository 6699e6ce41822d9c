"""Averages at any temperature from samples at several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy.typing as npt

from .. import _beadwork
from .._arguments import mapping, number, positive, shown, text, whole
from .._error import ArgumentError
from ._arrays import Floats, groups_of, vector
from ._series import Estimate, autocorrelation_time


@dataclass(frozen=True)
class Response:
    """An observable at one temperature.

    Attributes:
        mean: its mean.
        temperature_derivative: the derivative of the mean by kT.
    """

    mean: Estimate
    temperature_derivative: Estimate


@dataclass(frozen=True)
class Point:
    """Averages at one temperature.

    Attributes:
        temperature: kT.
        energy: the mean energy.
        heat_capacity_per_bead: (⟨E²⟩ − ⟨E⟩²)/(N (kT)²), a number.
        effective_samples: if it is small, the samples do not reach this temperature.
        observables: by name.
    """

    temperature: float
    energy: Estimate
    heat_capacity_per_bead: Estimate
    effective_samples: float
    observables: Mapping[str, Response]


@dataclass(frozen=True)
class TemperaturePeak:
    """A maximum over the temperature.

    Attributes:
        temperature: kT of the maximum.
        height: the value there.
    """

    temperature: Estimate
    height: Estimate


class Reweighting:
    """Samples at several temperatures with their free energies, ready for any temperature; see `reweight`.

    Attributes:
        temperatures: kT of each, of shape (temperatures,).
        free_energies: of each over its kT, less that of the first: numbers.
        bin_width: the width of the bins of the energy; 0 if only equal energies share one.
    """

    def __init__(self, own: _beadwork.Reweighting, temperatures: Floats, names: list[str], beads: int) -> None:
        self._own = own
        self._names = names
        self._beads = beads
        self.temperatures = temperatures
        self.free_energies = tuple(Estimate(*one) for one in own.free_energies())
        self.bin_width = own.bin_width

    def at(self, temperature: float) -> Point:
        """Averages at a kT; reliable between the lowest and the highest one sampled."""
        kt = positive("temperature", temperature)
        energy, capacity, samples, observables = self._own.at(kt, self._beads)
        responses = {
            name: Response(Estimate(*mean), Estimate(*derivative))
            for name, (mean, derivative) in zip(self._names, observables, strict=True)
        }
        return Point(kt, Estimate(*energy), Estimate(*capacity), samples, responses)

    def heat_capacity_peak(self, low: float | None = None, high: float | None = None) -> TemperaturePeak | None:
        """The highest maximum of the heat capacity between two kT, those sampled by default; ``None`` if it is at an end."""
        return self._peak(low, high, None)

    def growth_peak(
        self, observable: str, low: float | None = None, high: float | None = None
    ) -> TemperaturePeak | None:
        """The kT between two at which the mean of an observable grows fastest; ``None`` if it is at an end."""
        if text("observable", observable, "contacts") not in self._names:
            raise KeyError(f"{observable}: the observables are {', '.join(self._names)}")
        return self._peak(low, high, self._names.index(observable))

    def _peak(self, low: float | None, high: float | None, observable: int | None) -> TemperaturePeak | None:
        first = float(self.temperatures.min()) if low is None else positive("low", low)
        last = float(self.temperatures.max()) if high is None else positive("high", high)
        if not first < last:
            raise ArgumentError(f"from {first} to {last} is no range of temperatures: give two, the lower one first")
        found = self._own.peak(first, last, self._beads, observable)
        return None if found is None else TemperaturePeak(Estimate(*found[0]), Estimate(*found[1]))

    def __repr__(self) -> str:
        return f"<beadwork.analysis.Reweighting of {len(self.temperatures)} temperatures>"


def reweight(
    temperatures: npt.ArrayLike,
    energies: Sequence[npt.ArrayLike | Sequence[npt.ArrayLike]],
    observables: Mapping[str, Sequence[npt.ArrayLike | Sequence[npt.ArrayLike]]] | None = None,
    *,
    inefficiencies: npt.ArrayLike | None = None,
    beads: int = 1,
    bin_width: float | None = None,
) -> Reweighting:
    """Reweights samples at several temperatures to any temperature: MBAR, or WHAM where energies share bins.

    Args:
        temperatures: kT in the unit of the energies, of shape (temperatures,); kB is 0.00198720 kcal/(mol K).
        energies: for each temperature the total energies in the order of time, of shape (samples,), which are cut into 16 blocks
            of time, the same at all temperatures; or a list with those of each independent ladder. Errors come from leaving out
            one block or ladder after another, and need at least eight.
        observables: by name, values as `energies` has them, one for each energy.
        inefficiencies: 2τ of each temperature, which weighs it; by default that of the energies.
        beads: the number of beads N, for heat capacities.
        bin_width: width of the bins of the energy; by default so fine that the bias is below 10⁻³ of a heat capacity; 0 puts only
            equal energies into one bin.

    Raises:
        Error: samples of unequal numbers or not finite, or temperatures that share no energies.
    """
    kt = vector("temperatures", temperatures)
    count = whole("beads", beads, 1)
    width = None if bin_width is None else number("bin_width", bin_width)
    if width is not None and not 0 <= width < float("inf"):
        raise ArgumentError(f"bin_width is {shown(bin_width)}: give a positive number, or 0 for equal energies only")
    grouped = groups_of("energies", energies, len(kt))
    columns = {} if observables is None else mapping("observables", observables, '{"contacts": [values, …]}')
    names = [text("a name of observables", name, "contacts") for name in columns]
    others = [groups_of(name, columns[name], len(kt)) for name in names]
    for name, other in zip(names, others, strict=True):
        if [[len(one) for one in at] for at in other] != [[len(one) for one in at] for at in grouped]:
            raise ArgumentError(f"{name} has other numbers of values than the energies: give one for each energy")
    if inefficiencies is None:
        times = [autocorrelation_time(one) for one in grouped]
        factors = [1.0 if time is None else time.inefficiency for time in times]
    else:
        factors = vector("inefficiencies", inefficiencies).tolist()
        if len(factors) != len(kt):
            raise ArgumentError(f"there are {len(factors)} inefficiencies and {len(kt)} temperatures: give one for each")
    own = _beadwork.Reweighting(kt.tolist(), grouped, others, factors, width)
    return Reweighting(own, kt, names, count)
