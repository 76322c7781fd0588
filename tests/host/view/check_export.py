#!/usr/bin/env python3
"""What `clack export` writes, read back by other programs: csv, h5py, an XML parser, ParaView where it is there.

usage: check_export.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_export.py: skipped: {missing}")
    sys.exit(77)

from program_checks import SOURCE, check, clack, failures
from pushed_study import pushed_study
from region_study import check_known, enclosed, evaluate_regions

# All shapes; a body that only some scenes have; a centre of mass away from the origin; a name that needs quotes.
STUDY = """
format: 1
title: 'Shapes & "names"'
variables: {mu: {uniform: [0.2, 0.4]}}
scene:
  pairs: [{between: [steel, steel], friction: $mu}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, {uniform: [0.2, 0.3]}], \
velocity: [1, 0, 0]}
    crate: {material: steel, shapes: [{box: {lengths: [0.2, 0.1, 0.1]}}, \
{sphere: {diameter: 0.08}, position: [0.15, 0, 0]}],
            position: [0.5, 0, 0.3], rotation: {cardan: [0, 0.3, 0]}, angular_velocity: [0, 5, 1]}
    egg: {material: steel, shapes: [{ellipsoid: {lengths: [0.1, 0.1, 0.14]}}], position: [1, 0, 0.3]}
    peg: {material: steel, shapes: [{cone: {diameter: 0.1, length: 0.15}}], position: [1.5, 0, 0.3]}
    shard: {material: steel, shapes: [{hull: {file: tetra.obj, scale: 0.2}}], position: [2, 0, 0.3]}
    guest: {count: {integer: [0, 1]}, material: steel, shapes: [{capsule: {diameter: 0.05, length: 0.1}}], \
position: [2.5, 0, 0.3]}
design: {monte_carlo: {samples: 8, seed: 3}}
solver: {end: 0.4}
outputs:
  quantities: {hits: {count: contact_begin}, depth: {max: ball.penetration}, never: {time_of: contact_begin, n: 99}}
  trajectory: {every: 0.02, scenes: 6}
  contacts: {every: 0.0002, scenes: 6}
