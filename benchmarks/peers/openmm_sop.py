#!/usr/bin/env python3
"""OpenMM as a peer of `beadwork bench sop --peer openmm`.

    python3 -m venv peers && peers/bin/pip install openmm
    beadwork bench sop --peer openmm --python peers/bin/python

The program starts this script with two arguments: a JSON file that describes one system, and a
folder for OpenMM's own output. Nothing of the model is decided here: beads, bonds, contacts and
parameters come from the file, in Angstrom, kcal/mol and ps.

The script keeps to as many cores as it is given threads. It expresses the system in several ways
(`VARIANTS`), times each for a moment, keeps the fastest, and prints one line of JSON about it, with
the energies of one configuration in double precision. Then it answers lines on its standard input,
each with one line of JSON:

    run STEPS EVERY SEED     from the start, STEPS steps, energies and a DCD frame every EVERY steps;
                             seconds of wall time, and energies
    check STEPS EVERY SEED   the same with one copy of the system

Brownian dynamics: OpenMM moves a bead by F dt/(m gamma) and noise of variance 2 kT dt/(m gamma), so
that m gamma is the friction of the file; the mass by itself means nothing.
"""

import argparse
import io
import json
import os
import sys
import time

import openmm
from openmm import app, unit

# Coordinates in the file are in Angstrom and kcal/mol, OpenMM computes in nm and kJ/mol.
LENGTH = 0.1
ENERGY = 4.184
# amu; any value does, see above.
MASS = 100.0

BONDS, CONTACTS, REPULSION = 0, 1, 2

# How repulsion is written, on which platform, and how many copies of the system are stepped as one:
# copies share the fixed cost of a step, which is what a user with many trajectories can do.
VARIANTS = [
    ("pairs", "Reference", 1),
    ("pairs", "Reference", 16),
    ("nonbonded", "Reference", 1),
    ("pairs", "CPU", 1),
    ("pairs", "CPU", 16),
    ("nonbonded", "CPU", 1),
    ("pairs", "CPU", 64),
    ("nonbonded", "CPU", 16),
]
# Explicit pairs are all pairs: beyond as many they cannot be the fastest.
MOST_PAIRS = 100_000
# nm between copies, far beyond the cutoff.
COPIES_APART = 40.0


def bond_force(description, copies):
    """FENE bonds, V = -(k/2) R^2 ln(1 - ((r - r0)/R)^2), stiffness and limit per bond."""
    bonds = description["fene_bonds"]
    kinds = {(bond["stiffness"], bond["limit"]) for bond in bonds}
    if len(kinds) == 1:
        # The same for all bonds: as numbers in the expression they cost nothing.
        ((stiffness, limit),) = kinds
        stiffness *= ENERGY / LENGTH**2
        limit *= LENGTH
        force = openmm.CustomBondForce(
            f"{-0.5 * stiffness * limit**2!r}*log(1-x*x); x=(r-r0)*{1.0 / limit!r}"
        )
        force.addPerBondParameter("r0")
        parameters = [(bond["length"] * LENGTH,) for bond in bonds]
    else:
        force = openmm.CustomBondForce("-0.5*k*L*L*log(1-x*x); x=(r-r0)/L")
        for name in ("r0", "k", "L"):
            force.addPerBondParameter(name)
        parameters = [
            (b["length"] * LENGTH, b["stiffness"] * ENERGY / LENGTH**2, b["limit"] * LENGTH)
            for b in bonds
        ]
    beads = len(description["start"])
    for copy in range(copies):
        for bond, values in zip(bonds, parameters):
            force.addBond(copy * beads + bond["i"], copy * beads + bond["j"], values)
    force.setForceGroup(BONDS)
    return force


def contact_force(description, copies):
    """Native contacts, V = e((r0/r)^12 - 2 (r0/r)^6), no cutoff."""
    # Powers of r itself are the fastest of five ways that were tried.
    force = openmm.CustomBondForce("a*r^(-12)-b*r^(-6)")
    force.addPerBondParameter("a")
    force.addPerBondParameter("b")
    beads = len(description["start"])
    for copy in range(copies):
        for contact in description["native_contacts"]:
            depth = contact["depth"] * ENERGY
            sixth = (contact["length"] * LENGTH) ** 6
            force.addBond(
                copy * beads + contact["i"],
                copy * beads + contact["j"],
                (depth * sixth**2, 2.0 * depth * sixth),
            )
    force.setForceGroup(CONTACTS)
    return force


