#!/usr/bin/env python3
"""Figures of `clack plot`: what is drawn is what the file holds, read back from the coordinates in the SVG.

usage: check_plot.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: gnuplot or packages are missing.
"""
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as xml
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_plot.py: skipped: {missing}")
    sys.exit(77)
if shutil.which("gnuplot") is None:
    print("check_plot.py: skipped: no gnuplot")
    sys.exit(77)

from program_checks import SOURCE, check, clack, failures
from pushed_study import pushed_study
from region_study import check_known, evaluate_regions

NAMESPACE = "{http://www.w3.org/2000/svg}"
TITLE = "it's `touch pwned1`; \"$(touch pwned2)\" '; system('touch pwned3') # <b>"
STUDY = f"""
format: 1
title: '{TITLE.replace("'", "''")}'
variables: {{mu: {{uniform: [0.2, 0.4]}}}}
scene:
  pairs: [{{between: [steel, steel], friction: $mu}}]
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{{half_space: {{}}}}]}}
    ball: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}, position: [0.01, 0, 0]}}], \
position: [0, 0, {{uniform: [0.2, 0.3]}}],
            velocity: [1, 0, 0], angular_velocity: [3, 4, 0]}}
design: {{monte_carlo: {{samples: 300, seed: 3}}}}
solver: {{end: 0.5}}
outputs:
  quantities: {{hits: {{count: contact_begin}}, last_x: {{final: ball.position.x}}, \
never: {{time_of: contact_begin, n: 99}}}}
  trajectory: {{every: 0.01, scenes: 3}}
"""


# --- reading figures ----------------------------------------------------------------------------------


def numbers(text):
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def axes(root, right=np.inf):
    """Two functions from pixels to numbers, from where the ticks of the only panel stand, or of the one left of it."""
    ticks = {"middle": [], "end": []}
    for group in root.iter(f"{NAMESPACE}g"):
        label = group.find(f"{NAMESPACE}text")
        anchor = group.get("text-anchor")
        if label is None or anchor not in ticks or "rotate" in group.get("transform", ""):
            continue
        try:
            value = float("".join(label.itertext()).replace("\u2212", "-"))
        except ValueError:
            continue
        x, y = numbers(group.get("transform"))[:2]
        if x > right:
            continue
        ticks[anchor].append((x if anchor == "middle" else y, value))
    lines = [np.polyfit(*np.array(ticks[anchor]).T, 1) for anchor in ("middle", "end")]
    # Labels stand a little below their ticks: pixels of the y axis are relative to each other only.
    return (lambda x: np.polyval(lines[0], x)), lines[1][0]


def lines(root):
    """The polylines of more than 10 points, [(x, y)] in pixels; those of the key have two."""
    parts = [part for path in root.iter(f"{NAMESPACE}path") for part in path.get("d").split("M") if "L" in part]
    found = [np.array(numbers(part)).reshape(-1, 2) for part in parts]
    return [points for points in found if len(points) > 10]


def symbols(root):
    return [use for use in root.iter(f"{NAMESPACE}use") if "translate" in use.get("transform", "")]


def figure(*words):
    clack("plot", "x.h5", *words, "-o", "x.svg", "--overwrite", "-q")
    return xml.parse("x.svg").getroot()


# Pixels of gnuplot's SVG have two digits; a figure is some 300 of them high.
ROUNDING = 2e-4


def check_lines(root, times, expected, what):
    x_of, y_scale = axes(root)
    drawn = [line for line in lines(root) if len(line) == len(times)]
    check(len(drawn) == len(expected), f"{what}: {len(drawn)} lines, expected {len(expected)}")
    size = max(np.ptp(values) for values in expected)
    for line, values in zip(drawn, expected):
        check(np.abs(x_of(line[:, 0]) - times).max() < ROUNDING * 10 * np.ptp(times), f"{what}: times")
        got = (line[:, 1] - line[0, 1]) * y_scale
        check(np.abs(got - (values - values[0])).max() < ROUNDING * 10 * size,
              f"{what}: {np.abs(got - values + values[0]).max()} off")


def check_scene(file):
    scene, body = 2, 1
    times = file["trajectory/time"][:]
    position, velocity, spin, orientation = (file["trajectory"][name][scene, :, body] for name in (
        "position", "velocity", "angular_velocity", "orientation"))
    check_lines(figure("trajectory", "ball", "--scene", "2"), times, list(position.T), "trajectory")
    # The ball's centre is 10 mm from its origin.
    w, axis = orientation[:, :1], orientation[:, 1:]
    arm = np.array([[0.01, 0, 0]])
    arm = arm + 2 * np.cross(axis, np.cross(axis, arm) + w * arm)
    centre, at = velocity + np.cross(spin, arm), position + arm
    density = 8000  # steel of the palette
    mass = density * np.pi / 6 * 0.1**3
    kinetic = 0.5 * mass * (centre**2).sum(axis=1) + 0.5 * 0.4 * mass * 0.05**2 * (spin**2).sum(axis=1)
    potential = mass * 9.81 * at[:, 2]
    check_lines(figure("energy", "--scene", "2"), times, [kinetic, potential, kinetic + potential], "energy")
    root = figure("events", "--scene", "2")
    kinds = file["events/kind"][:][file["events/scene_number"][:] == scene]
    drawn, expected = len(symbols(root)), len(kinds) + len(set(kinds))
    check(drawn == expected, f"events: {drawn} symbols, expected {expected} with those of the key")


