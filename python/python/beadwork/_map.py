"""Runs many inputs, here or on the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import _input
from ._arguments import listed, path
from ._doing import run
from ._input import Input

if TYPE_CHECKING:
    from ._run import Run


def map(
    inputs: Iterable[Input],
    *,
    output: str | os.PathLike[str],
    client: Any = None,
    set: Mapping[str, Any] | None = None,
    device: str | None = None,
    threads: int | None = None,
    plots: bool = False,
) -> list[Run]:
    """Runs each input in a folder of its own, ``output/0000``, ``output/0001`` and so on, and returns the runs in this order.

    A run that is there is gone on with, and a finished one is only read: call again after whatever stopped the first call. Where a
    worker of Dask dies, its run goes on from its last checkpoint on another one, with the same bits. For many replicas of one
    input, a run of all of them or ``beadwork submit`` is simpler.

    Args:
        inputs: files, or dicts with the same sections and keys. Files that a dict names are looked for in the current folder.
        output: the folder of the runs. The workers must see it, and the inputs, under the same names.
        client: a ``distributed.Client``; without one the runs are done here, one after another.
        set: settings that replace those of each input, such as ``{"ensemble.replicas": 4}``.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:0,1``. With different devices among workers, name one.
        threads: of each run; by default one on a worker, and as many as cores here.
        plots: draw plots of each run.

    Raises:
        Error: that of the first run that failed: with a client when all others have ended, without one at once.
    """
    given = [_input.placed(one) for one in listed("inputs", inputs, "files or dicts")]
    folders = [str(Path(path("output", output)).absolute() / f"{number:04}") for number in range(len(given))]
    if threads is None and client is not None:
        threads = 1
    work = partial(_one, keywords={"set": set, "device": device, "threads": threads, "plots": plots})
    if client is None:
        for one, folder in zip(given, folders):
            work(one, folder)
    else:
        # `pure=False`: a run is no function of its arguments alone, since it goes on with what is in its folder.
        futures = client.map(work, given, folders, pure=False)
        try:
            errors = [future.exception() for future in futures]
        except BaseException:
            client.cancel(futures)
            raise
        for error in errors:
            if error is not None:
                raise error
    from ._run import open

    return [open(folder) for folder in folders]


def _one(given: _input.Placed, folder: str, keywords: dict[str, Any]) -> None:
    run(cast(Input, given), output=folder, resume=True, **keywords)
