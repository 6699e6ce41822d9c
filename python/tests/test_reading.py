"""Tables, frames, answers and what is drawn of them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SHORT, UBIQUITIN

import beadwork


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> beadwork.Run:
    folder = tmp_path_factory.mktemp("runs") / "<b>ubiquitin"
    return beadwork.run(UBIQUITIN, output=folder, set=SHORT, device="cpu", plots=False)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> beadwork.Run:
    folder = tmp_path_factory.mktemp("runs") / "sweep"
    settings = {**SHORT, "ensemble.sweep": {"pull.speed": ["100 um/s", "150 um/s"]}}
    return beadwork.run(UBIQUITIN, output=folder, set=settings, device="cpu", plots=False)


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_are_those_of_the_files(run: beadwork.Run) -> None:
    table = run.tables
    files = [rows_of(run.folder / "tables" / f"member-{number:04}.csv") for number in range(2)]
    assert table.columns == ["member", *files[0][0]]
    assert table.rows == len(files[0]) + len(files[1]) > 100
    rows = files[0] + files[1]
    for name in files[0][0]:
        texts = [row[name] for row in rows]
        if name == "stage":
            assert table[name].tolist() == texts
        elif name == "step":
            assert table[name].dtype == np.int64 and table[name].tolist() == [int(text) for text in texts]
        else:
            numbers = np.array([float(text or "nan") for text in texts])
            assert table[name].dtype == np.float64 and np.array_equal(table[name], numbers, equal_nan=True)
    assert table["member"].tolist() == [0] * len(files[0]) + [1] * len(files[1])
    assert (table.units["time_ns"], table.units["extension_nm"], table.units["step"]) == ("ns", "nm", "")
    assert table.units["bond_energy_kcal_per_mol"] == "kcal/mol"
    assert all(name.endswith(f"_{unit}") for name, unit in table.units.items() if unit.isalnum())
    one = run.table(1)
    assert np.array_equal(one["extension_nm"], table.of_member(1)["extension_nm"])
    assert set(table.of_stage("pull")["stage"]) == {"pull"}
    with pytest.raises(KeyError, match="extension_nm"):
        table["extension"]
    with pytest.raises(beadwork.Error, match="no member 9"):
        run.table(9)
    with pytest.raises(beadwork.ArgumentError, match="member is -1"):
        run.table(-1)
    with pytest.raises(beadwork.ArgumentError, match="the stages are equilibrate, pull"):
        table.of_stage("nope")
    with pytest.raises(ValueError, match="read-only"):
        run.frames[0].positions[:] = 0.0


def test_tables_to_pandas(run: beadwork.Run, sweep: beadwork.Run) -> None:
    pandas = pytest.importorskip("pandas")
    frame = run.tables.to_pandas()
    assert list(frame.columns) == run.tables.columns
    assert frame.shape[0] == run.tables.rows
    assert frame.attrs["units"]["force_pN"] == "pN"
    assert list(frame["stage"].cat.categories) == ["equilibrate", "pull"]
    means = frame.groupby(["member", "stage"], observed=True)["extension_nm"].mean()
    assert means.loc[(0, "pull")] == pytest.approx(run.table(0).of_stage("pull")["extension_nm"].mean())
    swept = sweep.tables.to_pandas()
    assert isinstance(swept["pull.speed"].dtype, pandas.CategoricalDtype)
    speeds = swept.groupby("member")["pull.speed"].agg(lambda speeds: set(speeds).pop())
    assert speeds.tolist() == [member.settings["pull.speed"] for member in sweep.members]
    assert speeds.tolist() == ["100 um/s", "100 um/s", "150 um/s", "150 um/s"]


def test_frames_are_those_of_the_files_in_nanometres(run: beadwork.Run) -> None:
    frames = run.frames
    beads = run._folder.beads[0]
    listed = [rows_of(run.folder / "tables" / f"member-{number:04}-frames.csv") for number in range(2)]
    assert len(frames) == 2 and frames.unit == "nm"
    assert frames.counts.tolist() == [len(rows) for rows in listed]
    assert len(frames[0]) >= 10
    array = frames.array()
    assert array.dtype == np.float32 and array.shape == (2, len(listed[0]), beads, 3)
    assert frames.boxes is None and frames[0].box is None
    for number, rows in enumerate(listed):
        one = frames[number]
        assert np.array_equal(one.positions, array[number])
        assert one.steps.tolist() == [int(row["step"]) for row in rows]
        assert one.times.tolist() == [float(row["time_ns"]) for row in rows]
        assert one.stages.tolist() == [row["stage"] for row in rows]
        # The extension is the distance of the last bead from the first; files have 0.001 nm along each axis.
        table = run.table(number)
        extension = dict(zip(table["step"].tolist(), table["extension_nm"].tolist(), strict=True))
        ends = np.linalg.norm(one.positions[:, -1].astype(float) - one.positions[:, 0], axis=1)
        compared = [
            (found, extension[step]) for found, step in zip(ends, one.steps.tolist(), strict=True) if step in extension
        ]
        assert len(compared) >= 10
        for found, known in compared:
            assert found == pytest.approx(known, abs=2e-3)


def test_members_points_and_records(sweep: beadwork.Run) -> None:
    assert [(one.number, one.point, one.replica) for one in sweep.members] == [
        (0, 0, 0),
        (1, 0, 1),
        (2, 1, 0),
        (3, 1, 1),
    ]
    assert {one.status for one in sweep.members} == {"finished"}
    assert sweep.points == [{"pull.speed": "100 um/s"}, {"pull.speed": "150 um/s"}]
    assert sweep.records[0]["seed"] == 20101 and sweep.ending == "finished"
    assert [group.settings for group in sweep.answer.groups[:2]] == sweep.points


def test_the_answer_is_that_of_the_summary(run: beadwork.Run) -> None:
    import json

    written = json.loads((run.folder / "summary.json").read_text(encoding="utf-8"))
    assert run.answer.data == written
    values = written["groups"][0]["values"]
    assert [value.name for value in run.answer.values] == [value["name"] for value in values]
    for value, known in zip(run.answer.values, values, strict=True):
        assert (value.value, value.error, value.unit) == (known.get("value"), known.get("error"), known.get("unit", ""))
    name = values[0]["name"]
    assert run.answer[name] is run.answer.groups[0][name]
    with pytest.raises(KeyError, match=name):
        run.answer["nothing"]
    codes = [finding["code"] for finding in written["groups"][0].get("findings", [])]
    assert [finding.code for finding in run.answer.groups[0].findings] == codes


def test_a_list_of_figures_is_no_answer(run: beadwork.Run, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(run.folder, tmp_path / "copy"))
    (folder / "summary.json").write_text('{"format": 1, "groups": []}', encoding="utf-8")
    names = [value.name for value in beadwork.open(folder).answer.values]
    assert names == [value.name for value in run.answer.values]


def test_html_is_escaped(run: beadwork.Run) -> None:
    text = run._repr_html_()
    assert "<b>" not in text and "&lt;b&gt;ubiquitin" in text
    assert "2 finished" in text and "seed 20101" in text
    assert run.answer._repr_html_().count("<tr>") >= 1


def test_damage_is_told(tmp_path: Path) -> None:
    run = beadwork.run(UBIQUITIN, output=tmp_path / "run", set=SHORT, device="cpu", plots=False)
    (run.folder / "summary.json").unlink()
    table = run.folder / "tables" / "member-0000.csv"
    table.write_bytes(table.read_bytes()[:500])
    damaged = beadwork.open(run.folder)
    assert "io/" in damaged._repr_html_()
    for read in (lambda: damaged.answer, lambda: damaged.tables):
        with pytest.raises(beadwork.Error, match="member-0000.csv") as raised:
            read()
        assert raised.value.code.startswith("io/") and raised.value.exit_code == 2
    checkpoint = sorted((run.folder / "checkpoints").iterdir())[0]
    checkpoint.write_bytes(b"no checkpoint")
    with_message = [(member.status, member.message) for member in beadwork.open(run.folder).members]
    assert [status for status, _ in with_message] == ["damaged", "finished"]
    assert checkpoint.name in with_message[0][1] and with_message[1][1] == ""
    assert "1 damaged, 1 finished" in beadwork.open(run.folder)._repr_html_()
    trajectory = run.folder / "trajectories" / "member-0001.xtc"
    trajectory.write_bytes(trajectory.read_bytes()[:-2000])
    with pytest.raises(beadwork.Error, match="member-0001.xtc"):
        _ = damaged.frames[1].positions
    assert len(damaged.frames[0].positions) == len(damaged.frames[0])


def test_plots(run: beadwork.Run) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = run.plot()
    assert len(axes.get_lines()) == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time / ns", "extension / nm")
    table = run.table(1)
    assert np.array_equal(axes.get_lines()[1].get_ydata(), table["extension_nm"])
    energy = run.plot("bond_energy_kcal_per_mol").get_ylabel()
    assert (energy, run.plot("work_pN_nm").get_ylabel()) == ("bond energy / (kcal/mol)", "work / (pN nm)")
    again = run.plot("force_pN", "extension_nm", members=[1], stage="pull", ax=axes, color="k")
    assert again is axes and len(axes.get_lines()) == 3
    assert np.array_equal(axes.get_lines()[2].get_xdata(), table.of_stage("pull")["extension_nm"])


def test_a_universe_has_the_frames(run: beadwork.Run) -> None:
    pytest.importorskip("MDAnalysis")
    universe = run.universe(1)
    frames = run.frames[1]
    assert len(universe.trajectory) == len(frames)
    assert len(universe.atoms) == frames.positions.shape[1]
    assert len(universe.bonds) > 0
    for frame, positions in zip(universe.trajectory, frames.positions, strict=True):
        np.testing.assert_allclose(frame.positions, 10.0 * positions, atol=1e-4)


# A few beads of a DPD fluid in a box, in reduced units.
FLUID: dict[str, Any] = {
    "system": {
        "model": "beads",
        "units": "reduced",
        "box": [4, 4, 5],
        "build": {"molecule": "A4", "count": 60},
        "bonds": [{"kind": "harmonic", "stiffness": 4.0, "length": 0.0}],
        "pairs": [{"kind": "dpd", "repulsion": 25.0, "cutoff": 1.0, "friction": 4.5}],
        "exclude": 0,
    },
    "dynamics": {"integrator": "velocity-verlet", "temperature": 1.0, "timestep": 0.04},
    "stage": [{"name": "sample", "steps": 400}],
    "ensemble": {"replicas": 2},
    "random": {"seed": 3},
    "output": {"table": {"every_steps": 50}, "trajectory": {"every_steps": 100, "format": "dcd"}},
}


def test_boxes_of_beads_in_reduced_units(tmp_path: Path) -> None:
    settings = {"output.trajectory.format": "gsd"}
    dcd = beadwork.run(FLUID, output=tmp_path / "dcd", device="cpu", plots=False)
    gsd = beadwork.run(FLUID, output=tmp_path / "gsd", set=settings, device="cpu", plots=False)
    array = dcd.frames.array()
    assert array.shape == (2, 5, 240, 3) and dcd.frames.unit == ""
    np.testing.assert_allclose(gsd.frames.array(), array, atol=1e-5)
    assert dcd.frames.boxes is not None and dcd.frames.boxes.tolist() == [[4, 4, 5], [4, 4, 5]]
    assert dcd.frames[0].times == pytest.approx([0, 4, 8, 12, 16])
    # The last frame is the final configuration, whose file wraps positions into the box.
    lines = (dcd.folder / "final" / "replica-1.xyz").read_text(encoding="utf-8").splitlines()[2:]
    final = np.array([[float(word) for word in line.split()[1:4]] for line in lines])
    sides = dcd.frames.boxes[1]
    apart = final - array[1, -1]
    np.testing.assert_allclose(apart - sides * np.round(apart / sides), 0, atol=1e-4)
    assert set(dcd.tables.units.values()) == {""}


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_chains_have_sweeps_and_rungs(tmp_path: Path) -> None:
    polymer = UBIQUITIN.parents[1] / "03-elastic-polymer" / "polymer.toml"
    settings = {
        "equilibrate.sweeps": 1000,
        "sample.sweeps": 2000,
        "exchange.ladders": 1,
        "output.trajectory.every_sweeps": 1000,
    }
    run = beadwork.run(polymer, output=tmp_path / "run", set=settings, device="cpu", plots=False)
    table = run.tables
    assert {"sweep", "rung", "temperature"} <= set(table.columns) and "step" not in table
    assert table["sweep"].dtype == table["rung"].dtype == np.int64
    assert set(table["rung"]) == set(range(16))
    assert run.frames[3].times.tolist() == [0, 1000, 2000, 3000]
    assert run.frames.array().shape == (16, 4, 13, 3)
