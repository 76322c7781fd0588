#!/usr/bin/env python3
"""Quantities of kinds of pairs: sets of bodies and materials, against closed forms and the table of events.

usage: check_pairs.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
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

SPEED, RADIUS, MASS = 0.7, 0.05, 2.0
STEEL, CORK = (2e11, 0.3), (2e9, 0.1)  # Young's modulus and Poisson's ratio; of steel those of the palette

# Weightless: three balls fly side by side to the left wall, back to the right one, and back again. Each ball is half
# of steel, half of glass: what is in front hits. A wall of cork gives back all.
STUDY = """format: 1
scene:
  gravity: [0, 0, 0]
  materials: {glass: {young: 7.0e+10, poisson: 0.2, density: 2500}, cork: {young: 2.0e+9, poisson: 0.1, density: 200}}
  pairs:
    - {between: [steel, glass], restitution: 0.6, damping: exact, friction: 0, rolling: 0, \
v_small: 1.0e-9, d_max: 1.0e+9}
    - {between: [glass, glass], restitution: 1, damping: none, friction: 0, rolling: 0}
    - {between: [glass, cork], restitution: 1, damping: none, friction: 0, rolling: 0}
    - {between: [steel, cork], restitution: 1, damping: none, friction: 0, rolling: 0}
  groups: {walls: [left, right], all_balls: [ball]}
  bodies:
    left: {fixed: true, material: steel, shapes: [{half_space: {normal: [1, 0, 0]}}]}
    right: {fixed: true, material: cork, shapes: [{half_space: {normal: [-1, 0, 0]}}], position: [1, 0, 0]}
    ball:
      count: 3
      mass: {mass: 2, inertia: [0.1, 0.1, 0.1]}
      shapes:
        - {sphere: {diameter: 0.1}, contact_material: glass}
        - {sphere: {diameter: 0.1}, position: [0.2, 0, 0], contact_material: steel}
      position: [0.4, "=0.3*number", 0]
      velocity: [-0.7, 0, 0]
solver: {end: 2.4, accuracy: accurate}
outputs:
  quantities:
    left_hits: {count: contact_end, between: [ball, left]}
    wall_hits: {count: contact_end, between: [walls, all_balls]}
    one_ball: {count: contact_end, between: [ball_2, walls]}
    one_pair: {count: contact_end, between: [ball_2, left]}
    same: {count: contact_begin, between: [ball, ball]}
    glass_steel: {sum: impulse, materials: [glass, steel]}
    steel_cork: {sum: impulse, materials: [cork, steel]}
    steel_steel: {sum: impulse, materials: [steel, steel]}
    all_impulses: {sum: impulse}
    lost_left: {sum: energy_lost, between: [left, ball]}
    lost_cork: {sum: energy_lost, materials: [steel, cork]}
    lost_of_two: {sum: energy_lost, of: ball_2}
    largest: {max: impulse, materials: [steel, glass]}
    peak_cork: {max: contact_force, materials: [steel, cork]}
    peak_right: {max: contact_force, between: [all_balls, right]}
    peak_early: {max: contact_force, between: [ball, walls]}
    peak_late: {max: contact_force, between: [ball, walls], after: 1}
    depth_cork: {max: penetration, materials: [cork, steel]}
    depth_none: {max: penetration, materials: [steel, steel]}
    last_cork: {time_of: contact_begin, n: last, materials: [steel, cork]}
    speed_back: {speed_of: contact_end, n: 1, materials: [glass, steel]}