def check_interval(file):
    """Of trajectories, energy, paths, events what lies within --time, and no more."""
    times, way = file["trajectory/time"][:], file["trajectory/position"][2, :, 1]
    inside = (times >= 0.105) & (times <= 0.3)
    words = "--scene", "2", "--time", "0.105,0.3"
    check_lines(figure("trajectory", "ball", *words), times[inside], list(way[inside].T), "interval")
    root = figure("energy", *words)
    check({len(line) for line in lines(root)} == {inside.sum()}, "interval of energy")
    root = figure("path", "ball", *words)
    check(inside.sum() in {len(line) for line in lines(root)}, "interval of a path")
    rows = file["events/scene_number"][:] == 2
    at, kinds = file["events/time"][rows], file["events/kind"][rows]
    first = at[0]
    root = figure("events", "--scene", "2", "--time", f"{first - 1e-3},{first + 1e-3}")
    near = np.abs(at - first) < 1e-3
    expected = near.sum() + len(set(kinds))
    check(near.sum() < len(at) and len(symbols(root)) in (expected, near.sum() + len(set(kinds[near]))),
          f"interval of events: {len(symbols(root))} symbols, expected {expected}")
    for kind in ["trajectory", "ball"], ["path", "ball"], ["energy"]:
        clack("plot", "x.h5", *kind, "--time", "7,8", "-o", "no.svg", code=2, says="but from 0 to 0.5 s")
        clack("plot", "x.h5", *kind, "--time", "0.101,0.102", "-o", "no.svg", code=2, says="no state is recorded")
    clack("plot", "x.h5", "events", "--time", "7,8", "-o", "no.svg", code=2, says="in the interval of --time")
    for interval in "", "1", "1,1", "2,1", "-1,1", "0,nan", "0,1,2":
        clack("plot", "x.h5", "energy", f"--time={interval}", "-o", "no.svg", code=2, says="the first before")
    clack("plot", "x.h5", "ecdf", "--time", "0,1", "-o", "no.svg", code=2, says="trajectory, path, energy, force")


def check_path():
    """Beside the way stands the outline of what is fixed: corners of a turned box,
    read back by the ranges of the panels."""
    wall = ("{fixed: true, material: steel, shapes: [{box: {lengths: [0.1, 0.04, 0.06]}}], position: [0.3, 0, 0.1], "
            "rotation: {axis: [0, 0, 1], angle: 0.3}}")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "w.h5", "--set", f"scene.bodies.wall={wall}",
          "--set", "scene.ignore=[[ball, wall]]", "--scene", "2")
    clack("plot", "w.h5", "path", "ball", "--plane", "xz,xy,yz", "-o", "w.svg", "--overwrite", "-q")
    root = xml.parse("w.svg").getroot()
    parts = [np.array(numbers(part)).reshape(-1, 2) for path in root.iter(f"{NAMESPACE}path")
             for part in path.get("d").split("M") if "L" in part]
    borders = sorted({tuple(points.ravel()) for points in parts
                      if len(points) == 3 and points[0, 0] == points[1, 0] and points[1, 1] == points[2, 1]})
    boxes = [points for points in parts if len(points) == 5 and np.all(np.abs(points[0] - points[-1]) < 0.02)]
    check(len(borders) == 3 and len(boxes) == 3,
          f"path: {len(borders)} panels, {len(boxes)} outlines of a box, expected 3 of either")
    borders.sort(key=lambda border: (border[1], border[0]))  # by rows of panels
    with h5py.File("w.h5") as file:
        way = file["trajectory/position"][0, :, 1]
    low, high = way.min(axis=0), way.max(axis=0)
    margin = 0.1 * max(high - low)
    c, s = np.cos(0.3), np.sin(0.3)
    corners = np.array([(0.3 + x * c - y * s, x * s + y * c, 0.1 + z) for x in (-0.05, 0.05) for y in (-0.02, 0.02)
                        for z in (-0.03, 0.03)])
    for border, box, (across, up) in zip(borders, boxes, ((0, 2), (0, 1), (1, 2))):
        left, top, _, bottom, right, _ = border
        x = low[across] - margin + (box[:, 0] - left) / (right - left) * (high[across] - low[across] + 2 * margin)
        y = low[up] - margin + (box[:, 1] - bottom) / (top - bottom) * (high[up] - low[up] + 2 * margin)
        expected = [corners[:, axis].min() if k == 0 else corners[:, axis].max() for axis in (across, up)
                    for k in (0, 1)]
        found = [x.min(), x.max(), y.min(), y.max()]
        check(np.allclose(found, expected, rtol=0, atol=1e-3),
              f"path, axes {across}, {up}: outline of {found}, expected {expected}")
    texts = "".join(root.itertext())
    check("fixed shapes" in texts and "unknown" not in texts, "path: fixed shapes in the key")
    check(all(f"plane {plane}" in texts for plane in ("xz", "xy", "yz")), f"path: planes: {texts}")
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
    clack("plot", "w.h5", "path", "ball", "-o", "w.svg", "--overwrite", "-q",
          env={**os.environ, "CLACK_DATA_DIR": os.path.abspath(".")})
    check("fixed shapes unknown" in "".join(xml.parse("w.svg").getroot().itertext()),
          "path: without the palette the way alone, and told")


