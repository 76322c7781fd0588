#!/usr/bin/env python3
"""Which input matters, in the page of `clack report` and in `clack stats`: as the file has it, and as NumPy finds it.

usage: check_influence.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_influence.py: skipped: {missing}")
    sys.exit(77)

from program_checks import SOURCE, check, clack, failures
from report_page import Page, blocks, check_paper

# The ball flies for one second: its way is its speed, a little of mu and nothing of the height.
THROW = """
format: 1
title: A throw
variables: {speed: {uniform: [1, 3]}, height: {uniform: [6, 6.1]}, mu: {uniform: [0.1, 0.5]}}
scene:
  pairs: [{between: [steel, steel], friction: $mu}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, $height],
           velocity: ["=speed + mu", 0, 0]}
design: {monte_carlo: {samples: 150}}
solver: {end: 1}
outputs:
  quantities:
    way: {final: ball.position.x}
    square: "=(way - 2)^2 + 0.05*height"
    same: "=1 + 1e-15*way"
    far: {share: "=way > 2.5"}
"""


def ranks(values):
    """Mean ranks: those alike have the mean of theirs."""
    order = np.argsort(values, kind="stable")
    found = np.empty(len(values))
    found[order] = np.arange(len(values))
    return np.array([found[values == value].mean() for value in values])


def check_few():
    """Quadratic fits of 12 scenes have 9 terms: no R2 of them; shares have no quantiles."""
    clack("run", "throw.yaml", "-q", "-d", "native", "-o", "few.h5", "--set", "design.monte_carlo.samples=12")
    with h5py.File("few.h5") as file:
        r2 = file["statistics/quadratic_r2"][:]
        terms = np.isfinite(file["statistics/quadratic_standardised"][:]).sum(axis=1)
        column = list(file["statistics/column_name"]).index(b"far")
        mean = [file["statistics"][name][column] for name in ("mean", "mean_lower", "mean_upper")]
        check(np.isfinite(file["statistics/quantile"][column]).all(), "the file keeps quantiles of shares")
    check(r2[0] > 0.99 and terms[0] == 9, f"the file keeps them: {r2} of {terms} terms")
    clack("report", "few.h5", "-q")
    page = Page("few.html")
    for quantity, told in blocks(page).items():
        check(quantity == "same" or len(told[2]) == 1, f"R2 of few scenes, {quantity}: {told[2]}")
    check(page.source.count("R\u00b2 not told, of 9 terms for 12 scenes") == 3, "why there is no R2")
    text = clack("stats", "few.h5").stdout
    check(text.count(", quadratic not told: 9 terms for 12 scenes\n") == 3 and "R^2 linear 0." in text, text)
    many = clack("stats", "t.h5").stdout
    check("not told" not in many and many.count(", quadratic ") == 3, many)
    clack("run", "throw.yaml", "-q", "-d", "native", "-o", "8.h5", "--set", "design.monte_carlo.samples=8")
    check(clack("stats", "8.h5").stdout.count("R^2 linear not told: 3 terms for 8 scenes\n") == 3, "a linear fit")
    far = text.split("\n  far ")[1].split("\n")
    check(far[1] == f"    share {mean[0]:.6g} ({mean[1]:.6g} to {mean[2]:.6g})" and "correlation" in far[2],
          f"a share in stats: {far[:4]}")
    check("\n    5 %: " in text.split("\n  way ")[1].split("\n  square")[0], "quantiles of what has some")


def check_influence():
    """Coefficients and R2 as the file has them, rank correlations and shares as NumPy finds them, in their order."""
    with open("throw.yaml", "w") as out:
        out.write(THROW)
    clack("run", "throw.yaml", "-q", "-d", "native", "-o", "t.h5")
    clack("report", "t.h5", "-q")
    page = Page("t.html")
    found = blocks(page)
    check(list(found) == ["way", "square", "same", "far"], f"which input matters, for: {list(found)}")
    check(found["same"] == ([], [], []) and "It does not vary" in page.source, "a quantity that differs by rounding")
    with h5py.File("t.h5") as file:
        inputs = {name: file[f"parameters/{name}"][:] for name in ("speed", "height", "mu")}
        names = [name.decode() for name in file["statistics/regressor_name"][:]]
        for q, (quantity, (soft, rows, worth)) in enumerate(found.items()):
            if quantity == "same":
                continue
            y, n = file[quantity][:], len(inputs["mu"])
            order, told = [], []
            for place, row in enumerate(rows):
                name, i = row[1][0], names.index(row[1][0])
                coefficient = file["statistics/linear_standardised"][q, i]
                scale = inputs[name].std(ddof=1) / y.std(ddof=1)
                half = 1.9763 * file["statistics/linear_standard_error"][q, i] * scale
                rank = np.corrcoef(ranks(inputs[name]), ranks(y))[0, 1]
                low, high = np.tanh(np.arctanh(rank) + 1.96 * np.sqrt((1 + rank**2 / 2) / (n - 3)) * np.array([-1, 1]))
                expected = [(coefficient, coefficient - half, coefficient + half), (rank, low, high)]
                shown = [[float(cell[0])] + [float(end) for end in cell[1][0].split(" \u2026 ")] for cell in row[2:]]
                check(np.allclose(shown, expected, rtol=0, atol=1.1e-3), f"{quantity}, {name}: {shown}, not {expected}")
                order.append(-max(abs(coefficient), abs(rank)))
                told.append(any(low * high > 0 for _, low, high in expected))
            check(order == sorted(order), f"{quantity}: the most important input comes first: {order}")
            check(soft == [not one for one in told], f"{quantity}: soft where nothing is told: {soft}, {told}")
            check(np.allclose([float(value) for value in worth],
                              [file["statistics/linear_r2"][q], file["statistics/quadratic_r2"][q]], rtol=0, atol=6e-4),
                  f"{quantity}: R2 {worth}")
        far = file["far"][:]
        column = [name.decode() for name in file["statistics/column_name"][:]].index("far")
        expected = [file["statistics"][name][column] * 100 for name in ("mean", "mean_lower", "mean_upper")]
    check(rows[0][1][0] == "speed" and found["way"][1][0][1][0] == "speed", "speed matters most")
    row = page.table("quantity", "meaning", "scenes", "so in", "share")
    small = re.search(r"<small>([\d.]+) \u2026 ([\d.]+) %</small>", page.source)
    shown = [float(row[0]["share"].split()[0]), float(small.group(1)), float(small.group(2))] if small else []
    check(np.allclose(shown, expected, rtol=1e-3), f"share of far: {shown} %, expected {expected} %")
    check(float(row[0]["so in"]) == far.sum() and float(row[0]["scenes"]) == len(far), f"share of far: {row}")
    check(not any("far" == cells[0] for table in page.tables if "mean" in table[0] for cells in table[1:]),
          "a share stands among its like, not among the means")
    with h5py.File("t.h5", "a") as file:  # what the file says is not computed again
        file["statistics/linear_standardised"][0, 2] = 0.777
    clack("report", "t.h5", "-q", "--overwrite")
    rows = blocks(Page("t.html"))["way"][1]
    check([row[2][0] for row in rows if row[1][0] == "mu"] == ["0.777"], f"coefficients are those of the file: {rows}")


# The way is squared, of whose sign a straight line sees nothing; two numbers are computed from others.
SIGNED = """
format: 1
title: A throw either way
variables: {speed: {uniform: [1, 3]}, sign: {uniform: [-1, 1]}, late: "=speed*speed"}
scene:
  pairs: [{between: [steel, steel], friction: 0}]
  bodies:
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: ["=2*speed", 0, 1],
           velocity: ["=2*sign", 0, 0]}
    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}
