"""The written types are those of the compiled half."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_stubs_are_those_of_the_compiled_half(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "beadwork._beadwork"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_the_types_that_it_says() -> None:
    pytest.importorskip("mypy")
    python = Path(__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "python/beadwork"]
    done = subprocess.run(command, cwd=python, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
