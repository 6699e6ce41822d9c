"""Explains inputs, runs them, and goes on with runs."""

from __future__ import annotations

import html
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _arguments, _beadwork, _input
from ._error import ArgumentError, Remark
from ._input import Input, MaxTime

if TYPE_CHECKING:
    from ._run import Run

Progress = Callable[[int, int, int], object]


class Explanation:
    """What an input means and how this machine would run it.

    Attributes:
        words: what ``beadwork check`` prints; also ``str()`` of this.
        data: what ``beadwork check --json`` prints, as dicts and lists. Units are in the names of the keys.
    """

    def __init__(self, words: str, data: dict[str, Any]) -> None:
        self.words = words
        self.data = data

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"<beadwork.Explanation of {self.data['members']} member(s)>"

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.words)}</pre>"


def check(
    input: Input,
    *,
    set: Mapping[str, Any] | None = None,
    device: str | None = None,
    threads: int | None = None,
) -> Explanation:
    """Explains an input without running it; some members are stepped for a moment to estimate the duration.

    Args:
        input: a file, or a dict with the same sections and keys, whose ``system`` may be a `System`. Files that a dict names are
            looked for in the current folder.
        set: settings that replace those of the input, such as ``{"pull.speed": "1 um/s"}``.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:0,1``.
        threads: threads that the run will have; as many as cores by default.

    Raises:
        Error: an input that the program would refuse.
    """
    settings = _input.settings(set)
    device, threads = _arguments.device(device), _arguments.threads(threads)
    with _input.source(input, settings) as (name, text, base):
        words, data, notice = _beadwork.check(name, text, base, settings, device, threads)
    if notice is not None:
        _remark(f"note: {notice}")
    return Explanation(words, json.loads(data))


def run(
    input: Input,
    *,
    output: str | os.PathLike[str] | None = None,
    set: Mapping[str, Any] | None = None,
    replicas: str | None = None,
    resume: bool = False,
    from_start: bool = False,
    device: str | None = None,
    threads: int | None = None,
    max_time: MaxTime = None,
    plots: bool = True,
    progress: bool | Progress | None = False,
) -> Run:
    """Runs an input as ``beadwork run`` does: same folder, same bits.

    Other threads of Python go on meanwhile. Ctrl-C, and any other exception that a signal raises, stops the run with checkpoints
    and is then raised; `resume`, or this call with ``resume=True``, goes on with the same bits. No handler of signals is installed.

    Args:
        input: a file, or a dict with the same sections and keys, whose ``system`` may be a `System`. Files that a dict names are
            looked for in the current folder.
        output: the folder of the run, in place of ``output.folder`` of the input; of a dict ``runs/run`` by default.
        set: settings that replace those of the input, such as ``{"pull.speed": "1 um/s", "ensemble.replicas": 4}``.
        replicas: a part of the ensemble, such as ``"100..200"`` for 100 to 199.
        resume: go on with the run if the folder holds it, as ``--continue`` does; otherwise begin it.
        from_start: with ``resume``, begin members anew whose checkpoints are gone.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:0,1``; `auto` by default.
        threads: as many as cores by default. Results do not depend on it.
        max_time: stop with checkpoints after this time: seconds, a ``timedelta``, or a text such as ``"23h 50m"``.
        plots: draw plots when the run has finished.
        progress: ``True`` shows a bar if tqdm is installed, ``None`` as ``False`` nothing; a function is called ten times a second with
            the steps that are settled, the steps of all members, and the members that are over. An exception that it raises stops the run.

    Returns:
        The run. `Run.ending` says whether it is finished.

    Raises:
        Error: what the program would refuse, or a failure of the machine.
    """
    resume, from_start = _arguments.flag("resume", resume), _arguments.flag("from_start", from_start)
    if from_start and not resume:
        raise ArgumentError("from_start needs resume=True")
    settings = _input.settings(set)
    folder = None if output is None else _arguments.path("output", output)
    if replicas is not None:
        replicas = _arguments.text("replicas", replicas, "100..200")
    device, threads = _arguments.device(device), _arguments.threads(threads)
    limit, plots = _input.max_time(max_time), _arguments.flag("plots", plots)
    what = os.fspath(input) if isinstance(input, (str, os.PathLike)) else "{…}"
    said = _input.command(
        "run",
        what,
        output=folder,
        set=dict(set or {}) or None,
        replicas=replicas,
        resume=resume,
        from_start=from_start,
        device=device,
        threads=threads,
        max_time=max_time,
    )
    with _input.source(input, settings) as (name, text, base), _listening(progress) as listen:
        made, _, _ = _beadwork.run(
            name,
            text,
            base,
            settings,
            folder,
            replicas,
            resume,
            from_start,
            device,
            threads,
            limit,
            plots,
            said,
            listen,
            _remark,
        )
    return _opened(made)


def resume(
    folder: str | os.PathLike[str],
    *,
    from_start: bool = False,
    device: str | None = None,
    threads: int | None = None,
    max_time: MaxTime = None,
    plots: bool = True,
    progress: bool | Progress | None = False,
) -> Run:
    """Goes on with a run that was stopped, whether the program or this package began it; see `run` for the arguments.

    Tables and trajectories equal those of a run that was never stopped, byte for byte. A finished run is only analysed again.
    """
    place, from_start = _arguments.path("folder", folder), _arguments.flag("from_start", from_start)
    device, threads = _arguments.device(device), _arguments.threads(threads)
    limit, plots = _input.max_time(max_time), _arguments.flag("plots", plots)
    said = _input.command("resume", place, from_start=from_start, device=device, threads=threads, max_time=max_time)
    with _listening(progress) as listen:
        made, _, _ = _beadwork.resume(place, from_start, device, threads, limit, plots, said, listen, _remark)
    return _opened(made)


def _opened(folder: str | os.PathLike[str]) -> Run:
    from ._run import open

    return open(folder)


def _remark(text: str, depth: int = 3) -> None:
    # The warning is of the line that called `run` or `check`. The compiled half counts as no call.
    warnings.warn(text, Remark, stacklevel=depth)


@contextmanager
def _listening(progress: bool | Progress | None, depth: int = 5) -> Iterator[Progress | None]:
    """The function that is told of progress; `depth` is that of a warning."""
    progress = _arguments.progress(progress)
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        _remark("note: no progress is shown, since tqdm is not installed: pip install tqdm", depth)
        yield None
        return
    with tqdm(unit="step", unit_scale=True) as bar:

        def show(settled: int, total: int, over: int) -> None:
            bar.total = total
            bar.set_postfix_str(f"{over} members done", refresh=False)
            bar.update(settled - bar.n)

        yield show
