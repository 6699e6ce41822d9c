"""Numbers with errors, and means of correlated values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy.typing as npt

from .. import _beadwork
from .._arguments import flag
from .._error import ArgumentError
from ._arrays import series_of


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error.

    Attributes:
        value: the number.
        error: its standard error in the same unit; ``None`` if there are too few data.
        degrees_of_freedom: those of the error.
        half_interval: half of the 95 % confidence interval, by Student's t.
    """

    value: float
    error: float | None
    degrees_of_freedom: float
    half_interval: float | None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:g}" + ("" if self.error is None else f" ± {self.error:.2g}")


@dataclass(frozen=True)
class AutocorrelationTime:
    """An integrated autocorrelation time, in intervals between values.

    Attributes:
        time: τ = ½ + Σ ρ(t); independent values have ½.
        error: its standard error.
        window: the last lag of the sum.
        samples: the number of values.
        long_enough: whether the series are at least 100 τ long, and 50 values; otherwise τ is a lower bound.
        inefficiency: 2τ, at least 1: so many values carry the information of one independent value.
    """

    time: float
    error: float
    window: int
    samples: int
    long_enough: bool
    inefficiency: float


def autocorrelation_time(
    series: npt.ArrayLike | Sequence[npt.ArrayLike], *, of_mean: bool = False
) -> AutocorrelationTime | None:
    """The integrated autocorrelation time of one or more independent series of one quantity.

    Args:
        series: values at equal intervals, of shape (values,) or (series, values), or a list of series of any lengths.
        of_mean: the time that the error of the mean needs, which counts slow parts that fast vibrations hide.

    Returns:
        The time; ``None`` if all values are equal or one is not finite.
    """
    time = _beadwork.autocorrelation(series_of(series), flag("of_mean", of_mean))
    return None if time is None else AutocorrelationTime(*time)


@dataclass(frozen=True)
class Average:
    """The mean of correlated values.

    Attributes:
        mean: in the unit of the values; NaN if one of them is NaN.
        error: its standard error; ``None`` for a single value, for equal ones, and if one is not finite.
        independent: as many independent values would have the same error.
        is_known: whether the series are long enough for their autocorrelation time, and finite; otherwise the error is a lower bound,
            or not known.
    """

    mean: float
    error: float | None
    independent: float
    is_known: bool

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        return f"{self.mean:g}" + ("" if self.error is None else f" ± {self.error:.2g}")


def average(series: npt.ArrayLike | Sequence[npt.ArrayLike]) -> Average:
    """The mean of one or more independent series, with the standard error that their autocorrelation leaves.

    Args:
        series: values at equal intervals, of shape (values,) or (series, values), or a list of series of any lengths.
    """
    found = _beadwork.average(series_of(series))
    if found is None:
        raise ArgumentError("there are no values")
    return Average(*found)
