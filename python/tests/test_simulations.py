"""Simulations: pieces of runs have the bits of whole ones, and what was set can be repeated by the program."""

from __future__ import annotations

import gc
import os
import signal
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SHORT, UBIQUITIN, as_options, results
from test_systems import REDUCED, trimers

import beadwork

QUIET = ["--device", "cpu", "--quiet", "--no-plots"]


def ubiquitin(**keywords: Any) -> beadwork.Simulation:
    return beadwork.Simulation(UBIQUITIN, **{"set": SHORT, "device": "cpu", **keywords})


def fluid(**keywords: Any) -> beadwork.Simulation:
    """Two trimers that move as long as they are asked to."""
    input = {"system": trimers(), "dynamics": REDUCED["dynamics"], "output": REDUCED["output"]}
    return beadwork.Simulation(input, **{"device": "cpu", **keywords})


def assert_same_rows(one: beadwork.Table, other: beadwork.Table) -> None:
    assert one.columns == other.columns and one.rows == other.rows > 0
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f"), name


def repeated(program: Any, input: Path, folder: Path) -> beadwork.Run:
    """The run that the program makes of the input of a segment."""
    program("run", input, "--output", folder, *QUIET)
    return beadwork.open(folder)


def test_pieces_have_the_bytes_of_the_whole(tmp_path: Path, program: Any) -> None:
    program("run", UBIQUITIN, *as_options(SHORT), "--output", tmp_path / "whole", *QUIET)
    simulation = ubiquitin(output=tmp_path / "pieces")
    memory = ubiquitin()
    assert not (tmp_path / "pieces").exists()
    start = simulation.positions
    # A step, a row and more, the end of the first stage, and a part of the second.
    for amount in [1, "20 ns", 0, 1_749, "100 ns", 17]:
        assert simulation.advance(amount) == memory.advance(amount) == "paused"
        assert np.array_equal(simulation.positions, memory.positions)
        assert simulation.step == memory.step and (simulation.steps == simulation.step).all()
    assert simulation.time == pytest.approx(simulation.step * 0.08)
    assert simulation.positions.shape == (2, simulation.beads, 3) and simulation.velocities is None
    assert not np.array_equal(simulation.positions, start)
    assert simulation.statuses == [("stopped", "")] * 2
    # Another process goes on, and the first one knows.
    again = beadwork.Simulation.open(tmp_path / "pieces")
    assert again.step == simulation.step
    assert again.advance() == memory.advance() == "finished"
    run = again.finish(plots=False)
    assert run is not None and run.ending == "finished"
    assert results(tmp_path / "pieces") == results(tmp_path / "whole")
    whole = beadwork.open(tmp_path / "whole")
    assert_same_rows(memory.tables, whole.tables)
    # The last row is of the last step, and so are the values.
    values = memory.values
    last = whole.tables["step"] == whole.tables["step"].max()
    assert np.array_equal(values["step"], whole.tables["step"][last])
    assert np.array_equal(values["extension_nm"], whole.tables["extension_nm"][last])
    assert values.units["extension_nm"] == "nm"


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_simulation_becomes_as_long_as_it_is_asked(tmp_path: Path, program: Any) -> None:
    whole = beadwork.run({**REDUCED, "system": trimers()}, output=tmp_path / "whole", device="cpu", plots=False)
    simulation, folder = fluid(), fluid(output=tmp_path / "pieces")
    for amount in [7, 0.1, 20, 0.065]:
        assert simulation.advance(amount) == folder.advance(amount) == "finished"
    assert simulation.step == folder.step == 60
    for name in ("potential_energy", "bond_energy", "kinetic_energy"):
        assert np.array_equal(simulation.tables[name], whole.tables[name])
        assert np.array_equal(folder.tables[name], whole.tables[name])
    velocities = simulation.velocities
    assert velocities is not None and velocities.shape == (1, 6, 3)
    assert folder.finish(plots=False) is not None
    again = repeated(program, tmp_path / "pieces" / "resolved.toml", tmp_path / "again")
    assert_same_rows(again.tables, folder.tables)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_the_program_repeats_what_was_set(tmp_path: Path, program: Any) -> None:
    simulation, memory = fluid(output=tmp_path / "steered"), fluid()
    for one in (simulation, memory):
        one.advance(45)
        moved = one.positions + [0.125, 0, 0]
        before = one.velocities
        one.set(positions=moved)
        # The segment is new, and has what stays from the one before.
        assert one.step == 0 and np.allclose(one.positions, moved, rtol=0, atol=1e-14)
        assert np.array_equal(one.velocities, before)  # type: ignore[arg-type]
        one.set({"system.pairs.1.depth": 0.5}, temperature=2.0)
        assert np.allclose(one.positions, moved, rtol=0, atol=1e-14)
        one.advance(40)
        one.set(velocities=np.zeros((6, 3)))
        assert (one.velocities == 0).all()
        one.advance(20)
        one.advance(20)
        one.finish(plots=False)
    assert [path.name for path in simulation.segments] == ["steered", "steered-segment-1", "steered-segment-2"]
    inputs = memory.write(tmp_path / "inputs")
    assert len(inputs) == 3
    for number, (steps, folder) in enumerate(zip([45, 40, 40], simulation.segments, strict=True)):
        assert beadwork.open(folder).ending == "finished"
        tables = [
            repeated(program, folder / "resolved.toml", tmp_path / f"of-folder-{number}").tables,
            repeated(program, inputs[number], tmp_path / f"of-memory-{number}").tables,
            simulation.all_tables[number],
            memory.all_tables[number],
        ]
        assert tables[0]["step"][-1] == steps // 20 * 20
        for table in tables[1:]:
            assert_same_rows(table, tables[0])
        text = (folder / "resolved.toml").read_text(encoding="utf-8")
        assert f"steps = {steps}\n" in text and ("depth = 0.5" in text) == (number > 0)
    # Each segment has noise of its own.
    seeds = [beadwork.open(folder).records[0]["seed"] for folder in simulation.segments]
    assert len(set(seeds)) == 3


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_what_is_set_before_the_first_step_begins_the_first_segment(tmp_path: Path) -> None:
    simulation = fluid(output=tmp_path / "run")
    simulation.set(temperature=0.5)
    simulation.set(positions=simulation.positions[0] + 1.0)
    simulation.advance(20)
    assert simulation.segments == [tmp_path / "run"]
    assert "temperature = 0.5" in (tmp_path / "run" / "resolved.toml").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_proteins_go_on_from_exact_starts(tmp_path: Path, program: Any) -> None:
    simulation = ubiquitin(output=tmp_path / "run")
    simulation.advance("200 ns")
    with pytest.raises(beadwork.Error, match="drives") as raised:
        simulation.set(temperature=310)
    assert raised.value.code == "run/steering"
    before = simulation.positions
    stages = [{"name": "relax", "duration": "40 ns"}]
    simulation.set(temperature=310, stages=stages)
    # Single precision rounds what double precision read from the file.
    assert np.allclose(simulation.positions, before, rtol=1e-6, atol=0)
    assert simulation.advance() == "finished" and simulation.time == pytest.approx(40.0)
    simulation.finish(plots=False)
    first, second = simulation.segments
    assert (beadwork.open(first).tables["time_ns"] <= 200.0).all()
    again = repeated(program, second / "resolved.toml", tmp_path / "again")
    assert_same_rows(again.tables, simulation.tables)
    assert again.stages == ["relax"]


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_members_at_different_steps_begin_no_segment() -> None:
    stages = [
        {"name": "warm", "steps": 4_000, "stop": "kinetic_energy > 11", "stop_every": 1},
        {"name": "after", "steps": 4_000},
    ]
    simulation = fluid(set={"ensemble.replicas": 8})
    simulation.set(stages=stages)
    simulation.advance(3_900)
    assert (simulation.steps == 3_900).all()
    with pytest.raises(beadwork.Error, match="different steps") as raised:
        simulation.set(temperature=0.5)
    assert raised.value.code == "run/steering"


