#!/usr/bin/env python3
"""Errors of fast, default and accurate against a converged reference, beside what they cost.

    python3 bench/accuracy.py build/clack [-n SCENES] [--only NAME]...

Every workload runs on the native device, one thread, with all settings and twice more with far finer ones. The error
of a scene is the largest distance of any body's place from that of the finest run, at the times of the table; of the
finer of the two references the other one's error is shown too, as what the comparison itself is good for. Where
collisions follow each other errors grow without bound: the time at which the median passes a millimetre is told.
"""

import argparse
import os
import resource
import subprocess
import tempfile

import h5py
import numpy

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
SETTINGS = {
    "fast": ["solver.accuracy=fast"],
    "default": ["solver.accuracy=default"],
    "accurate": ["solver.accuracy=accurate"],
    "reference'": ["solver.accuracy={tolerance: 1.0e-9, steps: 32}", "solver.step=5.0e-4"],
    "reference": ["solver.accuracy={tolerance: 1.0e-10, steps: 48}", "solver.step=2.5e-4"],
}


def pile(folder):
    """A hundred steel spheres at rest but for their weight: 8 x 5 on a floor between four walls, 7 x 4 on them,
    up to 4."""
    balls = ""
    for layer in range(5):
        rows, columns = 8 - layer, 5 - layer
        for i in range(rows * columns):
            place = (0.1 * (i // columns - (rows - 1) / 2), 0.1 * (i % columns - (columns - 1) / 2),
                     0.05 + 0.1 * numpy.sqrt(0.5) * layer)
            balls += ("    ball_%d_%d: {material: steel, shapes: [{sphere: {diameter: 0.1}}], "
                      "position: [%r, %r, %r]}\n" % ((layer, i) + tuple(float(x) for x in place)))
    walls = "".join("        - half_space: {normal: [%g, %g, %g], offset: %g}\n" % wall for wall in
                    [(0, 0, 1, 0), (1, 0, 0, -0.4), (-1, 0, 0, -0.4), (0, 1, 0, -0.25), (0, -1, 0, -0.25)])
    path = os.path.join(folder, "pile.yaml")
    with open(path, "w") as file:
        file.write("format: 1\nscene:\n  pairs: [{between: [steel, steel], restitution: 0.5, friction: 0.3}]\n"
                   "  bodies:\n    box:\n      fixed: true\n      material: steel\n      shapes:\n" + walls + balls +
                   "design: {monte_carlo: {samples: 1}}\nsolver: {end: 1}\noutputs: {trajectory: {every: 0.05}}\n")
    return path


# Name, study, what is set, s between frames, times of the table.
WORKLOADS = [
    ("W1", "bouncing_sphere.yaml", ["solver.end=1"], 0.05, [0.6, 1.0]),
    ("W2", "ten_spheres.yaml", ["solver.end=1"], 0.05, [0.2, 0.4, 0.6, 1.0]),
    ("W3", "tumbling_box.yaml", ["solver.end=1"], 0.05, [0.5, 1.0]),
    ("W4", "packed_spheres.yaml", ["solver.end=1"], 0.02, [0.04, 0.1, 0.2, 0.3, 1.0]),
    ("pile", pile, [], 0.05, [0.1, 0.3, 1.0]),
    ("billiard break", "billiard_break.yaml", ["solver.end=5"], 0.05, [0.5, 1.0, 1.5, 2.0, 3.0, 5.0]),
]


def run(clack, study, scenes, settings, every, folder):
    """Places [scene, time, body, xyz], times, evaluations per scene, s of processor per scene, flags."""
    out = os.path.join(folder, "run.h5")
    path = study(folder) if callable(study) else os.path.join(DATA, study)
    command = [clack, "run", path, "-o", out, "--overwrite", "-q", "-d", "native", "--threads", "1",
               "--max-failures", str(scenes)]
    outputs = ["design.monte_carlo.samples=%d" % scenes, "outputs.trajectory.every=%g" % every,
               "outputs.trajectory.scenes=%d" % scenes]
    for setting in settings + outputs:
        command += ["--set", setting]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with h5py.File(out) as file:
        return dict(places=file["trajectory/position"][:], times=file["trajectory/time"][:],
                    evaluations=numpy.mean(file["evaluations"][:]), seconds=seconds / scenes,
                    failed=int(numpy.sum(file["status"][:] != 0)))


def errors(one, reference):
    """Largest distance of any body's place [scene, time], m; NaN after a scene's end."""
    away = numpy.linalg.norm(one["places"] - reference["places"], axis=-1)
    return numpy.nanmax(away, axis=-1)


def measure(clack, workload, scenes, folder):
    name, study, settings, every, times = workload
    if callable(study):
        scenes = 1
    runs = {key: run(clack, study, scenes, settings + given, every, folder) for key, given in SETTINGS.items()}
    print("\n%s: %s, %d scenes" % (name, study.__name__ if callable(study) else study, scenes))
    heads = "".join("  %20s" % ("at %g s" % time) for time in times)
    print("  %-11s %12s %10s%s  %s" % ("", "evaluations", "s", heads, "median > 1 mm"))
    for key, one in runs.items():
        if key == "reference":
            continue
        error = errors(one, runs["reference"])
        cells = ""
        for time in times:
            at = error[:, numpy.argmin(abs(one["times"] - time))]
            cells += "  %9.1e, %9.1e" % (numpy.median(at), numpy.max(at))
        lost = one["times"][numpy.median(error, axis=0) > 1e-3]
        print("  %-11s %12.0f %10.3f%s  %s" % (key, one["evaluations"], one["seconds"], cells,
                                              "%.2f s" % lost[0] if len(lost) else "never") +
              ("  %d failed" % one["failed"] if one["failed"] else ""))
    print("  (errors: median, worst, m; s: of one core for each scene)")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("clack")
    words.add_argument("-n", type=int, default=16, help="scenes of each workload")
    words.add_argument("--only", action="append", help="of these workloads alone")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for workload in WORKLOADS:
            if not given.only or workload[0] in given.only:
                measure(given.clack, workload, given.n, folder)


main()
