#!/usr/bin/env python3
"""Time of an evaluation by the stepper's methods, beside that of plain RK4 with fixed steps on the same scene.

    python3 bench/steps.py build/clack [--rounds N]

One body stays in touch with one to four surfaces or corners; a batch of such scenes on one thread of the native device.
Without friction and damping nothing is stiff and steps are explicit (Tsit5, with its error estimate); with them they
are implicit (Rodas4: Jacobian, factors and solves are in the time). "method: rk4" locates no events and estimates
nothing. Processor time less that of a run of one step, over evaluations: all of the stepper is in it, starts of outer
steps too. Of both runs the least of the rounds, in which methods take turns: the least difference would be that of a
slow start.
"""
import argparse
import collections
import json
import os
import resource
import subprocess
import sys
import tempfile

PLANE = "{half_space: {normal: [%d, %d, %d]}}"
FLOOR, WALL, BACK = PLANE % (0, 0, 1), PLANE % (0, -1, 0), PLANE % (-1, 0, 0)
BALL, BOX = "{sphere: {diameter: 0.1}}", "{box: {lengths: [0.2, 0.1, 0.1]}}"
CAPSULE, CYLINDER = "{capsule: {diameter: 0.1, length: 0.2, axis: x}}", "{cylinder: {diameter: 0.1, length: 0.1}}"
ELLIPSOID = "{ellipsoid: {lengths: [0.2, 0.15, 0.1]}}"

# What touches, contacts, surfaces, the body, gravity, which of its coordinates are how far from a surface.
SCENES = [("ball on a plane", 1, [FLOOR], BALL, (2, 0, -9.6), (0, 0, 1)),
          ("ball between two", 2, [FLOOR, WALL], BALL, (2, 6, -6), (0, -1, 1)),
          ("ball in a corner", 3, [FLOOR, WALL, BACK], BALL, (5, 5, -6), (-1, -1, 1)),
          ("box on a plane", 4, [FLOOR], BOX, (2, 0, -9.6), (0, 0, 1)),
          ("capsule on a plane", 2, [FLOOR], CAPSULE, (2, 0, -9.6), (0, 0, 1)),
          ("cylinder on a plane", 4, [FLOOR], CYLINDER, (2, 0, -9.6), (0, 0, 1)),
          ("ellipsoid on a plane", 1, [FLOOR], ELLIPSOID, (2, 0, -9.6), (0, 0, 1))]
OVERLAP_M = 5e-7  # of a body that swings on its contacts and does not leave them

# samples: for runs of 0.2 s and more, whose starts of 0.03 s do not matter; bar: at most so many times RK4's
# (bench/README.md, "Methods of the stepper").
Method = collections.namedtuple("Method", "name pair apart_m speed samples bar")
METHODS = [Method("Tsit5", "restitution: 1, damping: none, friction: 0", 0.05 - OVERLAP_M, 0.0, 64, 1.4),
           Method("Rodas4", "restitution: 0.7, friction: 0.6", 0.05, 0.1, 256, 2.5)]
STEP_S, END_S = 1e-3, 2.0
RK4_STEP_S, RK4_END_S, RK4_SAMPLES = 1e-5, 1.0, 6

STUDY = """format: 1
scene:
  gravity: [%g, %g, %g]
  materials: {metal: {young: 2.0e11, poisson: 0.3, density: 7850}}
  pairs: [{between: [metal, metal], %s, rolling: 0}]
  bodies:
    ground: {fixed: true, material: metal, shapes: [%s]}
    body: {material: metal, shapes: [%s], position: [%r, %r, %r], velocity: [%r, 0, 0]}
design: {monte_carlo: {samples: %d}}
solver: {method: %s, step: %g, end: %g, freeze: false}
"""


def processor_s(command):
    """Processor time of a run, s, and what it tells."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(done.stdout)


def run_twice(clack, folder, scene, method, is_rk4):
    """Processor time, s, and evaluations in all of a run of one step and of the whole one."""
    _, _, surfaces, body, gravity, away = scene
    step_s, end_s, samples = (RK4_STEP_S, RK4_END_S, RK4_SAMPLES) if is_rk4 else (STEP_S, END_S, method.samples)
    study, out, runs = os.path.join(folder, "study.yaml"), os.path.join(folder, "out.h5"), []
    for end in step_s, end_s:
        with open(study, "w") as file:
            file.write(STUDY % (*gravity, method.pair, ", ".join(surfaces), body,
                                *(side * method.apart_m for side in away), method.speed,
                                samples, "rk4" if is_rk4 else "events", step_s, end))
        seconds, told = processor_s([clack, "run", study, "-o", out, "--overwrite", "-q", "-d", "native",
                                     "--threads", "1", "--json"])
        runs.append((seconds, told["evaluations"]))
    return runs


def evaluation_ns(rounds):
    """Time of an evaluation, ns, and how many there were, from what run_twice says in each round."""
    first, last = (min(runs[k] for runs in rounds) for k in (0, 1))
    return 1e9 * (last[0] - first[0]) / (last[1] - first[1]), last[1] - first[1]


def measure(clack, rounds=5):
    """One dictionary for each scene and method."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in SCENES:
            for method in METHODS:
                told = [[run_twice(clack, folder, scene, method, is_rk4) for is_rk4 in (False, True)]
                        for _ in range(rounds)]
                ours, plain = (evaluation_ns([both[k] for both in told]) for k in (0, 1))
                rows.append({"scene": scene[0], "contacts": scene[1], "method": method.name, "ns": ours[0],
                             "evaluations": ours[1] / method.samples, "rk4_ns": plain[0], "ratio": ours[0] / plain[0],
                             "bar": method.bar})
    return rows


def table(rows):
    lines = ["%-20s %8s %-7s %12s %8s %8s %7s %5s" %
             ("", "contacts", "", "evaluations", "ns", "RK4, ns", "ratio", "bar")]
    return lines + ["%-20s %8d %-7s %12d %8.1f %8.1f %7.2f %5g" % (
        r["scene"], r["contacts"], r["method"], r["evaluations"], r["ns"], r["rk4_ns"], r["ratio"], r["bar"])
        for r in rows]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("clack")
    words.add_argument("--rounds", type=int, default=5)
    given = words.parse_args()
    rows = measure(given.clack, given.rounds)
    print("\n".join(table(rows)))
    return 0 if all(r["ratio"] <= r["bar"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