def check_histogram(file):
    """Heights of bars against numpy's counts between the edges that are drawn."""
    values = file["last_x"][:]
    root = figure("histogram", "last_x")
    x_of, y_scale = axes(root)
    bars = []
    for polygon in root.iter(f"{NAMESPACE}polygon"):
        points = np.array(numbers(polygon.get("points"))).reshape(-1, 2)
        bars.append((x_of(points[:, 0].min()), x_of(points[:, 0].max()), np.ptp(points[:, 1]) * abs(y_scale)))
    bars = np.array(bars)
    edges = np.append(bars[:, 0], bars[-1, 1])
    check(abs(edges[0] - values.min()) < 2e-3 * np.ptp(values)
          and abs(edges[-1] - values.max()) < 2e-3 * np.ptp(values), "histogram: range")
    counted = np.histogram(values, bins=len(bars), range=(values.min(), values.max()))[0]
    check(np.abs(bars[:, 2] - counted).max() < 0.2, f"histogram: {bars[:, 2]}, expected {counted}")
    whole = [polygon for polygon in figure("histogram", "hits").iter(f"{NAMESPACE}polygon")]
    hits = file["hits"][:]
    check(len(whole) <= hits.max() - hits.min() + 1, "histogram: a bin for every whole number")


def check_scatter(file):
    root = figure("scatter", "mu", "last_x")
    points = [numbers(use.get("transform"))[:2] for use in symbols(root)]
    check(len(points) == len(file["parameters/mu"]), f"scatter: {len(points)} points")
    x_of, y_scale = axes(root)
    points = np.array(points)
    mu, last = file["parameters/mu"][:], file["last_x"][:]
    check(np.abs(x_of(points[:, 0]) - mu).max() < ROUNDING * 10 * np.ptp(mu), "scatter: parameters")
    got = (points[:, 1] - points[0, 1]) * y_scale
    check(np.abs(got - (last - last[0])).max() < ROUNDING * 10 * np.ptp(last), "scatter: quantities")


def check_scatter_of_one_kind(file):
    """Two quantities over each other: two panels of points, none of one over itself."""
    root = figure("scatter", "hits", "last_x")
    check(len(list(symbols(root))) == 2 * len(file["parameters/mu"]), "scatter: of quantities over each other")


def check_sensitivity():
    """Bars from a group as `clack stats` lays it out."""
    shutil.copy("x.h5", "s.h5")
    with h5py.File("s.h5", "a") as file:
        group = file.require_group("sensitivity")
        for name in list(group):
            del group[name]
        group["input_name"], group["quantity_name"] = ["mu", "height"], ["hits", "last_x"]
        for name in "first", "total":
            group[name] = np.array([[0.25, 0.5], [0.1, 0.8]]) + (name == "total") * 0.1
            group[f"{name}_lower"], group[f"{name}_upper"] = group[name][:] - 0.05, group[name][:] + 0.05
    clack("plot", "s.h5", "sensitivity", "hits", "-q", "-o", "x.svg", "--overwrite")
    root = xml.parse("x.svg").getroot()
    widths = sorted(np.ptp(np.array(numbers(polygon.get("points"))).reshape(-1, 2)[:, 0])
                    for polygon in root.iter(f"{NAMESPACE}polygon"))
    bars = np.array([width for width in widths if width > 60])  # without the key's
    check(len(bars) == 4, f"sensitivity: {len(bars)} bars")
    if len(bars) == 4:
        check(np.abs(bars / bars[-1] - np.array([0.25, 0.35, 0.5, 0.6]) / 0.6).max() < 1e-3, f"sensitivity: {bars}")


