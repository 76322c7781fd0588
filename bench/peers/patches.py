#!/usr/bin/env python3
"""Forces of contact patches: clack's regions beside Drake's hydroelastic contact and Simbody's elastic foundation.

    patches.py CLACK WORK [--drake FOLDER] [-o FILE] [--quick] [--rounds N]        (called by patches.sh, which builds)

Scenes: a ball and a tilted block held in a soft layer, a ball that hits it, a block on a slope. Times are of one
processor, the median of the rounds; in each round every program runs once. What is not there is counted and left out.
"""
import argparse
import os
import statistics
import subprocess
import sys

import numpy
import patch_models as models
from patch_programs import Clack, Peers

SLID = "{quantities: {half: {value: body.position.x, at: %g}, way: {final: body.position.x}}}"
DEPTHS = (0.001, 0.005, 0.02)  # m
FRICTION, TANGENT, SLOPE_END = 0.2, 0.1, 2.0


def mesh(path):
    return f"{{mesh: {{file: {path}}}}}"


def off(wrenches, expected):
    """The largest difference of force, over the force expected, and of moment, over that and the side of the block."""
    if wrenches is None:
        return [None, None]
    found, expected = numpy.array(wrenches), numpy.array(expected)
    force = numpy.linalg.norm(expected[:, :3], axis=1)
    difference = found - expected
    is_there = (force > 0) | (numpy.linalg.norm(difference, axis=1) > 0)  # Simbody may have no spring in the layer
    apart = numpy.linalg.norm(difference.reshape(-1, 2, 3), axis=2)[is_there] / force[is_there][:, None]
    return apart[:, 0].max(), apart[:, 1].max() / models.SIDE


def smooth_errors(wrenches, expected):
    """Of forces up, as many poses at each of DEPTHS: the largest, relative."""
    if wrenches is None:
        return ["-"] * len(DEPTHS)
    forces = numpy.array(wrenches)[:, 2].reshape(len(DEPTHS), -1)
    return ["%.1e" % numpy.abs(of / expected(depth) - 1).max() for of, depth in zip(forces, DEPTHS)]


class Table:
    def __init__(self, path):
        self.file = open(path, "w") if path else None

    def say(self, *lines):
        for file in filter(None, (sys.stdout, self.file)):
            print(*lines, sep="\n", file=file, flush=True)

    def row(self, name, *cells):
        self.say("  " + name.ljust(34) + "".join(str(cell).rjust(14) for cell in cells))


def number(value, form="%.1e"):
    return "-" if value is None else form % value


