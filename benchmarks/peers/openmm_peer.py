#!/usr/bin/env python3
"""OpenMM as a peer of `beadwork bench sop` and `bench residues` with `--peer openmm`.

    python3 -m venv peers && peers/bin/pip install openmm
    beadwork bench sop --peer openmm --python peers/bin/python

The program starts this script with two arguments: a JSON file that describes one system, and a
folder for OpenMM's own output. Nothing of the model is decided here: beads, terms by the names of
their formulas, and parameters come from the file, in Angstrom, kcal/mol, ps and Da.

The script keeps to as many cores as it is given threads. It expresses the system in several ways
(`VARIANTS`), times each for a moment, keeps the fastest, and prints one line of JSON about it, with
the energies of one configuration in double precision. Then it answers lines on its standard input,
each with one line of JSON:

    run STEPS EVERY SEED     from the start, STEPS steps, energies and a DCD frame every EVERY steps;
                             seconds of wall time, and energies
    check STEPS EVERY SEED   the same with one copy of the system
"""

import argparse
import io
import json
import math
import os
import sys
import time

import openmm
from openmm import app, unit

# Coordinates in the file are in Angstrom and kcal/mol, OpenMM computes in nm and kJ/mol.
LENGTH = 0.1
ENERGY = 4.184

# How pair terms are written, on which platform, and how many copies of the system are stepped as
# one: copies share the fixed cost of a step, which is what a user with many trajectories can do.
# "pairs" are custom bonds between all pairs, "nonbonded" are custom non-bonded forces; "mixed" has
# custom bonds for the terms that act between some beads alone, such as charges.
VARIANTS = [
    ("pairs", "Reference", 1),
    ("pairs", "Reference", 16),
    ("nonbonded", "Reference", 1),
    ("pairs", "CPU", 1),
    ("pairs", "CPU", 16),
    ("nonbonded", "CPU", 1),
    ("pairs", "CPU", 64),
    ("nonbonded", "CPU", 16),
    ("nonbonded", "CPU", 64),
    ("mixed", "CPU", 1),
    ("mixed", "CPU", 16),
    ("mixed", "CPU", 64),
]
# Explicit pairs are all pairs: beyond as many they cannot be the fastest.
MOST_PAIRS = 100_000
# nm between the ends of two copies, far beyond the cutoff.
COPIES_APART = 40.0


class Formula:
    """A formula of beadwork: parameters in OpenMM's units, and energy as OpenMM reads it."""

    def __init__(self, expression, parameters):
        self.expression = expression
        # From the numbers in the file to named numbers.
        self.parameters = parameters


def native_contact(depth, length):
    """V = e((r0/r)^12 - 2 (r0/r)^6). Powers of r itself are the fastest of five ways."""
    sixth = (length * LENGTH) ** 6
    return {"a": depth * ENERGY * sixth**2, "b": 2.0 * depth * ENERGY * sixth}


FORMULAS = {
    "fene_bond": Formula(
        "-0.5*k*R*R*log(1-x*x); x=(r-r0)/R",
        lambda stiffness, limit, length: {
            "k": stiffness * ENERGY / LENGTH**2,
            "R": limit * LENGTH,
            "r0": length * LENGTH,
        },
    ),
    "harmonic_bond": Formula(
        "0.5*k*(r-r0)^2",
        lambda stiffness, length: {"k": stiffness * ENERGY / LENGTH**2, "r0": length * LENGTH},
    ),
    "native_contact": Formula("a*r^(-12)-b*r^(-6)", native_contact),
    "sixth_power_repulsion": Formula(
        "c*r^(-6)",
        lambda strength, diameter: {"c": strength * ENERGY * (diameter * LENGTH) ** 6},
    ),
    "ashbaugh_hatch": Formula(
        f"select(step(r-{2 ** (1 / 6)!r}*s),l*w,w+e*(1-l))-shift; w=4*e*x*(x-1); x=s^6*r^(-6)",
        lambda depth, diameter, stickiness, shift: {
            "e": depth * ENERGY,
            "s": diameter * LENGTH,
            "l": stickiness,
            "shift": shift * ENERGY,
        },
    ),
    "debye_huckel": Formula(
        "q*exp(-k*r)/r-shift",
        lambda strength, inverse_length, shift: {
            "q": strength * ENERGY * LENGTH,
            "k": inverse_length / LENGTH,
            "shift": shift * ENERGY,
        },
    ),
}


def formula_of(term):
    """The formula of a term, and its parameters, a list of numbers for each name."""
    name = term["formula"]
    if name not in FORMULAS or term["energy"] is None:
        raise SystemExit(f"this script does not know the formula {name}: add it to FORMULAS")
    formula = FORMULAS[name]
    named = [formula.parameters(*numbers) for numbers in term["parameters"]]
    return formula, {key: [values[key] for values in named] for key in named[0]}


