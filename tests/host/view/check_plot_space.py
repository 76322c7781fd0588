#!/usr/bin/env python3
"""Figures of `clack plot` of one scene in space: ways, shapes and contact regions are where the
file has them, to scale.

usage: check_plot_space.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: gnuplot or packages are missing.
"""
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_plot_space.py: skipped: {missing}")
    sys.exit(77)
if shutil.which("gnuplot") is None:
    print("check_plot_space.py: skipped: no gnuplot")
    sys.exit(77)

from program_checks import check, clack, failures
from figures import BALLS, NAMESPACE, PANEL, ROUNDING, axes, figure, lines, numbers, run_study
from region_study import check_known, evaluate_regions


def panels(root):
    """Corners of the panels, from border lines, by rows: (left, top, right, bottom)."""
    parts = [np.array(numbers(part)).reshape(-1, 2) for path in root.iter(f"{NAMESPACE}path")
             for part in path.get("d").split("M") if "L" in part]
    corners = {tuple(points.ravel()) for points in parts
               if len(points) == 3 and points[0, 0] == points[1, 0] and points[1, 1] == points[2, 1]}
    return sorted(((left, top, right, bottom) for left, top, _, bottom, right, _ in corners),
                  key=lambda corner: (corner[1], corner[0])), parts


def scales(root, panel):
    """Pixels in a metre along x and y of a panel, from the numbers at its axes."""
    left, top, right, bottom = panel
    ticks = {"middle": [], "end": []}
    for group in root.iter(f"{NAMESPACE}g"):
        text = group.find(f"{NAMESPACE}text")
        if text is None or group.get("text-anchor") not in ticks:
            continue
        number = "".join(text.itertext()).strip().replace("\u2212", "-")
        x, y = numbers(group.get("transform"))[:2]
        is_along = bottom < y < bottom + 40 if group.get("text-anchor") == "middle" else left - 40 < x < left
        if re.fullmatch(r"-?[\d.]+", number) and is_along and left - 40 < x < right + 9 and top - 9 < y < bottom + 40:
            ticks[group.get("text-anchor")].append((x if group.get("text-anchor") == "middle" else -y, float(number)))
    return [1 / np.polyfit(*np.array(ticks[anchor]).T, 1)[0] for anchor in ("middle", "end")]


def check_path():
    """Beside the way stands the outline of what is fixed: corners of a turned box, to scale; a metre is as long along
    both axes."""
    wall = ("{fixed: true, material: steel, shapes: [{box: {lengths: [0.1, 0.04, 0.06]}}], position: [0.3, 0, 0.1], "
            "rotation: {axis: [0, 0, 1], angle: 0.3}}")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "w.h5", "--set", f"scene.bodies.wall={wall}",
          "--set", "scene.ignore=[[ball, wall]]", "--scene", "2")
    with h5py.File("w.h5") as file:
        way = file["trajectory/position"][0, :, 1]
    c, s = np.cos(0.3), np.sin(0.3)
    corners = np.array([(0.3 + x * c - y * s, x * s + y * c, 0.1 + z) for x in (-0.05, 0.05) for y in (-0.02, 0.02)
                        for z in (-0.03, 0.03)])
    for size in [], ["--size", "120x160mm"], ["--size", "160x60mm"]:
        root = figure("path", "ball", "--plane", "xz,xy,yz", *size, path="w.h5")
        borders, parts = panels(root)
        drawn = [points for points in parts if len(points) == len(way)]
        boxes = [points for points in parts if len(points) == 5 and np.all(np.abs(points[0] - points[-1]) < 0.02)]
        check(len(borders) == len(boxes) == len(drawn) == 3, f"path {size}: {len(borders)} panels, {len(boxes)} boxes")
        for border, box, line, (across, up) in zip(borders, boxes, drawn, ((0, 2), (0, 1), (1, 2))):
            x_scale, y_scale = scales(root, border)
            check(abs(x_scale / y_scale - 1) < 0.02,
                  f"path {size}, {across}, {up}: {x_scale}, {y_scale} pixels in a metre")
            x = way[0, across] + (box[:, 0] - line[0, 0]) / x_scale
            y = way[0, up] - (box[:, 1] - line[0, 1]) / x_scale
            expected = [getattr(corners[:, axis], end)() for axis in (across, up) for end in ("min", "max")]
            found = [x.min(), x.max(), y.min(), y.max()]
            check(np.allclose(found, expected, rtol=0, atol=4e-3),
                  f"path {size}, axes {across}, {up}: outline of {found}, expected {expected}")
            inside = (line[:, 0] > border[0]) & (line[:, 0] < border[2]) & (line[:, 1] > border[1]) & (
                line[:, 1] < border[3])
            check(inside.all(), f"path {size}: the way is within its panel")
    texts = "".join(root.itertext())
    check("fixed shapes" in texts and "unknown" not in texts, "path: fixed shapes in the key")
    check(all(f"plane {plane}" in texts for plane in ("xz", "xy", "yz")), f"path: planes: {texts}")
    check_planes()


