#!/usr/bin/env python3
"""Figures of `clack plot` on paper: formats, sizes, titles and labels, which neither overlap nor leave the figure.

usage: check_plot_texts.py PROGRAM SOURCE_FOLDER

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
    print(f"check_plot_texts.py: skipped: {missing}")
    sys.exit(77)
if shutil.which("gnuplot") is None:
    print("check_plot_texts.py: skipped: no gnuplot")
    sys.exit(77)

from program_checks import check, clack, failures
from figures import NAMESPACE, figure, labels, numbers, run_study


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
        check(np.allclose(pixels, [16 / 2.54 * 300, 9 / 2.54 * 300], atol=1), f"PNG: {pixels} pixels")
    check_dots()
    view = numbers(xml.parse("size.svg").getroot().get("viewBox"))
    check(np.allclose(view, [0, 0, 16 / 2.54 * 96, 9 / 2.54 * 96], atol=1), f"SVG: {view} pixels")
    for words in ("6.5x4in", [624, 384]), ("450x300pt", [600, 400]), ("640x480", [640, 480]), ("50x40mm", [189, 151]):
        root = figure("ecdf", "hits", "--size", words[0])
        check(np.allclose(numbers(root.get("viewBox"))[2:], words[1], atol=1), f"{words[0]}: {root.get('viewBox')}")
    small, large = (max(float(text.get("font-size", 0)) for text in figure("ecdf", "hits", "--size", size).iter()
                        if text.get("font-size")) for size in ("5x4cm", "30x20cm"))
    check(small < large, f"texts of small figures: {small}, of large ones {large} pixels")


def check_dots():
    """PNG has 300 dots in an inch, as many as a size in pixels, or those of --dpi, and says so."""
    for words, dots, wanted in ((["--size", "85x65mm"], (1004, 768), 300), (["--size", "640x480px"], (640, 480), 96),
                                (["--size", "4x3in", "--dpi", "600"], (2400, 1800), 600),
                                (["--size", "480x384px", "--dpi", "192"], (960, 768), 192), ([], None, 300)):
        clack("plot", "x.h5", "ecdf", "hits", *words, "-o", "dots.png", "--overwrite", "-q")
        with open("dots.png", "rb") as file:
            png = file.read()
        found = [int.from_bytes(png[at:at + 4], "big") for at in (16, 20)]
        check(dots is None or np.allclose(found, dots, atol=1), f"PNG of {words}: {found} dots")
        at = png.index(b"pHYs")
        check([int.from_bytes(png[at + k:at + k + 4], "big") for k in (4, 8)] == [round(wanted / 0.0254)] * 2
              and png[at + 12] == 1 and int.from_bytes(png[at + 13:at + 17], "big") == zlib.crc32(png[at:at + 13]),
              f"PNG of {words}: its density")


# --- texts ------------------------------------------------------------------------------------------


def boxes(root):
    """Boxes of all texts, (left, top, right, bottom, text), about: letters are half as wide as high, or more."""
    found = []
    for group in root.iter(f"{NAMESPACE}g"):
        node = group.find(f"{NAMESPACE}text")
        if node is None or "translate" not in group.get("transform", ""):
            continue
        text = "".join(node.itertext()).strip()
        size, (x, y) = float(group.get("font-size")), numbers(group.get("transform"))[:2]
        width = 0.5 * size * len(text)
        left = {"start": 0, "middle": -0.5, "end": -1}[group.get("text-anchor")] * width
        if "rotate" in group.get("transform"):
            found.append((x - 0.8 * size, y - left - width, x + 0.2 * size, y - left, text))
        elif text:
            found.append((x + left, y - 0.8 * size, x + left + width, y + 0.2 * size, text))
    return found


def check_texts(root, what):
    """No text reaches over the figure's edge or over another."""
    _, _, width, height = numbers(root.get("viewBox"))
    found = boxes(root)
    over = [text for left, top, right, bottom, text in found
            if left < -1 or top < -1 or right > width + 1 or bottom > height + 1]
    check(len(found) > 3 and not over, f"{what}: of {len(found)} texts over the edge: {over}")
    for i, one in enumerate(found):
        for other in found[:i]:
            across = min(one[2], other[2]) - max(one[0], other[0])
            up = min(one[3], other[3]) - max(one[1], other[1])
            check(across < 1 or up < 1, f"{what}: \"{one[4]}\" over \"{other[4]}\", {across:.0f} by {up:.0f} pixels")


LONG = "A closed steel can that is dropped with a random tilt and a random spin upon a wooden table at rest"
KINDS = (["histogram"], ["histogram", "last_x"], ["ecdf", "hits"], ["scatter", "mu", "last_x", "hits"], ["trajectory"],
         ["path"], ["path", "--plane", "xz,xy,yz"], ["scene", "--at", "0,0.1,0.2,0.3,0.4,0.5"], ["energy"],
         ["events"], ["convergence", "last_x"], ["convergence"], ["sensitivity", "last_x"])


