"""Runs the cases of tests/validation through clack and writes a page: a table of all rows, figures, what failed.

python3 validate.py CLACK FOLDER [--quick] [--spoil] [--group NAME] [--device DEVICE]

A group is <name>.group.yaml: its title, sources, and cases. A case is a study beside it, settings, and rows; a row is a
quantity (an expression of the study's quantities and parameters, one value for each scene), what is expected (an
expression of those and of the columns of the case's CSV file), its source, and a tolerance: relative, or absolute, or
of the range of what is expected. Of many scenes the worst is told. --spoil runs each case with its `spoil`, one
constant of the study changed, and succeeds where every row fails: a row that cannot fail tests nothing. A row may have
a `spoil` of its own (of the poses: evaluate.<key>). A group may instead have `script`: a module beside it with
the function page_rows.
A case with `surfaces: true` uses meshes that surfaces.py writes: FOLDER in its study stands for where they are.
Exit 77: a Python package is missing. Figures need gnuplot; without it the page has none and says so.
"""
import argparse
import csv
import glob
import html
import importlib
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "support"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy
    from study_yaml import load
except ImportError as missing:
    print(missing)
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(HERE))
FUNCTIONS = {name: getattr(numpy, name) for name in (
    "sqrt", "sin", "cos", "tan", "arctan", "abs", "where", "pi", "hypot", "maximum", "minimum", "nan", "degrees",
    "radians", "exp", "log", "cumsum", "diff", "sum", "amin", "amax", "mean", "var", "quantile")}


def columns_of(path):
    """A CSV file as columns; empty cells are NaN."""
    with open(path) as file:
        rows = list(csv.reader(file))
    return {name: numpy.array([float(row[k]) if row[k] else numpy.nan for row in rows[1:]])
            for k, name in enumerate(rows[0])}


# --- running
class Runner:
    def __init__(self, clack, folder, device):
        self.clack, self.folder, self.device = clack, folder, device
        self.told = None # name of the device and version, of the last run

    def call(self, *words):
        environment = dict(os.environ, CLACK_DATA_DIR=ROOT + "/data")
        done = subprocess.run([self.clack, *words], capture_output=True, text=True, env=environment, cwd=HERE)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())

    def with_surfaces(self, study):
        """The study where surfaces.py has written the meshes that it names: a copy beside them."""
        place = os.path.join(self.folder, "surfaces")
        if not os.path.isdir(place):
            os.makedirs(place)
            importlib.import_module("surfaces").write_all(place)
        copy = os.path.join(place, study)
        with open(os.path.join(HERE, study)) as source, open(copy, "w") as target:
            target.write(source.read().replace("FOLDER/", ""))
        return copy

    def run(self, study, settings):
        """Quantities, parameters and the number of each scene of a study, as arrays by name."""
        out = os.path.join(self.folder, "run.h5")
        self.call("run", os.path.join(HERE, study), "-o", out, "--overwrite", "-q", "-d", self.device,
                  *words_of(settings))
        values = {}
        with h5py.File(out) as file:
            for name, data in file.items():
                if isinstance(data, h5py.Dataset) and data.attrs.get("role") in (b"quantity", "quantity"):
                    values[name] = data[:]
            values.update({name: data[:] for name, data in file["parameters"].items()
                           if data.ndim and name.isidentifier()})
            values.update(energy_drift=file["energy_drift"][:], dissipated=file["dissipated_energy"][:],
                          status=file["status"][:])
            self.told = ", ".join(str(file["provenance"].attrs[key]) for key in ("device", "driver", "version"))
            if "trajectory" in file:
                values.update(motion_of(file))
            if "events" in file:
                values.update(events_of(file["events"]))
            if "contacts" in file:
                values.update(contacts_of(file["contacts"]))
        return values

    def evaluate(self, study, settings, moved):
        """Distances and normals of the bodies <name>_a and <name>_b of a study, in their initial poses. moved: those of
        _b by `along` (name: x, y, z), then all scaled by `scale`, turned by `turn` about the origin and moved by
        `offset`. Normals are told in the axes before the turn, unless `tilt` says that this was another one."""
        poses, out = os.path.join(self.folder, "poses.h5"), os.path.join(self.folder, "contacts.h5")
        with open(os.path.join(HERE, study)) as file:
            bodies = load(file.read())["scene"]["bodies"]
        along, turn = moved.get("along", {}), quaternion_of(moved.get("turn"))
        before = quaternion_of(moved.get("tilt", moved.get("turn")))
        positions = numpy.array([body.get("position", [0, 0, 0]) for body in bodies.values()], dtype=float)
        positions += [value_of(along.get(name[:-2], [0, 0, 0]), {}) if name.endswith("_b") else numpy.zeros(3)
                      for name in bodies]
        positions = (turned(turn, moved.get("scale", 1) * positions) +
                     numpy.array(moved.get("offset", [0, 0, 0]), dtype=float))
        with h5py.File(poses, "w") as file:
            file["position"] = positions[None]
            file["orientation"] = numpy.array([[product(turn, quaternion_of(body.get("rotation")))
                                                for body in bodies.values()]])
        self.call("evaluate", os.path.join(HERE, study), poses, "-o", out, "--overwrite", "-q", "-d",
                  self.device, "--all", *words_of(settings))
        names, values = list(bodies), {}
        with h5py.File(out) as file:
            if "regions" in file:
                values.update(regions_of(file["regions"], names))
            rows = file["contacts"]
            for i in range(len(rows["distance"])):
                a, b = names[rows["body_a"][i]], names[rows["body_b"][i]]
                if a[:-2] == b[:-2] and not values.get(a[:-2] + "_distance", [numpy.inf])[0] < rows["distance"][i]:
                    values[a[:-2] + "_distance"] = numpy.array([rows["distance"][i]])
                    normal = turned([before[0], *(-x for x in before[1:])], rows["normal"][i])
                    values.update({f"{a[:-2]}_n{axis}": numpy.array([normal[k]]) for k, axis in enumerate("xyz")})
        return values


