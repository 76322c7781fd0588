#!/usr/bin/env python3
"""Quasi-rigid bodies of clack beside Drake, MuJoCo, PyBullet and Siconos, on the same scenes in one run.

    quasi_rigid.py CLACK WORK [-o FILE] [--quick] [--rounds N]        (called by quasi_rigid.sh, which builds)

WORK: has a folder for each program that is there. Prints tables (Markdown); FILE gets them too. Scenes are those of
quasi_scenes.py, with steps of 0.01 and 0.001 s. Times are of one processor: in each round every program runs once, the
ratios are those within a round, told are medians. What is not there is told and left out.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

import quasi_scenes as scenes
from quasi_clack import Clack
from quasi_measures import Measures

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = (0.01, 0.001)
PEERS = {"drake": "Drake", "mujoco": "MuJoCo", "pybullet": "PyBullet", "siconos": "Siconos"}
SETTINGS = {"drake": ["sap", "lagged", "similar", "tamsi", "lagged hard"], "mujoco": ["default", "hard"],
            "pybullet": ["default", "hard"], "siconos": ["default"]}
FACES = ["sap face", "lagged face"]
MORE = {("drake", "held"): FACES, ("drake", "pushed"): FACES, ("drake", "spin"): FACES,
        ("drake", "core"): ["sap core"], ("mujoco", "core"): ["core"]}
OWN = ["quasi_rigid", "theta 0.5"]  # settings of clack
TIMED = {"slide": "ball that slides", "rock": "spheroid that rocks", "held": "box that is held"}
TITLES = {
    "slide": "1. A ball slides until it rolls",
    "rock": "2. A spheroid rocks for 5 s",
    "spin": "3. A ball that spins is stopped by torsional friction",
    "puck": "3. A puck that slides and spins, with an ellipsoid of friction: both stop at once",
    "held": "4. A box held by 0.99 of its friction: the resultant of normal forces is 19.8 mm ahead of its centre",
    "pushed": "4. A box pushed by 1.5 of its friction: 20 mm ahead",
    "core": "5. A ball on a layer of 100 N/m, 50 mm thick: the core carries 4.81 N (without one: 98.1 mm deep)",
}


def settings_of(peer, name):
    if name == "core":
        return SETTINGS[peer][:1] + MORE.get((peer, name), [])
    return SETTINGS[peer] + MORE.get((peer, name), [])


class Peers:
    """Programs that are called from Python; `versions` of those that are there."""

    def __init__(self, work):
        self.work, self.versions = work, {}
        for peer in PEERS:
            lines = self.answers(peer, [])
            if lines:
                self.versions[peer] = lines[0]["version"]

    def environment(self, peer):
        """Siconos' libraries lie in its folder, as Debian's packages have them."""
        made = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        if peer == "siconos":
            base = os.path.join(self.work, peer, "usr", "lib")
            folders = [base] + [os.path.join(base, "x86_64-linux-gnu", more) for more in ("", "openblas-pthread")]
            made["LD_LIBRARY_PATH"] = ":".join(folders)
        return made

    def answers(self, peer, jobs):
        """Of its program: the version, and one for each job. None: it is not there, or failed."""
        program = [sys.executable, os.path.join(HERE, f"quasi_{peer}.py"), os.path.join(self.work, peer)]
        done = subprocess.run(program + list(map(json.dumps, jobs)), capture_output=True, text=True, check=False,
                              env=self.environment(peer))
        if done.returncode not in (0, 77):
            print(f"{peer}: {done.stderr[-2000:]}", file=sys.stderr)
        if done.returncode != 0:
            return None
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def ask(self, peer, jobs):
        found = self.answers(peer, jobs)
        return found[1:] if found else [{"absent": "failed"}] * len(jobs)


def core_of_clack(depth, contacts):
    """Force beyond that of the layer at its deflection, which is at rest."""
    return "%.9f" % (sum(one[0] for one in contacts) - scenes.STIFFNESS * depth)


def core_of_peer(_, contacts):
    """Of the second ball, whose distance is that of a harder contact: the last of two."""
    return "%.5f (second ball)" % contacts[-1][0] if len(contacts) > 1 else "has none"


class Bench:
    def __init__(self, own, peers, file, rounds, is_quick):
        self.own, self.peers, self.file, self.rounds = own, peers, file, rounds
        self.steps = STEPS[:1] if is_quick else STEPS

    def say(self, *lines):
        for to in filter(None, (sys.stdout, self.file)):
            print(*lines, sep="\n", file=to, flush=True)

    def row(self, *cells):
        self.say("| " + " | ".join(cells) + " |")

    def head(self, title, *columns):
        self.say("", title, "")
        self.row(*columns)
        self.say("|" + "---|" * len(columns))

    def compared(self, name):
        columns = [column for column, _ in Measures.COLUMNS[name]]
        self.head(f"## {TITLES[name]}", "program", *[f"{column} (h = {h:g})" for h in self.steps for column in columns])
        for word, clack in self.own.items():
            found = [Measures(name, h, clack.rows(name, h)["rows"], core_of_clack).cells(name) for h in self.steps]
            self.row(f"clack, {word}", *sum(found, []))
        for peer in self.peers.versions:
            words = settings_of(peer, name)
            answers = self.peers.ask(peer, [{"scene": name, "h": h, "setting": word} for word in words
                                            for h in self.steps])
            for k, word in enumerate(words):
                mine = answers[k * len(self.steps):(k + 1) * len(self.steps)]
                if "absent" in mine[0]:
                    if k == 0:  # said once
                        self.row(PEERS[peer], f"not to be had: {mine[0]['absent']}",
                                 *[""] * (len(columns) * len(self.steps) - 1))
                    continue
                cells = [Measures(name, h, one["rows"], core_of_peer).cells(name) for h, one in zip(self.steps, mine)]
                self.row(f"{PEERS[peer]}, {word}", *sum(cells, []))

    def timed(self):
        jobs = {peer: [{"scene": name, "h": h, "setting": word, "timed": True} for name in TIMED for h in self.steps
                       for word in settings_of(peer, name)] for peer in self.peers.versions}
        times = {}
        for _ in range(self.rounds):
            for name in TIMED:
                for h in self.steps:
                    for word, clack in self.own.items():
                        took = clack.step_us(name, h)["us"]
                        first = times[name, h, "clack", OWN[0]][-1][0] if word != OWN[0] else took
                        times.setdefault((name, h, "clack", word), []).append((took, took / first))
            for peer, mine in jobs.items():
                for job, answer in zip(mine, self.peers.ask(peer, mine)):
                    if "us" in answer:
                        own = times[job["scene"], job["h"], "clack", OWN[0]][-1][0]
                        times.setdefault((job["scene"], job["h"], PEERS[peer], job["setting"]), []).append(
                            (answer["us"], answer["us"] / own))
        cases = [(name, h) for name in TIMED for h in self.steps]
        self.head(f"## Time of a step of one scene on one core: µs, and over clack's (medians of {self.rounds} rounds)",
                  "program", *[f"{TIMED[name]}, h = {h:g}" for name, h in cases])
        for peer, word in dict.fromkeys(key[2:] for key in times):
            cells = []
            for case in cases:
                got = times.get((*case, peer, word))
                cells.append("%.2f (%.2f)" % tuple(map(statistics.median, zip(*got))) if got else "")
            self.row(f"{peer}, {word}", *cells)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clack")
    parser.add_argument("work")
    parser.add_argument("-o", help="a file for what is printed")
    parser.add_argument("--quick", action="store_true", help="steps of 0.01 s alone, to see that all runs")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    file = open(given.o, "w", encoding="utf-8") if given.o else None
    peers = Peers(given.work)
    own = {word: Clack(os.path.abspath(given.clack), given.work, theta) for word, theta in zip(OWN, (1, 0.5))}
    bench = Bench(own, peers, file, given.rounds, given.quick)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        cpu = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    version = subprocess.run([given.clack, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    absent = [PEERS[peer] for peer in PEERS if peer not in peers.versions]
    bench.say("# Quasi-rigid bodies beside other programs", "",
              f"`sh bench/peers/quasi_rigid.sh`: {version}; {', '.join(peers.versions.values())};",
              f"left out: {', '.join(absent) or 'none'}. {cpu}, {os.cpu_count()} cores, "
              f"load {os.getloadavg()[0]:.1f}.", "",
              "One body on a plane, g = 9.81 m/s², 1 kg, friction 0.2 (`bench/peers/quasi_scenes.py`). Settings:",
              "`bench/peers/quasi_drake.py` and those beside it. Distances are those from closed forms, states those",
              "at ends of steps. All begin in touch, without overlap: contacts that need one let the body fall by",
              "g h² first (0.98 mm of steps of 0.01 s); so overlaps are those after the first second. *Free*: steps",
              "of the last second in which nothing touches; *mean*: of the resultant of all impulses. PyBullet's and",
              "Siconos' steps are called from Python; what rocks in PyBullet is an elliptic cylinder of 8,000 corners.")
    for name in scenes.SCENES:
        bench.compared(name)
    bench.timed()


if __name__ == "__main__":
    main()