"""
TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"


def rows(path):
    with open(path, newline="") as text:
        return list(csv.DictReader(text))


def column(table, name):
    return np.array([float(row[name]) if row[name] != "" else np.nan for row in table])


def same(got, expected, what):
    check(got.shape == expected.shape and np.array_equal(got, expected, equal_nan=True), f"{what}: other numbers")


def letters(width):
    return "wxyz" if width == 4 else "xyz"


# --- CSV --------------------------------------------------------------------------------------------


def check_csv(file, names):
    clack("export", "x.h5", "--csv", "-q")
    table = rows("x_scenes.csv")
    meanings = file["status"].attrs["flag_meanings"].decode().split()
    check([row["status"] for row in table] == [meanings[status] for status in file["status"]], "status by name")
    for name, dataset in file.items():
        if (isinstance(dataset, h5py.Dataset) and dataset.shape == file["scene"].shape
                and name not in ("status", "body_name", "body") and dataset.attrs.get("role") != b"rows"):
            same(column(table, name), dataset[:].astype(float), name)
    for name in file["parameters"]:
        same(column(table, name), file["parameters"][name][:].astype(float), name)
    check(np.isnan(column(table, "never")).all(), "a quantity that does not exist is an empty field")
    for group in "events", "contacts":
        table = rows(f"x_{group}.csv")
        check(len(table) == len(file[group]["time"]) > 10, f"{group}: {len(table)} rows")
        for name in file[group]:
            values, name = file[group][name], "scene" if name == "scene_number" else name
            if name in ("body_a", "body_b"):
                check([row[name] for row in table] == [names[body] for body in values], f"{group}: {name}")
            elif values.ndim == 2:
                for k, letter in enumerate("xyz"):
                    same(column(table, f"{name}_{letter}"), values[:, k], f"{group}: {name}")
            elif name not in ("kind", "event", "contact", "xyz"):
                same(column(table, name), values[:].astype(float), f"{group}: {name}")
    table = rows("x_trajectory.csv")
    frames = file["trajectory"]
    is_there = ~np.isnan(frames["position"][..., 0])
    check(len(table) == is_there.sum() and not is_there.all(), "frames of bodies that are there")
    for name in "position", "orientation", "velocity", "angular_velocity":
        width = frames[name].shape[-1]
        for k, letter in enumerate(letters(width)):
            same(column(table, f"{name}_{letter}"), frames[name][..., k][is_there], name)
    scenes, _, bodies = np.nonzero(is_there)
    same(column(table, "scene"), frames["recorded"][:][scenes].astype(float), "scenes of frames")
    check([row["body"] for row in table] == [names[body] for body in bodies], "bodies of frames")
    one = clack("export", "x.h5", "--csv", "--table", "events", "--scene", "5").stdout.splitlines()
    named = clack("export", "x.h5", "--csv", "--table", "events", "--scene", "5", "-o", "-").stdout.splitlines()
    check(named == one and not os.path.exists("-"), "-o -: the table on standard output, no file of this name")
    clack("export", "x.h5", "--csv", "-o", "-", code=2, says="stdout takes one table")
    clack("export", "x.h5", "--h5md", "-o", "-", code=2, says="stdout takes one table")
    clack("export", "x.h5", "--csv", "--table", "events", "-o", "-", "--json", code=2, says="cannot both go to stdout")
    check(len(one) - 1 == int((file["events"]["scene_number"][:] == 5).sum()) > 0, "events of one scene")


# --- H5MD -------------------------------------------------------------------------------------------


def check_h5md(file, names, scene):
    done = clack("export", "x.h5", "--h5md", "--scene", str(scene), "-o", "y.h5md", "--json", "--overwrite")
    check(json.loads(done.stdout)["files"] == ["y.h5md"], "the name in JSON")
    row = list(file["trajectory"]["recorded"]).index(scene)
    with h5py.File("y.h5md") as h5md:
        head = h5md["h5md"]
        check(list(head.attrs["version"]) == [1, 1] and head["author"].attrs["name"], "h5md: version, author")
        check(head["creator"].attrs["name"] in ("clack", b"clack") and head["creator"].attrs["version"],
              "h5md: creator")
        check(head["modules/units"].attrs["system"] in ("SI", b"SI"), "h5md: module of units")
        bodies = h5md["particles/bodies"]
        box = bodies["box"].attrs
        check(int(box["dimension"]) == 3 and list(box["boundary"]) == [b"none"] * 3, "h5md: box")
        numbers = bodies["id"][:]
        check([name.decode() for name in bodies["name"]] == [names[body] for body in numbers], "h5md: names")
        present = np.nonzero(~np.isnan(file["trajectory"]["position"][row, 0, :, 0]))[0]
        check(list(numbers) == list(present), "h5md: bodies of the scene")
        for name, unit in (("position", "m"), ("velocity", "m s-1"), ("orientation", "1"),
                           ("angular_velocity", "rad s-1")):
            element = bodies[name]
            check(set(element) == {"step", "time", "value"}, f"h5md: {name}: {list(element)}")
            frames = len(element["time"])
            same(element["time"][:], file["trajectory"]["time"][:frames], "h5md: time")
            same(element["step"][:], np.arange(frames), "h5md: step")
            same(element["value"][:], file["trajectory"][name][row, :frames][:, present], f"h5md: {name}")
            check(element["value"].attrs["units"] in (unit, unit.encode()), f"h5md: units of {name}")
            check(element["value"].attrs.get("unit") == (unit if unit != "m" else None), f"h5md: unit of {name}")
        check(h5md["parameters/sampled"].attrs["mu"] == file["parameters/mu"][scene], "h5md: parameters")
        check(h5md["parameters/quantities"].attrs["hits"] == file["hits"][scene], "h5md: quantities")


# --- XDMF -------------------------------------------------------------------------------------------


def resolve(item):
    """The array that a DataItem of XDMF refers to."""
    name, path = item.text.split(":")
    with h5py.File(name) as file:
        dims = [int(word) for word in item.get("Dimensions").split()]
        check(list(file[path].shape) == dims, f"xdmf: {path}: {dims}, found {file[path].shape}")
        return file[path][:]


def turn(quaternion, vectors):
    w, axis = quaternion[0], quaternion[1:]
    return vectors + 2 * np.cross(axis, np.cross(axis, vectors) + w * vectors)


def fields(grid):
    found = {"points": resolve(grid.find("Geometry")[0])}
    for attribute in grid.findall("Attribute"):
        found[attribute.get("Name")] = resolve(attribute[0])
    if len(grid.find("Topology")):
        found["triangles"] = resolve(grid.find("Topology")[0])
    return found


def check_frame(file, row, index, frame, local, names):
    """Returns the points of each body in its own frame: they must be the same in every frame."""
    grids = {grid.get("Name"): fields(grid) for grid in frame.findall("Grid")}
    surfaces = grids["surfaces"]
    states = {name: file["trajectory"][name][row, index]
              for name in ("position", "orientation", "velocity", "angular_velocity")}
    is_there = ~np.isnan(states["position"][:, 0])
    for name, state in ("points", "position"), ("velocity", "velocity"), ("angular_velocity", "angular_velocity"):
        same(grids["bodies"][name], states[state][is_there], f"xdmf: bodies: {name}")
    present = set(np.nonzero(is_there)[0])
    check(set(surfaces["body"]) == present, f"xdmf: bodies drawn: {set(surfaces['body'])}")
    depth = file["max_penetration"][int(file["trajectory/recorded"][row])]
    for body in present:
        points = np.unique(surfaces["triangles"][surfaces["body"] == body])
        at, back = surfaces["points"][points], states["orientation"][body] * [1, -1, -1, -1]
        own = turn(back, at - states["position"][body])
        check(np.abs(own - local.setdefault(body, own)).max() < 1e-12, f"xdmf: {names[body]} changes its shape")
        expected = states["velocity"][body] + np.cross(states["angular_velocity"][body], at - states["position"][body])
        check(np.abs(surfaces["velocity"][points] - expected).max() < 1e-12, f"xdmf: velocity of {names[body]}")
        # Sharp edges reach as deep as the contacts do, and smoothed edges' corners 1 mm more.
        if names[body] != "ground":
            check(at[:, 2].min() > -depth - 1e-3, f"xdmf: {names[body]} is {at[:, 2].min()} m below the ground")


def contacts_of(file, scene, time):
    """Rows of /contacts of a scene at a time; the name of the column of their scenes differs between versions."""
    group = file["contacts"]
    scenes = group["scene_number" if "scene_number" in group else "scene"][:]
    return np.nonzero((scenes == scene) & (np.abs(group["time"][:] - time) < 1e-9))[0]


def check_frame_contacts(file, scene, time, grids):
    """Arrows of a frame: forces on body B, as the ensemble has them. Returns how many there are."""
    group, rows = file["contacts"], contacts_of(file, scene, time)
    check(("contacts" in grids) == (len(rows) > 0), f"xdmf: contacts at {time} s: {len(rows)} rows")
    if "contacts" not in grids or len(rows) == 0:
        return 0
    found = grids["contacts"]
    same(found["points"], group["point"][rows], "xdmf: contacts: where they are")
    same(found["normal_force"], group["normal_force"][rows][:, None] * group["normal"][rows],
         "xdmf: contacts: normal force")
    same(found["tangential_force"], group["tangential_force"][rows], "xdmf: contacts: tangential force")
    for name in "penetration", "body_a", "body_b":
        same(found[name], group[name][rows], f"xdmf: contacts: {name}")
    return len(rows)


def check_xdmf(file, names, scene):
    clack("export", "x.h5", "--xdmf", "--scene", str(scene), "-o", "y.xdmf", "-q", "--overwrite")
    row = list(file["trajectory"]["recorded"]).index(scene)
    frames = xml.parse("y.xdmf").getroot().find("Domain").find("Grid").findall("Grid")
    check(len(frames) == len(file["trajectory/time"]) > 10, f"xdmf: {len(frames)} frames")
    local = {}
    for index, frame in enumerate(frames):
        check(float(frame.find("Time").get("Value")) == file["trajectory/time"][index], "xdmf: time")
        check_frame(file, row, index, frame, local, names)
    radius = np.linalg.norm(local[names.index("ball")], axis=1)
    check(np.abs(radius - 0.05).max() < 1e-13, f"xdmf: the ball's radius: {radius.min()} to {radius.max()}")
    crate = local[names.index("crate")]
    check(abs(crate[:, 0].min() + 0.1) < 1e-13 and abs(crate[:, 0].max() - 0.19) < 1e-12,
          "xdmf: the crate and its ball")


def check_regions():
    """Contours of regions as polylines that close, as large as the areas beside them."""
    evaluate_regions("r.h5", "--contours")
    clack("export", "r.h5", "--xdmf", "-q")
    frames = xml.parse("r.xdmf").getroot().find("Domain").find("Grid").findall("Grid")
    times = [float(frame.find("Time").get("Value")) for frame in frames]
    check(times == [0, 1, 2, 4], f"regions: times {times}, expected the configurations with regions")
    with h5py.File("r.h5") as file:
        check_known(file, check)
        rows = {name: file["regions"][name][:] for name in ("area", "indentation", "normal", "body_a", "body_b",
                                                            "region", "flags", "centroid", "loops")}
        points = file["contours/point"][:]
        whose = np.stack([file["contours/region_row"][:], file["contours/contour"][:]], axis=1)
    seen = np.zeros(len(rows["area"]))
    for frame in frames:
        grids = {grid.get("Name"): fields(grid) for grid in frame.findall("Grid")}
        regions = grids["regions"]
        for name in "area", "indentation", "normal", "body_a", "body_b", "region", "flags":
            same(regions[name], rows[name][regions["region_row"]], f"regions: {name}")
            if "contours" in grids:
                same(grids["contours"][name], rows[name][grids["contours"]["region_row"]], f"contours: {name}")
        same(regions["points"], rows["centroid"][regions["region_row"]], "regions: centroids")
        if "contours" not in grids:
            check((regions["flags"] == 2).all(), "regions: only engulfed ones have no contour")
            continue
        contours, at, areas = grids["contours"], 0, {}
        cells = contours["triangles"]  # as the topology is called: kinds, counts, points
        for cell, row in enumerate(contours["region_row"]):
            check(cells[at] == 2, f"regions: a cell of kind {cells[at]}, expected a polyline")
            corners = cells[at + 2:at + 2 + cells[at + 1]]
            at += 2 + cells[at + 1]
            line = contours["points"][corners]
            check(corners[0] == corners[-1] and len(set(corners)) == len(corners) - 1, "regions: a line is not closed")
            same(line[:-1], points[(whose == [row, contours["contour"][cell]]).all(axis=1)], "regions: a contour")
            areas[row] = areas.get(row, 0) + enclosed(line[:-1], contours["normal"][cell])
            seen[row] += 1
        for row, area in areas.items():
            check(abs(area / rows["area"][row] - 1) < 1e-12, f"regions: {area} enclosed, expected {rows['area'][row]}")
        check(at == len(cells), "regions: cells without a contour")
    check((seen == rows["loops"]).all(), f"regions: {seen} contours, expected {rows['loops']}")
    clack("export", "r.h5", "--xdmf", "--configuration", "1", "-q", "-o", "one.xdmf")
    one = xml.parse("one.xdmf").getroot().find("Domain").find("Grid").findall("Grid")
    check([grid.find("Time").get("Value") for grid in one] == ["1"], "regions: of one configuration")
    clack("export", "r.h5", "--xdmf", "-q", code=4, says="--overwrite")
    clack("export", "r.h5", "--xdmf", "--configuration", "3", "-o", "no.xdmf", code=2, says="has no contact region")
    clack("export", "r.h5", "--xdmf", "--configuration", "5", "-o", "no.xdmf", code=2, says="but 0 to 4")
    clack("export", "r.h5", "--csv", code=2, says="--xdmf")
    evaluate_regions("n.h5")
    clack("export", "n.h5", "--xdmf", code=2, says="--contours")
    check(not os.path.exists("no.xdmf") and not os.path.exists("n.xdmf"), "regions: a file in spite of a mistake")


PARAVIEW = """
from paraview.simple import XDMFReader
reader = XDMFReader(FileNames=["y.xdmf"])
reader.UpdatePipelineInformation()
times = list(reader.TimestepValues)
reader.UpdatePipeline(times[5])
print("SAW", len(times), times[5], *reader.GetDataInformation().GetBounds(), \
*reader.CellData.keys(), *reader.PointData.keys())
"""


def check_paraview(file):
    """ParaView's own reader sees the frames, and the surfaces of frame 5 where they are."""
    if shutil.which("pvpython") is None:
        print("ParaView is not there: its reader is not tested")
        return
    done = subprocess.run(["pvpython", "-c", PARAVIEW], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300)
    said = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("SAW")]
    check(len(said) == 1, f"ParaView: {done.stdout}")
    if len(said) != 1:
        return
    with h5py.File("y.xdmf.h5") as surfaces:
        points = surfaces["position/5"][:]
    check(int(said[0][0]) == len(file["trajectory/time"]), f"ParaView: {said[0][0]} frames")
    bounds = np.array([float(word) for word in said[0][2:8]])
    expected = np.stack([points.min(axis=0), points.max(axis=0)], axis=1).ravel()
    check(np.abs(bounds - expected).max() < 1e-6, f"ParaView: bounds {bounds}, expected {expected}")
    check({"body", "shape", "velocity"} <= set(said[0][8:]), f"ParaView: fields {said[0][8:]}")


