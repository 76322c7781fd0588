"""Sliding, sliding that becomes rolling, and rolling down slopes, in MuJoCo and in clack:
python3 check_mujoco.py CLACK ROOT [FOLDER]

MuJoCo's friction is Coulomb's with an elliptic cone, its contacts are soft in another way: what both have in common is
rigid-body mechanics. Differences are told relative to the way and to the speed. Each case is also compared with
MuJoCo's of another constant (friction, or where the ball rolls its place in gravity), when it has to differ. FOLDER:
where pip put it (--target); after all else, so that Debian's numpy stays. Exit 77: MuJoCo (PyPI: mujoco) or h5py is
missing.
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

sys.path += sys.argv[3:4]
try:
    import h5py
    import mujoco
except ImportError as missing:
    print(missing)
    sys.exit(77)

CLACK, ROOT = sys.argv[1:3]
CASES = {"slip to roll": 4, "slope, sliding": 3, "slope, rolling": 1} # how many there have to be
G, END_S = 9.81, 0.4
# Measured 1e-5; on slopes 1e-3, where MuJoCo's ball first sinks in and friction follows the load.
TOLERANCE = {"slip to roll": 2e-5, "slope, sliding": 2e-3, "slope, rolling": 2e-3}
# A sphere of steel on a plane; solref: contacts of 1 ms, critically damped.
MODEL = """<mujoco><option timestep="0.00002" gravity="{gx} 0 {gz}" cone="elliptic" \
impratio="100" integrator="implicitfast"/>
<default><geom solref="0.001 1" friction="{mu} 0 0" condim="3"/></default><worldbody><geom type="plane" size="50 50 1"/>
<body pos="0 0 {r}"><freejoint/><geom type="sphere" size="{r}" density="8000"/></body></worldbody></mujoco>"""


def theirs(r, mu, v0, tilt):
    model = mujoco.MjModel.from_xml_string(MODEL.format(r=r, mu=mu, gx=G * math.sin(tilt), gz=-G * math.cos(tilt)))
    data = mujoco.MjData(model)
    data.qvel[0] = v0
    while data.time < END_S - 1e-9:
        mujoco.mj_step(model, data)
    return {"x": data.qpos[0], "v": data.qvel[0], "spin": data.qvel[4]}


def ours(r, mu, v0, tilt):
    """The study of the validation page; its ball begins at its depth at rest."""
    depth = f"=(9.81*cos({tilt!r})*8000*4/3*pi*{r!r}^3/(4/3*2e11/(1-0.09)*sqrt({r!r})))^(2/3)"
    numbers = {"variables": f"{{r: {r!r}, mu: {mu!r}, v0: {v0!r}, tilt: {tilt!r}, depth: '{depth}'}}",
               "design": "{monte_carlo: {samples: 1}}", "solver.end": repr(END_S)}
    words = [word for key, value in numbers.items() for word in ("--set", f"{key}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.h5")
        subprocess.run([CLACK, "run", ROOT + "/tests/validation/sliding.yaml", "-o", out, "-q", "-d", "native", *words],
                       check=True, env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
        with h5py.File(out) as file:
            return {name: float(file[name][0]) for name in ("x", "v", "spin")}


def cases():
    with open(ROOT + "/tests/validation/sliding.csv") as file:
        for row in csv.DictReader(file):
            yield "slip to roll", float(row["r"]), float(row["mu"]), float(row["v0"]), 0.0
    with open(ROOT + "/tests/validation/incline.csv") as file:
        for row in csv.DictReader(file):
            tilt, mu = math.radians(float(row["degrees_of_tilt"])), float(row["mu"])
            yield "slope, " + ("rolling" if math.tan(tilt) <= 3.5 * mu else "sliding"), 0.05, mu, 0.0, tilt


def differences(a, b, r):
    scale = {"x": abs(a["x"]), "v": abs(a["v"]), "spin": abs(a["v"]) / r}
    return {name: float(abs(a[name] - b[name]) / scale[name]) for name in a}


wrong, found = 0, []
for what, r, mu, v0, tilt in cases():
    a, b = ours(r, mu, v0, tilt), theirs(r, mu, v0, tilt)
    other = theirs(r, mu, v0, 1.02 * tilt) if "rolling" in what else theirs(r, 1.02 * mu, v0, tilt)
    off, off_other = differences(a, b, r), differences(a, other, r)
    is_ok = all(value <= TOLERANCE[what] for value in off.values())
    is_told = max(off_other.values()) > TOLERANCE[what]
    wrong += not is_ok or not is_told
    found.append(what)
    print(f"{'ok' if is_ok and is_told else 'WRONG'}: {what}, r {r}, mu {mu}, v0 {v0}, tilt {tilt:.3f}: " +
          ", ".join(f"{name} {a[name]:.8g} (differs by {off[name]:.1e})" for name in a) +
          f"; of another constant {max(off_other.values()):.1e}")
for what, count in CASES.items():
    if found.count(what) < count:
        print(f"WRONG: {found.count(what)} cases of {what}")
        wrong += 1
print(f"MuJoCo {mujoco.__version__}")
sys.exit(wrong > 0)
