"""Inputs of Python values, and `check`."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SHORT, UBIQUITIN, as_options

import beadwork
from beadwork import _input

OSCILLATORS: dict[str, Any] = {
    "system": {"model": "oscillators", "particles": 8},
    "stage": [{"duration": "80 ns"}],
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (1e-5, "1e-05"),
        ("2.5 um/s", '"2.5 um/s"'),
        ('a "b" \\ \n', '"a \\"b\\" \\\\ \\n"'),
        ("\x7f", '"\\u007f"'),
        ([1, [2.5, "x"]], '[1, [2.5, "x"]]'),
        ({"a": 1, "b c": {"d": []}}, '{ a = 1, "b c" = { d = [] } }'),
        (np.float64(0.1), "0.1"),
        (np.arange(3), "[0, 1, 2]"),
        (Path("a") / "b.pdb", '"a/b.pdb"'),
    ],
)
def test_values_are_written_as_toml(value: Any, text: str) -> None:
    assert _input.inline(value) == text


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is in Python 3.11")
def test_what_is_written_reads_back() -> None:
    import tomllib

    document = {
        "title": "é\t\x1f",
        "system": {"model": "sop", "structure": {"file": "x.pdb", "chains": "A"}},
        "stage": [{"name": "a", "drives": [{"kind": "spring"}]}, {"name": "b"}],
        "ensemble": {"sweep": {"pull.speed": ["1 um/s", "2 um/s"], "a.b": [1, 2]}},
    }
    read = tomllib.loads(_input.toml(document))
    assert read == document
    # The order of a sweep is that of its points.
    assert list(read["ensemble"]["sweep"]) == ["pull.speed", "a.b"]


def test_what_no_input_has_is_refused() -> None:
    with pytest.raises(beadwork.ArgumentError, match="NoneType"):
        _input.toml({"system": {"model": None}})
    with pytest.raises(beadwork.ArgumentError, match="keys"):
        _input.toml({"system": {1: "a"}})
    with pytest.raises(ValueError, match="max_time"):
        _input.max_time(-1)


def test_check_says_what_the_program_says(program: Any) -> None:
    explained = beadwork.check(UBIQUITIN, set=SHORT, device="cpu", threads=1)
    options = [*as_options(SHORT), "--device", "cpu", "--threads", "1"]
    said = json.loads(program("check", UBIQUITIN, *options, "--json"))
    # What is measured differs from time to time.
    measured = {"estimated_seconds", "estimated_steps_per_second"}
    assert explained.data.keys() == said.keys() >= measured

    def fixed(data: dict[str, Any]) -> dict[str, Any]:
        points = [{**point, "estimated_core_seconds": 0} for point in data["points"]]
        output = {**data["output"], "free_bytes": 0}
        return {key: value for key, value in data.items() if key not in measured} | {"points": points, "output": output}

    assert fixed(explained.data) == fixed(said)
    words = program("check", UBIQUITIN, *options)
    without_duration = [line for line in words.splitlines() if not line.startswith("Duration")]
    assert [line for line in str(explained).splitlines() if not line.startswith("Duration")] == without_duration
    assert explained["members"] == 2
    assert "<pre>" in explained._repr_html_()


@pytest.mark.filterwarnings("ignore::beadwork.Remark")
def test_a_dict_runs_like_a_file(tmp_path: Path) -> None:
    path = tmp_path / "input.toml"
    path.write_text(_input.toml(OSCILLATORS), encoding="utf-8")
    settings = {"random.seed": 5, "ensemble.replicas": np.int64(2)}
    of_dict = beadwork.run(OSCILLATORS, output=tmp_path / "dict", set=settings, plots=False)
    of_file = beadwork.run(path, output=tmp_path / "file", set=settings, plots=False)
    assert (tmp_path / "dict" / "input.toml").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
    assert len(of_dict.members) == 2
    for name, column in of_dict.tables.items():
        assert np.array_equal(column, of_file.tables[name], equal_nan=column.dtype == float), name


def test_warnings_are_remarks(tmp_path: Path) -> None:
    with pytest.warns(beadwork.Remark, match="nothing acts between the beads") as said:
        beadwork.run(OSCILLATORS, output=tmp_path / "said", plots=False)
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(beadwork.Remark, match="nothing acts"):
            beadwork.run(OSCILLATORS, output=tmp_path / "raised", plots=False)