def check_same():
    """A quantity that does not vary, and one that has no value: a sentence in place of bars."""
    with h5py.File("s.h5", "a") as file:
        group = file["sensitivity"]
        group["count"], group["varies"] = np.array([300, 0], "i4"), np.array([0, 0], "u1")
    for name, sentence in (("hits", "does not vary"), ("last_x", "no value")):
        clack("plot", "s.h5", "sensitivity", name, "-q", "-o", "x.svg", "--overwrite")
        root = xml.parse("x.svg").getroot()
        texts = ["".join(text.itertext()).strip() for text in root.iter(f"{NAMESPACE}text")]
        check(sentence in texts, f"sensitivity of {name}: {texts}")
        check(not list(root.iter(f"{NAMESPACE}polygon")), f"sensitivity of {name}: has bars")


# --- for print --------------------------------------------------------------------------------------


def check_formats():
    """Each ending gives its format, in the size that is asked for."""
    size = ("--size", "16x9cm")
    for ending in "pdf", "eps", "png", "svg":
        clack("plot", "x.h5", "trajectory", "ball", "-o", f"size.{ending}", *size, "-q")
    with open("size.pdf", "rb") as file:
        text = file.read()
        box = [float(number) for number in re.search(rb"/MediaBox \[ *([\d. ]+)\]", text).group(1).split()]
        check(text.startswith(b"%PDF-") and np.allclose(box, [0, 0, 16 / 2.54 * 72, 9 / 2.54 * 72], atol=1),
              f"PDF: a page of {box} points")
    with open("size.eps", "rb") as file:
        text = file.read()
        box = [float(number) for number in re.search(rb"%%BoundingBox: ([\d ]+)", text).group(1).split()]
        check(text.startswith(b"%!PS-Adobe-3.0 EPSF") and 0 < box[2] - box[0] <= 16 / 2.54 * 72 + 1
              and 0 < box[3] - box[1] <= 9 / 2.54 * 72 + 1, f"EPS: a box of {box} points")
    with open("size.png", "rb") as file:
        png = file.read()
        pixels = [int.from_bytes(png[at:at + 4], "big") for at in (16, 20)]
        check(np.allclose(pixels, [16 / 2.54 * 96, 9 / 2.54 * 96], atol=1), f"PNG: {pixels} pixels")
    view = numbers(xml.parse("size.svg").getroot().get("viewBox"))
    check(np.allclose(view, [0, 0, 16 / 2.54 * 96, 9 / 2.54 * 96], atol=1), f"SVG: {view} pixels")
    for words in ("6.5x4in", [624, 384]), ("450x300pt", [600, 400]), ("640x480", [640, 480]), ("50x40mm", [189, 151]):
        root = figure("ecdf", "hits", "--size", words[0])
        check(np.allclose(numbers(root.get("viewBox"))[2:], words[1], atol=1), f"{words[0]}: {root.get('viewBox')}")
    small, large = (max(float(text.get("font-size", 0)) for text in figure("ecdf", "hits", "--size", size).iter()
                        if text.get("font-size")) for size in ("5x4cm", "30x20cm"))
    check(small < large, f"texts of small figures: {small}, of large ones {large} pixels")


def check_paper():
    """Texts on paper are as large as on screens: what is cut into lines for a width fits into it."""
    for size in "8.5x6cm", "17x12cm":
        root = figure("histogram", "hits", "--size", size)
        expected = max(float(text.get("font-size")) for text in root.iter() if text.get("font-size")) * 0.75
        clack("plot", "x.h5", "histogram", "hits", "--size", size, "-o", "font.pdf", "--overwrite", "-q")
        with open("font.pdf", "rb") as file:
            streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", file.read(), re.DOTALL)
        drawn = set()
        for stream in streams:
            try:
                drawn |= {float(found) for found in re.findall(rb"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm",
                                                               zlib.decompress(stream))}
            except zlib.error:
                continue
        check(drawn and abs(max(drawn) / expected - 1) < 0.01, f"{size}: texts of {drawn} pt, expected {expected}")


def check_units():
    """Whatever is left out of a long label, its unit is not; the label ends within three lines."""
    shutil.copy("x.h5", "units.h5")
    for words in ["wide"] * 60, ["of_a_long_word"] * 20, ["x" * 500], ["short"] * 9:
        with h5py.File("units.h5", "a") as file:
            file["last_x"].attrs["long_name"] = " ".join(words) + "."
        for size in "5x4cm", "8.5x6cm", "17x12cm":
            for kind in "histogram", "ecdf":
                clack("plot", "units.h5", kind, "last_x", "--size", size, "-o", "units.svg", "--overwrite", "-q")
                texts = ["".join(text.itertext()).strip() for text in xml.parse("units.svg").getroot().iter(
                    f"{NAMESPACE}text")]
                first = [i for i, text in enumerate(texts) if text.startswith("last_x")]
                lines_of = texts[first[0]:first[0] + 3] if first else []
                check(any(text.endswith("(m)") for text in lines_of), f"{size}: the unit is lost: {texts}")