def constants(columns):
    """The definitions of parameters that are the same everywhere, and the other parameters.

    As numbers in the expression parameters cost nothing.
    """
    same = {name: values[0] for name, values in columns.items() if len(set(values)) == 1}
    varied = {name: values for name, values in columns.items() if name not in same}
    return "".join(f"; {name}={value!r}" for name, value in same.items()), varied


def bond_force(expression, columns, beads, copies):
    """A force between listed beads; `beads` has those of one copy and the number of beads in it."""
    pairs, count = beads
    definitions, varied = constants(columns)
    force = openmm.CustomBondForce(expression + definitions)
    for name in varied:
        force.addPerBondParameter(name)
    values = list(zip(*varied.values())) if varied else [()] * len(pairs)
    for copy in range(copies):
        for (i, j), of_pair in zip(pairs, values):
            force.addBond(copy * count + i, copy * count + j, of_pair)
    return force


def bonded(term, count, copies):
    """A term of listed pairs, without a cutoff."""
    formula, columns = formula_of(term)
    if term["formula"] != "harmonic_bond":
        return bond_force(formula.expression, columns, (term["beads"], count), copies)
    force = openmm.HarmonicBondForce()
    for copy in range(copies):
        for (i, j), r0, k in zip(term["beads"], columns["r0"], columns["k"]):
            force.addBond(copy * count + i, copy * count + j, r0, k)
    return force


class PairTerm:
    """A term between all pairs within a cutoff that are not excluded, with tables by types."""

    def __init__(self, term, description):
        self.formula, self.columns = formula_of(term)
        self.types = description["types_of_beads"]
        self.count = len(self.types)
        self.excluded = description["excluded"]
        self.kinds = term["types"]
        self.cutoffs = [cutoff * LENGTH for cutoff in term["cutoffs"]]
        self.cutoff = max(self.cutoffs)
        if set(self.cutoffs) - {0.0, self.cutoff}:
            raise SystemExit(f"this script takes one cutoff for all pairs of {term['formula']}")
        rows = [self.cutoffs[a * self.kinds :][: self.kinds] for a in range(self.kinds)]
        self.active = [bead for bead, kind in enumerate(self.types) if any(rows[kind])]
        self.acts_on_all = all(self.cutoffs)

    def entry(self, i, j):
        """The place of two beads in the tables."""
        return self.types[i] * self.kinds + self.types[j]

    def as_bonds(self, copies):
        """As custom bonds between all pairs."""
        excluded = {tuple(pair) for pair in self.excluded}
        pairs = [
            (i, j)
            for place, i in enumerate(self.active)
            for j in self.active[place + 1 :]
            if (i, j) not in excluded and self.cutoffs[self.entry(i, j)] > 0.0
        ]
        entries = [self.entry(i, j) for i, j in pairs]
        columns = {name: [v[entry] for entry in entries] for name, v in self.columns.items()}
        energy, *definitions = self.formula.expression.split(";")
        expression = ";".join([f"step({self.cutoff!r}-r)*({energy})", *definitions])
        return bond_force(expression, columns, (pairs, self.count), copies)

    def as_nonbonded(self, copies):
        """As a custom non-bonded force: by OpenMM's own search for neighbours where it acts on all
        beads, else between groups of beads."""
        definitions, varied = constants(self.columns)
        expression = self.formula.expression + definitions
        force = openmm.CustomNonbondedForce("0")
        by_kind = [[] for _ in range(self.kinds)]
        for name, values in varied.items():
            rule, of_kinds = self.combined(values)
            if rule is None:
                table = openmm.Discrete2DFunction(self.kinds, self.kinds, values)
                force.addTabulatedFunction(f"table_{name}", table)
                expression += f"; {name}=table_{name}(kind1,kind2)"
                continue
            expression += f"; {name}={name}1{rule}{name}2"
            force.addPerParticleParameter(name)
            for kind, value in enumerate(of_kinds):
                by_kind[kind].append(value)
        if "table_" in expression:
            force.addPerParticleParameter("kind")
            for kind, values in enumerate(by_kind):
                values.append(kind)
        force.setEnergyFunction(expression)
        force.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffNonPeriodic)
        force.setCutoffDistance(self.cutoff)
        for _ in range(copies):
            for kind in self.types:
                force.addParticle(by_kind[kind])
        for copy in range(copies):
            begin = copy * self.count
            for i, j in self.excluded:
                force.addExclusion(begin + i, begin + j)
            if not self.acts_on_all:
                active = [begin + bead for bead in self.active]
                force.addInteractionGroup(active, active)
        return force

    def combined(self, table):
        """How two types combine: the operator, and a value for each type; no operator where only a
        table by types gives the parameter."""
        kinds = range(self.kinds)

        def fits(combine):
            near = lambda a, b: math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300)
            return all(near(combine(a, b), table[a * self.kinds + b]) for a in kinds for b in kinds)

        own = [table[kind * self.kinds + kind] for kind in kinds]
        halves = [0.5 * value for value in own]
        if fits(lambda a, b: halves[a] + halves[b]):
            return "+", halves
        # A product of one number for each type, such as charges.
        largest = max(kinds, key=lambda kind: abs(own[kind]))
        row = table[largest * self.kinds :][: self.kinds]
        if own[largest] > 0.0:
            factors = [value / math.sqrt(own[largest]) for value in row]
            if fits(lambda a, b: factors[a] * factors[b]):
                return "*", factors
        return None, []


