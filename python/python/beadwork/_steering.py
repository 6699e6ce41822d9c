"""What a segment of a simulation is asked for: how far it goes, and what else it begins with."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _input
from ._arguments import array, listed, mapping, number, shown, text, whole
from ._beadwork import Segment
from ._error import ArgumentError

Array = npt.NDArray[np.float64]

# Steps that a run may have.
_MOST_STEPS = 1 << 48
# Single precision holds such numbers in the units of the dynamics.
_LARGEST = 1e30
# So many sides from the box, float64 tells places in it no finer than a millionth of a side.
_MOST_SIDES = 1e9


def steps(segment: Segment, amount: Any) -> int:
    """The steps of dynamics, or the sweeps, in a time or a number of steps."""
    if isinstance(amount, np.ndarray) and amount.ndim == 0:
        amount = amount[()]
    is_text = isinstance(amount, str)
    if amount.lstrip().startswith("-") if is_text else isinstance(amount, numbers.Real) and amount < 0:
        raise ArgumentError(f"amount is {shown(amount)}, and a simulation cannot go back: give a number from 0 on, or a time above 0")
    if is_text:
        return segment.steps_in(text("amount", amount, "1 us"))
    if isinstance(amount, (bool, numbers.Integral)) or not isinstance(amount, numbers.Real):
        return whole("amount", amount, most=_MOST_STEPS)
    if segment.is_sampled:
        raise ArgumentError(f"amount is {shown(amount)}, and chains are sampled in sweeps: give their number as an int")
    if not segment.is_reduced:
        raise ArgumentError(
            f'amount is {shown(amount)}, which has no unit: write a time such as "1 us", or a number of steps as an int'
        )
    time = number("amount", amount)
    if not np.isfinite(time):
        raise ArgumentError(f"amount is {shown(amount)}: give a finite time, or nothing for all that is left")
    # The shortest text of a float32 is the time that was meant.
    return 0 if time == 0 else segment.steps_in(str(amount) if isinstance(amount, np.floating) else repr(time))


@dataclass(frozen=True)
class Change:
    """What is set at the beginning of a segment; what is absent stays as it was."""

    # Texts, so that no later change of a list or an array that was given is a change here.
    settings: dict[str, str] = field(default_factory=dict)
    positions: Array | None = None
    velocities: Array | None = None
    stages: str | None = None

    def joined(
        self, segment: Segment, settings: Any, positions: Any, velocities: Any, temperature: Any, stages: Any
    ) -> Change:
        """This with what else is set in `segment`."""
        given = dict(_input.settings(settings, "settings"))
        if temperature is not None:
            key = "sampling.temperature" if segment.is_sampled else "dynamics.temperature"
            if key in given:
                raise ArgumentError(f"the temperature is set twice, by temperature and by {key!r} of settings: leave one out")
            given[key] = _temperature(temperature, segment.is_reduced)
        made = replace(self, settings={**self.settings, **given})
        if positions is not None:
            made = replace(made, positions=_vectors("positions", positions, segment))
        if velocities is not None:
            made = replace(made, velocities=_vectors("velocities", velocities, segment))
        if stages is not None:
            made = replace(made, stages=_stages(stages))
        made._refuse_two_starts()
        return made

    def _refuse_two_starts(self) -> None:
        start = next((key for key in self.settings if f"{key}.".startswith("system.start.")), None)
        arrays = [name for name in ("positions", "velocities") if getattr(self, name) is not None]
        if start is not None and arrays:
            raise ArgumentError(
                f"the start is set twice, by {' and '.join(arrays)} and by {start!r} of settings: leave one out"
            )


def _temperature(given: Any, is_reduced: bool) -> str:
    if isinstance(given, str):
        return text("temperature", given, "310 K")
    value = number("temperature", given)
    if not 0 <= value < np.inf:
        raise ArgumentError(f"temperature is {shown(given)}: give a finite number from 0 on")
    return repr(value) if is_reduced else f"{value!r} K"


def _stages(given: Any) -> str:
    example = '{"name": "relax", "steps": 1000}'
    stages: list[Mapping[Any, Any]] = [
        mapping("an entry of stages", one, example) for one in listed("stages", given, f"dicts, such as [{example}]")
    ]
    if not stages:
        raise ArgumentError("stages is empty: give at least one, or leave it out")
    return _input.toml({"stage": stages})


def _vectors(name: str, given: Any, segment: Segment) -> Array:
    """A copy of vectors of all members."""
    beads = segment.beads
    if beads is None:
        raise ArgumentError(
            f"{name} cannot be set, since the members have different numbers of beads: make a simulation of each point"
        )
    shape = (segment.members, beads, 3)
    vectors = array(name, given)
    if vectors.shape not in (shape, shape[1:]):
        raise ArgumentError(f"{name} have the shape {vectors.shape}, and must be {shape} or {shape[1:]}")
    if not np.abs(vectors).max(initial=0.0) <= _LARGEST:
        raise ArgumentError(f"{name} must be finite numbers of at most {_LARGEST:g} in size")
    if name == "positions" and (sides := segment.sides) is not None:
        far = np.abs(vectors / sides).max(initial=0.0)
        if far > _MOST_SIDES:
            raise ArgumentError(
                f"{name} are up to {far:.2g} sides away from the box, where their places in it have no digits left: "
                f"give positions within {_MOST_SIDES:g} sides"
            )
    return np.array(np.broadcast_to(vectors, shape), order="C")
