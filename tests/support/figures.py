"""Reading the SVG that gnuplot draws: axes, lines, symbols and texts, for checks of figures; and their study."""
import os
import re
import xml.etree.ElementTree as xml

import numpy as np

from program_checks import SOURCE, clack

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

# Pixels of gnuplot's SVG have two digits; a figure is some 300 of them high.
ROUNDING = 2e-4
PANEL = 560  # pixels: the width of one of two


def numbers(text):
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def axes(root, right=np.inf, logarithmic=False):
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
    if logarithmic:  # along x
        line = np.polyfit(*np.array([(x, np.log10(value)) for x, value in ticks["middle"]]).T, 1)
        return (lambda x: 10**np.polyval(line, x)), np.polyfit(*np.array(ticks["end"]).T, 1)[0]
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


def figure(*words, path="x.h5"):
    clack("plot", path, *words, "-o", "x.svg", "--overwrite", "-q")
    return xml.parse("x.svg").getroot()


def labels(root, anchor):
    """Where texts with this anchor stand: [(y, text)]."""
    found = []
    for group in root.iter(f"{NAMESPACE}g"):
        text = group.find(f"{NAMESPACE}text")
        if text is not None and group.get("text-anchor") == anchor and "rotate" not in group.get("transform", ""):
            found.append((numbers(group.get("transform"))[1], "".join(text.itertext()).strip()))
    return found


def run_study():
    """The study in this folder, run into x.h5."""
    with open("study.yaml", "w") as out:
        out.write(STUDY)
    os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "x.h5", "--set", "outputs.statistics=false")