class Peer:
    """One way of expressing the system, ready to run."""

    def __init__(self, description, form, platform, copies, threads):
        self.description = description
        self.form, self.platform, self.threads = form, platform, threads
        self.copies = copies
        self.beads = len(description["start"])
        self.name = f"{platform} platform, pair terms as {form}, {copies} at once"
        along = [x for x, _, _ in description["start"]]
        self.apart = (max(along) - min(along)) * LENGTH + COPIES_APART
        system, self.integrator = self.dynamics()
        self.kinds = []
        for term in description["bonded"]:
            group = self.group(term)
            if term["beads"]:
                self.add(system, group, bonded(term, self.beads, copies))
        for term in description["pairs"]:
            group, pair_term = self.group(term), PairTerm(term, description)
            as_bonds = form == "pairs" or (form == "mixed" and not pair_term.acts_on_all)
            if pair_term.active:
                make = pair_term.as_bonds if as_bonds else pair_term.as_nonbonded
                self.add(system, group, make(copies))
        properties = {"Threads": str(threads)} if platform == "CPU" else {}
        self.context = openmm.Context(
            system, self.integrator, openmm.Platform.getPlatformByName(platform), properties
        )
        self.topology = app.Topology()
        chain = self.topology.addChain()
        for _ in range(copies * self.beads):
            residue = self.topology.addResidue("GLY", chain)
            self.topology.addAtom("CA", app.Element.getBySymbol("C"), residue)

    def dynamics(self):
        """A system of beads without forces, and the integrator."""
        description = self.description
        system = openmm.System()
        self.kelvin = description["temperature"] * ENERGY / (
            unit.MOLAR_GAS_CONSTANT_R.value_in_unit(unit.kilojoule_per_mole / unit.kelvin)
        )
        frictions = [kind["friction"] * ENERGY / LENGTH**2 for kind in description["types"]]
        masses = [kind["mass"] for kind in description["types"]]
        self.has_velocities = description["integrator"] != "brownian"
        if self.has_velocities:
            # BAOAB and BAOA have the same positions but for the start.
            rates = [friction / mass for friction, mass in zip(frictions, masses)]
            if max(rates) > (1.0 + 1e-9) * min(rates):
                raise SystemExit("OpenMM has one rate of collisions for all beads")
            make = openmm.LangevinMiddleIntegrator
        else:
            # OpenMM moves a bead by F dt/(m gamma) and noise of variance 2 kT dt/(m gamma), so that
            # m gamma is the friction; the mass by itself means nothing.
            rates, masses = [1.0], frictions
            make = openmm.BrownianIntegrator
        for _ in range(self.copies):
            for kind in description["types_of_beads"]:
                system.addParticle(masses[kind])
        return system, make(self.kelvin, rates[0], description["timestep"])

    def group(self, term):
        """The group of forces of a term's kind of energy, which has one also if no bead has forces."""
        if term["energy"] not in self.kinds:
            self.kinds.append(term["energy"])
        return self.kinds.index(term["energy"])

    def add(self, system, group, force):
        """Adds a force to a group."""
        force.setForceGroup(group)
        system.addForce(force)

    def place(self, positions, seed=1):
        """Puts every copy at `positions`, Angstrom, with new velocities if there are any."""
        self.context.setPositions(
            [
                openmm.Vec3(x * LENGTH + copy * self.apart, y * LENGTH, z * LENGTH)
                for copy in range(self.copies)
                for x, y, z in positions
            ]
        )
        if self.has_velocities:
            self.context.setVelocitiesToTemperature(self.kelvin, seed)

    def energies(self, positions):
        """Energy of one copy by kind, kcal/mol."""
        self.place(positions)

        def of_group(group):
            state = self.context.getState(getEnergy=True, groups={group})
            energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
            return energy / ENERGY / self.copies

        return {kind: of_group(group) for group, kind in enumerate(self.kinds)}

    def run(self, steps, every, seed, folder):
        """Seconds by the wall and by the processor, and energies of one copy, kcal/mol."""
        self.integrator.setRandomNumberSeed(seed)
        # The seed is read when a context begins; what else begins then is not timed.
        self.context.reinitialize()
        self.place(self.description["start"], seed)
        self.integrator.step(1)
        self.place(self.description["start"], seed)
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
    differ = any(0.0 in term["cutoffs"] for term in description["pairs"])
    trials = []
    for form, platform, copies in VARIANTS:
        if single and copies > 1:
            continue
        # Without a term between some beads alone it would be the same as "nonbonded".
        if form == "mixed" and not differ:
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
    if description["format"] != "beadwork-peer-system 2":
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