def check_ticks():
    """Numbers on axes of small figures stand apart from each other."""
    for words in (["trajectory", "ball"], ["histogram", "hits"], ["histogram", "last_x"], ["ecdf", "hits"],
                  ["scatter", "hits", "last_x"]):
        for size in "8.5x6cm", "5x4cm":
            axes_of = {}  # places along each, by where its numbers end
            root = figure(*words, "--size", size)
            letters = min(float(text.get("font-size")) for text in root.iter() if text.get("font-size"))
            for group in root.iter(f"{NAMESPACE}g"):
                text = group.find(f"{NAMESPACE}text")
                if text is None or group.get("text-anchor") != "end" or "rotate" in group.get("transform", ""):
                    continue
                if re.fullmatch(r"[-\u2212\d.e]+", "".join(text.itertext()).strip()):
                    x, y = numbers(group.get("transform"))[:2]
                    axes_of.setdefault(x, []).append(y)
            apart = min(np.diff(sorted(places)).min() for places in axes_of.values() if len(places) > 1)
            check(apart > letters, f"{words}, {size}: ticks of y {apart} pixels apart, letters of {letters}")


def luminance(colour):
    red, green, blue = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_grey():
    """Lines differ without their colours: in dashes or in how dark they are."""
    root = figure("trajectory", "ball")
    found = set()
    for group in root.iter(f"{NAMESPACE}g"):
        for path in group.findall(f"{NAMESPACE}path"):
            if path.get("d", "").count("L") + path.get("d", "").count(" ") < 12:
                continue
            colour = re.search(r"rgb\( *(\d+), *(\d+), *(\d+)", path.get("stroke", "") or group.get("stroke", "") or "")
            name = "#%02x%02x%02x" % tuple(int(number) for number in colour.groups()) if colour else "#000000"
            found.add((path.get("stroke-dasharray"), round(luminance(name), 1)))
    check(len(found) == 3 and len({dash for dash, _ in found}) == 3, f"lines of x, y, z: {found}")


def wilson(hits, count, z=1.959963984540054):
    middle = (hits + z * z / 2) / (count + z * z)
    half = z / (count + z * z) * np.sqrt(hits * (count - hits) / count + z * z / 4)
    return middle - half, middle + half


def check_shares():
    """A quantity that is 0 or 1: rates in bins of the parameter, with Wilson's intervals, not a cloud on two lines."""
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "share.h5", "--set",
          "outputs.quantities={last_x: {final: ball.position.x}, far: {share: '=last_x > 0.43'}}")
    clack("plot", "share.h5", "scatter", "mu", "far", "-o", "x.svg", "--overwrite", "-q")
    root = xml.parse("x.svg").getroot()
    with h5py.File("share.h5") as file:
        mu, far = file["parameters/mu"][:], file["far"][:]
        check(0.05 < far.mean() < 0.95, f"shares: of {far.mean()}: the study no longer tells anything")
    drawn = np.unique([numbers(use.get("transform"))[:2] for use in symbols(root)], axis=0)  # each with a white rim
    order = np.argsort(mu, kind="stable")
    width = int(np.ceil(len(mu) / 6))  # 300 scenes: six bins of 50
    bins = [order[at:at + width] for at in range(0, len(mu), width)]
    check(len(drawn) == len(bins), f"shares: {len(drawn)} points, expected {len(bins)}")
    x_of, y_scale = axes(root)
    expected = np.array([(mu[rows].mean(), far[rows].mean()) for rows in bins])
    if len(drawn) == len(bins):
        check(np.abs(x_of(drawn[:, 0]) - expected[:, 0]).max() < ROUNDING * 10 * np.ptp(mu), "shares: middles of bins")
        check(np.abs((drawn[:, 1] - drawn[0, 1]) * y_scale - (expected[:, 1] - expected[0, 1])).max() < 2e-3,
              "shares: rates")
        bars = {}  # at each middle the whole height of its interval
        for path in root.iter(f"{NAMESPACE}path"):
            for part in re.findall(r"M *([\d.]+),([\d.]+) L *([\d.]+),([\d.]+)", path.get("d")):
                x, first, last_x, last = map(float, part)
                near = np.abs(drawn[:, 0] - x).argmin()
                if x == last_x and abs(drawn[near, 0] - x) < 0.1:
                    bars[near] = max(bars.get(near, 0), abs(first - last) * abs(y_scale))
        for i, rows in enumerate(bins):
            low, high = wilson(far[rows].sum(), len(rows))
            check(abs(bars.get(i, 0) - (high - low)) < 4e-3, f"shares: interval {bars.get(i)}, expected {high - low}")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "levels.h5", "--set",
          "outputs.quantities={last_x: {final: ball.position.x}, far: {share: '=last_x > 0.43'}}",
          "--set", "variables.mu={discrete: [0.1, 0.2, 0.4]}")
    clack("plot", "levels.h5", "scatter", "mu", "far", "-o", "y.svg", "--overwrite", "-q")
    levels = xml.parse("y.svg").getroot()
    points = np.unique([numbers(use.get("transform"))[:2] for use in symbols(levels)], axis=0)
    check(len(points) == 3 and np.abs(axes(levels)[0](points[:, 0]) - [0.1, 0.2, 0.4]).max() < 1e-3,
          f"shares: a bin for each of three values: {points}")
    text = "".join(root.itertext())
    check("share with last_x > 0.43" in text, f"shares: what they are of: {text}")
    clack("plot", "share.h5", "histogram", "far", "-o", "x.svg", "--overwrite", "-q")
    text = "".join(xml.parse("x.svg").getroot().itertext())
    low, high = wilson(far.sum(), len(far))
    check("yes" in text and f"share {far.mean():.4g} (95 %: {low:.4g}" in text, f"shares: of the histogram: {text}")