# --- scenes --------------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, clack, peers, table, rounds, is_quick):
        self.clack, self.peers, self.table, self.rounds, self.is_quick = clack, peers, table, rounds, is_quick

    def path(self, name, surface):
        path = os.path.join(self.clack.work, name + ".obj")
        models.write_obj(path, *surface)
        return path

    def measure(self, rows, ask, times_of_clack):
        """What programs answer and the median of their times. rows: their names, clack's first; ask: the others'."""
        got, times = {}, {row: [] for row in rows}
        for _ in range(self.rounds):
            times[rows[0]].append(times_of_clack())
            for row, answer in zip(rows[1:], ask()):
                got[row] = answer and answer["forces"]
                if answer:
                    times[row].append(answer["cpu_s"] / answer["evaluations"] - answer.get("call_s", 0))
        return got, {row: number(1e6 * statistics.median(list_s), "%.1f") if list_s else "-"
                     for row, list_s in times.items()}

    def held(self, name, poses_of, surface, foundations, sized):
        """Force and time of an evaluation of one body at several depths or tilts. foundations: Simbody's surfaces."""
        path = self.path(name, surface)
        poses = [pose for group in poses_of for pose in group]
        rounds = 3 if self.is_quick else 20
        job = {"kind": "force", "body": "mesh", "mesh": path, "modulus": models.MODULUS, "depth": models.DEPTH,
               "poses": poses, "rounds": rounds}
        layer = [models.layer_wrench(surface, pose) for pose in poses]
        rows = {f"{peer}, {len(surface[1])}": (layer, layer) for peer in ("clack", "Drake", "Drake, in triangles")}
        clack = next(iter(rows))
        smallest = [models.layer_wrench(surface, pose, False) for pose in poses]
        for one in foundations:
            rows[f"Simbody, {len(one[1])}"] = [models.foundation_wrench(one, pose) for pose in poses], smallest
        paths = [self.path(f"{name}_{k}", one) for k, one in enumerate(foundations)]
        got, times = self.measure(
            list(rows),
            lambda: self.peers.ask_drake([{**job, "representation": kind} for kind in ("polygon", "triangle")]) +
            [self.peers.ask_simbody("force", at, poses, models.K, rounds) for at in paths],
            lambda: self.clack.evaluate_s(mesh(path), poses, 20 * rounds))
        got[clack] = self.clack.forces(mesh(path), poses)
        for row, (own, exact) in rows.items():
            self.table.row(row, *map(number, off(got[row], own)), *sized(row, got[row], exact), times[row])

    def balls(self):
        groups = [models.ball_poses(depth, 8) for depth in DEPTHS]

        def sized(row, wrenches, _):
            return smooth_errors(wrenches, models.foundation_ball if "Simbody" in row else models.layer_ball)

        self.table.say("Ball of 0.1 m radius on the layer, 1, 5 and 20 mm deep in 8 orientations. Largest errors: of",
                       "force and moment against what the program's model gives for these triangles, of the force",
                       "against what it gives for a smooth ball; us of an evaluation")
        self.table.row("program, triangles", "force", "moment", "smooth, 1 mm", "5 mm", "20 mm", "us")
        for level in (3, 4) if self.is_quick else (3, 4, 5):
            surface = models.ball(level)
            self.held(f"ball{level}", groups, surface, [surface], sized)
        self.own_balls([[0, 0, models.RADIUS - depth, 0.5, 0.5, 0.5, 0.5] for depth in DEPTHS])

    def own_balls(self, poses):
        """Of each program's own ball, with its own closed form: pressures of Drake's, Hertz's force of ours."""
        self.table.say("  balls of the programs' own, edges of 1/16 of the radius:")
        edge = models.RADIUS / 16
        shape = f"{{sphere: {{diameter: {2 * models.RADIUS}}}, mesh_size: {edge}}}"
        steel = 2e11 / (1 - 0.3**2) / 2  # E* of two of data/materials.yaml; the force is proportional to it
        self.table.row("clack, volume", "", "", *smooth_errors(self.clack.forces(shape, poses), models.layer_ball))
        self.table.row("clack, hertz", "", "", *smooth_errors(self.clack.forces(shape, poses, "hertz"),
                                                              lambda depth: models.hertz_ball(depth, steel)))
        got = self.peers.ask_drake([{"kind": "force", "body": "ball", "radius": models.RADIUS, "edge": edge,
                                     "modulus": models.MODULUS, "poses": poses, "rounds": 1}])[0]
        self.table.row("Drake, pressure in the ball", "", "", *smooth_errors(
            got and got["forces"], lambda depth: models.pressed_ball(depth, models.MODULUS)))

    def pairs(self):
        """Two balls of the same triangles; Drake's are cut into tetrahedra, as it takes no such files."""
        poses = [pose for depth in DEPTHS for pose in models.ball_poses(depth, 8)]
        rounds = 2 if self.is_quick else 10
        self.table.say("", "The same ball on one like it, both compliant; errors against smooth balls of the model")
        self.table.row("program, triangles of one", "smooth, 1 mm", "5 mm", "20 mm", "us")
        for level in (3, 4) if self.is_quick else (3, 4, 5):
            path, edge = self.path("pair", models.ball(level)), models.RADIUS / 2**level
            # Edges as long as that are those of an octahedron of which each has been halved level + 1 times.
            rows = {f"clack, {20 * 4**level}": models.layer_pair, f"Drake, {32 * 4**level} tetrahedra":
                    lambda depth: models.pressed_ball(depth / 2, models.MODULUS),
                    f"Simbody, {20 * 4**level}": models.foundation_pair}
            job = {"kind": "force", "body": "pair", "radius": models.RADIUS, "edge": edge, "modulus": models.MODULUS,
                   "poses": poses, "rounds": rounds}
            got, times = self.measure(
                list(rows), lambda: [self.peers.ask_drake([job])[0], self.peers.ask_simbody(
                    "force", path, poses, models.K, 1, models.RADIUS)],
                lambda: self.clack.evaluate_s(mesh(path), poses, 10 * rounds, mesh(path)))
            got[f"clack, {20 * 4**level}"] = self.clack.forces(mesh(path), poses, other=mesh(path))
            for row, smooth in rows.items():
                self.table.row(row, *smooth_errors(got[row], smooth), times[row])

    def blocks(self):
        self.table.say("", "Block of 0.1 m, lowest edge 2 mm deep, tilted by 0.003 to 0.3 rad, 40 poses. As above;",
                       "exact: against the model of the block itself, of Simbody that of ever smaller faces")
        self.table.row("program, triangles", "force", "moment", "exact: force", "moment", "us")
        self.held("block", [models.block_poses(40)], models.block(1),
                  [models.block(n) for n in ((4, 16) if self.is_quick else (4, 16, 64))],
                  lambda row, wrenches, exact: map(number, off(wrenches, exact)))

    def hits(self):
        """What each program gets, and how long it takes, over its settings."""
        level, count, d = 4, 4 if self.is_quick else 8, models.dissipation()
        path, poses = self.path("hit", models.ball(level)), models.ball_poses(0, count)
        models_of = {"clack": (models.layer_ball, models.layer_ball), "Drake": (models.layer_ball,
                     models.damped_layer_ball), "Simbody": (models.foundation_ball, models.foundation_ball)}
        of_drake = models.impact(*models_of["Drake"], d)
        self.table.say("", f"Ball of {models.MASS:g} kg and {20 * 4**level} triangles hits the layer at "
                       f"{models.SPEED:g} m/s, {count} orientations, no gravity. Largest errors",
                       "of the speed after it against the model's of a smooth ball (undamped 1 m/s, damped "
                       f"{models.RESTITUTION} m/s, Drake's {of_drake:.3f});",
                       "steps, evaluations, ms of an undamped impact")
        self.table.row("", "undamped", "damped", "steps", "evaluations", "ms")
        settings = [("clack", {"accuracy": name}) for name in ("fast", "default", "accurate")]
        settings += [("Drake", {"accuracy": 10.0**-k}) for k in (2, 4, 6)]
        settings += [("Drake", {"step": step, "approximation": "lagged"}) for step in (1e-3, 1e-4)]
        settings += [("Simbody", {"accuracy": 10.0**-k}) for k in (2, 4, 6)]
        results = {}
        for _ in range(self.rounds):
            for k, (peer, setting) in enumerate(settings):
                for is_damped in (0, 1):
                    got = self.hit(peer, setting, path, poses, d * is_damped)
                    results.setdefault((k, is_damped), []).append(got)
        for k, (peer, setting) in enumerate(settings):
            free, damped = results[k, 0], results[k, 1]
            name = ", ".join([peer] + [f"{value:g} s" if key == "step" else f"accuracy {value:g}" if isinstance(
                value, float) else str(value) for key, value in setting.items()])
            if free[0] is None:
                self.table.row(name, *["-"] * 5)
                continue
            elastic, lossy = models_of[peer]
            expected = models.impact(elastic, elastic, 0), models.impact(elastic, lossy, d)
            self.table.row(name, *("%.1e" % numpy.abs(numpy.array(got[0]["impacts"]) - e).max()
                                   for got, e in zip((free, damped), expected)), "%.0f" % free[0]["steps"],
                           "%.0f" % free[0]["evaluations"] if free[0]["evaluations"] else "-",
                           "%.2f" % (1e3 * statistics.median(got["cpu_s"] for got in free)))

    def hit(self, peer, setting, path, poses, d):
        if peer == "clack":
            return self.clack.impacts(mesh(path), poses, 8 if self.is_quick else 30, **setting,
                                      restitution=models.RESTITUTION if d else 1.0)
        if peer == "Drake":
            return self.peers.ask_drake([{"kind": "impact", "body": "mesh", "mesh": path, "modulus": models.MODULUS,
                                          "depth": models.DEPTH, "poses": poses, "speed": models.SPEED,
                                          "mass": models.MASS, "inertia": models.INERTIA, "end": models.IMPACT_END,
                                          "dissipation": d, **setting}])[0]
        return self.peers.ask_simbody("impact", path, poses, models.K, setting["accuracy"], models.SPEED, d,
                                      models.MASS, models.INERTIA, models.IMPACT_END)

    def slopes(self):
        """A block that does not tilt, at the depth at which it rests, at half of what friction holds."""
        mass, inertia, g = 10.0, 1e12, 9.81
        angle = numpy.arctan(TANGENT)
        gravity = [g * numpy.sin(angle), 0.0, -g * numpy.cos(angle)]
        poses = [[0, 0, models.SIDE / 2 - mass * g * numpy.cos(angle) / (models.K * models.SIDE**2), 1, 0, 0, 0]]
        coarse, fine = self.path("slope", models.block(1)), self.path("slope16", models.block(16))
        self.table.say("", f"Block of {mass:g} kg on a slope of {TANGENT}, friction {FRICTION}: creep from "
                       f"{SLOPE_END / 2:g} to {SLOPE_END:g} s, and ms of {SLOPE_END:g} s")
        self.table.row("", "m/s", "", "ms")
        stiction = f"friction_law: stiction, static_friction: {FRICTION}, "
        taken, file = self.clack.simulate(mesh(coarse), poses, restitution=0.5, friction=FRICTION, mass=mass,
                                          more=stiction, inertia=inertia, step=1e-3, end=SLOPE_END,
                                          outputs=SLID % (SLOPE_END / 2), gravity=gravity)
        self.slope_row("clack, stiction", {"cpu_s": taken, "half_m": file["half"][0], "way_m": file["way"][0]})
        job = {"kind": "slope", "body": "mesh", "mesh": coarse, "modulus": models.MODULUS, "depth": models.DEPTH,
               "poses": poses, "mass": mass, "inertia": inertia, "friction": FRICTION, "gravity": gravity,
               "end": SLOPE_END}
        for name, more in (("Drake, lagged 0.001 s", {"step": 1e-3, "approximation": "lagged"}),
                           ("Drake, accuracy 0.0001", {"accuracy": 1e-4})):
            self.slope_row(name, self.peers.ask_drake([{**job, **more}])[0])
        self.slope_row("Simbody, accuracy 0.0001", self.peers.ask_simbody(
            "slope", fine, poses, models.K, 1e-4, TANGENT, FRICTION, 0.01, mass, inertia, SLOPE_END, 0))

    def slope_row(self, name, got):
        creep = got and (got["way_m"] - got["half_m"]) / (SLOPE_END / 2)
        self.table.row(name, number(creep), "", number(got and 1e3 * got["cpu_s"], "%.1f"))

    def spins(self):
        """A block at rest on the layer but for its spin about the normal."""
        mass, g, spin, end = 10.0, 9.81, 5.0, 0.05
        inertia = mass * models.SIDE**2 / 6
        poses = [[0, 0, models.SIDE / 2 - mass * g / (models.K * models.SIDE**2), 1, 0, 0, 0]]
        mean = (numpy.sqrt(2) + numpy.log(1 + numpy.sqrt(2))) / 6 * models.SIDE  # distance from the middle of a square
        exact = FRICTION * mass * g * mean / inertia
        coarse, fine = self.path("spin", models.block(1)), self.path("spin16", models.block(16))
        self.table.say("", f"The same block, level, spun at {spin:g} rad/s about the vertical: loss in {end:g} s;",
                       f"friction all over the face would take {exact * end:.3f} rad/s")
        self.table.row("program, triangles", "rad/s")
        stiction = f"friction_law: stiction, static_friction: {FRICTION}, "
        for name, law in (("clack, 12", ""), ("clack, stiction, 12", stiction)):
            _, file = self.clack.simulate(mesh(coarse), poses, restitution=0.5, friction=FRICTION, mass=mass,
                                          more=law, inertia=inertia, step=1e-3, end=end, spin=spin, gravity=[0, 0, -g],
                                          outputs="{quantities: {spin: {final: body.angular_velocity.z}}}")
            self.table.row(name, "%.3f" % (spin - file["spin"][0]))
        jobs = [{"kind": "slope", "body": "mesh", "mesh": path, "modulus": models.MODULUS, "depth": models.DEPTH,
                 "poses": poses, "mass": mass, "inertia": inertia, "friction": FRICTION, "gravity": [0, 0, -g],
                 "end": end, "spin": spin, "accuracy": 1e-4} for path in (coarse, fine)]
        answers = self.peers.ask_drake(jobs)
        answers.append(self.peers.ask_simbody("slope", fine, poses, models.K, 1e-4, 0, FRICTION, 0.01, mass, inertia,
                                              end, spin))
        for name, got in zip(("Drake, 12", "Drake, 3072", "Simbody, 3072"), answers):
            self.table.row(name, number(got and spin - got["spin"], "%.3f"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clack")
    parser.add_argument("work")
    parser.add_argument("--drake", default="", help="where pip put Drake (--target)")
    parser.add_argument("-o", help="a file for what is printed")
    parser.add_argument("--quick", action="store_true", help="fewer poses and triangles, to see that all runs")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    table, peers = Table(given.o), Peers(given.work, given.drake)
    with open("/proc/cpuinfo") as file:
        cpu = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    version = subprocess.run([given.clack, "--version"], capture_output=True, text=True).stdout.strip()
    table.say(f"sh bench/peers/patches.sh: {version}; {cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f};",
              f"processor time, median of {given.rounds} rounds; left out: {len(peers.absent)} of 2 other programs" +
              "".join(f", {name}" for name in peers.absent), "")
    bench = Bench(Clack(os.path.abspath(given.clack), given.work), peers, table, given.rounds, given.quick)
    bench.balls()
    bench.pairs()
    bench.blocks()
    bench.hits()
    bench.slopes()
    bench.spins()


if __name__ == "__main__":
    main()
