"""The blocks of Python in the book's chapter run as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import REPOSITORY, UBIQUITIN

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
