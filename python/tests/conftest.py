"""What the tests share: short inputs, and the program that they compare with."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
UBIQUITIN = REPOSITORY / "examples" / "01-ubiquitin" / "ubiquitin.toml"

# A few thousand steps of two replicas.
SHORT: dict[str, Any] = {
    "equilibrate.duration": "160 ns",
    "pull.duration": "640 ns",
    "ensemble.replicas": 2,
    "output.trajectory.every": "80 ns",
}


def program_path() -> Path | None:
    """The program: `$BEADWORK_PROGRAM`, that of a debug build beside the sources, or the one on the path."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    named = os.environ.get("BEADWORK_PROGRAM")
    places = [Path(named)] if named else [target / "debug" / "beadwork", Path(shutil.which("beadwork") or "")]
    return next((place for place in places if place.is_file()), None)


@pytest.fixture
def program() -> Any:
    """Calls the program; returns its standard output. Fails if its exit code is another than `expected`."""
    path = program_path()
    if path is None:
        pytest.skip("no program: cargo build, or name it by BEADWORK_PROGRAM")

    def call(*words: str | Path, expected: int = 0) -> str:
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == expected, done.stderr
        return done.stdout

    return call


def program_bytes(*words: str) -> bytes:
    """What the program writes to its standard output."""
    path = program_path()
    if path is None:
        pytest.skip("no program: cargo build, or name it by BEADWORK_PROGRAM")
    return subprocess.run([path, *words], capture_output=True, check=True).stdout


def as_options(settings: dict[str, Any]) -> list[str]:
    """Settings as options of the program."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def results(folder: Path) -> dict[str, bytes]:
    """The files of a run that every repetition of it makes with the same bytes."""
    named = [folder / name for name in ("members.csv", "summary.json", "summary.txt", "resolved.toml")]
    below = [path for name in ("tables", "trajectories", "final") for path in (folder / name).iterdir()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in named + below if path.exists()}