def regions_of(regions, names):
    """Of the contact regions of <name>_a and <name>_b, along x: <name>_area, _perimeter, _volume, _depth, _loops,
    _flags; _cx .. of centroids, _nx .. of normals."""
    out, rows = {}, {key: data[()] for key, data in regions.items()}
    pairs = numpy.array([names[a][:-2] if names[a][:-2] == names[b][:-2] else "" for a, b in
                         zip(rows["body_a"], rows["body_b"])])
    for name in set(pairs) - {""}:
        mine = numpy.flatnonzero(pairs == name)
        mine = mine[numpy.argsort(rows["centroid"][mine, 0])]
        for key in ("area", "perimeter", "volume", "loops", "flags"):
            out[f"{name}_{key}"] = rows[key][mine]
        out[f"{name}_depth"] = rows["indentation"][mine]
        for k, axis in enumerate("xyz"):
            out[f"{name}_c{axis}"], out[f"{name}_n{axis}"] = rows["centroid"][mine, k], rows["normal"][mine, k]
    return out


def words_of(settings):
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]


def quaternion_of(rotation):
    if rotation is None:
        return [1.0, 0, 0, 0]
    axis = numpy.array(rotation["axis"], dtype=float)
    return [numpy.cos(rotation["angle"] / 2), *(numpy.sin(rotation["angle"] / 2) * axis / numpy.linalg.norm(axis))]


def product(p, q):
    v, w = numpy.array(p[1:]), numpy.array(q[1:])
    return [p[0] * q[0] - v @ w, *(p[0] * w + q[0] * v + numpy.cross(v, w))]


def turned(q, vectors):
    """By quaternions of the last axis."""
    q = numpy.asarray(q)
    v = q[..., 1:]
    return vectors + 2 * numpy.cross(v, numpy.cross(v, vectors) + q[..., :1] * vectors)


def motion_of(file):
    """Of every body and frame: spin in body axes, <body>_spin[scene, frame, axis], and in the world's, <body>_w; _q,
    _v, _path; the times. Of all: all_path[scene, frame, body, axis], all_velocity, all_w."""
    names = [name.decode() if isinstance(name, bytes) else name for name in file["body_name"][:]]
    frames, out = file["trajectory"], {"frame_time": file["trajectory/time"][:]}
    for i, name in enumerate(names):
        q, w = frames["orientation"][:, :, i], frames["angular_velocity"][:, :, i]
        out[name + "_spin"] = turned(q * [1, -1, -1, -1], w)
        out[name + "_q"], out[name + "_w"], out[name + "_path"] = q, w, frames["position"][:, :, i]
        out[name + "_v"] = frames["velocity"][:, :, i]
    out.update(all_path=frames["position"][:], all_velocity=frames["velocity"][:], all_w=frames["angular_velocity"][:])
    return out


def events_of(events):
    """Begins and ends of contacts of all scenes in order: begin_time, begin_speed, begin_distance,
    begin_normal_z, end_time, ..."""
    out, kind = {}, events["kind"][:]
    for code, word in enumerate(("begin", "end")):
        for name in ("time", "speed", "distance", "stiffness", "damping"):
            out[f"{word}_{name}"] = events[name][:][kind == code]
        for name in ("position", "normal"):
            out.update({f"{word}_{name}_{axis}": events[name][:][kind == code, k] for k, axis in enumerate("xyz")})
    return out


