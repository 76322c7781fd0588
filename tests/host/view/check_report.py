#!/usr/bin/env python3
"""The page of `clack report`: complete in itself, well-formed, and what it says is what the file holds.

usage: check_report.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_report.py: skipped: {missing}")
    sys.exit(77)

from program_checks import PROGRAM, SOURCE, check, clack, failures

TITLE = "it's <b>bold</b> & \"quoted\""
# Where the balls are in one place there is no normal: that scene fails.
STUDY = f"""
format: 1
title: '{TITLE.replace("'", "''")}'
variables: {{gap: {{discrete: [0, 0.3, 0.4]}}, mu: {{uniform: [0.1, 0.5]}}}} # </pre><script>alert(1)</script>
scene:
  gravity: [0, 0, -9.81]
  pairs: [{{between: [steel, steel], friction: $mu}}]
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{{half_space: {{}}}}]}}
    a: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}}}], position: [0, 0, 1], velocity: [1, 0, 0]}}
    b: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}}}], position: [$gap, 0, 1]}}
design: {{monte_carlo: {{samples: 40}}}}
solver: {{end: 0.6}}
outputs:
  quantities: {{hits: {{count: contact_begin}}, last_x: {{final: a.position.x}}}}
  trajectory: {{every: 0.01, scenes: 10}}
"""
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(html.parser.HTMLParser):
    """Tags that are not closed, ids, references, and the cells of all tables."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.references, self.tables, self.codes, self.seen = [], [], [], [], [], {}
        self.cell = self.title = self.pre = None
        with open(path) as text:
            self.source = text.read()
        self.feed(self.source)
        self.close()
        check(self.open == [], f"tags that stay open: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href", "src", "filter"):
                self.references.append(value)
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "code":
            self.codes.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        check(bool(self.open) and self.open[-1] == tag, f"</{tag}> within {self.open}")
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if "code" in self.open:
            self.codes[-1] += data
        if "h1" in self.open:
            self.title = (self.title or "") + data
        if "pre" in self.open:
            self.pre = (self.pre or "") + data
        if ("td" in self.open or "th" in self.open) and "small" not in self.open:
            self.tables[-1][-1][-1] += data

    def table(self, *headings):
        found = [table for table in self.tables if set(headings) <= set(table[0])]
        check(found != [], f"a table with {headings}")
        return [dict(zip(found[0][0], row)) for row in found[0][1:]] if found else []


def check_form(page):
    check(page.title == TITLE, f"title: {page.title}")
    check(page.pre == STUDY, "the study's text as it is")
    check(len(page.ids) == len(set(page.ids)), "every id once")
    for reference in page.references:
        check(reference.startswith("#") and reference[1:] in page.ids, f"a reference to {reference}")
    check(re.search(r"url\((?!#)|@import|<script|<link|<iframe", page.source) is None, "nothing is loaded")
    check('name="viewport"' in page.source and "prefers-color-scheme" in page.source, "for telephones and dark screens")


def check_numbers(file, page):
    facts = {row[0]: row[1] for table in page.tables if len(table[0]) == 2 for row in table}
    for name in "device", "host", "command_line", "seed", "overrides":
        value = file["provenance"].attrs[name]
        check(facts.get(name) == (value.decode() if isinstance(value, bytes) else str(value)),
              f"{name}: {facts.get(name)}")
    tables = [page.table("name", "unit", "mean")] + [table for table in [page.table("name", "least", "mean")] if table]
    named = {row["name"]: row for table in page.tables if "mean" in table[0]
             for row in [dict(zip(table[0], cells)) for cells in table[1:]]}
    check(tables[0] != [] and set(named) >= {"hits", "last_x", "gap", "mu"}, f"names: {set(named)}")
    return named


def check_without_statistics(file, page):
    named = check_numbers(file, page)
    for name in "hits", "last_x", "gap", "mu":
        values = file[name if name in file else f"parameters/{name}"][:].astype(float)
        row = named[name]
        check(float(row["scenes"]) == np.isfinite(values).sum(), f"{name}: scenes {row['scenes']}")
        for heading, value in ("least", np.nanmin(values)), ("mean", np.nanmean(values)), ("most", np.nanmax(values)):
            check(abs(float(row[heading]) - value) <= 1e-5 * abs(value),
                  f"{name}: {heading} {row[heading]}, expected {value}")
    check("has no statistics" in page.source, "that there are no statistics")


