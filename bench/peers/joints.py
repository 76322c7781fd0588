#!/usr/bin/env python3
"""Joints of clack beside Exudyn and MuJoCo, on the same scenes in one run.

    joints.py CLACK WORK [-o FILE] [--quick] [--rounds N]        (called by joints.sh, which builds)

WORK: has a folder for each program that is there. Prints tables; FILE gets them too. Scenes are those of
joints_scenes.py, references those of joints_measures.py. Times are of one processor: in each round every program runs
once, told are medians. What is not there is counted and left out.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys

import joints_measures as measures
import joints_scenes as scenes
import numpy
import patches
from joints_clack import METHODS, Clack

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)  # s; TOLD: of what is not told of all
TOLD = (4e-3, 1e-3)
PEERS = {"exudyn": "Exudyn", "mujoco": "MuJoCo"}
TITLES = {
    "pendulum": "1. Rod on a hinge, let go at 1 rad, 10 s",
    "double": "2. Double pendulum in space: two rods on spherical joints, 5 s",
    "four_bars": "3. Two four-bar linkages in a row, which pass singular positions, 10 s",
    "slider": "4. Slider-crank, 5 s",
    "chain10": "5. Chain of 10 links of 0.1 m on spherical joints, let go level, 1 s",
    "chain100": "6. The same of 100 links",
}


def settings_of(peer, name):
    if peer == "clack":
        return list(METHODS)
    if peer == "exudyn":
        words = ["alpha", "trapezoidal"]
        return words + [word + " flat" for word in words] if name in scenes.PLANAR else words
    loops = ["implicitfast hard", "RK4 hard", "implicitfast soft"]
    return ["implicitfast", "RK4"] if scenes.SCENES[name].tree else loops


class Table(patches.Table):
    def row(self, name, *cells):
        self.say(("  " + name.ljust(25) + "".join(str(cell).rjust(9) for cell in cells)).rstrip())


class Peers:
    """Programs that are called from Python; `versions` of those that are there."""

    def __init__(self, work):
        self.work, self.versions = work, {}
        for peer in PEERS:
            lines = self.answers(peer, [])
            if lines:
                self.versions[peer] = lines[0]["version"]

    def answers(self, peer, jobs):
        """Of its program: the version, and one for each job. None: it is not there."""
        program = [sys.executable, os.path.join(HERE, f"joints_{peer}.py"), os.path.join(self.work, peer)]
        done = subprocess.run(program + list(map(json.dumps, jobs)), capture_output=True, text=True, check=False,
                              env=dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"))
        if done.returncode == 77:
            return None
        if done.returncode != 0:
            sys.exit(f"{peer}: {done.stderr[-2000:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def states(self, peer, name, h, setting):
        path = os.path.join(self.work, "joints.npy")
        self.answers(peer, [{"scene": name, "h": h, "setting": setting, "file": path}])
        return numpy.load(path)

    def step_us(self, peer, jobs):
        return [answer["us"] for answer in self.answers(peer, [{"scene": name, "h": h, "setting": word, "timed": True}
                                                               for name, h, word in jobs])[1:]]


class Bench:
    def __init__(self, clack, peers, table, rounds, is_quick):
        self.clack, self.peers, self.table, self.rounds = clack, peers, table, rounds
        self.steps = STEPS[:1] if is_quick else STEPS
        self.told = [h for h in TOLD if h in self.steps]
        self.names = [name for name in scenes.SCENES if not is_quick or name != "chain100"]
        self.cells, self.times, self.notes = {}, {}, {}

    def measure(self, name, reference, peer, word):
        """Errors at all steps, violation and drift at those that are told; math.nan: it does not get to the end."""
        scene, found = scenes.SCENES[name], {}
        for h in self.steps:
            notes = self.notes.setdefault(f"{TITLES[name].split(',')[0]}: {PEERS.get(peer, peer)}, {word}", [])
            if peer == "clack":
                states, flags = self.clack.states(name, h, word)
                if flags:
                    notes.append(f"{1e3 * h:g} ms flagged {', '.join(flags)}")
            else:
                states = self.peers.states(peer, name, h, word)
            if numpy.abs(states[0] - scene.start()).max() > 1e-12:
                sys.exit(f"{peer}, {word}, {name}: starts in another state")
            reached = (len(states) - 1) * h
            if reached < scene.end - h / 2:
                notes.append(f"{1e3 * h:g} ms stops at {reached:.3f} s")
                found[h] = [math.nan] * 3
                continue
            in_joints = scene.tree and peer == "mujoco"  # no equations there
            found[h] = [reference.error(scene, h, states), None if in_joints else scenes.violation(scene, states),
                        measures.drift(scene, states)]
        return found

    def time(self, name):
        """A round of all programs."""
        for h in self.told:
            for word in settings_of("clack", name):
                if math.isnan(self.cells[name, "clack", word][h][0]):
                    continue
                key = name, "clack", word, h
                if key not in self.times:
                    self.times[key] = self.clack.copies(name, h, word), []
                self.times[key][1].append(self.clack.step_us(name, h, word, self.times[key][0]))
        for peer in self.peers.versions:
            jobs = [(name, h, word) for h in self.told for word in settings_of(peer, name)
                    if not math.isnan(self.cells[name, peer, word][h][0])]
            for (_, h, word), took in zip(jobs, self.peers.step_us(peer, jobs)):
                self.times.setdefault((name, peer, word, h), (1, []))[1].append(took)

    def run(self):
        doubts = {}
        for name in self.names:
            reference = measures.Reference(name, self.steps[-1])
            doubts[name] = reference.doubt
            for peer in ("clack", *self.peers.versions):
                for word in settings_of(peer, name):
                    self.cells[name, peer, word] = self.measure(name, reference, peer, word)
        for _ in range(self.rounds):
            for name in self.names:
                self.time(name)
        for name in self.names:
            self.show(name, doubts[name])
        self.table.say("", "Stopped or flagged (clack's runs), with steps of:",
                       *(f"  {who}: {'; '.join(notes)}" for who, notes in self.notes.items() if notes))

    def show(self, name, doubt):
        copies = [self.times[key][0] for key in self.times if key[:2] == (name, "clack")]
        self.table.say("", f"{TITLES[name]}. Reference to {doubt:.0e} m; clack's times of {min(copies)} to "
                       f"{max(copies)} scenes")
        spread = [[word] + [""] * (len(steps) - 1) for word, steps in zip(
            ("error, m", "violated", "energy", "us"), (self.steps, *[self.told] * 3))]
        self.table.row("", *sum(spread, []), "ratio")
        self.table.row("step, ms", *(f"{1e3 * h:g}" for steps in (self.steps, *[self.told] * 3, self.told[-1:])
                                     for h in steps))
        first = self.times.get((name, "clack", "trapezoidal", self.told[-1]))
        for peer in ("clack", *self.peers.versions):
            for word in settings_of(peer, name):
                found = self.cells[name, peer, word]
                cells = ["stops" if math.isnan(found[h][0]) else "%.1e" % found[h][0] for h in self.steps]
                cells += ["-" if found[h][k] is None else "" if math.isnan(found[h][k]) else "%.1e" % found[h][k]
                          for k in (1, 2) for h in self.told]
                took = [self.times.get((name, peer, word, h)) for h in self.told]
                cells += ["%.4g" % statistics.median(one[1]) if one else "" for one in took]
                if took[-1] and first:
                    cells.append("%.2f" % statistics.median(a / b for a, b in zip(took[-1][1], first[1])))
                self.table.row(f"{PEERS.get(peer, peer)}, {word}", *cells)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clack")
    parser.add_argument("work")
    parser.add_argument("-o", help="a file for what is printed")
    parser.add_argument("--quick", action="store_true", help="steps of 4 ms alone, without the longest chain")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    table, peers = Table(given.o), Peers(given.work)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        cpu = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    version = subprocess.run([given.clack, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    absent = [PEERS[peer] for peer in PEERS if peer not in peers.versions]
    others = ", ".join(peers.versions.values()) or "no other program"
    table.say(f"sh bench/peers/joints.sh: {version}; {others}; {cpu},",
              f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; processor time of a step of one scene, median "
              f"of {given.rounds} rounds; left out: {len(absent)} of {len(PEERS)}"
              + "".join(f", {one}" for one in absent),
              "", "Error: largest distance of the marked points (rods' ends) from the reference over the time.",
              "Violated: largest distance of a joint's two points, m, or angle between its axes, rad. Energy: largest",
              "change over the range of the potential energy. Ratio: time over clack's trapezoidal at the shorter of",
              "the two steps.",
              "Settings: bench/peers/joints_exudyn.py and those beside it; - : joint coordinates, nothing to violate.")
    Bench(Clack(os.path.abspath(given.clack), given.work), peers, table, given.rounds, given.quick).run()


if __name__ == "__main__":
    main()
