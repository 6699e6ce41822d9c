"""Runs: the bits of the program, interruptions, errors."""

from __future__ import annotations

import datetime
import multiprocessing
import os
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import SHORT, UBIQUITIN, as_options, results

import beadwork

# Long enough that a run is still going on when it is stopped after its first steps.
LONG = {**SHORT, "pull.duration": "8 us"}


def run(folder: Path, settings: dict[str, Any] = SHORT, **keywords: Any) -> beadwork.Run:
    return beadwork.run(UBIQUITIN, output=folder, set=settings, device="cpu", plots=False, **keywords)


def test_a_run_has_the_bytes_of_the_program(tmp_path: Path, program: Any) -> None:
    made = run(tmp_path / "python")
    program(
        "run",
        UBIQUITIN,
        *as_options(SHORT),
        "--output",
        tmp_path / "program",
        "--device",
        "cpu",
        "--quiet",
        "--no-plots",
    )
    ours, theirs = results(tmp_path / "python"), results(tmp_path / "program")
    assert len([name for name in ours if name.startswith("tables/")]) == 4
    assert ours == theirs
    assert made.ending == "finished"
    assert str(made.answer) == (tmp_path / "program" / "summary.txt").read_text(encoding="utf-8")
    log = (tmp_path / "python" / "log.txt").read_text(encoding="utf-8")
    assert "command: beadwork.run(" in log and "finished:" in log