def check_failures(file, page):
    failed = np.nonzero(file["status"][:] > 1)[0]
    rows = page.table("scene", "status", "to run it again")
    check([int(row["scene"]) for row in rows] == list(failed) and len(failed) > 5, f"failed scenes: {len(rows)}")
    check({row["status"] for row in rows} == {"coincident"}, "their status")
    command = [code for code in page.codes if code.endswith(f"--scene {failed[1]}")]
    check(len(command) == 1, "a command to run it again")
    again = subprocess.run(f"PATH={os.path.dirname(PROGRAM)}:$PATH; {command[0]} --json -q -d native",
                           shell=True, stdout=subprocess.PIPE, text=True)
    scene = json.loads(again.stdout)["scene"]
    check(scene["status"] == "coincident" and scene["scene"] == failed[1], f"run again: {scene}")
    check(scene["parameters"]["mu"] == file["parameters/mu"][failed[1]], "with the same parameters")


def make_statistics(path):
    """The groups as `clack` lays them out, with numbers that no other part of the file has."""
    with h5py.File(path, "a") as file:
        for group in "statistics", "sensitivity":
            if group in file:
                del file[group]
        group = file.create_group("statistics")
        group.attrs["n_parameters"], group.attrs["confidence"] = np.uint64(2), 0.95
        group["column_name"] = ["gap", "mu", "hits", "last_x", "nothing"]
        for i, name in enumerate(["count", "missing", "mean", "mean_lower", "mean_upper", "std", "std_lower",
                                  "std_upper", "min", "max"]):
            group[name] = 100.0 * i + np.array([0, 1, 2, 3, 0 if name in ("count", "missing") else np.nan])
        group["probability"] = [0.05, 0.5]
        for i, name in enumerate(["quantile", "quantile_lower", "quantile_upper"]):
            group[name] = 5000.0 + 1000 * i + np.append(np.arange(8.0), [np.nan, np.nan]).reshape(5, 2)
        group = file.create_group("sensitivity")
        group["input_name"], group["quantity_name"] = ["gap", "mu"], ["hits", "last_x", "nothing"]
        group["count"], group["varies"] = np.array([9, 9, 0], "i4"), np.array([1, 0, 0], "u1")
        for i, name in enumerate(["first", "total"]):
            group[name] = [[0.111 + i, 0.222 + i], [np.nan, np.nan], [np.nan, np.nan]]
            group[f"{name}_lower"], group[f"{name}_upper"] = group[name][:] - 0.01, group[name][:] + 0.01


def check_statistics(page):
    for i, name in enumerate(["gap", "mu", "hits", "last_x"]):
        rows = [dict(zip(table[0], cells)) for table in page.tables if "5 %" in table[0] for cells in table[1:]]
        row = [row for row in rows if row["name"] == name][0]
        got = [float(row[heading])
               for heading in ("scenes", "missing", "mean", "standard deviation", "least", "most", "5 %", "50 %")]
        check(got == [i, 100 + i, 200 + i, 500 + i, 800 + i, 900 + i, 5000 + 2 * i, 5001 + 2 * i],
              f"statistics of {name}: {got}")
    row = [row for row in rows if row["name"] == "nothing"][0]
    check((row["mean"], row["least"], row["50 %"]) == ("no value", "", ""), f"what has no value: {row}")
    check("<small>302 \u2026 402</small>" in page.source, "an interval of confidence")
    rows = page.table("quantity", "input", "first order", "total")
    check([row["first order"] for row in rows] == ["0.111", "0.222", "", ""]
          and [row["total"] for row in rows] == ["1.111", "1.222", "", ""], f"indices: {rows}")
    check([row["input"] for row in rows] == ["gap", "mu", "does not vary", "no value"], f"what does not vary: {rows}")


# --- which input matters ------------------------------------------------------------------------------

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


