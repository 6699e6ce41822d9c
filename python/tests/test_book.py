"""The blocks of Python in the book's chapter run as they stand."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, UBIQUITIN

import beadwork

# What makes the example short.
SHORTER = {'"42 us"': '"640 ns"', '"1 us"': '"160 ns"', "replicas = 16": "replicas = 2", '"100 ns"': '"80 ns"'}


def test_the_chapter_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = UBIQUITIN.read_text(encoding="utf-8")
    for long, short in SHORTER.items():
        assert text.count(long) == 1, long
        text = text.replace(long, short)
    (tmp_path / "protein.toml").write_text(text, encoding="utf-8")
    shutil.copy(UBIQUITIN.parent / "1UBQ.pdb", tmp_path)
    monkeypatch.chdir(tmp_path)
    chapter = (REPOSITORY / "docs" / "src" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert "Duration" in capsys.readouterr().out
    assert "runs/slow" in repr(names["run"])


def signature(function: Any) -> str:
    """A signature without types."""
    found = inspect.signature(function)
    plain = [one.replace(annotation=one.empty) for one in found.parameters.values() if one.name != "self"]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def test_the_chapter_has_the_signatures() -> None:
    owners: dict[str, Any] = {
        "beadwork": beadwork,
        "analysis": beadwork.analysis,
        "run": beadwork.Run,
        "simulation": beadwork.Simulation,
    }
    chapter = (REPOSITORY / "docs" / "src" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```text\n((?:\w+\.\w+\(.*\)\n)+)```$", chapter, re.MULTILINE)
    written = [line.partition("(") for block in blocks for line in block.splitlines()]
    for name, bracket, words in written:
        owner, _, function = name.partition(".")
        assert bracket + words == signature(getattr(owners[owner], function)), name
    public = [f"analysis.{name}" for name in beadwork.analysis.__all__]
    functions = {name for name in public if inspect.isfunction(getattr(beadwork.analysis, name[9:]))}
    assert functions <= {name for name, _, _ in written}
