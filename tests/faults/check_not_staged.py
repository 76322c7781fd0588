#!/usr/bin/env python3
"""A scene of which nothing can be made fails alone, whichever it is and however it is run: its status, its values,
the others.

usage: check_not_staged.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import contents, differences, without_command
from program_checks import check, clack, failures

import h5py
import numpy as np

STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball:
      material: steel
      shapes: [{sphere: {diameter: {column: d}}}]
      position: [0, 0, {column: z}]
design: {table: TABLE}
solver: {end: 0.3}
outputs:
  quantities: {begun: {count: contact_begin}, height: {final: ball.position.z}}
  trajectory: {every: 0.1}
  events: true
  statistics: {}
"""
SCENES, BAD, NOT_STAGED = 60, (0, 23, 59), 11
RUN = ["-d", "native", "--threads", "1", "-q"]
REASON = ("bad.yaml:5:5: scene.bodies.ball: warning: scene 23 is not staged: "
          "body \"ball\": inertia is not positive definite")


def write_study(name, bad):
    with open(name + ".csv", "w") as file:
        file.write("d,z\n")
        for scene in range(SCENES):
            file.write(f"{'1e-100' if scene in bad else 0.05 + 1e-4 * scene},{0.2 + 1e-3 * scene}\n")
    with open(name + ".yaml", "w") as file:
        file.write(STUDY.replace("TABLE", name + ".csv"))


def check_file(name, good):
    with h5py.File(name) as file:
        status = file["status"][...]
        check(file.attrs["complete"] == 1, f"{name}: not complete")
        check([int(s) for s in np.flatnonzero(status)] == list(BAD), f"{name}: failed {np.flatnonzero(status)}")
        check(all(status[s] == NOT_STAGED for s in BAD), f"{name}: status {status[list(BAD)]}")
        names = file["status"].attrs["flag_meanings"]
        names = (names.decode() if isinstance(names, bytes) else names).split()
        check(names[list(file["status"].attrs["flag_values"]).index(NOT_STAGED)] == "not_staged",
              f"{name}: flag_meanings {names}")
        for field in ("height", "begun", "error_sum", "energy_drift", "status_time", "trajectory/position"):
            values = file[field][...]
            check(np.isnan(values[list(BAD)]).all(), f"{name}: {field} of scenes that failed {values[list(BAD)]}")
            others = np.delete(np.arange(SCENES), BAD)
            check(np.array_equal(values[others], good[field][...][others], equal_nan=True),
                  f"{name}: {field} of the others")
        check(not set(BAD) & set(file["events/scene_number"][...]), f"{name}: events of scenes that failed")
        check(all(file["parameters/scene.bodies.ball.shapes[0].sphere.diameter"][list(BAD)] == 1e-100),
              f"{name}: what was drawn")


def check_ways():
    """Batches, threads, shards, a run that is resumed: the same file."""
    clack("run", "bad.yaml", *RUN, "-o", "one.h5", "--max-failures", "3")
    whole = without_command(contents("one.h5"))
    clack("run", "bad.yaml", *RUN, "-o", "stopped.h5", "--max-failures", "3", "--batch", "16", "--checkpoint", "0",
          "--time-limit", "0.0001", code=130)
    clack("resume", "stopped.h5", "-q")
    clack("run", "bad.yaml", "-d", "native", "--threads", "2", "-q", "-o", "two.h5", "--max-failures", "3",
          "--batch", "16")
    for part in ("1/3", "2/3", "3/3"):
        clack("run", "bad.yaml", *RUN, "-o", part[0] + ".h5", "--shard", part, "--max-failures", "3")
    clack("merge", "1.h5", "2.h5", "3.h5", "-o", "merged.h5")
    for name in ("stopped.h5", "two.h5", "merged.h5"):
        other = differences(whole, without_command(contents(name)))
        check([n for n in other if not n.startswith("provenance")] == [], f"{name}: differs in {other}")


def check_words():
    told = clack("run", "bad.yaml", "-d", "native", "-o", "told.h5", code=6, says=REASON).stderr
    check("shapes[0].sphere.diameter = 1e-100" in told, f"what was drawn is not in {told}")
    check("3 of 60 scenes failed" in told, told)
    clack("run", "bad.yaml", "-d", "native", "-o", "more.h5", "--max-failures", "2", "-q", code=6)
    one = json.loads(clack("run", "bad.yaml", "-d", "native", "--scene", "23", "--json", "-q", code=6).stdout)
    check(one["scene"]["status"] == "not_staged", f"--scene: {one}")
    clack("run", "bad.yaml", "-d", "native", "--scene", "24", "-q")
    clack("validate", "bad.yaml", says="scene 0 is not staged")
    check("not_staged 3" in clack("info", "one.h5").stdout, "info does not count them")
    stats = clack("stats", "one.h5").stdout
    check("of which 57 ok, 3 failed" in stats and "scene 23, not_staged" in stats, f"stats: {stats[:300]}")
    verified = clack("run", "bad.yaml", "-d", "native", "-o", "verified.h5", "--max-failures", "3", "--verify", "100%")
    check("57 of 60 scenes compared" in verified.stdout + verified.stderr,
          f"--verify: {verified.stdout}{verified.stderr}")
    clack("run", "bad.yaml", "-d", "native", "--dry-run")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_study("good", ())
    write_study("bad", BAD)
    clack("run", "good.yaml", *RUN, "-o", "good.h5")
    check_ways()
    with h5py.File("good.h5") as good:
        check_file("one.h5", good)
        if clack("run", "bad.yaml", "-d", "cpu", "-q", "-o", "opencl.h5", "--max-failures", "3",
                 code=None).returncode == 0:
            check_file("opencl.h5", good)
    check_words()
sys.exit(1 if failures else 0)
