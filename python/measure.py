"""What the Python package costs: WW × 64 beside the program in turns, and how fast tables and frames become arrays.

    python python/measure.py target/release/beadwork STRUCTURE [NAME]

The Python that runs it has the package, built for release, pandas and MDAnalysis. STRUCTURE is the WW domain
(proteins/ww.pdb of the benchmarks' data). With NAME, NAME.json and NAME.md in benchmarks/results keep what was measured.
"""

import datetime
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ALTERNATIONS = 11
REPEATS = 5
MEMBERS = 64
STEPS = 1_600_000

INPUT = """\
[system]
model = "sop"
structure = {{ file = "{structure}" }}
contacts = {{ cutoff = "8 A", side_chain_cutoff = "5.2 A", energy = "1.5 kcal/mol" }}
[dynamics]
temperature = "0.6 kcal/mol"
friction = "12500 kcal ps/(mol A^2)"
timestep = "20 ps"
[[stage]]
name = "pull"
steps = {steps}
drives = [
    {{ kind = "spring", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "25 um/s" }},
]
[ensemble]
replicas = {members}
[random]
seed = 2010
[output]
table = {{ every_steps = {rows} }}
{trajectory}
"""


def timed(command):
    """Wall time and processor time of a command, s."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(values):
    values = list(values)
    return {"median": statistics.median(values), "least": min(values), "largest": max(values)}


def overhead(program, structure, home):
    """Ratios of Python to the program, from turns of both, the first of which alternates."""
    text = INPUT.format(structure=structure, steps=STEPS, members=MEMBERS, rows=1000, trajectory="")
    source = home / "ww.toml"
    source.write_text(text)
    ways = {
        "program": [program, "run", str(source), "--no-plots", "--device", "cpu", "--output"],
        "python": [sys.executable, "-c", "import sys, beadwork; beadwork.run(sys.argv[1], output=sys.argv[2], plots=False, device='cpu')", str(source)],
    }
    found = {way: [] for way in ways}
    for turn in range(ALTERNATIONS):
        for way in sorted(ways, reverse=turn % 2 == 1):
            found[way].append(timed([*ways[way], str(home / f"{way}-{turn}")]))
            print(f"turn {turn + 1}: {way} {found[way][-1][0]:.2f} s, processor {found[way][-1][1]:.2f} s", flush=True)
    same = [
        (home / "program-0" / "tables" / name.name).read_bytes() == name.read_bytes()
        for name in sorted((home / "python-0" / "tables").iterdir())
    ]
    assert len(same) == MEMBERS and all(same), "tables differ"
    both = list(zip(found["python"], found["program"], strict=True))
    return {
        "members": MEMBERS,
        "steps": STEPS,
        "program wall s": median(wall for wall, _ in found["program"]),
        "program processor s": median(cpu for _, cpu in found["program"]),
        "wall, Python over program": median(one[0] / other[0] for one, other in both),
        "processor, Python over program": median(one[1] / other[1] for one, other in both),
    }


def best(act):
    """The median of some repeats, s, and what the last one gave."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = act()
        times.append(time.perf_counter() - start)
    return median(times), result


def raw(paths):
    """Reads files without looking at them."""
    for path in paths:
        path.read_bytes()


def reading(program, structure, home):
    """A million rows, and 1,000 × 500 frames of 34 beads; beside reading the bytes, and beside other readers."""
    import beadwork
    import MDAnalysis
    import pandas

    results = {}
    jobs = {
        "rows": dict(steps=1000, members=1000, rows=1, trajectory=""),
        "frames": dict(steps=500, members=1000, rows=500, trajectory='trajectory = { every_steps = 1, format = "xtc" }'),
    }
    for name, job in jobs.items():
        source = home / f"{name}.toml"
        source.write_text(INPUT.format(structure=structure, **job))
        subprocess.run([program, "run", source, "--no-plots", "--device", "cpu", "--output", home / name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    tables = sorted((home / "rows" / "tables").glob("*.csv"))
    time_raw, _ = best(lambda: raw(tables))
    time_ours, frame = best(lambda: beadwork.open(home / "rows").tables.to_pandas())
    time_theirs, other = best(lambda: pandas.concat([pandas.read_csv(path, comment="#") for path in tables]))
    assert len(frame) == len(other)
    results["rows"] = {
        "rows": len(frame),
        "columns": len(frame.columns),
        "MB": sum(path.stat().st_size for path in tables) / 1e6,
        "bytes alone s": time_raw,
        "to_pandas s": time_ours,
        "pandas.read_csv s": time_theirs,
    }
    trajectories = sorted((home / "frames" / "trajectories").glob("*.xtc"))
    topology = next((home / "frames").glob("topology*.pdb"))
    time_raw, _ = best(lambda: raw(trajectories))
    time_ours, array = best(lambda: beadwork.open(home / "frames").frames.array())

    def theirs():
        universe = MDAnalysis.Universe(topology, [str(path) for path in trajectories[:100]])
        return len([frame.positions.sum() for frame in universe.trajectory])

    time_theirs, count = best(theirs)
    results["frames"] = {
        "shape": list(array.shape),
        "MB in files": sum(path.stat().st_size for path in trajectories) / 1e6,
        "MB in memory": array.nbytes / 1e6,
        "bytes alone s": time_raw,
        "frames.array s": time_ours,
        f"MDAnalysis, {count} of the frames s": time_theirs,
    }
    return results


def lines(results, indent=""):
    for key, value in results.items():
        if isinstance(value, dict) and "median" in value:
            yield f"{indent}- {key}: {value['median']:.4g} ({value['least']:.4g} to {value['largest']:.4g})"
        elif isinstance(value, dict):
            yield f"{indent}- {key}:"
            yield from lines(value, indent + "  ")
        else:
            yield f"{indent}- {key}: {value:.4g}" if isinstance(value, float) else f"{indent}- {key}: {value}"


def main():
    program, structure = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        results = {"reading": reading(program, structure, home), "WW x 64": overhead(program, structure, home)}
    head = {
        "day": datetime.date.today().isoformat(),
        "commit": os.environ.get("BEADWORK_COMMIT", "unknown"),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    text = "\n".join(lines(results))
    print(text)
    if len(sys.argv) > 3:
        kept = pathlib.Path(__file__).resolve().parents[1] / "benchmarks/results" / sys.argv[3]
        kept.with_suffix(".json").write_text(json.dumps({**head, **results}, indent=1) + "\n")
        title = f"# The Python package beside the program\n\n{', '.join(f'{key} {value}' for key, value in head.items())}; medians, least and largest."
        kept.with_suffix(".md").write_text(f"{title}\n\n{text}\n")


if __name__ == "__main__":
    main()