def blocks(page):
    """The section on which input matters: for each quantity its heading's name, the rows of its table (class, cells,
    intervals), and the sentence on R2."""
    text = page.source.split("<h2>Which input matters")[1].split("<h2>")[0]
    found = {}
    for block in text.split("<section class=\"quantity\">")[1:]:
        name = re.search("<h3>(.*?)</h3>", block).group(1)
        rows = re.findall(r"<tr( class=\"soft\")?>(<td.*?)</tr>", block, re.S)
        cells = [[(re.sub("<small>.*?</small>|<.*?>", "", cell), re.findall("<small>(.*?)</small>", cell))
                  for cell in re.findall("<td.*?</td>", row, re.S)] for _, row in rows]
        found[name] = ([soft != "" for soft, _ in rows], cells, re.findall(r"R\u00b2 (\d+\.\d+)", block)
                       + re.findall(r"products (\d+\.\d+)", block))
    return found


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
    check([row[0][0] for row in found["power"][1]] == [""] * 3 and [row[0][0] for row in found["start"][1]] == list("123"),
          "places of what is ranked")
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
    middle, half = (falls.sum() + z * z / 2) / (n + z * z), z / (n + z * z) * np.sqrt(n * share * (1 - share) + z * z / 4)
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


def check_paper():
    """Printed by a browser, the page fits A4: no word reaches over the margins (14 and 12 mm)."""
    with open("t.html") as text:
        source = text.read()
    check("@page{size:A4" in source and "@media print" in source, "rules for paper")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None or shutil.which("pdftotext") is None:
        print("no chromium or pdftotext: the page is not printed")
        return
    for page in "t.html", "x.html":
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                        "--print-to-pdf=page.pdf", f"file://{os.path.abspath(page)}"], stderr=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=120, check=False)
        boxes = subprocess.run(["pdftotext", "-bbox", "page.pdf", "-"], stdout=subprocess.PIPE, text=True, check=True)
        sheets = re.findall(r'<page width="([\d.]+)" height="([\d.]+)"', boxes.stdout)
        check(sheets != [] and all(abs(float(width) - 595.3) < 1 and abs(float(height) - 841.9) < 1
                                   for width, height in sheets), f"{page}: sheets of {sheets[:1]}")
        words = re.findall(r'xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<', boxes.stdout)
        margin = 12 / 25.4 * 72 - 1
        over = [word for left, _, right, _, word in words if float(left) < margin or float(right) > 595.3 - margin]
        check(len(words) > 100 and over == [], f"{page}: of {len(words)} words over the margin: {over[:5]}")
        title = float(words[0][3]) - float(words[0][1]) if words else 0  # of 15 pt, else the page was shrunk
        check(title > 16, f"{page}: the title is {title} pt high: the page was too wide for its sheet")
        check("it's a study" in boxes.stdout or "variables" in boxes.stdout, f"{page}: the study is printed in whole")


def main():
    has_gnuplot = shutil.which("gnuplot") is not None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("it's a study.yaml", "w") as out:
            out.write(STUDY)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        clack("run", "it's a study.yaml", "-q", "-d", "native", "-o", "x.h5", "--set", "scene.gravity[2]=-9.7", code=6)
        make_statistics("x.h5")
        clack("report", "x.h5", "-o", "s.html")
        check_statistics(Page("s.html"))
        with h5py.File("x.h5", "a") as file:
            del file["statistics"], file["sensitivity"]
        clack("report", "x.h5", says="" if has_gnuplot else "without figures")
        page = Page("x.html")
        check_form(page)
        scatters = sum((not soft) for soft_rows, _, _ in blocks(page).values() for soft in soft_rows[:2])
        check(page.seen.get("svg", 0) == (4 + scatters if has_gnuplot else 0),
              f"{page.seen.get('svg', 0)} figures: 2 quantities, {scatters} pairs, 2 bodies that move")
        with h5py.File("x.h5") as file:
            check_without_statistics(file, page)
            check_failures(file, page)
        check_influence()
        check_few()
        check_no_ranking()
        check_indices()
        check_effects()
        check_paper()
        clack("report", "x.h5", code=4, says="--overwrite")
        clack("report", "it's a study.yaml", code=7)
        clack("report", "x.h5", "--overwrite", says="without figures", env={**os.environ, "PATH": "/nonexistent"})
        page = Page("x.html")
        check("svg" not in page.seen and "Figures are missing: gnuplot" in page.source,
              "a page without figures says why")
        check(json.loads(clack("report", "x.h5", "-o", "y.html", "--json", "-q").stdout)["output"] == "y.html", "JSON")
        os.chdir("/")
    if not failures:
        print("the page says what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
