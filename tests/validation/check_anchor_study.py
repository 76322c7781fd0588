"""data/anchor.yaml with a few scenes: python3 check_anchor_study.py PROGRAM ROOT

Hull, shank and flukes are made anew. Every scene ends well; where the anchor lies still, the forces on it (contacts,
cable, weight) are in balance to 0.1 % of its weight, and it hangs from its weight alone before it touches anything;
impulses explain its momentum. Scene 294 of 1,024 jams at 30.37 s where the force of its regions jumps: it goes on with
those of the starts of steps, which are counted, rather than in hundreds of steps a millisecond. Exit 77: there is no
NumPy or no h5py.
"""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

PROGRAM, ROOT = sys.argv[1:3]
SCENES, G = 4, 9.81
WEIGHT_N = (2414 + 4000) * G
CABLE_END_M = numpy.array([-0.3658, 0, 3.481])
failures = 0


def expect(what, is_good, got=""):
    global failures
    failures += not is_good
    print(f"{'ok' if is_good else 'WRONG'}: {what} {got}")


def run(folder, name, *words):
    path = os.path.join(folder, name)
    subprocess.run([PROGRAM, "run", os.path.join(folder, "anchor.yaml"), "-o", path, "-d", "native", "--set",
                    f"design.sobol.samples={SCENES}", *words], capture_output=True, check=True,
                   env=dict(os.environ, CLACK_DATA_DIR=os.path.join(ROOT, "data")))
    return h5py.File(path)


def rotate(q, v):
    w, u = q[0], numpy.asarray(q[1:])
    return v + 2 * numpy.cross(u, numpy.cross(u, v) + w * v)


def balance(file, scene):
    """Sum of the forces on the anchor at the last recording, over its weight; contacts there."""
    rows = file["contacts"]
    last = rows["time"][()].max()
    mine = (rows["scene_number"][()] == scene) & (rows["time"][()] == last)
    force = numpy.zeros(3)
    for row in numpy.flatnonzero(mine):
        on_b = rows["normal_force"][row] * rows["normal"][row] + rows["tangential_force"][row]
        force += on_b if rows["body_b"][row] > 0 else -on_b
    frames = file["trajectory"]
    at = int(numpy.flatnonzero(frames["recorded"][()] == scene)[0])
    place, quat = frames["position"][at, -1], frames["orientation"][at, -1]
    cable = CABLE_END_M - (place[1] + rotate(quat[1], numpy.array([0, 0, 3.0])))
    force += file["tension_held"][scene] * cable / numpy.linalg.norm(cable) - [0, 0, WEIGHT_N]
    return numpy.linalg.norm(force) / WEIGHT_N, int(mine.sum())


with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(ROOT, "data", "anchor.yaml"), folder)
    subprocess.run([sys.executable, os.path.join(ROOT, "data", "make_anchor.py"), os.path.join(folder, "anchor"),
                    "--no-stow"], capture_output=True, check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    file = run(folder, "whole.h5")
    expect("all scenes end well", (file["status"][()] == 0).all(), file["status"][()])
    expect("momentum", (file["momentum_drift"][()] < 1e-4).all(), file["momentum_drift"][()])
    expect("no contour stays open, nothing is engulfed", not (file["flags"][()] & (1024 | 2048)).any())
    still = (file["shank_speed"][()] < 1e-6) & (file["flukes_speed"][()] < 1e-6)
    expect("most of them lie still", still.sum() >= SCENES / 2, file["shank_speed"][()])
    for scene in numpy.flatnonzero(still):
        off, contacts = balance(file, scene)
        expect(f"scene {scene}: {contacts} regions, forces in balance", off < 1e-3 and contacts >= 2, f"{off:.1e}")
    still = "outputs={quantities: {t: {value: cable.tension, at: 1}}}"
    hangs = run(folder, "hangs.h5", "--set", "solver.end=1", "--set", "variables.swing=0", "--set", still)
    off = abs(hangs["t"][()] / WEIGHT_N - 1).max()
    expect("it hangs from its weight", off < 2e-2, f"{off:.1e}")
    jammed = run(folder, "jammed.h5", "--set", "design.sobol.samples=1024", "--set", "solver.end=30.6",
                 "--scene", "294")
    row = {name: jammed[name][0] for name in ("status", "flags", "loose_steps", "momentum_drift", "evaluations")}
    expect("a jam ends well", row["status"] == 0 and row["momentum_drift"] < 1e-4, row)
    expect("with regions of the starts of steps, and says so", row["loose_steps"] > 0 and row["flags"] & 65536)
    expect("in steps as long as before", row["evaluations"] < 2 * 69200, row["evaluations"]) # 69,200 up to 30.3 s
sys.exit(1 if failures else 0)
