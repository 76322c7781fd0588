#!/usr/bin/env python3
"""Do two builds of clack compute the same? The studies of data/ and random scenes by both, files compared bit by bit.

usage: same_bits.py OLD NEW [--devices native,0] [--against native] [--random N] [--scenes N] [--share N] [--seed N]
                    [--jobs N] [--limit S] [--only WORD]

OLD, NEW: programs `clack`. Every dataset but provenance is compared. Random studies hold 1 to 5 bodies of all shapes
over a plane and a wall, with materials, laws, methods and accuracies drawn anew for each. Devices: as `clack run -d`
names them, with +N behind it as with `--queues N`; on all but the first one of N random studies and of N scenes of
the studies of data/ is run (--share N).
--against: the device that OLD runs on, where one program is compared on two devices; then a share is run on all.
--jobs: studies at once, as a GPU's compiler takes minutes for each; --limit: seconds for each run (default 900);
--only: of the studies those in whose path one of these words is, with commas between. Each study is told as it ends.
Before anything a control: gravity changed in its last bit has to be told. Needs numpy and h5py.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import h5py

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHAPES = {
    "sphere": lambda r: f"sphere: {{diameter: {r.uniform(0.06, 0.14):.4f}}}",
    "box": lambda r: f"box: {{lengths: [{sizes(r, 3)}], smoothing: {r.choice([0, 0.001, 0.002])}}}",
    "ellipsoid": lambda r: f"ellipsoid: {{lengths: [{sizes(r, 3)}]}}",
    "capsule": lambda r: f"capsule: {{diameter: {r.uniform(0.05, 0.1):.4f}, length: {r.uniform(0.05, 0.1):.4f}}}",
    "cylinder": lambda r: f"cylinder: {{diameter: {r.uniform(0.05, 0.1):.4f}, length: {r.uniform(0.05, 0.1):.4f}}}",
    "cone": lambda r: f"cone: {{diameter: {r.uniform(0.08, 0.12):.4f}, length: {r.uniform(0.06, 0.12):.4f}, "
                      f"smoothing: {r.choice([0.001, 0.002])}}}",
    "beam": lambda r: f"beam: {{length: {r.uniform(0.08, 0.12):.4f}, width: 0.06, thickness: 0.04}}",
    "hull": lambda r: f"hull: {{file: {ROOT}/data/icosahedron.obj, scale: {r.uniform(0.03, 0.05):.4f}}}",
}
SOLVERS = ["method: events"] * 8 + ["method: rk4", "method: events, narrow_phase: mpr"]
SCENES = [""] * 8 + ["  compat: modia3d\n", "  gravity: {point: {strength: 9.0, centre: [0, 0, -1]}}\n"]
LAWS = [""] * 6 + [", friction_law: mindlin", ", friction_law: mindlin, spring: partial"]


def sizes(r, count):
    return ", ".join(f"{r.uniform(0.06, 0.14):.4f}" for _ in range(count))


def random_study(seed, scenes):
    """A study of random bodies, whose scenes differ in where these are and how they move."""
    r = random.Random(seed)
    kinds = [r.choice(list(SHAPES)) for _ in range(r.randint(1, 5))]
    if r.random() < 0.3:
        kinds = ["sphere"] * len(kinds)
    scene = r.choice(SCENES)
    law = "" if "compat" in scene else r.choice(LAWS)
    gravity = "" if "gravity" in scene else f"  gravity: [{r.uniform(-2, 2):.3f}, 0, -9.81]\n"
    bodies = "    ground: {fixed: true, material: stuff, shapes: [{half_space: {}}]}\n"
    if r.random() < 0.5:
        bodies += ("    wall: {fixed: true, material: stuff, position: [0.3, 0, 0.1], "
                   "shapes: [{box: {lengths: [0.2, 1, 0.4]}}]}\n")
    for i, kind in enumerate(kinds):
        bodies += (f"    body_{i}:\n      material: stuff\n      shapes: [{{{SHAPES[kind](r)}}}]\n"
                   f"      position: [{{uniform: [-0.02, 0.02]}}, {{uniform: [-0.02, 0.02]}}, {0.13 + 0.2 * i:.3f}]\n"
                   "      rotation: {random: {}}\n"
                   f"      velocity: [{{uniform: [-1, 1]}}, {{uniform: [-1, 1]}}, {-1 - 0.5 * i}]\n"
                   "      angular_velocity: [{uniform: [-9, 9]}, {uniform: [-9, 9]}, {uniform: [-9, 9]}]\n")
    return (f"format: 1\nunits: SI\ntitle: Random {seed}\nscene:\n{gravity}{scene}  materials:\n"
            f"    stuff: {{young: {10 ** r.uniform(7, 11):.4g}, poisson: 0.3, density: {r.uniform(500, 8000):.0f}}}\n"
            f"  pairs:\n    - {{between: [stuff, stuff], restitution: {r.uniform(0.1, 0.95):.3f}, "
            f"friction: {r.choice([0, 0.3, r.uniform(0, 1)]):.3f}, rolling: {r.choice([0, 0.001])}{law}}}\n"
            f"  bodies:\n{bodies}design: {{monte_carlo: {{samples: {scenes}, seed: {seed}}}}}\n"
            f"solver: {{{r.choice(SOLVERS)}, accuracy: {r.choice(['fast', 'default', 'accurate'])}, "
            f"step: 1.0e-3, end: {r.choice([0.1, 0.3])}}}\n"
            f"outputs: {{trajectory: {{every: 0.01, scenes: {scenes}}}, events: true}}\n")


def run(program, study, device, out, settings, limit_s):
    words = [program, "run", study, "-o", out, "--overwrite", "-q", "-d", device.partition("+")[0]]
    if "+" in device:
        words += ["--queues", device.partition("+")[2]]
    for setting in settings:
        words += ["--set", setting]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit_s,
                              env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
    except subprocess.TimeoutExpired:
        return None, f"stopped after {limit_s} s on {device}"
    return done.returncode, done.stderr


def differences(one, other):
    """Names of the datasets that are not the same bits; how many there are."""
    found, count = [], 0
    with h5py.File(one) as a, h5py.File(other) as b:
        names = []
        a.visit(lambda name: names.append(name) if isinstance(a[name], h5py.Dataset) else None)
        for name in names:
            if name.startswith("provenance"):
                continue
            count += 1
            if name not in b or a[name].dtype != b[name].dtype or a[name].shape != b[name].shape:
                found.append(name)
            elif a[name].dtype.kind == "O":
                found += [name] if list(a[name][()].ravel()) != list(b[name][()].ravel()) else []
            elif a[name][()].tobytes() != b[name][()].tobytes():
                found.append(name)
    return found, count


def compare(programs, study, devices, limit_s, settings=((), ())):
    """"" where both give the same, else what differs; how many scenes there were. A pair of each."""
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{k}.h5") for k in range(2)]
        ends = [run(programs[k], study, devices[k], files[k], settings[k], limit_s) for k in range(2)]
        if not all(status in (0, 6) for status, _ in ends):  # 6: scenes have failed
            is_refused = ends[0] == ends[1] and ends[0][0] is not None  # such as files that are not there
            return ("refused by both: " + ends[0][1].split("\n")[0] if is_refused else f"not run: {ends}"), 0
        found, _ = differences(*files)
        with h5py.File(files[0]) as file:
            return ", ".join(found), len(file["status"])


def with_samples(study, share, folder):
    """The same study with a share of its scenes, beside the files that it names."""
    text = open(study).read()

    def fewer(found):
        return f"{found.group(1)}{max(2, min(2048, int(found.group(2))) // share)}"

    return [f"design={fewer_design}" for fewer_design in
            (re.sub(r"((?:samples|levels): )(\d+)", fewer, line[8:]) for line in text.splitlines()
             if line.startswith("design: "))]


def studies_of(given, share, folder):
    """(path, settings of both) of the studies of data/ and of random ones."""
    studies = [(path, (with_samples(path, share, folder),) * 2)
               for path in sorted(glob.glob(f"{ROOT}/data/*.yaml") + glob.glob(f"{ROOT}/data/modia3d/*.yaml"))
               if "design:" in open(path).read() or "modia3d" in path]
    for k in range(given.random // share):
        path = os.path.join(folder, f"random_{k}.yaml")
        with open(path, "w") as file:
            file.write(random_study(given.seed * 1000003 + k, given.scenes))
        studies.append((path, ((), ())))
    return [study for study in studies if any(word in os.path.basename(study[0]) for word in given.only.split(","))]


def compare_all(given, device, share):
    """How many studies differ, how many scenes there were."""
    programs, devices, failures, scenes = (given.old, given.new), (given.against or device, device), 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = {pool.submit(compare, programs, path, devices, given.limit, settings): path
                for path, settings in studies_of(given, share, folder)}
        for done in concurrent.futures.as_completed(runs):
            told, count = done.result()
            scenes += count
            failures += 1 if told and not told.startswith("refused by both") else 0
            print(f"{device}: {os.path.basename(runs[done])}: {told or f'same, {count} scenes'}", flush=True)
    return failures, scenes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--devices", default="native")
    parser.add_argument("--against", help="device of OLD; default: the same")
    parser.add_argument("--random", type=int, default=200, help="random studies")
    parser.add_argument("--scenes", type=int, default=50, help="scenes of each")
    parser.add_argument("--share", type=int, default=8, help="on further devices one of so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="studies at once")
    parser.add_argument("--only", default="", help="words in the paths of the studies: A,B")
    parser.add_argument("--limit", type=float, default=900, help="seconds for each run")
    given = parser.parse_args()
    first = given.against or given.devices.split(",")[0]
    control, _ = compare((given.old, given.new), f"{ROOT}/data/bouncing_sphere.yaml", (first, first), given.limit,
                         (["design.monte_carlo.samples=8"],
                          ["design.monte_carlo.samples=8", "scene.gravity=[0, 0, -9.810000000000002]"]))
    if "trajectory" not in control and "quantit" not in control:
        sys.exit(f"the control was not told apart: {control}")
    print(f"control: {len(control.split(chr(44)))} datasets differ", flush=True)
    failures, scenes = 0, {}
    for number, device in enumerate(given.devices.split(",")):
        found, scenes[device] = compare_all(given, device, given.share if number or given.against else 1)
        failures += found
    print(", ".join(f"{device}: {count} scenes" for device, count in scenes.items()) + f"; {failures} studies differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