def check_planes():
    """The plane in which a body moves most, and what is told where the fixed shapes are not known."""
    for velocity, plane in ("[1, 0.01, 0]", "xz"), ("[0.01, 1, 0]", "yz"), ("[1, 2, 0]", "xy"), ("[0, 0, 0]", "xz"):
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "v.h5", "--scene", "2", "--set", "solver.end=0.2",
              "--set", f"scene.bodies.ball.velocity={velocity}",
              "--set", "scene.bodies.ball.angular_velocity=[0, 0, 0]")
        clack("plot", "v.h5", "path", "ball", "-o", "v.svg", "--overwrite", "-q")
        texts = [text.strip() for text in xml.parse("v.svg").getroot().itertext() if text.strip()]
        check([text for text in texts if text.startswith("plane")][0].startswith(f"plane {plane},")
              and [f"{axis} (m)" in texts for axis in "xyz"] == [axis in plane for axis in "xyz"],
              f"path of velocity {velocity}: {texts}")
        os.remove("v.h5")
    for planes in "zx", "xz,", "xz,xx", "", "xz,xy,yz,xz":
        clack("plot", "w.h5", "path", "ball", "--plane", planes, "-o", "no.svg", code=2, says="xy, xz or yz")
    clack("plot", "w.h5", "path", "ball", "-o", "w.svg", "-q",
          env={**os.environ, "CLACK_DATA_DIR": os.path.abspath(".")})
    check("fixed shapes unknown" in "".join(xml.parse("w.svg").getroot().itertext()),
          "path: without the palette the way alone, and told")


def check_contours():
    """Contours are closed, as large as their areas, and there are as many as there have to be."""
    evaluate_regions("r.h5", "--contours")
    clack("plot", "r.h5", "-q")  # regions are what such a file has
    root = xml.parse("r_regions.svg").getroot()
    x_of, y_scale = axes(root, PANEL)
    x_scale = x_of(1) - x_of(0)
    with h5py.File("r.h5") as file:
        check_known(file, check)
        area, indentation = file["regions/area"][0], file["regions/indentation"][0]
    found = lines(root)
    check(len(found) == 2, f"contours: {len(found)} lines, expected one in each view")
    check(abs(abs(x_scale / y_scale) - 1) < 1e-2, f"contours: scales {x_scale}, {y_scale}")
    check(np.abs(found[0][0] - found[0][-1]).max() < 0.02, "contours: the line is not closed")
    x, y = found[0][:-1].T
    drawn = 0.5 * abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() * x_scale * y_scale)
    check(abs(drawn / area - 1) < 5e-3, f"contours: area {drawn}, expected {area}")
    text = "".join(root.itertext())
    check(f"ball - other: area {area:.4g} m\u00b2, indentation {indentation:.4g} m" in text, f"contours: key: {text}")
    for words, lines_wanted, said in ((["--configuration", "1"], 0, "from above"), (["ring"], 4, "configuration 2"),
                                      (["ball", "floor"], 0, "engulfed")):
        clack("plot", "r.h5", "regions", *words, "-o", "x.svg", "--overwrite", "-q")
        root = xml.parse("x.svg").getroot()
        check(len(lines(root)) == lines_wanted, f"contours of {words}: {len(lines(root))}, expected {lines_wanted}")
        check(said in "".join(root.itertext()), f"contours of {words}: without \"{said}\"")
        if said == "from above":  # squares of 8 points or less
            feet = "".join(root.itertext()).count("floor - feet: area 0.0008 m\u00b2, indentation 0.001 m")
            check(feet == 2, f"contours: {feet} feet, expected 2")
    refuse = ("plot", "r.h5", "regions", "-o", "no.svg")
    clack(*refuse, "bal", code=2, says='did you mean "ball"')
    clack(*refuse, "--configuration", "3", code=2, says="configuration 3 has no contact region")
    clack(*refuse, "--configuration", "5", code=2, says="but 0 to 4")
    clack(*refuse, "ring", "ball", code=2, says="of these bodies")
    clack("plot", "r.h5", "histogram", code=2, says='its figure is "regions"')
    evaluate_regions("n.h5")
    clack("plot", "n.h5", "regions", code=2, says="--contours")
    clack("plot", "r.h5", "regions", "--scene", "0", "-o", "no.svg", code=2, says="chosen by --configuration")
    clack("evaluate", "study.yaml", "x.h5", "-d", "native", "-q", "-o", "m.h5", "--contours")
    clack("plot", "m.h5", "regions", code=2, says="has no contact regions")