def labels(root, anchor):
    """Where texts with this anchor stand: [(y, text)]."""
    found = []
    for group in root.iter(f"{NAMESPACE}g"):
        text = group.find(f"{NAMESPACE}text")
        if text is not None and group.get("text-anchor") == anchor and "rotate" not in group.get("transform", ""):
            found.append((numbers(group.get("transform"))[1], "".join(text.itertext()).strip()))
    return found


def check_names():
    """Labels tell what a quantity is; long names of categories neither overlap nor push the figure away."""
    text = "".join(figure("histogram", "hits").itertext())
    check("hits: " in text and "contacts" in text, f"names: what \"hits\" is: {text}")
    check("(m)" in "".join(figure("ecdf", "last_x").itertext()), "names: the unit of last_x")
    names = [f"a_parameter_with_a_very_long_name_of_its_own_number_{i}" for i in range(20)]
    shutil.copy("x.h5", "names.h5")
    with h5py.File("names.h5", "a") as file:
        group = file.require_group("sensitivity")
        for name in list(group):
            del group[name]
        group["input_name"], group["quantity_name"] = names, ["hits"]
        for name in "first", "total":
            group[name] = np.linspace(0, 1, 20).reshape(1, 20)
    clack("plot", "names.h5", "sensitivity", "hits", "-o", "x.svg", "--overwrite", "-q")
    root = xml.parse("x.svg").getroot()
    ticks = sorted((y, text) for y, text in labels(root, "end") if text.startswith("a_parameter"))
    check(len(ticks) == 20 and all(text.endswith("\u2026") and len(text) <= 28 for _, text in ticks),
          f"names: {len(ticks)} of inputs: {ticks[:2]}")
    check(min(np.diff([y for y, _ in ticks])) >= 15, f"names: {min(np.diff([y for y, _ in ticks]))} pixels apart")
    x = [numbers(group.get("transform"))[0] for group in root.iter(f"{NAMESPACE}g")
         if group.get("text-anchor") == "end" and group.find(f"{NAMESPACE}text") is not None]
    check(max(x) < 280, f"names: they take {max(x)} of 560 pixels")


PANEL = 560  # pixels: the width of one of two
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
    check(f"ball - other: area {area:.4g} m2, indentation {indentation:.4g} m" in text, f"contours: key: {text}")
    for words, lines_wanted, said in ((["--configuration", "1"], 0, "from above"), (["ring"], 4, "configuration 2"),
                                      (["ball", "floor"], 0, "engulfed")):
        clack("plot", "r.h5", "regions", *words, "-o", "x.svg", "--overwrite", "-q")
        root = xml.parse("x.svg").getroot()
        check(len(lines(root)) == lines_wanted, f"contours of {words}: {len(lines(root))}, expected {lines_wanted}")
        check(said in "".join(root.itertext()), f"contours of {words}: without \"{said}\"")
        if said == "from above":  # squares of 8 points or less
            feet = "".join(root.itertext()).count("floor - feet: area 0.0008 m2, indentation 0.001 m")
            check(feet == 2, f"contours: {feet} feet, expected 2")
    refuse = ("plot", "r.h5", "regions", "-o", "no.svg")
    clack(*refuse, "bal", code=2, says='did you mean "ball"')
    clack(*refuse, "--configuration", "3", code=2, says="configuration 3 has no contact region")
    clack(*refuse, "--configuration", "5", code=2, says="but 0 to 4")
    clack(*refuse, "ring", "ball", code=2, says="of these bodies")
    clack("plot", "r.h5", "histogram", code=2, says='its figure is "regions"')
    evaluate_regions("n.h5")
    clack("plot", "n.h5", "regions", code=2, says="--contours")
    clack("evaluate", "study.yaml", "x.h5", "-d", "native", "-q", "-o", "m.h5", "--contours")
    clack("plot", "m.h5", "regions", code=2, says="has no contact regions")


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
    check(np.abs(drawn - (area - area[0])).max() < ROUNDING * 10 * np.ptp(area), "areas: other values")
    both = np.corrcoef(found[1][:, 1], force)[0, 1]
    check(both < -0.9999, f"areas: forces: correlation {both}")
    clack("plot", "a.h5", "regions", "--scene", "1", code=2, says="no contact region of scene 1")
    clack("plot", "x.h5", "regions", code=2, says="method: trapezoidal")