def repulsion_pairs(description, copies):
    """V = e (s/r)^6 below the cutoff, as bonds between all pairs that repel."""
    repulsion = description["repulsion"]
    beads = len(description["start"])
    strength = repulsion["strength"] * ENERGY * (repulsion["diameter"] * LENGTH) ** 6
    cutoff = repulsion["cutoff"] * LENGTH
    force = openmm.CustomBondForce(f"step({cutoff!r}-r)*{strength!r}*r^(-6)")
    excluded = {tuple(pair) for pair in repulsion["excluded"]}
    pairs = [
        (i, j) for i in range(beads) for j in range(i + 1, beads) if (i, j) not in excluded
    ]
    for copy in range(copies):
        for i, j in pairs:
            force.addBond(copy * beads + i, copy * beads + j, [])
    force.setForceGroup(REPULSION)
    return force


def repulsion_nonbonded(description, copies):
    """The same by OpenMM's own search for neighbours."""
    repulsion = description["repulsion"]
    beads = len(description["start"])
    strength = repulsion["strength"] * ENERGY * (repulsion["diameter"] * LENGTH) ** 6
    force = openmm.CustomNonbondedForce(f"{strength!r}*r^(-6)")
    force.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffNonPeriodic)
    force.setCutoffDistance(repulsion["cutoff"] * LENGTH)
    for _ in range(copies * beads):
        force.addParticle([])
    for copy in range(copies):
        for i, j in repulsion["excluded"]:
            force.addExclusion(copy * beads + i, copy * beads + j)
    force.setForceGroup(REPULSION)
    return force


class Peer:
    """One way of expressing the system, ready to run."""

    def __init__(self, description, form, platform, copies, threads):
        self.description = description
        self.form, self.platform, self.threads = form, platform, threads
        self.copies = copies
        self.beads = len(description["start"])
        self.name = f"{platform} platform, repulsion as {form}, {copies} at once"
        system = openmm.System()
        for _ in range(copies * self.beads):
            system.addParticle(MASS)
        make = repulsion_pairs if form == "pairs" else repulsion_nonbonded
        for force in (bond_force, contact_force, make):
            system.addForce(force(description, copies))
        friction = description["friction"] * ENERGY / LENGTH**2
        kelvin = description["temperature"] * ENERGY / (
            unit.MOLAR_GAS_CONSTANT_R.value_in_unit(unit.kilojoule_per_mole / unit.kelvin)
        )
        self.integrator = openmm.BrownianIntegrator(
            kelvin, friction / MASS, description["timestep"]
        )
        properties = {"Threads": str(threads)} if platform == "CPU" else {}
        self.context = openmm.Context(
            system, self.integrator, openmm.Platform.getPlatformByName(platform), properties
        )
        self.topology = app.Topology()
        chain = self.topology.addChain()
        for _ in range(copies * self.beads):
            residue = self.topology.addResidue("GLY", chain)
            self.topology.addAtom("CA", app.Element.getBySymbol("C"), residue)

    def place(self, positions):
        """Puts every copy at `positions`, Angstrom."""
        self.context.setPositions(
            [
                openmm.Vec3(x * LENGTH + copy * COPIES_APART, y * LENGTH, z * LENGTH)
                for copy in range(self.copies)
                for x, y, z in positions
            ]
        )

    def energies(self, positions):
        """Energy of one copy by term, kcal/mol."""
        self.place(positions)

        def term(group):
            state = self.context.getState(getEnergy=True, groups={group})
            energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
            return energy / ENERGY / self.copies

        return {
            "bonds": term(BONDS),
            "native_contacts": term(CONTACTS),
            "repulsion": term(REPULSION),
        }

    def run(self, steps, every, seed, folder):
        """Seconds by the wall and by the processor, and energies of one copy, kcal/mol."""
        self.integrator.setRandomNumberSeed(seed)
        # The seed is read when a context begins; what else begins then is not timed.
        self.context.reinitialize()
        self.place(self.description["start"])
        self.integrator.step(1)
        self.place(self.description["start"])
        energies = []
        table = io.open(os.path.join(folder, "openmm.csv"), "w", encoding="ascii")
        trajectory = open(os.path.join(folder, "openmm.dcd"), "wb")
        dcd = app.DCDFile(trajectory, self.topology, self.description["timestep"], 0, every)
        processor = time.process_time()
        began = time.perf_counter()
        made = 0
        while made < steps:
            now = min(every, steps - made)
            self.integrator.step(now)
            made += now
            state = self.context.getState(getEnergy=True, getPositions=True)
            energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
            energies.append(energy / ENERGY / self.copies)
            table.write(f"{made},{energies[-1]!r}\n")
            dcd.writeModel(state.getPositions(asNumpy=True))
        table.flush()
        trajectory.flush()
        seconds = time.perf_counter() - began, time.process_time() - processor
        table.close()
        trajectory.close()
        return seconds, energies

    def speed(self, seconds):
        """Trajectory-steps/s over about so many seconds, without output."""
        self.place(self.description["start"])
        steps = 4
        while True:
            began = time.perf_counter()
            self.integrator.step(steps)
            took = time.perf_counter() - began
            if took > 0.5 * seconds:
                return self.copies * steps / took
            steps = int(steps * min(10.0, max(2.0, 0.8 * seconds / max(took, 1e-6))))