"""


def run(path, *words):
    clack("run", "study.yaml", "-q", "-o", path, "--overwrite", *words)
    with h5py.File(path) as file:
        return {name: file[name][0] for name in file if file[name].attrs.get("role", b"") == b"quantity"}


def close(found, name, expected, tolerance):
    check(abs(found[name] - expected) <= tolerance * max(abs(expected), 1e-9),
          f"{name}: {found[name]}, expected {expected}")


def hertz(speed):
    """Depth and force of an impact of steel on cork without losses: m v^2 / 2 = 2/5 K depth^2.5."""
    compliance = sum((1 - poisson ** 2) / young for young, poisson in (STEEL, CORK))
    stiffness = 4 / 3 / compliance * np.sqrt(RADIUS)
    depth = (5 / 4 * MASS * speed ** 2 / stiffness) ** 0.4
    return depth, stiffness * depth ** 1.5


def check_closed_forms(found):
    """One hit at the left with e = 0.6, then one at the right without losses, at 0.42 m/s."""
    e, back = 0.6, 0.6 * SPEED
    for name, count in (("left_hits", 3), ("wall_hits", 6), ("one_ball", 2), ("one_pair", 1), ("same", 0)):
        check(found[name] == count, f"{name}: {found[name]}, expected {count}")
    close(found, "glass_steel", 3 * MASS * SPEED * (1 + e), 1e-6)
    close(found, "steel_cork", 3 * MASS * 2 * back, 1e-6)
    close(found, "steel_steel", 0, 0)
    close(found, "all_impulses", found["glass_steel"] + found["steel_cork"], 1e-15)
    close(found, "lost_left", 3 * 0.5 * MASS * SPEED ** 2 * (1 - e * e), 2e-6)
    check(abs(found["lost_cork"]) < 1e-6, f"lost without a loss: {found['lost_cork']}")
    close(found, "lost_of_two", (found["lost_left"] + found["lost_cork"]) / 3, 1e-7)
    close(found, "largest", MASS * SPEED * (1 + e), 1e-6)
    close(found, "speed_back", back, 1e-6)
    depth, force = hertz(back)
    close(found, "depth_cork", depth, 1e-6)
    close(found, "peak_cork", force, 1e-6)
    check(np.isnan(found["depth_none"]) or found["depth_none"] == 0, f"a depth that nothing has: {found['depth_none']}")
    check(found["peak_right"] == found["peak_cork"] == found["peak_late"],
          "the right wall is the one of cork, met last")
    check(found["peak_early"] > 2 * found["peak_cork"], "steel on glass is harder")
    # There 0.35 m, back to where the steel half meets the right wall.
    way = 1 - 0.2 - 2 * RADIUS
    check(abs(found["last_cork"] - (0.35 / SPEED + way / back)) < 2e-3, f"last_cork {found['last_cork']}")


def check_events(path, found):
    """The same sums from the table of events, pair by pair."""
    with h5py.File(path) as file:
        events = {name: values[:] for name, values in file["events"].items()}
        names = [name.decode() for name in file["body_name"][:]]
    ended = events["kind"] == 1
    ball = np.array([name.startswith("ball") for name in names])
    left = names.index("left")
    here = ended & ((events["body_a"] == left) & ball[events["body_b"]] |
                    (events["body_b"] == left) & ball[events["body_a"]])
    check(here.sum() == found["left_hits"], "left_hits against the events")
    check(abs(events["energy_lost"][here].sum() - found["lost_left"]) < 1e-12, "lost_left against the events")
    check(abs(np.linalg.norm(events["impulse"][ended], axis=1).sum() - found["all_impulses"]) < 1e-12,
          "all impulses against the events")


def check_devices(found):
    """The same bits where there is an OpenCL device."""
    listed = json.loads(clack("devices", "--json").stdout)["devices"]
    for device in listed:
        if device["kind"] == "native" or not device["is_usable"]:
            continue
        for name, value in run("device.h5", "-d", str(device["device"])).items():
            check(value == found[name] or np.isnan(value) and np.isnan(found[name]),
                  f"{name} on {device['name']}: {value}")


def check_many_sides():
    """24 different sets are as many as fit; the same ones take no more."""
    text = STUDY.split("outputs:")[0] + "  \noutputs:\n  quantities:\n"
    for count, code in ((24, 0), (25, 3)):
        groups = ", ".join(f"g{i}: [b{i}, left]" for i in range(count))
        bodies = "".join(f"    b{i}: {{material: steel, shapes: [{{sphere: {{diameter: 0.01}}}}], "
                         f"position: [0.5, {2 + i}, 0]}}\n" for i in range(count))
        half = "\n".join(f"    q{i}: {{count: contact_begin, between: [g{i}, g{(i + 1) % count}]}}\n"
                         f"    r{i}: {{sum: impulse, between: [g{i}, g{i}]}}" for i in range(count))
        with open("many.yaml", "w") as file:
            file.write(text.replace("groups: {walls: [left, right], all_balls: [ball]}", f"groups: {{{groups}}}")
                       .replace("    left:", bodies + "    left:", 1) + half + "\n")
        done = clack("validate", "many.yaml", code=code)
        check(code == 0 or "expected at most 24 different sets" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as file:
            file.write(STUDY)
        found = run("x.h5", "-d", "native")
        check_closed_forms(found)
        check_events("x.h5", found)
        check_devices(found)
        check_many_sides()
        os.chdir("/")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