def rows_of(file, scene):
    """Rows of /contacts of a scene; the name of the column of their scenes differs between versions."""
    name = "contacts/scene_number" if "contacts/scene_number" in file else "contacts/scene"
    return file[name][:] == scene


def check_forces_of(path, name, body, every):
    """Both lines of a body against sums of the rows of scene 1, at every time of recording."""
    clack("plot", path, "force", name, "--scene", "1", "-o", "x.svg", "--overwrite", "-q")
    root = xml.parse("x.svg").getroot()
    times = np.arange(round(0.2 / every) + 1) * every
    found = [line for line in lines(root) if len(line) > 10]
    check(len(found) == 2, f"force of {name}: {len(found)} lines, expected 2")
    with h5py.File(path) as file:
        rows = rows_of(file, 1) & (file["contacts/body_b"][:] == body)
        at = np.rint(file["contacts/time"][rows] / every).astype(int)
        normal, tangential = np.zeros(len(times)), np.zeros((len(times), 3))
        np.add.at(normal, at, file["contacts/normal_force"][rows])
        np.add.at(tangential, at, file["contacts/tangential_force"][rows])
    scale = abs(axes(root, PANEL)[1])  # of the left panel
    for line, expected in zip(found, (normal, np.linalg.norm(tangential, axis=1))):
        heights = line[:, 1].max() - line[:, 1]
        values = heights * (scale if expected is normal else expected.max() / max(heights.max(), 1e-9))
        # Between recordings the line is straight: its points stand for those that gnuplot left out, too.
        drawn = np.interp(times, (line[:, 0] - line[0, 0]) / np.ptp(line[:, 0]) * 0.2, values)
        off = np.abs(drawn - expected)
        check(expected.min() == 0 < expected.max() and off.max() < 2e-2 * expected.max(),
              f"force of {name}: {off.max()} off at {times[off.argmax()]}, of {expected.max()}")
    text = "".join(root.itertext())
    check(f"ground - {name}" in text and "normal force (N)" in text and "tangential force (N)" in text,
          f"force of {name}: {text}")
    return at


def check_force():
    """Forces of a pair are those of all its contacts, and 0 where it has none, also where nobody has any."""
    with open("pushed.yaml", "w") as out:
        out.write(pushed_study(0.2, 0.002))
    clack("run", "pushed.yaml", "-q", "-d", "native", "-o", "p.h5")
    at = check_forces_of("p.h5", "block", 1, 0.002)
    check(len(at) > 2 * len(set(at)) > 0, f"the block has {len(at)} contacts at {len(set(at))} times")
    clack("run", "pushed.yaml", "-q", "-d", "native", "-o", "b.h5", "--set", "scene.bodies.block.position=[0, 0, 9]",
          "--set", "outputs.contacts.every=0.0001")
    at = check_forces_of("b.h5", "ball", 2, 0.0001)
    check(max(np.diff(sorted(set(at)))) > 100, f"the ball is in the air between contacts: {sorted(set(at))}")
    refuse = ("plot", "p.h5", "force", "-o", "no.svg")
    clack(*refuse, "--time", "7,8", code=2, says="in the interval of --time")
    clack("plot", "p.h5", "force", "block", "--scene", "1", "--time", "0.05,0.07", "-o", "x.svg", "--overwrite", "-q")
    ticks = [float(text) for _, text in labels(xml.parse("x.svg").getroot(), "middle")
             if re.fullmatch(r"[\d.]+", text)]
    check(ticks and 0.05 <= min(ticks) < max(ticks) <= 0.07, f"force of an interval: ticks at {ticks}")
    clack(*refuse, "bal", code=2, says='did you mean "ball"')
    clack(*refuse, "block", "ball", code=2, says="has no contact of these bodies")
    clack(*refuse, "--scene", "2", code=2, says="has no contact of scene 2")
    clack("plot", "x.h5", "force", "-o", "no.svg", code=2, says='"outputs: {contacts: {every: 0.001}}"')


BALLS = """
format: 1
scene:
  gravity: [0, 0, 0]
  bodies:
    wall: {fixed: true, material: steel, shapes: [{box: {lengths: [0.01, 1, 1]}}], position: [0.5, 0, 0]}
    far: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [-1, 0, 0.05], velocity: [0, 1, 0]}
    near: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0.1, 0], velocity: [0, 0, 2]}
solver: {end: 0.1}
outputs: {trajectory: {every: 0.01}}
"""


def polygons(root):
    """Triangles in the order in which they are drawn, of more red than blue (far), more green (near), others."""
    found = []
    for polygon in root.iter(f"{NAMESPACE}polygon"):
        red, green, blue = numbers(polygon.get("fill"))
        points = np.array(numbers(polygon.get("points"))).reshape(-1, 2)
        if len(points) == 4 and np.abs(points[0] - points[-1]).max() < 0.02:
            found.append(("far" if red > green + 20 > blue else "near" if green > red + 20 else "wall", points[:3]))
    return found


