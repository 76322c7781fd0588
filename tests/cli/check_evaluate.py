#!/usr/bin/env python3
"""`clack evaluate`: rows of two bodies, inputs of 32 bits and as CSV, shapes of a scene for each configuration, studies
without a solver.

usage: check_evaluate.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import csv
import json
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_evaluate.py: skipped: {missing}")
    sys.exit(77)

from program_checks import SOURCE, check, clack, failures

# A body of three balls, a ball whose size varies, the ground, a crate; nothing is stepped.
STUDY = """
format: 1
scene:
  pairs: [{between: [steel, steel], friction: 0.3, rolling: 0.01}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    row: {material: steel, shapes: [{sphere: {diameter: 0.2}}, {sphere: {diameter: 0.1}, position: [0.3, 0, 0]}, \
{sphere: {diameter: 0.14}, position: [-0.3, 0.1, 0]}]}
    ball: {material: steel, shapes: [{sphere: {diameter: {uniform: [0.1, 0.3]}}}], position: [0, 2, 3]}
    crate: {material: steel, shapes: [{box: {lengths: [0.3, 0.2, 0.1]}}], position: [5, 0, 0.3]}
design: {monte_carlo: {samples: 8, seed: 2}}
"""
NAMES = ["ground", "row", "ball", "crate"]
CENTRES, RADII = np.array([[0, 0, 0], [0.3, 0, 0], [-0.3, 0.1, 0]]), np.array([0.1, 0.05, 0.07])
COUNT = 60


def evaluate(*words, **more):
    return clack("evaluate", "study.yaml", *words, "-d", "native", "--overwrite", **more)


def turned(quaternion, vectors):
    w, axis = quaternion[0] / np.linalg.norm(quaternion), quaternion[1:] / np.linalg.norm(quaternion)
    return vectors + 2 * np.cross(axis, np.cross(axis, vectors) + w * vectors)


def make_poses():
    """Random ones, in which the bodies often touch; orientations of any length."""
    random = np.random.default_rng(5)
    poses = {"position": np.zeros((COUNT, 4, 3)), "orientation": random.normal(size=(COUNT, 4, 4)),
             "velocity": random.normal(size=(COUNT, 4, 3)), "angular_velocity": random.normal(size=(COUNT, 4, 3))}
    poses["orientation"][:, 0] = [1, 0, 0, 0]
    poses["velocity"][:, 0] = poses["angular_velocity"][:, 0] = 0
    poses["position"][:, 1] = random.uniform([-0.1, -0.1, 0.1], [0.1, 0.1, 0.4], (COUNT, 3))
    poses["position"][:, 2] = random.uniform([-0.4, -0.3, 0.05], [0.4, 0.3, 0.5], (COUNT, 3))
    poses["position"][:, 3] = random.uniform([-0.1, 0.1, 0.05], [0.1, 0.3, 0.2], (COUNT, 3))
    return poses


def write_poses(path, poses, kind="f8", **more):
    with h5py.File(path, "w") as file:
        for name, values in poses.items():
            file[name] = values.astype(kind)
        for name, values in more.items():
            file[name] = values


def write_csv(path, poses, names=NAMES, configurations=range(COUNT), heads=("configuration",), **more):
    """A line for each body, columns in another order, some of them not read."""
    letters = {3: "xyz", 4: "wxyz"}
    with open(path, "w", newline="") as out:
        table = csv.writer(out)
        columns = [f"{name}_{letter}" for name in poses for letter in letters[poses[name].shape[2]]]
        table.writerow([*reversed(columns), "remark", "body", *heads, *more])
        for i in configurations:
            for body in names:
                numbers = [repr(float(number)) for name in poses for number in poses[name][i, NAMES.index(body)]]
                table.writerow([*reversed(numbers), "as it is", body,
                                *[0.5 * i if head == "time" else i for head in heads],
                                *[values[i] for values in more.values()]])


def tables(path, group):
    """Columns of a group; that of the configurations' numbers has another name in files of the next format."""
    with h5py.File(path) as file:
        columns = {name: file[group][name][:] for name in file[group]}
    if "configuration_number" in columns:
        columns["configuration"] = columns.pop("configuration_number")
    return columns


def same(got, expected, what):
    for name, values in expected.items():
        check(np.array_equal(got[name], values, equal_nan=values.dtype.kind == "f"), f"{what}: {name} differs")


def check_nearest(poses):
    """Distances of balls against closed forms, a row for every two bodies; points lie on the bodies."""
    done = evaluate("poses.h5", "--nearest", "-o", "nearest.h5", "--json")
    rows, said = tables("nearest.h5", "nearest"), json.loads(done.stdout)["rows"]
    check(len(rows["distance"]) == 6 * COUNT, f"nearest: {len(rows['distance'])} rows, expected {6 * COUNT}")
    for i in range(COUNT):
        of = {(rows["body_a"][k], rows["body_b"][k]): k for k in np.nonzero(rows["configuration"] == i)[0]}
        check(set(of) == {(a, b) for a in range(4) for b in range(a + 1, 4)}, f"nearest: pairs {set(of)}")
        at = poses["position"][i, 1] + turned(poses["orientation"][i, 1], CENTRES)
        k = of[0, 1]
        expected = (at[:, 2] - RADII).min()
        check(abs(rows["distance"][k] - expected) < 1e-14, f"nearest: ground - row {i}: {rows['distance'][k]}")
        k, centre = of[1, 2], poses["position"][i, 2]
        size = RADIUS_OF_SCENE[0]
        gaps = np.linalg.norm(at - centre, axis=1) - RADII - size
        check(abs(rows["distance"][k] - gaps.min()) < 1e-14, f"nearest: row - ball {i}: {rows['distance'][k]}, "
              f"expected {gaps.min()}")
        check(rows["shape_a"][k] == 1 + gaps.argmin(), f"nearest: row - ball {i}: shape {rows['shape_a'][k]}")
        check(abs(np.linalg.norm(rows["point_b"][k] - centre) - size) < 1e-14, f"nearest: point of the ball {i}")
        check(np.abs(rows["point_a"][k] + rows["distance"][k] * rows["normal"][k] - rows["point_b"][k]).max() < 1e-14,
              f"nearest: {i}: points, distance and normal do not fit")
    check([(row["configuration"], row["body_a"], row["distance_m"]) for row in said[:9]]
          == [(rows["configuration"][k], NAMES[rows["body_a"][k]], rows["distance"][k]) for k in range(9)],
          "nearest: rows of JSON")
    evaluate("poses.h5", "--nearest", "--margin", "0.05", "-o", "near.h5", "-q")
    near = rows["distance"] <= 0.05
    same(tables("near.h5", "nearest"), {name: rows[name][near] for name in ("configuration", "body_a", "distance")},
         "nearest: --margin")


def check_net(poses):
    """Sums over the rows of --net's contacts, by NumPy."""
    evaluate("poses.h5", "-o", "contacts.h5", "-q")
    evaluate("poses.h5", "--net", "-o", "net.h5", "-q")
    contacts, net = tables("contacts.h5", "contacts"), tables("net.h5", "net")
    key = np.stack([contacts[name] for name in ("configuration", "body_a", "body_b")], axis=1)
    pairs, whose = np.unique(key, axis=0, return_inverse=True)
    whose = whose.ravel()
    check(np.array_equal(np.stack([net[name] for name in ("configuration", "body_a", "body_b")], axis=1), pairs),
          "net: rows by configuration, then bodies")
    arms = 0.5 * (contacts["point_a"] + contacts["point_b"])
    arms -= poses["position"][contacts["configuration"], contacts["body_b"]]
    moments = np.cross(arms, contacts["force"]) + contacts["torque"]
    check(np.abs(contacts["torque"]).max() > 0 and np.bincount(whose).max() >= 3, "net: the poses tell too little")
    for name, values in ("force", contacts["force"]), ("moment", moments):
        sums, sizes = np.zeros((len(pairs), 3)), np.zeros(len(pairs))
        np.add.at(sums, whose, values)
        np.add.at(sizes, whose, np.linalg.norm(contacts["force"], axis=1))
        check((np.abs(net[name] - sums).max(axis=1) <= 1e-14 * sizes).all(), f"net: {name}")
    check(np.array_equal(net["contact_count"], np.bincount(whose)), "net: contacts of each pair")
    with h5py.File("net.h5") as file:
        check(np.array_equal(file["n_pairs"][:], np.bincount(pairs[:, 0], minlength=COUNT)), "net: n_pairs")
        check("contacts" not in file and file["net/force"].attrs["units"] in ("N", b"N"), "net: the file")


def check_inputs(poses):
    """32 bits, CSV with all columns, with the time in place of numbers, and without bodies that stay."""
    evaluate("poses.h5", "-o", "contacts.h5", "-q", "--all")
    expected = tables("contacts.h5", "contacts")
    write_csv("poses.csv", poses)
    write_csv("times.csv", poses, heads=("time",))
    for name in "poses.csv", "times.csv":
        evaluate(name, "-o", "c.h5", "-q", "--all")
        same(tables("c.h5", "contacts"), expected, name)
    rounded = {name: values.astype("f4").astype("f8") for name, values in poses.items()}
    write_poses("rounded.h5", rounded)
    write_poses("single.h5", poses, "f4")
    for name in "rounded", "single":
        evaluate(f"{name}.h5", "-o", f"{name}_c.h5", "-q")
    same(tables("single_c.h5", "contacts"), tables("rounded_c.h5", "contacts"), "numbers of 32 bits")
    whole = {name: values.copy() for name, values in poses.items()}
    for name, value in ("position", [5, 0, 0.3]), ("orientation", [1, 0, 0, 0]), ("velocity", 0), \
            ("angular_velocity", 0):
        whole[name][:, 3] = value  # where the study has the crate
    write_poses("whole.h5", whole)
    write_csv("some.csv", poses, names=["ball", "row"])
    for name in "whole.h5", "some.csv":
        evaluate(name, "-o", f"{name}_c.h5", "-q", "--nearest")
    same(tables("some.csv_c.h5", "nearest"), tables("whole.h5_c.h5", "nearest"), "bodies that CSV does not name")
    with open("one.csv", "w") as out:  # each line a configuration
        out.write("body,position_x,position_y,position_z\nball,0,0,0.5\nball,0,0,0.6\n\nball,0,0,0.7\n")
    evaluate("one.csv", "-o", "one.h5", "-q", "--nearest")
    rows = tables("one.h5", "nearest")
    ground = rows["distance"][(rows["body_a"] == 0) & (rows["body_b"] == 2)]
    check(np.allclose(ground, np.array([0.5, 0.6, 0.7]) - RADIUS_OF_SCENE[0], rtol=0, atol=1e-15), f"lines: {ground}")


def check_scenes(poses):
    """The shapes of each configuration are those of its scene, in whatever order."""
    scenes = np.random.default_rng(1).integers(0, 8, COUNT)
    write_poses("mixed.h5", poses, scene_number=scenes.astype("u2"))
    write_csv("mixed.csv", poses, scene=scenes)
    for name in "mixed.h5", "mixed.csv":
        evaluate(name, "-o", "m.h5", "-q", "--nearest")
        rows = tables("m.h5", "nearest")
        with h5py.File("m.h5") as file:
            check(np.array_equal(file["scene_number"][:], scenes), f"{name}: scenes in the file")
        for scene in range(8):
            evaluate("poses.h5", "-o", "alone.h5", "-q", "--nearest", "--scene", str(scene))
            alone = tables("alone.h5", "nearest")
            for column in "distance", "point_a", "point_b", "normal":
                here = np.isin(rows["configuration"], np.nonzero(scenes == scene)[0])
                there = np.isin(alone["configuration"], np.nonzero(scenes == scene)[0])
                check(here.sum() > 0 and np.array_equal(rows[column][here], alone[column][there]),
                      f"{name}: scene {scene}: {column}")
    check(len(set(RADIUS_OF_SCENE)) == 8, "scenes: the ball has the same size in some")


def check_trajectory():
    """The table of `clack export --csv` is an input."""
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "run.h5", "--set",
          "solver={end: 0.2}", "--set", "outputs={trajectory: {every: 0.01, scenes: 3}}")
    clack("export", "run.h5", "--csv", "-q")
    evaluate("run_trajectory.csv", "-o", "t.h5", "-q", "--all")
    evaluate("run.h5", "-o", "r.h5", "-q", "--all", "--scene", "2")
    found, expected = tables("t.h5", "contacts"), tables("r.h5", "contacts")
    frames = expected["configuration"].max() + 1
    last = found["configuration"] >= 2 * frames
    check(found["configuration"].max() + 1 == 3 * frames, "trajectory: configurations of three scenes")
    same({name: values[last] for name, values in found.items() if len(values) == len(last)},
         {name: values for name, values in expected.items() if name not in ("configuration", "contact", "xyz")},
         "trajectory: the third scene")


