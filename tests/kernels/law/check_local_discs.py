#!/usr/bin/env python3
"""Cans, frusta and beams with `contact_radius: local` that come to stand: all of them come to rest, in the same scenes
as with fixed radii, and both contacts of a disc that touch at once have one stiffness.

usage: check_local_discs.py PROGRAM

Before, the two points of a disc kept stiffnesses up to fifty times apart, and the body rattled on the edge that flat
was in their energy: of 48 scenes each 30, 27 and 24 ended with step_limit.

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from program_checks import check, clack, failures

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

STUDY = """format: 1
variables:
  tilt: {{uniform: [0, 0.5]}}
  azimuth: {{uniform: [0, "=2*pi"]}}
  e: {{uniform: [0.2, 0.5]}}
scene:
  pairs: [{{between: [steel, steel], restitution: $e, friction: 0.3, damping: exact}}]
  bodies:
    table: {{fixed: true, material: steel, shapes: [{{half_space: {{}}}}]}}
    can:
      material: steel
      shapes: [{{{shape}, contact_radius: {radius}}}]
      position: [0, 0, 0.08]
      rotation: {{axis: ["=-sin(azimuth)", "=cos(azimuth)", 0], angle: $tilt}}
design: {{monte_carlo: {{samples: 48, seed: 1}}}}
solver: {{end: 2}}
outputs: {{quantities: {{upright: {{face_up_cosine: can, directions: [[0, 0, 1], [0, 0, -1]]}}}}}}
"""
SHAPES = {"cylinder": ("cylinder: {diameter: 0.04, length: 0.05}", 0.02, 2),
          "cone": ("cone: {diameter: 0.05, top_diameter: 0.02, length: 0.03}", 0.0175, 2),
          "beam": ("beam: {length: 0.03, width: 0.03, thickness: 0.01, axis: x}", 0.005, 4)}

FROZEN = 64 # flag: some body was frozen at rest at the end


def run(name, radius):
    with open(f"{name}.yaml", "w") as file:
        file.write(STUDY.format(shape=SHAPES[name][0], radius=radius))
    clack("run", f"{name}.yaml", "-q", "-d", "native", "--overwrite", "-o", f"{name}.h5", "--max-failures", "48")
    with h5py.File(f"{name}.h5", "r") as file:
        events = {key: file["events"][key][:] for key in ("scene_number", "kind", "feature", "stiffness")}
        return file["status"][:], file["flags"][:], file["upright"][:], events


def at_once(events, bit):
    """Stiffnesses of the two contacts of a disc, whenever both are there."""
    is_there, pairs = {}, []
    for scene, kind, feature, stiffness in zip(*events.values()):
        if kind == 0:
            is_there[scene, feature] = stiffness
            if (scene, feature ^ bit) in is_there:
                pairs.append((stiffness, is_there[scene, feature ^ bit]))
        elif kind == 1:
            is_there.pop((scene, feature), None)
    return np.array(pairs).reshape(-1, 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (_, radius, bit) in SHAPES.items():
            fixed, local = run(name, radius), run(name, "local")
            failed = int((local[0] != 0).sum())
            check(failed == 0 and (fixed[0] == 0).all(), f"{name}: {failed} of {len(local[0])} scenes failed")
            rest = (local[1] & FROZEN != 0).mean()
            check(rest == 1, f"{name}: at rest in {rest} of the scenes")
            stands = fixed[2] > 0.99
            check(stands.any() and (stands == (local[2] > 0.99)).all(),
                  f"{name}: stands in {stands.sum()} scenes, with local radii in {(local[2] > 0.99).sum()}")
            pairs = at_once(local[3], bit)
            check(len(pairs) > 20 and (pairs[:, 0] == pairs[:, 1]).all(),
                  f"{name}: of {len(pairs)} pairs {(pairs[:, 0] != pairs[:, 1]).sum()} have two stiffnesses")
            print(f"  {name}: {stands.sum()} of {len(stands)} stand, {len(pairs)} pairs of contacts of a disc, "
                  f"stiffness {pairs.min():.2g} to {pairs.max():.2g} N/m^1.5")
        os.chdir("/")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