def test_a_signal_stops_and_the_rest_follows() -> None:
    handler = signal.getsignal(signal.SIGINT)

    def interrupt(settled: int, total: int, over: int) -> None:
        if settled > 0:
            os.kill(os.getpid(), signal.SIGINT)

    simulation = ubiquitin()
    long = 2_000_000
    with pytest.raises(KeyboardInterrupt) as raised:
        simulation.advance(long, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is handler
    notes = getattr(raised.value, "__notes__", ["advance(0)"])
    assert "advance(0)" in notes[0]
    assert simulation.step == long and (simulation.steps < long).all()
    assert simulation.advance(0, max_time=0) == "time-limit"


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_stopped_piece_has_the_same_bits() -> None:
    stopped, whole = fluid(), fluid()
    while stopped.advance(0 if stopped.step else 20_000, max_time=0.02) == "time-limit":
        pass
    whole.advance(20_000)
    assert np.array_equal(stopped.positions, whole.positions)
    assert_same_rows(stopped.tables, whole.tables)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_own_observables_at_the_times_of_rows() -> None:
    simulation, plain = fluid(set={"ensemble.replicas": 3}), fluid(set={"ensemble.replicas": 3})

    def bond(positions: np.ndarray) -> np.ndarray:
        assert positions.shape == (3, 6, 3)
        return np.linalg.norm(positions[:, 1] - positions[:, 0], axis=-1)

    simulation.observe("bond", bond)
    simulation.observe("centre", lambda positions: positions.mean(axis=1))
    for amount in (50, 30):
        simulation.advance(amount)
        plain.advance(amount)
    observed = simulation.observed
    assert observed["step"].tolist() == [0, 20, 40, 60, 80]
    assert observed["time"].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert observed["bond"].shape == (5, 3) and observed["centre"].shape == (5, 3, 3)
    # To stop and observe changes no bit.
    assert np.array_equal(simulation.positions, plain.positions)
    assert_same_rows(simulation.tables, plain.tables)
    # With one bond, its energy says how long it is.
    assert np.array_equal(observed["bond"][-1], bond(simulation.positions))
    simulation.set(temperature=0.5)
    simulation.advance(20)
    assert simulation.observed["segment"].tolist() == [0] * 5 + [1] * 2
    with pytest.raises(ValueError, match="first axis"):
        simulation.observe("wrong", lambda positions: positions.sum())
        simulation.advance(20)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_thousand_members_at_once() -> None:
    simulation = fluid(set={"ensemble.replicas": 1000})
    simulation.advance(20)
    random = np.random.default_rng(7)
    kicks = random.normal(size=(1000, 6, 3))
    simulation.set(velocities=kicks)
    assert np.array_equal(simulation.velocities, kicks)  # type: ignore[arg-type]
    simulation.advance(20)
    assert simulation.tables.rows == 2000 and simulation.values.rows == 1000
    positions = simulation.positions
    assert positions.shape == (1000, 6, 3) and len(np.unique(positions[:, 0, 0])) == 1000


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_chains_are_sampled_in_pieces() -> None:
    input = {
        "system": {"model": "elastic-polymer", "monomers": 13},
        "sampling": {"temperature": 0.4},
        "output": {"table": {"every_sweeps": 50}},
    }
    simulation = beadwork.Simulation(input, device="cpu")
    simulation.advance(130)
    simulation.advance(70)
    whole = beadwork.Simulation(input, device="cpu")
    whole.advance(200)
    assert np.array_equal(simulation.positions, whole.positions)
    assert_same_rows(simulation.tables, whole.tables)
    assert simulation.tables["sweep"].tolist() == [0, 50, 100, 150, 200]
    before = simulation.positions
    simulation.set(temperature=0.3)
    assert np.allclose(simulation.positions, before, rtol=1e-6, atol=0)
    simulation.advance(50)
    with pytest.raises(beadwork.Error, match="sweeps"):
        simulation.advance("1 us")


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_other_threads_go_on_and_wait_for_no_lock() -> None:
    simulation, seen = ubiquitin(), threading.Event()
    refused: list[beadwork.Error] = []

    def listen(settled: int, total: int, over: int) -> None:
        # The simulation is being stepped, so it cannot be read here.
        if not refused:
            try:
                _ = simulation.positions
            except beadwork.Error as error:
                refused.append(error)
        seen.set()

    worker = threading.Thread(target=simulation.advance, args=(20_000,), kwargs={"progress": listen})
    worker.start()
    assert seen.wait(60)
    worker.join()
    assert not refused or refused[0].code == "program/arguments"
    assert (simulation.steps == 20_000).all()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_what_no_input_can_say_is_refused(tmp_path: Path) -> None:
    simulation = fluid()
    simulation.advance(20)
    before = simulation.positions
    refusals: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (ValueError, "positions have the shape", {"positions": np.zeros((5, 3))}),
        (beadwork.Error, "finite", {"positions": np.full((6, 3), np.nan)}),
        (beadwork.Error, "members of the one before", {"settings": {"ensemble.replicas": 2}}),
        (beadwork.Error, "did you mean", {"settings": {"dynamics.temprature": 1.0}}),
    ]
    for kind, message, keywords in refusals:
        with pytest.raises(kind, match=message):
            simulation.set(**keywords)
        assert simulation.step == 20 and np.array_equal(simulation.positions, before)
    with pytest.raises(beadwork.ArgumentError, match="no unit"):
        ubiquitin().advance(1.5)
    with pytest.raises(beadwork.ArgumentError, match="no steps"):
        fluid().finish()
    with pytest.raises(beadwork.Error, match="steps"):
        simulation.advance(0.0051)
    oscillators = {"system": {"model": "oscillators", "particles": 8}, "stage": [{"duration": "80 ns"}]}
    with pytest.raises(beadwork.Error, match="oscillators"):
        beadwork.Simulation(oscillators).set(temperature=310)
    sweep = ubiquitin(set={**SHORT, "ensemble.sweep": {"pull.speed": ["100 um/s", "150 um/s"]}})
    assert sweep.members == 4
    with pytest.raises(beadwork.Error, match="sweep"):
        sweep.set(temperature=310)
    with pytest.raises(beadwork.Error, match="velocities cannot be set"):
        ubiquitin().set(velocities=np.zeros((76, 3)))
    # A folder that is there is no place for a new run; what was asked for is forgotten.
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x", encoding="utf-8")
    taken = fluid(output=tmp_path / "taken")
    with pytest.raises(beadwork.Error):
        taken.advance(20)
    assert taken.step == 0


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_residues_draw_velocities_and_say_so(tmp_path: Path, program: Any) -> None:
    input = {"system": {"model": "residues", "sequence": "GSGSGSGS"}, "output": {"table": {"every_steps": 10}}}
    simulation = beadwork.Simulation(input, output=tmp_path / "run", device="cpu")
    simulation.advance(30)
    before = simulation.positions
    with pytest.warns(beadwork.Remark, match="draws velocities") as said:
        simulation.set(temperature=310)
    assert said[0].filename == __file__
    assert np.allclose(simulation.positions, before, rtol=1e-6, atol=0)
    with pytest.raises(beadwork.Error, match="hold no velocities"):
        simulation.set(velocities=np.zeros((8, 3)))
    simulation.advance(30)
    simulation.finish(plots=False)
    again = repeated(program, simulation.segments[1] / "resolved.toml", tmp_path / "again")
    assert_same_rows(again.tables, simulation.tables)