STEPPED = """
format: 1
scene:
  pairs: [{between: [steel, steel], restitution: 0.3, region: {law: constant, stiffness: 1.0e6, exponent: 1}}]
  bodies:
    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    block: {material: steel, shapes: [{box: {lengths: [0.1, 0.2, 0.05], smoothing: 0}}], position: [1, 0, 0.0251]}
    ball: {material: steel, shapes: [{mesh: {file: ball.obj}}], position: [0, 0, 0.0498]}
solver: {method: trapezoidal, step: 0.001, end: 0.1}
outputs: {contacts: {every: 0.002}}
"""


def check_areas():
    """Areas and forces of a scene that is stepped, over time."""
    with open("stepped.yaml", "w") as out:
        out.write(STEPPED)
    clack("run", "stepped.yaml", "-q", "-d", "native", "-o", "a.h5")
    clack("plot", "a.h5", "regions", "ball", "-o", "x.svg", "--overwrite", "-q")
    root = xml.parse("x.svg").getroot()
    with h5py.File("a.h5") as file:
        rows = file["contacts/body_b"][:] == 2
        area, force = file["contacts/area"][rows], file["contacts/normal_force"][rows]
        check(abs(file["contacts/area"][~rows][-1] - 0.02) < 1e-12, "areas: of the block's face")
    found = [line for line in lines(root) if len(line) == len(area)]
    check(len(found) == 2 and len(area) > 40, f"areas: {len(found)} lines of {len(area)} rows")
    drawn = (found[0][:, 1] - found[0][0, 1]) * axes(root, PANEL)[1]
    off = np.abs(drawn - (area - area[0])).max()
    check(off < ROUNDING * 10 * np.ptp(area), f"areas: other values: {off} of {np.ptp(area)}")
    both = np.corrcoef(found[1][:, 1], force)[0, 1]
    check(both < -0.9999, f"areas: forces: correlation {both}")
    clack("plot", "a.h5", "regions", "--scene", "1", code=2, says="no contact region of scene 1")
    clack("plot", "x.h5", "regions", code=2, says="method: trapezoidal")


def polygons(root):
    """Triangles in the order in which they are drawn, of more red than blue (far), more green (near), others."""
    found = []
    for polygon in root.iter(f"{NAMESPACE}polygon"):
        red, green, blue = numbers(polygon.get("fill"))
        points = np.array(numbers(polygon.get("points"))).reshape(-1, 2)
        if len(points) == 4 and np.abs(points[0] - points[-1]).max() < 0.02:
            found.append(("far" if red > green + 20 > blue else "near" if green > red + 20 else "wall", points[:3]))
    return found