def test_a_signal_stops_with_checkpoints_and_the_same_bytes_follow(tmp_path: Path, program: Any) -> None:
    def interrupt(settled: int, total: int, over: int) -> None:
        if settled > 0:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as raised:
        run(tmp_path / "stopped", LONG, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is handler
    notes = getattr(raised.value, "__notes__", ["beadwork.resume"])
    assert "beadwork.resume" in notes[0]

    stopped = beadwork.open(tmp_path / "stopped")
    assert stopped.ending == "interrupted"
    assert {member.status for member in stopped.members} <= {"not begun", "stopped", "finished"}
    assert any(member.status == "stopped" for member in stopped.members)
    assert any(finding.code == "unfinished" for finding in stopped.answer.findings)
    assert "unfinished" in stopped._repr_html_()

    with pytest.raises(beadwork.Error) as refused:
        run(tmp_path / "stopped", LONG)
    assert refused.value.exit_code == 2
    went_on = run(tmp_path / "stopped", LONG, resume=True)
    assert went_on.ending == "finished"
    program(
        "run", UBIQUITIN, *as_options(LONG), "--output", tmp_path / "whole", "--device", "cpu", "--quiet", "--no-plots"
    )
    assert results(tmp_path / "stopped") == results(tmp_path / "whole")


def test_one_begins_and_the_other_goes_on(tmp_path: Path, program: Any) -> None:
    run(tmp_path / "whole")
    limited = run(tmp_path / "python", max_time=datetime.timedelta(0))
    assert limited.ending == "time-limit"
    program("resume", tmp_path / "python", "--quiet", "--no-plots")
    options = [*as_options(SHORT), "--device", "cpu", "--max-time", "0s", "--quiet", "--no-plots"]
    program("run", UBIQUITIN, *options, "--output", tmp_path / "program", expected=5)
    went_on = beadwork.resume(tmp_path / "program", plots=False)
    assert went_on.ending == "finished"
    assert results(tmp_path / "whole") == results(tmp_path / "python") == results(tmp_path / "program")


def test_other_threads_go_on_and_an_exception_of_the_callback_stops_a_run(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    is_enough, raised, endings = threading.Event(), [], set()

    def listen(settled: int, total: int, over: int) -> None:
        assert 0 <= settled <= total and over <= 2
        # A run can be read while it goes on.
        seen = beadwork.open(tmp_path / "run")
        endings.add(seen.ending)
        assert seen.tables.rows >= 0 and len(seen.frames) == 2
        statuses = {member.status for member in seen.members}
        assert statuses <= {"not begun", "running", "finished"}
        # What has steps has begun, before its first checkpoint too.
        assert settled == 0 or statuses != {"not begun"}
        if is_enough.is_set():
            raise Enough

    def work() -> None:
        try:
            run(tmp_path / "run", LONG, progress=listen)
        except Enough as error:
            raised.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive() and not (tmp_path / "run" / "run.json").exists():
        pass
    is_enough.set()
    worker.join()
    assert len(raised) == 1
    assert endings == {"running"}
    assert beadwork.open(tmp_path / "run").ending == "interrupted"


def test_a_page_of_a_person_is_told_before_the_first_step(tmp_path: Path) -> None:
    stopped = run(tmp_path / "run", max_time=0)
    page = stopped.folder / "report.html"
    page.write_text("<p>mine", encoding="utf-8")
    statuses = [member.status for member in stopped.members]
    assert "finished" not in statuses
    with pytest.raises(beadwork.Error, match="report.html") as raised:
        beadwork.resume(stopped.folder)
    assert (raised.value.code, raised.value.exit_code) == ("run/foreign-file", 2)
    assert [member.status for member in beadwork.open(stopped.folder).members] == statuses
    assert beadwork.resume(stopped.folder, plots=False).ending == "finished"
    assert page.read_text(encoding="utf-8") == "<p>mine"


def test_a_wrong_key_raises_its_code_and_place(tmp_path: Path) -> None:
    with pytest.raises(beadwork.Error, match="did you mean `temperature`") as raised:
        run(tmp_path / "run", {"dynamics.temprature": "310 K"})
    error = raised.value
    assert (error.code, error.exit_code) == ("input/unknown-key", 2)
    assert error.where == beadwork.Where("--set", 1, 1, "dynamics.temprature = 310 K")
    assert not (tmp_path / "run").exists()
    with pytest.raises(beadwork.Error) as raised:
        beadwork.check({"system": {"model": "oscillators", "particels": 3}, "stage": [{"duration": "1 us"}]})
    assert raised.value.code == "input/unknown-key"
    assert raised.value.where == beadwork.Where("run.toml", 3, 1, "particels = 3")
    assert "run.toml, line 3, column 1: particels = 3" in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.code, again.where, str(again)) == ("input/unknown-key", raised.value.where, str(raised.value))


def test_progress_is_shown_where_tqdm_is_installed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    run(tmp_path / "run", progress=True)
    assert "2 members done" in capfd.readouterr().err


@pytest.mark.parametrize(
    "keywords",
    [{"device": "tpu"}, {"threads": 0}, {"max_time": "soon"}, {"replicas": "1..9"}],
)
def test_arguments_that_make_no_sense_are_refused(tmp_path: Path, keywords: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"output": tmp_path / "run", "set": SHORT, **keywords}
    with pytest.raises(beadwork.Error) as raised:
        beadwork.run(UBIQUITIN, **arguments)
    assert raised.value.code in ("program/arguments", "run/part")
    assert raised.value.exit_code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_members_that_fail_say_why(tmp_path: Path) -> None:
    # The time step is too long for such a friction, so a bond breaks.
    settings = {**SHORT, "dynamics.friction": "7.0e5 pN ps/nm"}
    with pytest.warns(beadwork.Remark, match="failed: replica 0"):
        failed = run(tmp_path / "run", settings)
    assert [member.status for member in failed.members] == ["failed", "failed"]
    assert "bond" in failed.members[0].message and failed.ending == "finished"
    assert "failed" in [finding.code for finding in failed.answer.all_findings]


def check_in_child(path: str) -> int:
    return int(beadwork.check(path, set=SHORT)["members"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_are_refused_and_others_work() -> None:
    assert check_in_child(str(UBIQUITIN)) == 2
    contexts = multiprocessing.get_all_start_methods()
    if "fork" in contexts:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            with pytest.raises(beadwork.Error, match="forked") as raised:
                pool.map(check_in_child, [str(UBIQUITIN)])
            assert (raised.value.code, raised.value.exit_code) == ("program/environment", 2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(check_in_child, [str(UBIQUITIN)]) == [2]


def test_another_input_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    run(tmp_path / "run", max_time=0)
    with pytest.raises(beadwork.Error, match="run of another input") as raised:
        run(tmp_path / "run", {**SHORT, "random.seed": 7}, resume=True)
    assert raised.value.code == "run/other-run"
    with pytest.raises(beadwork.Error) as raised:
        beadwork.open(tmp_path)
    assert raised.value.exit_code == 2


def test_parts_count_as_one_run(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole")
    for number in range(2):
        run(tmp_path / f"part-{number}", replicas=f"{number}..{number + 1}")
    parts = beadwork.open(tmp_path / "part-0", tmp_path / "part-1")
    assert [member.number for member in parts.members] == [0, 1]
    assert (parts.tables["extension_nm"] == whole.tables["extension_nm"]).all()
    assert (parts.frames.array() == whole.frames.array()).all()
    assert [str(value) for value in parts.answer.values] == [str(value) for value in whole.answer.values]
    with pytest.raises(beadwork.Error, match="different runs"):
        beadwork.open(tmp_path / "whole", tmp_path / "part-0")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: beadwork.run(None), "the input is None"),
        (lambda: beadwork.run([]), r"the input is \[\]"),
        (lambda: run(Path("unmade"), threads=-1), "threads is -1: give a whole number from 1 to 65535"),
        (lambda: run(Path("unmade"), threads=2**70), "threads is 11805"),
        (lambda: run(Path("unmade"), threads="4"), "threads is '4'"),
        (lambda: run(Path("unmade"), replicas=4), r"replicas is 4: give a text such as '100\.\.200'"),
        (lambda: run(Path("unmade"), resume=1), "resume is 1"),
        (lambda: run(Path("unmade"), from_start=True), "needs resume=True"),
        (lambda: run(Path("unmade"), progress=3), "progress is 3: give True, False or a function"),
        (lambda: run(Path("unmade"), max_time=[]), r"max_time is \[\]"),
        (lambda: run(Path("unmade"), ["a=1"]), "set is"),  # type: ignore[arg-type]
        (lambda: run(Path("unmade"), {3: 1}), "set has the key 3"),  # type: ignore[dict-item]
        (lambda: beadwork.check(UBIQUITIN, device=0), "device is 0"),  # type: ignore[arg-type]
        (lambda: beadwork.resume(None), "folder is None"),  # type: ignore[arg-type]
        (lambda: beadwork.open([]), r"folder is \[\]"),  # type: ignore[arg-type]
        (lambda: beadwork.map("a.toml", output="unmade"), "inputs is 'a.toml'"),
        (lambda: beadwork.read(UBIQUITIN, frame=2**70), "frame is 11805"),
        (lambda: beadwork.read(UBIQUITIN, frame=1.5), "frame is 1.5"),  # type: ignore[arg-type]
        (lambda: beadwork.read(UBIQUITIN, frame="last"), "frame is 'last': give a whole number$"),  # type: ignore[arg-type]
        (lambda: beadwork.read(None), "path is None"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_other_kinds_are_refused_in_words(call: Any, why: str) -> None:
    with pytest.raises(beadwork.ArgumentError, match=why):
        call()
    assert not Path("unmade").exists()
