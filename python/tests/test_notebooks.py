"""Notebooks are clean, and the book's chapters show what they say. `validation/notebooks/measure` runs them."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["disordered-proteins", "dpd-melt", "protein-pulled"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_no_outputs_and_its_chapter_has_its_cells(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
    for code in codes:
        ast.parse(code)
    chapter = (REPOSITORY / "docs" / "src" / f"notebook-{path.stem}.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)
    assert [code.rstrip() for code in shown] == [code.rstrip() for code in codes]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            assert all(line in chapter for line in "".join(cell["source"]).splitlines())