def check_snapshot():
    """Two balls, seen along x: where and how large they are, and which hides the other; then along y."""
    with open("balls.yaml", "w") as out:
        out.write(BALLS)
    clack("run", "balls.yaml", "-q", "-d", "native", "-o", "balls.h5")
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


def check_mistakes():
    clack("plot", "x.h5", "hystogram", code=2, says='did you mean "histogram"')
    clack("plot", "x.h5", "ecdf", "hit", code=2, says='no such parameter or quantity: "hit"; did you mean "hits"')
    clack("plot", "x.h5", "trajectory", "bal", code=2, says='no such body: "bal"; did you mean "ball"')
    clack("plot", "x.h5", "trajectory", code=2, says="the name of a body is missing")
    clack("plot", "x.h5", "trajectory", "ball", "--scene", "3", code=2, says="scenes 0 to 2")
    clack("plot", "x.h5", "energy", "ball", code=2, says="has no place")
    clack("plot", "x.h5", "sensitivity", code=2, says="has no sensitivity")
    for kind, words, kinds in (
            ("force", "--at=0.1", "but scene"), ("ecdf", "--scene=1", "but trajectory, path, scene, energy, force"),
            ("histogram", "--view=0,0", "but scene"), ("scene", "--plane=xz", "but path"),
            ("events", "--study=study.yaml", "but path, scene, energy"), ("energy", "--configuration=0", "but regions"),
            ("regions", "--configuration=0", "chosen by --scene")):
        clack("plot", "x.h5", kind, words, "-o", "no.svg", code=2, says=kinds)
        check(not os.path.exists("no.svg"), f"{kind} with {words}: a figure is there")
    clack("plot", "r.h5", "regions", "--scene", "0", "-o", "no.svg", code=2, says="chosen by --configuration")
    clack("plot", "x.h5", "ecdf", "-o", "x.gif", code=2, says=".svg, .png, .pdf or .eps")
    for size in "16", "16x", "x9cm", "16x9furlong", "-16x9cm", "16x-9cm", "1x1px", "nanxnan", "16x9cm ":
        clack("plot", "x.h5", "ecdf", "-o", "no.svg", "--size", size, code=2, says="16x9cm")
    clack("plot", "x.h5", "ecdf", "-o", "x.svg", code=4, says="--overwrite")
    clack("plot", "x.h5", "ecdf", "-o", "none/x.svg", code=4)
    clack("plot", "x.h5", "scatter", "mu", code=2, says="at least two")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "z.h5",
          "--set", "outputs={events: false, quantities: {hits: {count: contact_begin}}}")
    clack("plot", "z.h5", "trajectory", "ball", code=2, says="has no trajectory")
    clack("plot", "z.h5", "events", code=2, says="has no events")
    clack("plot", "x.h5", "ecdf", code=4, says="gnuplot", env={**os.environ, "PATH": "/nonexistent"})
    os.mkdir("fails")
    with open("fails/gnuplot", "w") as script:
        script.write("#!/bin/sh\necho half a figure; echo 'terminal is missing' >&2; exit 1\n")
    os.chmod("fails/gnuplot", 0o755)
    clack("plot", "x.h5", "ecdf", "-o", "f.svg", code=4, says="terminal is missing",
          env={**os.environ, "PATH": os.path.abspath("fails") + ":/bin"})
    check(not os.path.exists("f.svg"), "no figure where gnuplot failed")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as out:
            out.write(STUDY)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "x.h5", "--set",
              "outputs.statistics=false" if "statistics" in
              open(os.path.join(SOURCE, "data", "study.schema.json")).read() else "solver.end=0.5")
        clack("plot", "x.h5")
        text = "".join(xml.parse("x_histogram.svg").getroot().itertext())
        check(TITLE in text, f"the title as it is: {text[:300]}")
        check("does not exist in any scene" in text, "a quantity without any value says so")
        for kind in ["ecdf"], ["scatter"], ["path", "ball"], ["events"]:
            clack("plot", "x.h5", *kind, "-q", "-o", "y.png", "--overwrite")
            check(open("y.png", "rb").read(8) == b"\x89PNG\r\n\x1a\n", f"{kind}: no PNG")
        check(not [name for name in os.listdir() if name.startswith("pwned")], "a title was executed")
        with h5py.File("x.h5") as file:
            check_scene(file)
            check_interval(file)
            check_histogram(file)
            check_scatter(file)
            check_scatter_of_one_kind(file)
        check_formats()
        check_paper()
        check_units()
        check_ticks()
        check_grey()
        check_shares()
        check_names()
        check_path()
        check_sensitivity()
        check_same()
        check_contours()
        check_areas()
        check_force()
        check_snapshot()
        check_mistakes()
        os.chdir("/")
    if not failures:
        print("figures show what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