# Each stage ends at its 20th step.
WARM = {"name": "warm", "steps": 1_000, "stop": "kinetic_energy > 0.001", "stop_every": 20}


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_stage_that_a_rule_ended_is_not_repeated() -> None:
    simulation = fluid()
    simulation.set(stages=[WARM, {"name": "after", "steps": 500}])
    assert simulation.advance(20) == "paused"
    simulation.set(temperature=0.5)
    assert simulation._now.stages == ["after"] and simulation._now.length == 500


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_members_that_rules_ended_make_no_more_rows() -> None:
    plain, observing = fluid(), fluid()
    observing.observe("centre", lambda positions: positions.mean(axis=1))
    for one in (plain, observing):
        one.set(stages=[WARM])
        # The last one is longer than the stage.
        for amount in (200, 100, 2_000):
            assert one.advance(amount) == "finished"
        assert one.steps.tolist() == [20]
    assert observing.observed["step"].tolist() == [0, 20]


def test_temporary_folders_go_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = ubiquitin()
        folder = simulation._inputs
        assert folder.is_dir()
        del simulation
        gc.collect()
    assert not folder.exists()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_stopped_piece_loses_no_row() -> None:
    simulation, totals = fluid(), []
    simulation.observe("centre", lambda positions: positions.mean(axis=1))
    assert simulation.advance(100, max_time=0) == "time-limit"
    assert simulation.step == 100 and simulation.steps.tolist() == [0]
    assert simulation.advance(0, progress=lambda settled, total, over: totals.append(total)) == "finished"
    assert simulation.observed["step"].tolist() == [0, 20, 40, 60, 80, 100]
    # Each piece counts with the whole.
    assert set(totals) == {100}


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_segment_keeps_its_length_until_the_next_one_has_begun(tmp_path: Path) -> None:
    simulation = fluid(output=tmp_path / "run")
    simulation.set(stages=[{"name": "long", "steps": 300}, {"name": "later", "steps": 40}])
    simulation.advance(100)
    taken = tmp_path / "run-segment-1" / "file"
    taken.parent.mkdir()
    taken.write_text("x", encoding="utf-8")
    simulation.set(temperature=0.5)
    with pytest.raises(beadwork.Error):
        simulation.advance(20)
    assert simulation._now.length == 240 and simulation.step == 0
    simulation.set(temperature=0.6)
    assert simulation._now.length == 240
    taken.unlink()
    taken.parent.rmdir()
    simulation.advance(20)
    assert "steps = 100\n" in (tmp_path / "run" / "resolved.toml").read_text(encoding="utf-8")
    with pytest.warns(beadwork.Remark, match='20 of the 240 .* without stage.s. "later"') as said:
        simulation.finish(plots=False)
    assert said[0].filename == __file__


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_failed_members_begin_no_segment() -> None:
    simulation = fluid()
    simulation.set(velocities=np.full((6, 3), 1e15))
    simulation.advance(20)
    assert simulation.statuses[0][0] == "failed"
    with pytest.raises(beadwork.Error, match=r"1 of 1 member.s. failed \(replica 0\)") as raised:
        simulation.set(temperature=0.5)
    assert raised.value.code == "run/steering"
    simulation.set(positions=trimers().positions, velocities=np.zeros((6, 3)))
    assert simulation.advance(20) == "finished" and simulation.statuses[0][0] == "finished"


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_members_that_differ_have_no_common_array_or_time() -> None:
    chains = {
        "system": {"model": "elastic-polymer", "monomers": 13},
        "sampling": {"temperature": 0.4},
        "output": {"table": {"every_sweeps": 50}},
    }
    # The sum is three times the first.
    sizes = beadwork.Simulation(chains, device="cpu", set={"ensemble.sweep": {"system.monomers": [20, 10, 30]}})
    sizes.advance(50)
    with pytest.raises(beadwork.Error, match="different numbers of beads"):
        _ = sizes.positions
    with pytest.raises(ValueError, match="different numbers of beads"):
        _ = sizes.beads
    with pytest.raises(beadwork.Error, match="sweep"):
        sizes.set(temperature=0.3)
    assert "different sizes" in repr(sizes)
    timesteps = fluid(set={"ensemble.sweep": {"dynamics.timestep": [0.005, 0.0025]}})
    timesteps.observe("centre", lambda positions: positions.mean(axis=1))
    with pytest.raises(beadwork.Error, match="different time steps"):
        timesteps.advance(0.1)
    timesteps.advance(20)
    with pytest.raises(ValueError, match="different time steps"):
        _ = timesteps.time
    assert np.isnan(timesteps.observed["time"]).all() and timesteps.observed["step"].tolist() == [0, 20]
