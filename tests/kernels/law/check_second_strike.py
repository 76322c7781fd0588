#!/usr/bin/env python3
"""No contact force above what the scene's energy allows: bodies that tip and are struck while contacts are open.

usage: check_second_strike.py PROGRAM [--all]

A body dropped at a tilt onto a half-space, for every shape with edges, two grounds, both laws of friction and every
kind of damping. A Hertz contact that stores all energy E of the scene has the force K^0.4 (2.5 E)^0.6. A damped strike
of that energy has r times it, where r follows from relation (R)'s integral, -u du = x^1.5 (1 + alpha u) dx, evaluated
here: at most 1 for restitutions of 0.4 and more. --all: 10,080 scenes of restitutions 0.4 to 0.8 and as many of 0.05 to
0.4; else 640.

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import math
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from program_checks import check, clack, failures

MASS, RADIUS, GRAVITY, MARGIN = 0.5, 0.02, 9.81, 1.02
YOUNG = {"steel": (2e11, 0.3), "wood": (1.1e10, 0.4)}
KINDS = ("flores", "hunt_crossley", "lankarani_nikravesh", "hu_guo", "herbert_mcwhannell", "lee_wang", "gonthier",
         "exact")
OCTAHEDRON = "[[0.04, 0, 0], [-0.04, 0, 0], [0, 0.04, 0], [0, -0.04, 0], [0, 0, 0.04], [0, 0, -0.04]]"
# The shape, the least height of its centre of mass, and how far that lies along its axis from the origin of its frame.
SHAPES = {
    "cylinder": ("cylinder: {diameter: 0.05, length: 0.05}", 0.025, 0.0),
    "box": ("box: {lengths: [0.04, 0.05, 0.06]}", 0.02, 0.0),
    "cone": ("cone: {diameter: 0.06, length: 0.06}", 0.015, 0.015),
    "capsule": ("capsule: {diameter: 0.04, length: 0.05}", 0.02, 0.0),
    "hull": (f"hull: {{points: {OCTAHEDRON}}}", 0.04 / math.sqrt(3), 0.0),
}
STUDY = """format: 1
variables:
  tilt: {{uniform: [0.01, 1.56]}}
  turn: {{uniform: [0, 3]}}
  h: {{uniform: [0.07, 0.3]}}
  e: {{uniform: [{low}, {high}]}}
scene:
  materials:
    steel: {{young: 2.0e+11, poisson: 0.3, density: 8000}}
    wood: {{young: 1.1e+10, poisson: 0.4, density: 700}}
  pairs:
    - {{between: [steel, {ground}], restitution: $e, friction: 0.4, damping: {kind}, friction_law: {friction}}}
  bodies:
    table: {{fixed: true, material: {ground}, shapes: [{{half_space: {{}}}}]}}
    b:
      material: steel
      mass: {mass}
      shapes: [{{{shape}, contact_radius: {radius}}}]
      position: [0, 0, $h]
      rotation: {{cardan: [$tilt, 0, $turn]}}
design: {{sobol: {{samples: {samples}, seed: {seed}}}}}
solver: {{end: 1.0, until: rest}}
outputs:
  quantities: {{force: {{max: b.contact_force}}}}
"""


def alpha_of(kind, e):
    """Damping times the speed of the strike."""
    if kind == "exact":  # relation (R): alpha - ln(1 + alpha) = -alpha e - ln(1 - alpha e)
        low, high = 0.0, 1 / e
        for _ in range(200):
            a = 0.5 * (low + high)
            wants_less = a - math.log1p(a) < -a * e - math.log1p(-a * e)
            low, high = (low, a) if wants_less else (a, high)
        return low
    return {
        "flores": 1.6 * (1 - e) / e,
        "hunt_crossley": 1.5 * (1 - e),
        "lankarani_nikravesh": 0.75 * (1 - e * e),
        "hu_guo": 1.5 * (1 - e) / e,
        "herbert_mcwhannell": 6 * (1 - e) / ((2 * e - 1) ** 2 + 3),
        "lee_wang": 0.75 * (1 - e),
        "gonthier": (1 - e * e) / e,
    }[kind]


def largest_ratio(alpha):
    """Largest force of a damped strike over that of an undamped one of the same energy."""
    u = np.linspace(0, 1, 20001)
    def spent(v):
        return (alpha * v - np.log1p(alpha * v)) / alpha**2 if alpha > 1e-3 else 0.5 * v * v
    depth = (2.5 * (spent(1.0) - spent(u))) ** 0.4
    return float(np.max(depth**1.5 * (1 + alpha * u)) / 1.25**0.6)


def run(folder, shape, ground, friction, kind, low, high, samples, seed):
    words, lowest, offset = SHAPES[shape]
    name = os.path.join(folder, "strikes")
    with open(name + ".yaml", "w") as study:
        study.write(STUDY.format(low=low, high=high, ground=ground, kind=kind, friction=friction, mass=MASS,
                                 shape=words, radius=RADIUS, samples=samples, seed=seed))
    clack("run", name + ".yaml", "-o", name + ".h5", "-d", "native", "--overwrite")
    with h5py.File(name + ".h5") as file:
        force, status = file["force"][:], file["status"][:]
        of = {key: file["parameters/" + key][:] for key in ("tilt", "h", "e")}
    inverse = sum((1 - poisson**2) / young for young, poisson in (YOUNG["steel"], YOUNG[ground]))
    stiffness = 4 / 3 / inverse * math.sqrt(RADIUS)
    energy = MASS * GRAVITY * (of["h"] + offset * np.cos(of["tilt"]) - lowest)
    elastic = stiffness**0.4 * (2.5 * energy) ** 0.6
    allowed = np.array([max(1.0, largest_ratio(alpha_of(kind, e))) if e < 0.4 else 1.0 for e in of["e"]])
    ratio = force / (elastic * allowed)
    where = f"{shape} on {ground}, {friction}, {kind}, restitution {low} to {high}"
    check(np.all(status == 0), f"{where}: {np.sum(status != 0)} scenes failed")
    check(np.all(np.isfinite(ratio)), f"{where}: forces that are no numbers")
    above = np.flatnonzero(ratio > MARGIN)
    check(above.size == 0,
          f"{where}: {above.size} of {samples} above the bound, worst {np.max(ratio):.3f} times it, "
          f"scene {int(np.argmax(ratio))}")
    return ratio


def main():
    everything = "--all" in sys.argv
    ratios, number = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for low, high in ((0.4, 0.8), (0.05, 0.4)):
            for shape in SHAPES:
                for ground in ("steel", "wood"):
                    for friction in ("regularised", "mindlin"):
                        for kind in KINDS if everything else (KINDS[number % len(KINDS)],):
                            ratios.append(run(folder, shape, ground, friction, kind, low, high,
                                              63 if everything else 16, number + 1))
                            number += 1
    ratios = np.concatenate(ratios)
    print(f"{ratios.size} scenes, largest force {ratios.max():.4f} times the bound, {np.sum(ratios > 1)} above it")
    check(ratios.size == (20160 if everything else 640), f"{ratios.size} scenes")
    check(ratios.max() > 0.3, "no scene comes near the bound, which then says nothing")
    return 1 if failures else 0


sys.exit(main())