def choose(description, threads, trial, single, only):
    """All variants that fit, with their speeds, the fastest first."""
    beads = len(description["start"])
    trials = []
    for form, platform, copies in VARIANTS:
        if single and copies > 1:
            continue
        if form == "pairs" and copies * beads * (beads - 1) // 2 > MOST_PAIRS:
            continue
        if platform == "Reference" and copies * beads > 20_000:
            continue
        peer = Peer(description, form, platform, copies, threads)
        if only and only not in peer.name:
            continue
        trials.append((peer.speed(trial), peer))
    if not trials:
        raise SystemExit(f"no variant of OpenMM has {only!r} in its name or fits this system")
    trials.sort(key=lambda trial: -trial[0])
    return trials


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("system", help="JSON file of one system")
    parser.add_argument("folder", help="where OpenMM writes")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU platform")
    parser.add_argument("--trial", type=float, default=0.5, help="seconds for each variant")
    parser.add_argument("--single", action="store_true", help="one trajectory, no copies")
    parser.add_argument("--only", help="variants whose name holds this text")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # The CPU platform waits in a thread beside those that it is given: on one core it is one.
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[: arguments.threads])
    with open(arguments.system, encoding="utf-8") as file:
        description = json.load(file)
    if description["format"] != "beadwork-peer-system 1":
        raise SystemExit(f"{arguments.system} is of another format: {description['format']}")
    trials = choose(
        description, arguments.threads, arguments.trial, arguments.single, arguments.only
    )
    peer = trials[0][1]
    head = {
        "program": "OpenMM",
        "version": openmm.version.version,
        "variant": peer.name,
        "copies": peer.copies,
        "trials": [{"variant": p.name, "steps_per_second": speed} for speed, p in trials],
        "energies": Peer(description, peer.form, "Reference", 1, 1).energies(
            description["configuration"]
        ),
    }
    print(json.dumps(head), flush=True)
    checker = None
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        steps, every, seed = (int(word) for word in words[1:4])
        if words[0] == "run":
            runner = peer
        elif words[0] == "check":
            checker = checker or Peer(description, peer.form, peer.platform, 1, peer.threads)
            runner = checker
        else:
            raise SystemExit(f"unknown request: {line.strip()}")
        seconds, energies = runner.run(steps, every, seed, arguments.folder)
        answer = {
            "seconds": seconds[0],
            "processor_seconds": seconds[1],
            "trajectory_steps": steps * runner.copies,
            "energies": energies,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
