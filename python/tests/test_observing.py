"""Simulations that are observed and followed on their way: rows of members, failures, progress."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_simulations import fluid, ubiquitin

import beadwork


def assert_observed_where_tables_have_rows(simulation: beadwork.Simulation) -> None:
    observed = simulation.observed
    assert observed["step"].tolist() == sorted(set(simulation.tables["step"].tolist()))
    for member in range(simulation.members):
        steps = observed["step"][~np.isnan(observed["x"][:, member])]
        assert steps.tolist() == simulation.tables.of_member(member)["step"].tolist()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
@pytest.mark.parametrize("in_folder", [False, True])
def test_members_that_failed_or_ended_are_observed_no_more(tmp_path: Path, in_folder: bool) -> None:
    keywords: dict[str, Any] = {"set": {"ensemble.replicas": 3}}
    simulation = fluid(output=tmp_path / "run" if in_folder else None, **keywords)
    velocities = np.zeros((3, 6, 3))
    velocities[1] = 1e15
    simulation.set(velocities=velocities)
    simulation.observe("x", lambda positions: positions[:, 0, 0])
    simulation.advance(60)
    assert [status for status, _ in simulation.statuses] == ["finished", "failed", "finished"]
    assert simulation.observed["x"].shape == (4, 3)
    assert_observed_where_tables_have_rows(simulation)
    if in_folder:
        return
    # A rule ends each member at a step of its own, which need be none of a row.
    ended = fluid(**keywords)
    ended.set(stages=[{"name": "warm", "steps": 4_000, "stop": "kinetic_energy > 9", "stop_every": 1}])
    ended.observe("x", lambda positions: positions[:, 0, 0])
    assert ended.advance() == "finished"
    assert len(set(ended.steps.tolist())) > 1 and (ended.steps < 3_900).all()
    assert_observed_where_tables_have_rows(ended)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_what_is_called_on_the_way_changes_nothing() -> None:
    simulation = fluid()
    refused = []

    def steer(positions: np.ndarray) -> np.ndarray:
        calls: list[Any] = [
            lambda: simulation.advance(20),
            lambda: simulation.set(temperature=0.5),
            simulation.finish,
            lambda: simulation.observe("other", steer),
        ]
        for call in calls:
            with pytest.raises(beadwork.Error, match="when that call has returned") as raised:
                call()
            refused.append(raised.value.code)
        # It may read, and what it does to its array is seen by no other one.
        assert np.array_equal(simulation.positions, positions)
        positions += 1.0
        return positions[:, 0, 0] - simulation.positions[:, 0, 0]

    simulation.observe("steers", steer)
    simulation.observe("x", lambda positions: positions[:, 0, 0])
    assert simulation.advance(40) == "finished"
    assert refused == ["program/arguments"] * 12
    assert np.allclose(simulation.observed["steers"], 1.0)
    assert simulation.observed["x"][-1, 0] == simulation.positions[0, 0, 0]
    with pytest.raises(beadwork.Error, match="when that call has returned"):
        simulation.advance(20, progress=lambda settled, total, over: simulation.set(temperature=0.5))
    assert simulation.advance(0, progress=None) == "finished" and simulation.step == 60
    simulation.observe("x", lambda positions: positions[:, 0])
    with pytest.raises(ValueError, match=r"shape \(1, 3\), and had \(1,\)"):
        simulation.advance(20)


def test_nothing_begins_while_another_call_changes_a_simulation() -> None:
    simulation = fluid()
    calls: list[Any] = [
        lambda: simulation.advance(20),
        lambda: simulation.set(temperature=0.5),
        simulation.finish,
        lambda: simulation.observe("x", lambda positions: positions[:, 0, 0]),
    ]

    class Meanwhile:
        """Positions that another call asks for as they are read."""

        def __init__(self, call: Any) -> None:
            self.call = call

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            self.call()
            return simulation.positions

    for call in calls:
        with pytest.raises(beadwork.ArgumentError, match="being advanced or changed"):
            simulation.set(positions=Meanwhile(call))  # type: ignore[arg-type]
    assert simulation.step == 0 and not simulation._observations
    with simulation._alone():
        for call in calls:
            with pytest.raises(beadwork.ArgumentError, match="being advanced or changed"):
                call()
    assert simulation.advance(20) == "finished"


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_page_of_a_person_is_told_before_a_segment_is_cut(tmp_path: Path) -> None:
    simulation = fluid(output=tmp_path / "run")
    simulation.set(stages=[{"name": "long", "steps": 300}])
    simulation.advance(100)
    page = tmp_path / "run" / "report.html"
    page.write_text("<p>mine", encoding="utf-8")
    with pytest.raises(beadwork.Error, match="report.html") as raised:
        simulation.finish()
    assert raised.value.code == "run/foreign-file"
    assert simulation._now.length == 300 and page.read_text(encoding="utf-8") == "<p>mine"
    simulation.finish(plots=False)
    assert simulation._now.length == 100


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_segment_that_never_began_leaves_no_row(tmp_path: Path) -> None:
    taken = tmp_path / "run" / "file"
    taken.parent.mkdir()
    taken.write_text("x", encoding="utf-8")
    simulation = fluid(output=tmp_path / "run")
    simulation.observe("x", lambda positions: positions[:, 0, 0])
    with pytest.raises(beadwork.Error):
        simulation.advance(20)
    moved = simulation.positions + 1.0
    simulation.set(positions=moved)
    taken.unlink()
    taken.parent.rmdir()
    simulation.advance(20)
    assert simulation.observed["step"].tolist() == [0, 20]
    assert simulation.observed["x"][0, 0] == pytest.approx(moved[0, 0, 0], abs=1e-12)


def test_a_failure_is_said_once() -> None:
    simulation = fluid(set={"ensemble.replicas": 13})
    velocities = np.full((13, 6, 3), 1e15)
    velocities[0] = 0.0
    simulation.set(velocities=velocities)
    simulation.observe("x", lambda positions: positions[:, 0, 0])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for amount in (100, 40):
            assert simulation.advance(amount) == "finished"
    assert [status for status, _ in simulation.statuses] == ["finished"] + ["failed"] * 12
    texts = [str(one.message) for one in said]
    assert len(texts) == len(set(texts))
    assert sum(text.startswith("failed: ") for text in texts) == 10
    assert "note: 2 more like the last one" in texts
    assert all(one.filename == __file__ for one in said)


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_columns_stay_where_all_members_failed(tmp_path: Path) -> None:
    for output in (None, tmp_path / "run"):
        simulation = ubiquitin(output=output)
        names = simulation.values.columns
        # All bonds are broken, so that nothing can be measured.
        simulation.set(positions=10.0 * simulation.positions)
        assert simulation.advance(20) == "finished" and simulation.statuses[0][0] == "failed"
        for table in (simulation.values, simulation.tables):
            assert table.columns == names
            assert table.rows == 0 and table["extension_nm"].shape == (0,)
            assert table.of_member(0).rows == 0


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_progress_counts_what_was_asked_for() -> None:
    simulation = fluid(set={"ensemble.replicas": 2})
    minimise = {"name": "rest", "minimise": {"steps": 300, "tolerance": 1e-9}}
    simulation.set(stages=[minimise, {"name": "later", "steps": 1_000}])
    simulation.observe("x", lambda positions: positions[:, 0, 0])
    seen: list[tuple[int, int, int]] = []
    for amount in (100, 60):
        simulation.advance(amount, progress=lambda *told: seen.append(told))
    assert {total for _, total, _ in seen} == {2 * (300 + 100), 2 * (300 + 160)}
    settled = [settled for settled, _, _ in seen]
    assert settled == sorted(settled) and settled[-1] == 2 * (300 + 160)