design: {monte_carlo: {samples: 200}}
solver: {end: 0.46}
outputs:
  quantities:
    start: {final: ball.position.x}
    power: "=(start - 2*speed)^2 + 0*late"
    falls: {count: contact_begin}
"""


def check_no_ranking():
    """Where a straight line explains little, inputs are not ranked, and the page and stats say so; numbers that are
    computed from others are ranked nowhere; a count that is 0 or 1 is a share."""
    with open("signed.yaml", "w") as out:
        out.write(SIGNED)
    clack("run", "signed.yaml", "-q", "-d", "native", "-o", "g.h5", "--set", "variables.drop={uniform: [0.9, 1.1]}",
          "--set", "scene.bodies.ball.position[2]=$drop")
    with h5py.File("g.h5") as file:
        r2 = dict(zip((name.decode() for name in file["statistics/quantity_name"][:]), file["statistics/linear_r2"][:]))
        falls = file["falls"][:]
    check(r2["power"] < 0.3 < r2["start"] and set(falls) == {0, 1}, f"R2 {r2}, falls {set(falls)}")
    clack("report", "g.h5", "-q")
    page = Page("g.html")
    text = page.source.split("<h2>Which input matters")[1]
    sections = {name: text.split(f"<h3>{name}</h3>")[1].split("</section>")[0] for name in ("start", "power")}
    check(f"Not a ranking: R\u00b2 of the linear regression is {r2['power']:.3f}" in sections["power"]
          and "design={saltelli: {samples: 256}}" in sections["power"], "no ranking of what a line does not explain")
    check("Not a ranking" not in sections["start"], "a ranking of what a line explains")
    found = blocks(page)
    places = {name: [row[0][0] for row in found[name][1]] for name in ("power", "start")}
    check(places == {"power": [""] * 3, "start": list("123")}, f"places of what is ranked: {places}")
    check({row[1][0] for row in found["start"][1]} == {"speed", "sign", "drop"}, "inputs that the design draws")
    shares = page.table("quantity", "meaning", "scenes", "so in", "share")
    check([row["quantity"] for row in shares] == ["falls"] and float(shares[0]["so in"]) == falls.sum(), f"{shares}")
    if shutil.which("gnuplot") is not None:
        check(all(f"{name} of the first so many scenes" in page.source for name in ("start", "power", "falls")),
              "means over the number of scenes")
    told = clack("stats", "g.h5").stdout
    parts = {name: re.split(r"\n  (?=\S)", told.split(f"\n  {name} ")[1])[0] for name in ("start", "power", "falls")}
    check("not a ranking (R^2 linear 0.0" in parts["power"] and "not a ranking" not in parts["start"], f"{parts}")
    lines = [line for part in parts.values() for line in part.split("\n") if "correlation: " in line]
    check(len(lines) == 3 and not any("position" in line or "velocity" in line or "late" in line for line in lines),
          f"correlations with what is drawn: {lines}")
    z, n, share = 1.959963984540054, len(falls), falls.mean()
    middle = (falls.sum() + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(n * share * (1 - share) + z * z / 4)
    said = re.search(r"share (\S+) \((\S+) to (\S+)\)", parts["falls"])
    check(said is not None and np.allclose([float(part) for part in said.groups()],
                                           [share, middle - half, middle + half], rtol=1e-5)
          and "%: " not in parts["falls"], f"a count of 0 or 1: {parts['falls']}")


def check_indices():
    """A design with indices: inputs in their order; coefficients of scenes that share values have no interval."""
    clack("run", "throw.yaml", "-q", "-d", "native", "-o", "i.h5", "--set", "design={saltelli: {samples: 64}}")
    clack("report", "i.h5", "-q")
    soft, rows, _ = blocks(Page("i.html"))["square"]
    with h5py.File("i.h5") as file:
        names = [name.decode() for name in file["sensitivity/input_name"][:]]
        total, least = (dict(zip(names, file[f"sensitivity/{name}"][1])) for name in ("total", "total_lower"))
    check([row[1][0] for row in rows] == sorted(names, key=lambda name: -total[name]), f"order of indices: {rows}")
    check(all(abs(float(row[5][0]) - total[row[1][0]]) < 6e-4 and row[5][1] for row in rows), f"indices: {rows}")
    check(all(row[2][1] == [] and row[3][1] == [] for row in rows), "coefficients of saltelli have no interval")
    check(soft == [least[row[1][0]] <= 0 for row in rows], f"soft where nothing is told: {soft}")


def check_effects():
    """Elementary effects have the quantity's unit: they are told however small they are."""
    clack("run", "throw.yaml", "-q", "-d", "native", "-o", "m.h5", "--set", "design={morris: {samples: 10}}",
          "--set", "outputs.quantities={tiny: '=1e-7*(way_m - 2)^2', way_m: {final: ball.position.x}}")
    clack("report", "m.h5", "-q")
    _, rows, _ = blocks(Page("m.html"))["tiny"]
    with h5py.File("m.h5") as file:
        quantity = [name.decode() for name in file["sensitivity/quantity_name"][:]].index("tiny")
        names = [name.decode() for name in file["sensitivity/input_name"][:]]
        effects = dict(zip(names, file["sensitivity/mu_star"][quantity]))
    check([row[1][0] for row in rows] == sorted(names, key=lambda name: -effects[name]), f"order of effects: {rows}")
    check(all(abs(float(row[4][0]) - effects[row[1][0]]) <= 1e-5 * effects[row[1][0]] for row in rows),
          f"effects: {rows}, expected {effects}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        check_influence()
        check_few()
        check_no_ranking()
        check_indices()
        check_effects()
        check_paper("t.html", "g.html")
        os.chdir("/")
    if not failures:
        print("inputs stand in the order in which they matter")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