def check_mistakes(poses):
    evaluate("poses.h5", "--nearest", "--net", code=2, says="--nearest, --net: one of the two")
    clack("run", "study.yaml", code=3, says="solver")
    for text, says in (("a,b\n1,2\n", "no.csv:1: body: expected a column of this name"),
                       ("body,position_x,position_y\nball,1,2\n", "position: expected columns _x, _y and _z"),
                       ("body,position_x,position_y,position_z,orientation_w\nball,1,2,3,1\n", "_w, _x, _y and _z"),
                       ("body,position_x,position_y,position_z\nbal,1,2,3\n", 'no.csv:2: body: expected'),
                       ("body,position_x,position_y,position_z\nbal,1,2,3\n", '("ball"?), found "bal"'),
                       ("body,position_x,position_y,position_z\nball,1,x,3\n", 'y: expected a number, found "x"'),
                       ("body,position_x,position_y,position_z\nball,1,nan,3\n", "position_y: expected a number"),
                       ("body,position_x,position_y,position_z\nball,1,2\n", "a cell for each column"),
                       ("time,body,position_x,position_y,position_z\n0,ball,1,2,3\n0,ball,1,2,3\n", "it again"),
                       ("scene,body,position_x,position_y,position_z\n8,ball,1,2,3\n", "a scene from 0 to 7"),
                       ("scene,body,position_x,position_y,position_z\n0.5,ball,1,2,3\n", "a scene from 0 to 7"),
                       ("body,position_x,position_y,position_z\n", "lines of numbers"), ("", "found none")):
        with open("no.csv", "w") as out:
            out.write(text)
        evaluate("no.csv", "-o", "no.h5", code=7, says=says)
    evaluate("nowhere.csv", "-o", "no.h5", code=4, says="nowhere.csv")
    write_poses("no_poses.h5", poses, scene_number=np.full(COUNT, 8))
    evaluate("no_poses.h5", "-o", "no.h5", code=7, says="scene_number[0]: expected 0 to 7, found 8")
    write_poses("no_poses.h5", poses, scene_number=np.zeros(3, "i4"))
    evaluate("no_poses.h5", "-o", "no.h5", code=7, says="a whole number for each of 60 configurations")
    write_poses("no_poses.h5", poses, scene_number=np.zeros(COUNT))
    evaluate("no_poses.h5", "-o", "no.h5", code=7, says="a whole number for each")
    write_poses("no_poses.h5", poses, "i4")
    evaluate("no_poses.h5", "-o", "no.h5", code=7, says="64 or 32 bits")
    bad = {name: values.copy() for name, values in poses.items()}
    bad["position"][7, 2, 1] = np.nan
    write_poses("no_poses.h5", bad, scene_number=np.arange(COUNT) // 5 % 2)
    evaluate("no_poses.h5", "-o", "no.h5", code=7, says="no_poses.h5: from configuration 5 on: configuration 2, body 2")
    check(not os.path.exists("no.h5"), "a file in spite of a mistake")


def main():
    global RADIUS_OF_SCENE
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        with open("study.yaml", "w") as out:
            out.write(STUDY)
        table = clack("sample", "study.yaml", "--csv", "--set", "solver={end: 1}").stdout.splitlines()
        RADIUS_OF_SCENE = [0.5 * float(line.split(",")[1]) for line in table[1:]]
        poses = make_poses()
        write_poses("poses.h5", poses)
        check_nearest(poses)
        check_net(poses)
        check_inputs(poses)
        check_scenes(poses)
        check_trajectory()
        check_mistakes(poses)
        os.chdir("/")
    if not failures:
        print("rows of two bodies, inputs and scenes are what NumPy says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
