#!/usr/bin/env python3
"""Figures of `clack plot` of all scenes: what is drawn is what the file holds, read back
from the coordinates in the SVG.

usage: check_plot.py PROGRAM SOURCE_FOLDER

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
    print(f"check_plot.py: skipped: {missing}")
    sys.exit(77)
if shutil.which("gnuplot") is None:
    print("check_plot.py: skipped: no gnuplot")
    sys.exit(77)

from program_checks import check, clack, failures
from figures import NAMESPACE, ROUNDING, TITLE, axes, figure, labels, lines, numbers, run_study, symbols


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


def check_convergence():
    """Means and shares of the first so many scenes, with Student's and Wilson's intervals at the last."""
    with h5py.File("share.h5") as file:
        values = {name: file[name][:] for name in ("last_x", "far")}
    for name, y in values.items():
        clack("plot", "share.h5", "convergence", name, "-o", "x.svg", "--overwrite", "-q")
        root = xml.parse("x.svg").getroot()
        n, mean = len(y), y.mean()
        half = 1.96793 * y.std(ddof=1) / np.sqrt(n)  # Student's t of 299
        low, high = wilson(y.sum(), n) if name == "far" else (mean - half, mean + half)
        text = "".join(root.itertext())
        said = f"{'share' if name == 'far' else 'mean'} {mean:.4g} (95 %: {low:.4g} \u2026 {high:.4g})"
        check(said in text, f"convergence of {name}: expected {said}: {text[:300]}")
        drawn = [line for line in lines(root) if np.ptp(line[:, 1]) > 0 and np.diff(line[:, 0]).min() > 0]  # no band
        check(len(drawn) == 1, f"convergence of {name}: {len(drawn)} lines")
        x_of, y_scale = axes(root, logarithmic=True)
        count = np.rint(x_of(drawn[0][:, 0])).astype(int)
        expected = np.array([y[:k].mean() for k in count])
        got = (drawn[0][:, 1] - drawn[0][-1, 1]) * y_scale
        check(count[0] == 4 and count[-1] == n, f"convergence of {name}: from {count[0]} to {count[-1]}")
        check(np.abs(got - (expected - mean)).max() < 0.01 * np.ptp(expected), f"convergence of {name}: other means")
    clack("plot", "share.h5", "convergence", "mu", "-o", "no.svg", code=2, says="no such quantity")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "few.h5", "--set", "design={saltelli: {samples: 16}}",
          "--set", "outputs.quantities={same: '=1 + 0*last_x', last_x: {final: ball.position.x}, "
          "far: {share: '=last_x > 0.43'}}")
    clack("plot", "few.h5", "convergence", "-o", "x.svg", "--overwrite", "-q")
    text = "".join(xml.parse("x.svg").getroot().itertext())
    check("no intervals" in text and "95 %" not in text, f"convergence of a design that shares values: {text[:300]}")
    text = "".join(figure("histogram", "far", path="few.h5").itertext())
    check("share 0." in text and "95 %" not in text, f"a share of scenes that share values: {text[:300]}")
    root = figure("sensitivity", path="few.h5") # the panel after one without bars has no ticks above
    parts = [np.array(numbers(part)).reshape(-1, 2) for path in root.iter(f"{NAMESPACE}path")
             for part in path.get("d").split("M") if "L" in part]
    ticks = sum(len(part) == 2 and abs(np.diff(part[:, 0])[0]) < 0.01 and 3 < abs(np.diff(part[:, 1])[0]) < 10
                for part in parts)
    named = sum(re.fullmatch(r"-?[\d.]+", text) is not None for _, text in labels(root, "middle"))
    check("does not vary" in "".join(root.itertext()) and ticks == named > 2, f"{ticks} ticks, {named} numbers")


def check_answers():
    """A count that is 0 or 1 in all scenes is a share, in its histogram and over a parameter."""
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "count.h5", "--set", "solver.end=0.22", "--set",
          "outputs.quantities={hits: {count: contact_begin}}")
    with h5py.File("count.h5") as file:
        hits = file["hits"][:]
    check(set(hits) == {0, 1}, f"answers: {set(hits)}: the study no longer tells anything")
    low, high = wilson(hits.sum(), len(hits))
    text = "".join(figure("histogram", "hits", path="count.h5").itertext())
    check(f"share {hits.mean():.4g} (95 %: {low:.4g} \u2026 {high:.4g})" in text, f"answers: {text[:300]}")
    check("share with hits" in "".join(figure("scatter", "mu", "hits", path="count.h5").itertext()), "answers: rates")


def check_mistakes():
    clack("plot", "x.h5", "hystogram", code=2, says='did you mean "histogram"')
    clack("plot", "x.h5", "ecdf", "hit", code=2, says='no such parameter or quantity: "hit"; did you mean "hits"')
    clack("plot", "x.h5", "trajectory", "bal", code=2, says='no such body: "bal"; did you mean "ball"')
    clack("plot", "x.h5", "trajectory", "ball", "--scene", "3", code=2, says="scenes 0 to 2")
    clack("plot", "x.h5", "energy", "ball", code=2, says="has no place")
    clack("plot", "x.h5", "sensitivity", code=2, says="has no sensitivity")
    for kind, words, kinds in (
            ("force", "--at=0.1", "but scene"), ("ecdf", "--scene=1", "but trajectory, path, scene, energy, force"),
            ("histogram", "--view=0,0", "but scene"), ("scene", "--plane=xz", "but path"),
            ("scene", "--xlabel=x", "but histogram, ecdf, scatter"),
            ("events", "--study=study.yaml", "but path, scene, energy"), ("energy", "--configuration=0", "but regions"),
            ("regions", "--configuration=0", "chosen by --scene")):
        clack("plot", "x.h5", kind, words, "-o", "no.svg", code=2, says=kinds)
        check(not os.path.exists("no.svg"), f"{kind} with {words}: a figure is there")
    clack("plot", "x.h5", "ecdf", "-o", "x.gif", code=2, says=".svg, .png, .pdf or .eps")
    for size in "16", "16x", "x9cm", "16x9furlong", "-16x9cm", "16x-9cm", "1x1px", "nanxnan", "16x9cm ":
        clack("plot", "x.h5", "ecdf", "-o", "no.svg", "--size", size, code=2, says="16x9cm")
    for dots in "29", "2401", "many", "":
        clack("plot", "x.h5", "ecdf", "-o", "no.png", "--dpi", dots, code=2, says="30 to 2400")
    for name in "no.pdf", "no.svg", "no.eps":
        clack("plot", "x.h5", "ecdf", "-o", name, "--dpi", "600", code=2, says="--dpi: of a name that ends in .png")
    clack("plot", "x.h5", "ecdf", "-o", "no.png", "--size", "2x2in", "--dpi", "2400", "--size", "20x20in", code=2,
          says="at most 32000 dots")
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
        run_study()
        clack("plot", "x.h5")
        text = "".join(xml.parse("x_histogram.svg").getroot().itertext())
        check("".join(TITLE.split()) in "".join(text.split()), f"the title as it is: {text[:300]}")
        check("does not exist in any scene" in text, "a quantity without any value says so")
        for kind in ["ecdf"], ["scatter"], ["path", "ball"], ["events"]:
            clack("plot", "x.h5", *kind, "-q", "-o", "y.png", "--overwrite")
            check(open("y.png", "rb").read(8) == b"\x89PNG\r\n\x1a\n", f"{kind}: no PNG")
        check(not [name for name in os.listdir() if name.startswith("pwned")], "a title was executed")
        with h5py.File("x.h5") as file:
            check_histogram(file)
            check_scatter(file)
            check_scatter_of_one_kind(file)
        check_shares()
        check_answers()
        check_convergence()
        check_sensitivity()
        check_same()
        check_mistakes()
        os.chdir("/")
    if not failures:
        print("figures show what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