def contacts_of(contacts):
    """Recorded contacts of all scenes in order: contact_normal_force, contact_tangential_force_x, ..."""
    out = {f"contact_{name}": contacts[name][:] for name in ("time", "penetration", "normal_force")}
    for name in ("tangential_force", "torque", "point", "normal"):
        out.update({f"contact_{name}_{axis}": contacts[name][:, k] for k, axis in enumerate("xyz")})
    return out


# --- rows
def value_of(expression, values):
    if isinstance(expression, list):
        return numpy.concatenate([numpy.atleast_1d(value_of(each, values)) for each in expression])
    if not isinstance(expression, str):
        return numpy.atleast_1d(numpy.float64(expression))
    known = {**FUNCTIONS, "turned": turned, **values}
    return numpy.atleast_1d(eval(expression, {"__builtins__": {}}, known)).astype(float)


def row_of(row, values):
    """The worst of all scenes: expected, got, error, whether all are within the tolerance; and how many there are."""
    got, expected = (value_of(row[key], values) for key in ("quantity", "expected"))
    got, expected = (each.ravel() for each in numpy.broadcast_arrays(got, expected))
    if "where" in row:
        chosen = value_of(row["where"], values) != 0
        got, expected = got[chosen], expected[chosen]
    kind = next(key for key in ("relative", "absolute", "range") if key in row)
    scale = {"relative": numpy.abs(expected), "absolute": numpy.ones_like(expected),
             "range": numpy.full_like(expected, expected.max() - expected.min())}[kind]
    errors = numpy.abs(got - expected) / scale
    errors[~(errors >= 0)] = numpy.inf
    worst = int(numpy.argmax(errors)) if errors.size else None
    if worst is None:
        return {"expected": "", "got": "", "error": "", "ok": False, "count": 0}
    return {"expected": expected[worst], "got": got[worst], "error": errors[worst],
            "ok": bool(errors[worst] <= row[kind]), "count": errors.size, "tolerance": f"{row[kind]:g} {kind}"}


def values_of(runner, case, spoil):
    """What the rows of a case are made of. A study that clack refuses raises RuntimeError."""
    settings = dict(case.get("set", {}),
                    **{key: value for key, value in spoil.items() if not key.startswith("evaluate.")})
    study = runner.with_surfaces(case["study"]) if case.get("surfaces") else case["study"]
    if "evaluate" in case:
        moved = {key.split(".")[1]: value for key, value in spoil.items() if key.startswith("evaluate.")}
        values = runner.evaluate(study, settings, dict(case["evaluate"], **moved))
    else:
        values = runner.run(study, settings)
    if "table" in case:
        values.update(columns_of(os.path.join(HERE, case["table"])))
    for name, expression in case.get("let", {}).items():
        values[name] = value_of(expression, values)
    return values


def run_case(runner, case, is_spoiled):
    """Rows and values of a case."""
    values = values_of(runner, case, case.get("spoil", {}) if is_spoiled else {})
    rows = []
    for row in case["rows"]:
        of_row = values_of(runner, case, row["spoil"]) if is_spoiled and "spoil" in row else values
        rows.append(dict(row_of(row, of_row), case=case["name"], quantity=row.get("name", str(row["quantity"])),
                         source=row["source"]))
    return rows, values


# --- figures
def points_text(x, y):
    order = numpy.argsort(x)
    return "\n".join(f"{x[i]:.10g} {y[i]:.10g}" for i in order if numpy.isfinite(x[i] + y[i]))


def draw(figure, values, folder):
    """One SVG file by gnuplot: curves of expressions, and digitised points of a CSV file."""
    path = os.path.join(folder, figure["file"])
    blocks, plots = [], []
    for curve in figure["curves"]:
        source = columns_of(os.path.join(HERE, curve["points"])) if "points" in curve else values
        x, y = (value_of(curve[key], source) for key in "xy")
        x, y = numpy.broadcast_arrays(x, y)
        blocks.append(f"$d{len(blocks)} << EOD\n{points_text(x, y)}\nEOD")
        style = "points pt 6" if "points" in curve else curve.get("style", "linespoints pt 7 ps 0.4")
        plots.append(f'$d{len(blocks) - 1} with {style} title "{curve["title"]}"')
    log = f"set logscale {figure['log']}\nset format {figure['log'][0]} '%.0e'\n" if "log" in figure else ""
    script = (f'set terminal svg size 640,420\nset output "{path}"\nset title "{figure["title"]}"\n'
              f'set key outside below\n{log}set xlabel "{figure["x"]}"\nset ylabel "{figure["y"]}"\n' +
              "\n".join(blocks) + "\nplot " + ", ".join(plots) + "\n")
    subprocess.run(["gnuplot"], input=script, text=True, check=True, stderr=subprocess.PIPE)