# Of these a column of a paper may have too little room, which is warned of.
CROWDED = (["histogram"], ["convergence"], ["path", "--plane", "xz,xy,yz"])


def check_small():
    """Every kind in a column of a paper and in its own size, under a long title."""
    shutil.copy("x.h5", "long.h5")
    with h5py.File("long.h5", "a") as file:
        file.attrs["title"] = np.bytes_(LONG)
        file["last_x"].attrs["long_name"] = "largest net_force.z on the ball by the ground"
        group = file.require_group("sensitivity")
        group["input_name"] = ["mu", "scene.bodies.ball.position[2]", "scene.bodies.ball.angular_velocity[0]"]
        group["quantity_name"] = ["last_x"]
        for name in "first", "total":
            group[name] = np.array([[0.25, 0.5, 0.1]])
    for words in KINDS:
        for size in ["--size", "85x65mm"], ["--size", "60x45mm"], []:
            told = clack("plot", "long.h5", *words, *size, "-o", "x.svg", "--overwrite").stderr
            root = xml.parse("x.svg").getroot()
            text = "".join(root.itertext())
            has_room = "have no room" not in told
            check(has_room or size == ["--size", "60x45mm"] or words in CROWDED and size, f"{words}, {size}: {told}")
            if has_room:
                check_texts(root, f"{' '.join(words + size)}")
            check(size == ["--size", "60x45mm"] or "".join(LONG.split()) in "".join(text.split()),
                  f"{words}, {size}: the title: {' '.join(text.split())[:200]}")
    narrow = [text for _, text in labels(figure("sensitivity", "--size", "60x45mm", path="long.h5"), "end")]
    check("mu" in narrow and len(set(narrow)) == len(narrow) and any(text.endswith("[0]") for text in narrow),
          f"sensitivity: names of inputs that differ at their ends: {narrow}")


def check_labels():
    """Title and labels of the command line, or none."""
    text = "".join(figure("ecdf", "last_x", "--no-title").itertext())
    check("pwned" not in text and "last_x" in text, f"--no-title: {text[:200]}")
    text = "".join(figure("ecdf", "last_x", "--title", "").itertext())
    check("pwned" not in text, f"--title \"\": {text[:200]}")
    root = figure("trajectory", "ball", "--title", "Mine", "--xlabel", "t / s", "--ylabel", "way / m")
    text = "".join(root.itertext())
    check("Mine" in text and "pwned" not in text, f"--title: {text[:200]}")
    check("t / s" in text and "time (s)" not in text, f"--xlabel: {text}")
    check("way / m" in text and "position (m)" not in text, f"--ylabel: {text}")
    text = "".join(figure("trajectory", "ball", "--ylabel", "").itertext())
    check("position" not in text, f"--ylabel \"\": {text}")
    text = "".join(figure("scatter", "mu", "last_x", "hits", "--size", "40x60mm").itertext())
    check("last_x (m)" in text and "at the end" not in text, f"short of room a label is name and unit: {text}")
    clack("compare", "x.h5", "x.h5", "-o", "c.svg", "--no-title", "-q")
    check("pwned" not in "".join(xml.parse("c.svg").getroot().itertext()), "compare --no-title")


def check_moments():
    """Times of a short interval that do not fit beside each other are told since a round one before it."""
    with h5py.File("x.h5") as file:
        first = file["events/time"][0]
    words = "--size", "45x40mm", "--time", f"{first - 2e-4},{first + 3e-4}"
    root = figure("events", "--scene", "0", *words)
    check_texts(root, "times of a short interval")
    text = "".join(root.itertext())
    since = re.search("time \u2212 ([\\d.]+) s \\((ms|\u00b5s)\\)", text)
    check(since is not None and 0 <= first - float(since.group(1)) < 1.5e-3, f"times since: {' '.join(text.split())}")


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
    ticks = sorted((y, text) for y, text in labels(root, "end") if text.startswith("a_"))
    check(len({text for _, text in ticks}) == 20 and all("\u2026" in text and len(text) <= 28 for _, text in ticks),
          f"names: {len(ticks)} of inputs: {ticks[:2]}")
    check(min(np.diff([y for y, _ in ticks])) >= 15, f"names: {min(np.diff([y for y, _ in ticks]))} pixels apart")
    x = [numbers(group.get("transform"))[0] for group in root.iter(f"{NAMESPACE}g")
         if group.get("text-anchor") == "end" and group.find(f"{NAMESPACE}text") is not None]
    check(max(x) < 280, f"names: they take {max(x)} of 560 pixels")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_study()
        check_formats()
        check_paper()
        check_units()
        check_ticks()
        check_grey()
        check_names()
        check_small()
        check_labels()
        check_moments()
        os.chdir("/")
    if not failures:
        print("texts of figures stand where there is room for them")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