def check_contacts(scene):
    """Contacts that were recorded with frames are arrows there; those between frames are told."""
    with open("pushed.yaml", "w") as out:
        out.write(pushed_study(0.5, 0.005))
    clack("run", "pushed.yaml", "-q", "-d", "native", "-o", "c.h5")
    done = clack("export", "c.h5", "--xdmf", "--scene", str(scene), "-o", "c.xdmf")
    frames = xml.parse("c.xdmf").getroot().find("Domain").find("Grid").findall("Grid")
    with h5py.File("c.h5") as file:
        arrows = [check_frame_contacts(file, scene, file["trajectory/time"][index],
                                       {grid.get("Name"): fields(grid) for grid in frame.findall("Grid")})
                  for index, frame in enumerate(frames)]
        scenes = file["contacts/scene_number" if "contacts/scene_number" in file else "contacts/scene"][:]
        of_scene = (scenes == scene).sum()
        check(sum(arrows) > 40 and 0 in arrows, f"xdmf: contacts of frames: {arrows}")
        check(f"{of_scene - sum(arrows)} of {of_scene} contacts were recorded between the frames" in done.stderr,
              f"xdmf: {sum(arrows)} of {of_scene} contacts: {done.stderr}")
        check_vtk(file, scene)
    clack("export", "c.h5", "--xdmf", "-o", "c.xdmf", "--overwrite", "-q")
    with h5py.File("c.xdmf.h5") as file:
        check("contact_position" in file, "xdmf: without --scene the first scene's contacts")