# --- the page
STYLE = ("body{font-family:sans-serif;max-width:75em;margin:auto}table{border-collapse:collapse;font-size:85%}"
         "td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left}.no{background:#fbb}.ok{background:#dfd}")


def number(value):
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def table_of(rows):
    head = "".join(f"<th>{word}</th>" for word in ("case", "quantity", "expected", "source", "got", "error",
                                                   "tolerance", "values", "pass"))
    lines = [f"<table><tr>{head}</tr>"]
    for row in rows:
        cells = [row["case"], row["quantity"], number(row["expected"]), row["source"], number(row["got"]),
                 f"{row['error']:.2g}" if isinstance(row["error"], float) else "", row.get("tolerance", ""),
                 str(row["count"]), "pass" if row["ok"] else "FAIL"]
        lines.append(f'<tr class="{"ok" if row["ok"] else "no"}">' +
                     "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return "\n".join(lines) + "</table>"


def page_of(groups, has_gnuplot, told):
    rows = [row for group in groups for row in group["rows"]]
    failed = sum(not row["ok"] for row in rows)
    parts = ["<!DOCTYPE html><html><head><meta charset='utf-8'><title>clack: validation</title>",
             f"<style>{STYLE}</style></head><body>", "<h1>clack: validation</h1>",
             f"<p>{len(rows)} rows, {failed} failed. Of many values the worst is shown; SI units.</p>",
             f"<p>{html.escape(told or '')}</p>"]
    if not has_gnuplot:
        parts.append("<p>No figures: gnuplot is not installed.</p>")
    for group in groups:
        parts.append(f"<h2>{html.escape(group['title'])}</h2><p>{html.escape(group.get('about', ''))}</p>")
        parts.append(table_of(group["rows"]))
        parts += [f'<img src="{file}" alt="{file}">' for file in group["figures"]]
    return "\n".join(parts) + "\n</body></html>\n"


def run_group(group, runner, arguments, has_gnuplot):
    group["rows"], group["figures"] = [], []
    if "script" in group:
        group["rows"] = importlib.import_module(group["script"]).page_rows(runner.clack, runner.device, arguments.spoil)
    for case in group.get("cases", []):
        try:
            rows, values = run_case(runner, case, arguments.spoil)
        except RuntimeError as error:
            # Not a failing row but no row at all: in a spoiled run too.
            rows, values = [{"case": case["name"], "quantity": str(error)[:300], "expected": "", "got": "", "error": "",
                             "source": "", "ok": arguments.spoil, "count": 0}], None
        group["rows"] += rows
        for figure in case.get("figures", []) if has_gnuplot and values is not None and not arguments.spoil else []:
            draw(figure, values, arguments.folder)
            group["figures"].append(figure["file"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clack")
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true", help="the groups that say quick: true")
    parser.add_argument("--spoil", action="store_true", help="every row has to fail")
    parser.add_argument("--group", action="append")
    parser.add_argument("--device", default="native")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    arguments.clack, arguments.folder = os.path.abspath(arguments.clack), os.path.abspath(arguments.folder)
    has_gnuplot = shutil.which("gnuplot") is not None
    runner, groups, wrong = Runner(arguments.clack, arguments.folder, arguments.device), [], 0
    for path in sorted(glob.glob(HERE + "/*.group.yaml")):
        with open(path) as file:
            group = load(file.read())
        name = os.path.basename(path).split(".")[0]
        if arguments.group and name not in arguments.group or arguments.quick and not group.get("quick"):
            continue
        started = time.time()
        run_group(group, runner, arguments, has_gnuplot)
        groups.append(group)
        red = [row for row in group["rows"] if not row["ok"]]
        told = [row for row in group["rows"] if row["ok"]] if arguments.spoil else red
        wrong += len(told)
        print(f"{name}: {len(group['rows'])} rows, {len(red)} failed, {time.time() - started:.1f} s")
        for row in told:
            print(f"  {row['case']}: {row['quantity']}: expected {number(row['expected'])}, got {number(row['got'])}, "
                  f"error {row['error']}, tolerance {row.get('tolerance')}" +
                  (" passes although spoiled" if arguments.spoil else ""))
    if not arguments.spoil:
        with open(os.path.join(arguments.folder, "index.html"), "w") as file:
            file.write(page_of(groups, has_gnuplot, runner.told))
        print(f"written: {arguments.folder}/index.html")
    return wrong > 0 or not groups


if __name__ == "__main__":
    sys.exit(main())
