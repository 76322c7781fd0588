#!/usr/bin/env python3
"""An ensemble in other programs' hands: xarray with each engine, h5dump, ncdump, and the lines of Python,
Octave and R that pages tell.

usage: check_readers.py PROGRAM SOURCE_FOLDER

What h5py reads is what all others must read. Programs that are missing are told and left out.
Exit code 0: all is well; 1: a check failed; 77: Python's packages are missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"check_readers.py: skipped: {missing}")
    sys.exit(77)

PROGRAM, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
SCENES = 12
failures = []


def check(is_right, sentence):
    if not is_right:
        failures.append(sentence)
        print("wrong:", sentence)


def output(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"{' '.join(words)[:100]}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def truth(path):
    """Every dataset of numbers, as h5py reads it."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[...]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" else None)
    return found


def same(got, expected, what):
    got = np.asarray(got, dtype=float)
    expected = np.asarray(expected, dtype=float)
    check(got.size == expected.size and np.array_equal(got.ravel(), expected.ravel(), equal_nan=True),
          f"{what}: other numbers")


def check_xarray(path, numbers):
    groups = {name.rpartition("/")[0] for name in numbers}
    for engine in "netcdf4", "h5netcdf", None:
        seen = 0
        for group in groups:
            with xr.open_dataset(path, engine=engine, group=group or None, decode_times=False) as data:
                for name in data.variables:
                    full = f"{group}/{name}" if group else name
                    if full in numbers:
                        same(data[name].values, numbers[full], f"xarray, {engine}: {full}")
                        seen += 1
        check(seen == len(numbers), f"xarray, {engine}: {seen} of {len(numbers)} datasets")


def check_h5dump(path, numbers):
    for name, values in numbers.items():
        text = output("h5dump", "-y", "-w", "0", "-A", "0", "-m", "%.17g", "-d", "/" + name, path)
        data = re.search(r"DATA \{\n(.*?)\n\s*\}", text, re.DOTALL)
        words = re.findall(r"[^\s,{}]+", data.group(1)) if data else []
        same([float(word) for word in words], values, f"h5dump: {name}")


def check_ncdump(path, numbers):
    group, seen, in_data, pending = [], set(), False, ""
    for line in output("ncdump", "-p", "9,17", path).splitlines():
        line = line.strip()
        if match := re.match(r"group: (\S+) \{", line):
            group, in_data = group + [match.group(1)], False
        elif line.startswith("} // group"):
            group, in_data = group[:-1], False
        elif line == "data:":
            in_data = True
        elif in_data and line:
            pending += line + " "
            if not line.endswith(";"):
                continue
            name, _, body = pending.rstrip("; ").partition("=")
            name, pending = re.sub(r"\\(.)", r"\1", name.strip()), ""
            full = "/".join(group + [name])
            if full in numbers:
                words = re.findall(r"[^\s,{}]+", body)
                same([np.nan if word in ("_", "NaN") else float(word) for word in words], numbers[full],
                     f"ncdump: {full}")
                seen.add(full)
    missing = sorted(name for name in numbers if name not in seen)
    check(missing == [], f"ncdump: without {missing}")


def check_faces():
    """face_up says which number is which face, as CF has it."""
    study = """format: 1
scene:
  gravity: [0, 0, -9.81]
  bodies:
    die: {material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}]}
solver: {end: 0.001}
outputs:
  quantities:
    side: {face_up: die}
    ends: {face_up: die, faces: {"+x": 1, "-x": 1, "+y": 0, "-y": 0, "+z": 0, "-z": 7.5}}
    tilted: {face_up: die, directions: [[0, 0, 2], [1, 1, 0]]}
    near: {share: "=side > 4"}
"""
    with open("faces.yaml", "w") as out:
        out.write(study)
    output(PROGRAM, "run", "faces.yaml", "-q", "-d", "native")
    with xr.open_dataset("faces.h5") as data:
        for name, values, meanings in (("side", [1, 2, 3, 4, 5, 6], "+x -x +y -y +z -z"),
                                       ("ends", [1, 0, 7.5], "+x_-x +y_-y_+z -z"), ("tilted", [1, 2], "+z face_2")):
            told = data[name].attrs
            check(list(np.atleast_1d(told.get("flag_values", []))) == values and told.get("flag_meanings") == meanings,
                  f"{name}: {told}")
        check(float(data.side[0]) == 5 and float(data.ends[0]) == 0, "the side that is up")
        check(data.near.attrs.get("kind") == "share" and "flag_values" not in data.near.attrs,
              f"near: {data.near.attrs}")


