"""What simulations are given: it is refused by its name, with nothing changed, and what is taken is copied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_simulations import fluid, ubiquitin
from test_systems import REDUCED, trimers

import beadwork


def test_replicas_are_those_of_the_starts() -> None:
    input = {"system": trimers(2), "dynamics": REDUCED["dynamics"]}
    assert beadwork.Simulation(input, set={"ensemble.replicas": 2}).members == 2
    for replicas in (1, 3):
        with pytest.raises(beadwork.ArgumentError, match=r"starts of 2 member\(s\), and ensemble.replicas"):
            beadwork.Simulation(input, set={"ensemble.replicas": replicas})


# A part of the message, and arguments of `Simulation`.
OF_SIMULATIONS: list[tuple[str, dict[str, Any]]] = [
    ("threads is -1", {"threads": -1}),
    ("threads is 1.0", {"threads": 1.0}),
    ("device is 5", {"device": 5}),
    ("output is 5", {"output": 5}),
    ("set is", {"set": [1]}),
    (r"set\['dynamics.temperature'\] is .* half of a character", {"set": {"dynamics.temperature": "\ud800"}}),
]


@pytest.mark.parametrize(("message", "keywords"), OF_SIMULATIONS)
def test_simulations_are_made_of_what_fits(message: str, keywords: dict[str, Any]) -> None:
    with pytest.raises(beadwork.ArgumentError, match=message):
        fluid(**keywords)


# A part of the message, and arguments of `advance`.
OF_ADVANCE: list[tuple[str, Any, dict[str, Any]]] = [
    ("cannot go back", -5, {}),
    ("cannot go back", -5.0, {}),
    ("cannot go back", " -5", {}),
    ("finite time", np.nan, {}),
    ("finite time", np.inf, {}),
    ("amount is True", True, {}),
    ("amount is \\[1\\]", [1], {}),
    ("amount is b'1'", b"1", {}),
    ("progress is 0: give True, False or a function", 40, {"progress": 0}),
    ("whole number from 0 to 281474976710656", 2**70, {}),
    ("half of a character", "\ud800", {}),
    ("max_time is \\[\\]", 40, {"max_time": []}),
    ("max_time is .* half of a character", 40, {"max_time": "\ud800"}),
    ("progress is 'yes'", 40, {"progress": "yes"}),
]


def test_amounts_that_do_not_fit_ask_for_no_step() -> None:
    simulation = fluid()
    length = simulation._now.length
    for message, amount, keywords in OF_ADVANCE:
        with pytest.raises(beadwork.ArgumentError, match=message):
            simulation.advance(amount, **keywords)
        assert simulation.step == 0 and simulation._now.length == length, message


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_numbers_of_numpy_are_numbers() -> None:
    simulation = fluid()
    for amount, step in [
        (np.float32(0.1), 20),
        (np.array(0.1), 40),
        (np.int32(20), 60),
        (np.array(20), 80),
        (0.0, 80),
    ]:
        simulation.advance(amount)
        assert simulation.step == step
    chains = {"system": {"model": "elastic-polymer", "monomers": 13}, "sampling": {"temperature": 0.4}}
    with pytest.raises(beadwork.ArgumentError, match="sampled in sweeps"):
        beadwork.Simulation(chains, device="cpu").advance(2.0)


STAGE = {"name": "after", "steps": 40}
# A part of the message, and arguments of `set`.
OF_SET: list[tuple[str, dict[str, Any]]] = [
    ("settings is \\[1\\]", {"settings": [1]}),
    ("settings has the key 1", {"settings": {1: 2}}),
    ("positions have the shape \\(\\)", {"positions": 1e300}),
    ("positions must be finite numbers of at most 1e\\+30", {"positions": np.full((6, 3), 1e300)}),
    ("positions are up to 1e\\+19 sides away", {"positions": np.full((6, 3), 1e20)}),
    ("positions has values of the type complex128", {"positions": np.zeros((6, 3)) * 1j}),
    ("positions makes no array of numbers", {"positions": [[1, 2], [3]]}),
    ("velocities must be finite", {"velocities": np.full((6, 3), np.inf)}),
    ("temperature is \\[1\\]", {"temperature": [1]}),
    ("temperature is True", {"temperature": True}),
    ("temperature is nan", {"temperature": np.nan}),
    ("temperature is -1", {"temperature": -1}),
    ("temperature is set twice", {"temperature": 0.5, "settings": {"dynamics.temperature": 0.7}}),
    ("start is set twice, by positions", {"positions": np.zeros((6, 3)), "settings": {"system.start.file": "x.csv"}}),
    ("stages is .*: give a list", {"stages": STAGE}),
    ("stages is 5", {"stages": 5}),
    ("stages is empty", {"stages": []}),
    ("an entry of stages is 1", {"stages": [1]}),
]


def test_nothing_is_set_that_does_not_fit() -> None:
    simulation = fluid()
    positions = simulation.positions
    for message, keywords in OF_SET:
        with pytest.raises(beadwork.ArgumentError, match=message):
            simulation.set(**keywords)
    assert np.array_equal(simulation.positions, positions) and simulation._now.stages == ["advance"]
    with pytest.raises(beadwork.ArgumentError, match="temperature is set twice"):
        ubiquitin().set({"dynamics.temperature": "320 K"}, temperature=310)
    # One after the other, the last one counts; stages may come one by one.
    simulation.set(temperature=0.5)
    simulation.set({"dynamics.temperature": 0.75}, stages=iter([STAGE]))
    assert "temperature = 0.75" in (simulation._now.home / "resolved.toml").read_text(encoding="utf-8")
    assert simulation._now.stages == ["after"]


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_arrays_are_copied_when_set_and_read_only_when_read() -> None:
    simulation = fluid()
    given = simulation.positions + 1.0
    simulation.set(positions=given)
    expected = given.copy()
    given += 1.0
    # The segment is made anew from all that was set.
    simulation.set(temperature=0.5)
    assert np.allclose(simulation.positions, expected, rtol=0, atol=1e-14)
    for array in (simulation.positions, simulation.velocities, simulation.steps, simulation.box):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array += 1  # type: ignore[misc]


# A part of the message, and what an observable returns for three members.
RETURNED: list[tuple[str, Callable[[np.ndarray], Any]]] = [
    (r"shape \(\): its first axis must be the 3 members", lambda positions: 1.0),
    (r"shape \(2,\): its first axis", lambda positions: [1.0, 2.0]),
    ("makes no array of numbers", lambda positions: [[1, 2], [3], [4]]),
    ("values of the type <U1", lambda positions: ["a"] * 3),
    ("values of the type complex128", lambda positions: positions[:, 0, 0] * 1j),
    ("masked values", lambda positions: np.ma.masked_greater(positions[:, 0, 0], -1.0)),
]


@pytest.mark.parametrize(("message", "function"), RETURNED)
def test_observables_that_return_no_numbers_are_named(message: str, function: Callable[[np.ndarray], Any]) -> None:
    simulation = fluid(set={"ensemble.replicas": 3})
    simulation.observe("own", function)
    with pytest.raises(beadwork.ArgumentError, match=f"the observable 'own' .*{message}"):
        simulation.advance(20)
    assert simulation.observed["step"].tolist() == []


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_observables_keep_their_shape_and_their_arrays() -> None:
    simulation = fluid(set={"ensemble.replicas": 3})
    shapes = iter([(3, 2), (3, 1)])
    simulation.observe("own", lambda positions: np.zeros(next(shapes)))
    with pytest.raises(beadwork.ArgumentError, match=r"'own' has the shape \(3, 1\), and had \(3, 2\)"):
        simulation.advance(20)
    # The row is made when the observable has been replaced.
    assert simulation.observed["step"].tolist() == [0]
    simulation.observe("own", lambda positions: np.ones((3, 2)))
    simulation.advance(0)
    assert simulation.observed["step"].tolist() == [0, 20]
    assert simulation.observed["own"][:, 0, 0].tolist() == [0.0, 1.0]
    for message, name, function in [
        ("name is 5", 5, np.sum),
        ("a column already", "step", np.sum),
        ("function is None", "other", None),
    ]:
        with pytest.raises(beadwork.ArgumentError, match=message):
            simulation.observe(name, function)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_inputs_are_copied_over_nothing(tmp_path: Path) -> None:
    simulation = fluid()
    calls: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
        ("folder is 5", simulation.write, {"folder": 5}),
        ("plots is 'no'", simulation.finish, {"plots": "no"}),
        ("folder is None", beadwork.Simulation.open, {"folder": None}),
    ]
    for message, call, keywords in calls:
        with pytest.raises(beadwork.ArgumentError, match=message):
            call(**keywords)
    simulation.advance(20)
    simulation.set(temperature=0.5)
    simulation.advance(20)
    theirs = tmp_path / "inputs" / "segment-1" / "theirs"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("x", encoding="utf-8")
    with pytest.raises(beadwork.ArgumentError, match="segment-1 is there already"):
        simulation.write(tmp_path / "inputs")
    # Nothing of the segment before was written either.
    assert [path.name for path in (tmp_path / "inputs").iterdir()] == ["segment-1"]
    with pytest.raises(beadwork.Error, match="cannot be written") as raised:
        simulation.write(theirs)
    assert (raised.value.code, raised.value.exit_code) == ("io/write", 4)
    assert [path.parent.name for path in simulation.write(tmp_path / "new")] == ["segment-0", "segment-1"]