def check_pictures():
    """Six pictures in a column of a paper: as large as their places, with one scale, to scale, and one set of axes."""
    times = "0,0.02,0.04,0.06,0.08,0.1"
    root = figure("scene", "--at", times, "--view=0,0", "--size", "85x65mm", path="balls.h5")
    found = [points for name, points in polygons(root) if name == "far"]
    middles = np.array([points.mean(axis=0) for points in found])
    groups = np.unique(np.rint(middles / 50), axis=0)
    first = [points for points, at in zip(found, middles) if np.abs(at - middles[0]).max() < 30]
    size = max(np.ptp(np.concatenate(first), axis=0))
    check(len(groups) >= 4 and size > 25, f"pictures: a ball of 0.2 m is {size} pixels wide, {len(groups)} places")
    texts = [text for text in ("".join(node.itertext()).strip() for node in root.iter(f"{NAMESPACE}text")) if text]
    check([text for text in texts if text.endswith(" s")] == [f"{float(time):g} s" for time in times.split(",")],
          f"pictures: times {texts}")
    lengths = [text for text in texts if re.fullmatch(r"[\d.]+ m", text)]
    check(len(lengths) == 1 and sum(text in "xyz" for text in texts) == 2, f"pictures: one scale, y and z: {texts}")
    bars = [np.ptp(points[:, 0]) for points in panels(root)[1] if len(points) == 2 and points[0, 1] == points[1, 1]]
    bar = float(lengths[0].split()[0]) * size / 0.2
    check(any(abs(length - bar) < 0.02 * bar + 0.5 for length in bars), f"pictures: a bar of {bar} pixels: {bars}")


def check_snapshot():
    """Two balls, seen along x: where and how large they are, and which hides the other; then along y."""
    for view, at, across, towards in ("0,0", 0.05, 1, 0), ("-90,0", 0.021, 0, 1), ("90,0", 0, 0, -1):
        clack("plot", "balls.h5", "scene", "--at", str(at), f"--view={view}", "-o", "b.svg", "--overwrite", "-q")
        root = xml.parse("b.svg").getroot()
        time = round(at, 2)
        texts = "".join(root.itertext())
        check(f"{time:g} s" in texts and all(name in texts for name in ("far", "near")), f"snapshot: {texts}")
        places = {"far": np.array([-1, time, 0.05]), "near": np.array([0, 0.1, 2 * time])}
        parts = polygons(root)
        boxes = {name: np.concatenate([points for part, points in parts if part == name]) for name in places}
        scale = np.ptp(boxes["far"], axis=0) / 0.2  # pixels in a metre
        check(np.ptp(scale) < 0.01 * scale[0], f"snapshot {view}: {scale} pixels in a metre")
        check(np.abs(np.ptp(boxes["near"], axis=0) / scale - 0.1).max() < 1e-3, f"snapshot {view}: size of the ball")
        middle = {name: 0.5 * (box.min(axis=0) + box.max(axis=0)) for name, box in boxes.items()}
        shift = (middle["near"] - middle["far"]) / scale
        expected = places["near"] - places["far"]
        sign = 1 if view != "90,0" else -1  # from behind x goes to the left
        check(np.abs(shift - [sign * expected[across], -expected[2]]).max() < 2e-3,
              f"snapshot {view}: {shift}, expected {expected}")
        if view == "0,0":  # the near one is drawn later wherever both are
            order = [name for name, _ in parts if name != "wall"]
            check(order == sorted(order), f"snapshot: the far ball is not behind: {order[:3]}")
            wall = [polygon for polygon in root.iter(f"{NAMESPACE}polygon") if polygon.get("fill-opacity")]
            check(len(wall) > 0, "snapshot: a fixed wall in front is not transparent")
    check_pictures()
    clack("plot", "balls.h5", "scene", "near", "--at", "0,0.05,0.1", "-o", "b.svg", "--overwrite", "-q")
    root = xml.parse("b.svg").getroot()
    check(all(f"{time} s" in "".join(root.itertext()) for time in ("0", "0.05", "0.1"))
          and {name for name, _ in polygons(root)} - {"wall"} == {"near"}, "snapshots: of one body, at three times")
    refuse = ("plot", "balls.h5", "scene", "-o", "no.svg")
    for times in "", "-1", "0,", "nan", ",".join("0" * 13):
        clack(*refuse, f"--at={times}", code=2, says="up to 12 times in s")
    for view in "", "1", "1,2,3", "0,91", "400,0":
        clack(*refuse, f"--view={view}", code=2, says="AZIMUTH,ELEVATION")
    clack(*refuse, "nera", code=2, says='did you mean "near"')
    clack("plot", "x.h5", "scene", "--scene", "299", "-o", "no.svg", code=2, says="scenes 0 to 2")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_study()
        with open("balls.yaml", "w") as out:
            out.write(BALLS)
        clack("run", "balls.yaml", "-q", "-d", "native", "-o", "balls.h5")
        check_path()
        check_contours()
        check_areas()
        check_snapshot()
        os.chdir("/")
    if not failures:
        print("figures in space show what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