def block(language):
    """A language's code block in the page about files; Python's in the first page."""
    page, title = (("README.md", "One-minute start") if language == "python"
                   else ("host/record/README.md", "In other languages"))
    with open(os.path.join(SOURCE, page)) as text:
        section = text.read().split(f"## {title}\n")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL).group(1)


def check_language(language, name, *words):
    with open(name, "w") as out:
        out.write(block(language))
    said = output(*words, name).split()
    check(said != [] and float(said[-1]) < 1e-12, f"{language}: {said}")


R_ALL = """
library(ncdf4)
file <- nc_open(commandArgs(TRUE)[1])
say <- function(name, values) if (!is.character(values)) cat(name, sprintf("%.17g", values), "\\n")
for (name in names(file$var)) say(name, ncvar_get(file, name, collapse_degen = FALSE))
for (name in names(file$dim)) if (file$dim[[name]]$create_dimvar) say(name, file$dim[[name]]$vals)
"""


def check_r(path, numbers):
    """Every dataset of numbers, tables and axes included."""
    with open("all.R", "w") as out:
        out.write(R_ALL)
    read = {line.split()[0]: line.split()[1:] for line in output("Rscript", "all.R", path).splitlines()}
    missing = sorted(set(numbers) - set(read))
    check(missing == [], f"R's ncdf4: without {missing}")
    for name in set(numbers) & set(read):
        same([np.nan if word in ("NA", "NaN") else float(word) for word in read[name]], numbers[name],
             f"R's ncdf4: {name}")


def check_octave_names(path):
    """The line of the page for names of bodies, which Octave cannot read as texts."""
    with open(os.path.join(SOURCE, "host", "record", "README.md")) as page:
        line = re.search(r"`(strsplit\(ncreadatt\([^`]*)`", page.read()).group(1)
    with open("names.m", "w") as out:
        out.write(f"pkg load netcdf\nprintf('%s\\n', {line}{{:}})\n")
    said = output("octave", "--no-gui", "--quiet", "names.m").split()
    with h5py.File(path) as file:
        check(said == [name.decode() for name in file["body_name"]], f"Octave: names of bodies: {said}")


def has_package(*words):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        output(PROGRAM, "run", os.path.join(SOURCE, "data", "bouncing_sphere.yaml"), "-q", "-d", "native",
               "--set", f"design.monte_carlo.samples={SCENES}", "--set", "outputs.contacts={every: 5.0e-6, scenes: 2}",
               "-o", "bouncing_sphere.h5")
        path = "bouncing_sphere.h5"
        numbers = truth(path)
        check(len(numbers) > 50 and numbers["trajectory/position"].ndim == 4, f"{len(numbers)} datasets")
        check_xarray(path, numbers)
        check_faces()
        for program, reader in ("h5dump", check_h5dump), ("ncdump", check_ncdump):
            if shutil.which(program):
                reader(path, numbers)
            else:
                print(f"{program} is not there")
        check_language("python", "x.py", sys.executable)
        if shutil.which("octave") and has_package("octave", "--no-gui", "--quiet", "--eval", "pkg load netcdf"):
            check_language("octave", "x.m", "octave", "--no-gui", "--quiet")
            check_octave_names(path)
        else:
            print("octave with its package netcdf is not there")
        if shutil.which("Rscript") and has_package("Rscript", "-e", "library(ncdf4)"):
            check_language("r", "x.R", "Rscript")
            check_r(path, numbers)
        else:
            print("R with its package ncdf4 is not there")
        os.chdir("/")
    if not failures:
        print("all readers read the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
