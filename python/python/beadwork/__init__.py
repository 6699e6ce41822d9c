"""Stochastic dynamics of bead models: coarse-grained proteins, polymers, soft matter.

    import beadwork

    print(beadwork.check("protein.toml"))
    run = beadwork.run("protein.toml", set={"pull.speed": "1 um/s"}, output="runs/slow")
    print(run.answer)
    frame = run.tables.to_pandas()

`run` and `resume` step, `check` explains an input, `open` reads a run that the program or this package made. A `Simulation` is
stepped in pieces, and a `System` is made of arrays. `read` and `write` take files, `analysis` has what the program finds in
numbers, over arrays, and `random` its generators as bit generators of numpy. All numbers have the
units that their names say: nm, ns, pN, kcal/mol, K, or the reduced ones of the input.
"""

from . import analysis, random
from ._answer import Answer, Finding, Group, Value
from ._beadwork import __version__
from ._doing import Explanation, check, resume, run
from ._error import ArgumentError, Error, Remark, Where
from ._files import Beads, read, write
from ._frames import Frames, MemberFrames
from ._map import map
from ._run import Member, Run, open
from ._simulation import Simulation
from ._system import System
from ._table import Table

__all__ = [
    "Answer",
    "ArgumentError",
    "Beads",
    "Error",
    "Explanation",
    "Finding",
    "Frames",
    "Group",
    "Member",
    "MemberFrames",
    "Remark",
    "Run",
    "Simulation",
    "System",
    "Table",
    "Value",
    "Where",
    "__version__",
    "analysis",
    "check",
    "map",
    "open",
    "random",
    "read",
    "resume",
    "run",
    "write",
]
