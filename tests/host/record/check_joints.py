"""Forces of joints over time: /joints against Newton's law, quantities, shards, CSV.

python3 check_joints.py CLACK SOURCE
Exit code 77: a Python package is missing.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

CLACK, SOURCE = sys.argv[1], sys.argv[2]
EVERY = 1e-3
G = 9.81
STUDY = f"""
format: 1
variables: {{m: {{uniform: [1, 3]}}}}
scene:
  bodies:
    hook: {{fixed: true}}
    rod: {{mass: {{mass: 2, inertia: [0.01, 0.17, 0.17]}}, position: [0.5, 0, 0]}}
    load: {{mass: {{mass: $m, inertia: [0.1, 0.1, 0.1]}}, position: [1, 0, -0.6]}}
  joints:
    hinge: {{kind: revolute, between: [hook, rod], at: [0, 0, 0], axis: [0, 1, 0]}}
    rope: {{kind: distance, between: [rod, load], at: [[1, 0, 0], [1, 0, -0.5]]}}
    strut: {{kind: spring_damper, between: [hook, rod], at: [[0, 0, 1], [1, 0, 0]], stiffness: 500, damping: 50}}
  forces:
    wind: {{body: load, force: ["=3*sin(4*t)", 0, 0]}}
design: {{monte_carlo: {{samples: 6, seed: 3}}}}
solver: {{method: trapezoidal, step: 1.0e-3, end: 0.5}}
outputs:
  quantities: {{tension: {{max: rope.tension}}, pull: {{max: wind.force}}, swing: {{min: hinge.angle}}}}
  contacts: {{every: {EVERY}, scenes: 4}}
  trajectory: {{every: {EVERY}, scenes: 4}}
"""
failures = 0


def check(is_right, text):
    global failures
    if not is_right:
        failures += 1
        print("FAILED:", text)


def run(folder, *words):
    environment = dict(os.environ, CLACK_DATA_DIR=SOURCE + "/data")
    return subprocess.run([CLACK, *words], cwd=folder, check=True, capture_output=True, text=True, env=environment)


def rows_of(joints, scene, name):
    names = joints["joint"].attrs["flag_meanings"].decode().split()
    mine = (joints["scene_number"][()] == scene) & (joints["joint"][()] == names.index(name))
    return {key: joints[key][()][mine] for key in ("time", "force", "moment", "point", "coordinate", "violation")}


def check_scene(file, scene):
    joints, frames = file["joints"], file["trajectory"]
    hinge, rope, strut, wind = (rows_of(joints, scene, name) for name in ("hinge", "rope", "strut", "wind"))
    check(len(rope["time"]) == 501 and np.allclose(np.diff(rope["time"]), EVERY, atol=1e-12), f"{scene}: times")
    velocity = frames["velocity"][scene]
    acceleration = (velocity[2:] - velocity[:-2]) / (2 * EVERY)
    weight = np.array([0, 0, -G])
    mass = file["parameters"]["m"][scene]
    # The pull of the rope on the load, and what the rod is held by and pulls: Newton's law at each time within.
    load = rope["force"] + wind["force"] + mass * weight
    rod = hinge["force"] + strut["force"] - rope["force"] + 2 * weight
    for name, force, body, kg in (("load", load, 2, mass), ("rod", rod, 1, 2)):
        off = np.abs(force[1:-1] - kg * acceleration[:, body]).max() / np.abs(force).max()
        print(f"scene {scene}, {name}: forces off by {off:.1e} of the largest")
        check(off < 5e-5, f"{scene}: Newton's law of the {name}")
    pull = np.linalg.norm(rope["force"], axis=1)
    check(abs(pull.max() - file["tension"][scene]) < 1e-9 * pull.max(), f"{scene}: largest tension")
    check(np.allclose(wind["force"][:, 0], 3 * np.sin(4 * wind["time"]), atol=1e-12), f"{scene}: a force over time")
    check(abs(hinge["coordinate"].min() - file["swing"][scene]) < 1e-12, f"{scene}: angle")
    check(np.all(np.abs(rope["coordinate"] - 0.5) < 1e-12), f"{scene}: length of the rope")
    check(np.abs(hinge["violation"]).max() < 1e-12, f"{scene}: violations")
    check(np.abs(hinge["moment"][:, 1]).max() < 1e-9 * pull.max(), f"{scene}: no moment about the hinge's axis")


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "rods.yaml"), "w") as study:
            study.write(STUDY)
        run(folder, "run", "rods.yaml", "-d", "native", "-o", "rods.h5")
        for part in (1, 2):
            run(folder, "run", "rods.yaml", "-d", "native", "--shard", f"{part}/2", "-o", f"part{part}.h5")
        run(folder, "merge", "part1.h5", "part2.h5", "-o", "merged.h5")
        table = run(folder, "export", "rods.h5", "--csv", "--table", "joints").stdout
        with h5py.File(os.path.join(folder, "rods.h5")) as file, \
                h5py.File(os.path.join(folder, "merged.h5")) as merged:
            for scene in range(4):
                check_scene(file, scene)
            check(len(file["contacts/time"]) == 0, "no contacts among them")
            for name, dataset in file["joints"].items():
                check(np.array_equal(dataset[()], merged["joints"][name][()]), f"merged: {name}")
            rows = list(csv.DictReader(io.StringIO(table)))
            check(len(rows) == len(file["joints/time"]), "rows of the CSV")
            check([row["joint"] for row in rows[:4]] == ["hinge", "rope", "strut", "wind"], "names in the CSV")
            check(float(rows[5]["force_z"]) == file["joints/force"][5, 2], "values in the CSV")
    return 1 if failures else 0


sys.exit(main())
