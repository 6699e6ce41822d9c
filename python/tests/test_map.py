"""Many inputs: their folders, their bytes, and what is asked of a client of Dask."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import SHORT, UBIQUITIN, results

import beadwork

# The structure lies in the current folder.
AS_DICT: dict[str, Any] = {
    "system": {"model": "sop", "structure": {"file": "1UBQ.pdb", "chains": "A"}},
    "dynamics": {"temperature": "300 K", "friction": "8.685e6 pN ps/nm", "timestep": "80 ps"},
    "stage": [{"name": "stay", "steps": 2000}],
    "output": {"table": {"every_steps": 200}},
}


class Future:
    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work

    def exception(self) -> BaseException | None:
        try:
            self.work()
        except Exception as error:
            return error
        return None


class Client:
    """Does the work of a client in another folder, when its result is asked for."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch, self.begun = folder, monkeypatch, 0

    def map(self, work: Callable[..., Any], *lists: Iterable[Any], pure: bool) -> list[Future]:
        assert not pure

        def elsewhere(arguments: tuple[Any, ...]) -> Any:
            self.begun += 1
            with self.monkeypatch.context() as patched:
                patched.chdir(self.folder)
                return work(*arguments)

        return [Future(lambda arguments=arguments: elsewhere(arguments)) for arguments in zip(*lists)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(UBIQUITIN.parent / "1UBQ.pdb", tmp_path)
    shutil.copy(UBIQUITIN, tmp_path / "pull.toml")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_inputs_are_run_in_folders_of_their_own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [AS_DICT, {**AS_DICT, "random": {"seed": 7}}]
    here = beadwork.map(inputs, output="here", device="cpu")
    assert [run.folders for run in here] == [[place / "here" / "0000"], [place / "here" / "0001"]]
    client = Client(place / "elsewhere", monkeypatch)
    there = beadwork.map(inputs, output="there", client=client, device="cpu")
    assert client.begun == 2
    for one, other in zip(here, there):
        assert results(one.folders[0]) == results(other.folders[0])
    assert results(here[0].folders[0]) != results(here[1].folders[0])

    # A second call reads what has finished, and files are found from anywhere.
    files = beadwork.map(["pull.toml"], output="files", client=client, set=SHORT, device="cpu")
    again = beadwork.map(["pull.toml"], output="files", client=client, set=SHORT, device="cpu")
    assert files[0].ending == again[0].ending == "finished"


def test_the_first_error_is_raised_when_all_have_ended(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**AS_DICT, "dynamics": {"temprature": "310 K"}}
    client = Client(place / "elsewhere", monkeypatch)
    with pytest.raises(beadwork.Error) as raised:
        beadwork.map([wrong, AS_DICT], output="runs", client=client, device="cpu")
    assert raised.value.code == "input/unknown-key"
    assert beadwork.open("runs/0001").ending == "finished"