def check_vtk(file, scene):
    """VTK's reader of XDMF, which ParaView has too, finds the arrows at their times."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    except ImportError:
        print("VTK is not there: its reader is not tested")
        return
    reader = vtkXdmfReader()
    reader.SetFileName("c.xdmf")
    reader.UpdateInformation()
    times, arrows = reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS()), 0
    check(list(times) == list(file["trajectory/time"]), f"VTK: {len(times)} times")
    for time in times:
        reader.UpdateTimeStep(time)
        output, rows = reader.GetOutputDataObject(0), contacts_of(file, scene, time)
        blocks = [output.GetBlock(i).GetPointData() for i in range(output.GetNumberOfBlocks())]
        blocks = [block for block in blocks if block.HasArray("normal_force")]
        check(len(blocks) == (len(rows) > 0), f"VTK: {len(blocks)} blocks of contacts at {time} s")
        for block in blocks if len(rows) else []:
            arrows += len(rows)
            for name, expected in (("tangential_force", file["contacts/tangential_force"][rows]),
                                   ("penetration", file["contacts/penetration"][rows])):
                found = vtk_to_numpy(block.GetArray(name))
                check(np.array_equal(found, expected), f"VTK: {name} at {time} s: {found}, expected {expected}")
    check(arrows > 10, f"VTK: {arrows} contacts")


# --- mistakes ---------------------------------------------------------------------------------------


def check_names():
    """A bare name serves every format, as it does tables."""
    os.mkdir("bare.d")
    for words, wanted in [(["--xdmf"], ["bare.d/px.xdmf"]), (["--h5md"], ["bare.d/px.h5md"]),
                          (["--xdmf", "--overwrite"], ["bare.d/px.xdmf"])]:
        done = clack("export", "x.h5", *words, "-o", "bare.d/px", "--json", "-q")
        check(json.loads(done.stdout)["files"] == wanted and os.path.exists(wanted[0]), f"{words}: {done.stdout}")
    clack("export", "x.h5", "--xdmf", "-o", "bare.d/px", code=4, says="px.xdmf")
    clack("export", "x.h5", "--h5md", "-o", "bare.d/py.h5", "-q")  # one with an ending is kept
    check(os.path.exists("bare.d/py.h5"), "h5md: another ending")
    clack("export", "x.h5", "--csv", "-o", "bare.d/px", "-q")
    check(os.path.exists("bare.d/px_scenes.csv"), "csv: a bare name")


def check_partial():
    """A file of parts: scenes that were not run have no frames; all tables, and the first scene that has one."""
    recorded = "--set", "outputs.trajectory.scenes=8", "-q", "-d", "native"
    for part in 1, 2, 3:
        clack("run", "study.yaml", *recorded, "--shard", f"{part}/3", "-o", f"{part}.h5")
    clack("merge", "1.h5", "3.h5", "-o", "gap.h5", "--partial", "-q")
    clack("merge", "1.h5", "2.h5", "3.h5", "-o", "all.h5", "-q")
    with h5py.File("gap.h5") as file:
        check(list(file["trajectory/recorded"]) == list(range(8)) and list(file["status"]) == [0, 0, 0, 1, 1, 1, 0, 0]
              and np.isnan(file["trajectory/position"][3:6]).all(), "scenes without frames")
    for name in "gap", "all":
        clack("export", f"{name}.h5", "--csv", "-q")
    wanted = [row for row in rows("all_trajectory.csv") if row["scene"] not in ("3", "4", "5")]
    check(rows("gap_trajectory.csv") == wanted and len(wanted) > 0, "trajectories of the scenes that were run")
    clack("export", "gap.h5", "--xdmf", "--scene", "4", code=2, says="the trajectory of scene 4 has no frame")
    check(clack("export", "gap.h5", "--csv", "--table", "trajectory", "--scene", "4").stdout.count("\n") == 1,
          "no rows of a scene without frames")
    with h5py.File("gap.h5", "r+") as file:  # as if the first scenes had not been run either
        for name in "position", "orientation", "velocity", "angular_velocity":
            file["trajectory"][name][:3] = np.nan
    clack("export", "gap.h5", "--h5md", "-q")
    clack("export", "all.h5", "--h5md", "--scene", "6", "-q", "-o", "six.h5md")
    with h5py.File("gap.h5md") as gap, h5py.File("six.h5md") as six:
        names = []
        six.visititems(lambda name, one: names.append(name) if isinstance(one, h5py.Dataset) else None)
        check(len(names) > 4 and all(np.array_equal(gap[name][()], six[name][()]) for name in names),
              "without --scene: the first scene that has a frame")


def check_mistakes():
    clack("export", "x.h5", code=2, says="--csv, --xdmf, --h5md")
    clack("export", "x.h5", "--xdmf", "--scene", "7", code=2, says="scenes 0 to 5")
    clack("export", "x.h5", "--xdmf", "-o", "y.xdmf", code=4, says="--overwrite")
    clack("export", "x.h5", "--csv", "--table", "event", code=2, says="expected scenes, events")
    clack("export", "x.h5", "--csv", "--table", "scenes", "--scene", "8", code=2, says="has no scene 8")
    clack("export", "x.h5", "--h5md", "-o", "a/b.h5md", code=4)
    clack("export", "tetra.obj", "--csv", code=7)
    clack("export", "x.h5", "--xdmf", "-o", "a:b.xdmf", code=2, says="colon")
    clack("export", "x.h5", "--xdmf", "-o", "px.vtk", code=2, says="ends in .xdmf or .xmf, or has no ending")
    clack("export", "x.h5", "--xdmf", "-o", "moved.d/", code=2, says="the name of a file")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "z.h5", "--set", "outputs={events: false}")
    clack("export", "z.h5", "--xdmf", code=2, says="no trajectory")
    clack("export", "z.h5", "--csv", "--table", "events", code=2, says="does not record")
    clack("export", "z.h5", "--csv", "-q")
    check(sorted(name for name in os.listdir() if name.startswith("z_")) == ["z_scenes.csv"], "tables that there are")
    # Without the study's file all works; with other points of a hull the shapes would be wrong.
    os.rename("study.yaml", "elsewhere.yaml")
    clack("export", "x.h5", "--xdmf", "-q", "--overwrite")
    os.mkdir("moved")
    os.rename("tetra.obj", "moved/tetra.obj")
    clack("export", "x.h5", "--xdmf", "-q", "--overwrite", code=4, says="tetra.obj")
    clack("export", "x.h5", "--xdmf", "-q", "--overwrite", "--study", "moved/study.yaml")
    with open("moved/tetra.obj", "a") as points:
        points.write("v 0 0 2\n")
    clack("export", "x.h5", "--xdmf", "-q", "--overwrite", "--study", "moved/study.yaml", code=7,
          says="SHA-256 differs")
    check(not [name for name in os.listdir() if name.endswith(".part")], "no part of a file is left")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in ("study.yaml", STUDY), ("tetra.obj", TETRA):
            with open(name, "w") as out:
                out.write(text)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "x.h5", "--set", "scene.bodies.peg.position[0]=1.6")
        with h5py.File("x.h5") as file:
            names = [name.decode() for name in file["body_name"]]
            check_csv(file, names)
            absent = [scene for scene in range(6) if file["n_bodies"][scene] < len(names)]
            whole = [scene for scene in range(6) if file["n_bodies"][scene] == len(names)]
            check(absent and whole, "scenes with and without the guest")
            for scene in absent[0], whole[0]:
                check_h5md(file, names, scene)
                check_xdmf(file, names, scene)
                check_paraview(file)
        check_contacts(1)
        check_regions()
        check_names()
        check_partial()
        check_mistakes()
        os.chdir("/")
    if not failures:
        print("CSV, XDMF and H5MD say what the ensembles say")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
