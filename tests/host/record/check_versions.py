#!/usr/bin/env python3
"""Files of version 1 of the format say the same to every command and to the Python package as those of version 2.

usage: check_versions.py PROGRAM SOURCE_FOLDER LIBRARY

version_1_*.h5.xz and version_2_*.h5.xz are files of one study, versions.yaml, written by the last program of version 1
and the first of version 2 (native, the same bits): an ensemble, of version 1 also its scenes in two parts, and contacts
of poses.
Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import contextlib
import glob
import json
import lzma
import os
import re
import shutil
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
    import xarray
except ImportError as missing:
    print(f"check_versions.py: skipped: {missing}")
    sys.exit(77)

from ensemble_contents import contents, differences, without_command
from program_checks import SOURCE, check, clack, failures

os.environ["CLACK_LIBRARY"] = os.path.abspath(sys.argv[3])
os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
HERE = os.path.join(SOURCE, "tests", "host", "record")
# Beside the datasets, `clack info` tells who wrote a file, and when.
OF_ITS_OWN = re.compile(r"written by: .*|started.*|finished.*|git_commit.*|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
RENAMED = {"/trajectory/recorded": "/trajectory/scene", "/events/scene_number": "/events/scene",
           "/contacts/scene_number": "/contacts/scene", "/joints/scene_number": "/joints/scene"}
NEW = {"/first_event", "/first_contact", "/n_contacts", "/first_joint_row", "/n_joint_rows", "/trajectory/scene_number"}


def unpack():
    for version in "1", "2":
        os.mkdir(version)
        shutil.copy(os.path.join(HERE, "versions.yaml"), os.path.join(version, "study.yaml"))
        shutil.copy(os.path.join(SOURCE, "data", "icosahedron.obj"), version)
        for path in glob.glob(os.path.join(HERE, f"version_{version}_*.xz")):
            name = os.path.basename(path)[len("version_1_"):-len(".xz")]
            with lzma.open(path) as packed, open(os.path.join(version, name), "wb") as file:
                file.write(packed.read())


def texts(version, *words):
    """What a command prints, and the texts of the files that it makes, without times."""
    before = set(os.listdir(version))
    done = clack(*words, cwd=version)
    said = {"stdout": done.stdout + done.stderr}
    for name in sorted(set(os.listdir(version)) - before):
        path = os.path.join(version, name)
        if h5py.is_hdf5(path):
            said[name] = {at: value for at, value in contents(path).items() if at != "h5md/creator@"}
        else:
            with open(path, encoding="utf-8") as file:
                said[name] = OF_ITS_OWN.sub("", file.read())
        os.remove(path)
    said["stdout"] = OF_ITS_OWN.sub("", said["stdout"])
    return said


def same(*words):
    first, second = (texts(version, *words) for version in "12")
    check(any(len(said) > 1 or said["stdout"] for said in (first, second)), f"{' '.join(words)}: says nothing")
    for name in sorted(set(first) | set(second)):
        check(first.get(name) == second.get(name), f"{' '.join(words)}: {name} differs")


def check_info():
    first, second = ([line for line in texts(version, "info", "ensemble.h5")["stdout"].splitlines() if line]
                     for version in "12")
    named = [line.split()[0] for line in second]
    second = [line.replace(name, RENAMED.get(name, name)) for line, name in zip(second, named) if name not in NEW]
    first, second = ([line.split() for line in lines] for lines in (first, second))
    check(first == second and len(first) > 100, f"info: {[pair for pair in zip(first, second) if pair[0] != pair[1]]}")
    for version in "12":
        said = clack("info", f"{version}/ensemble.h5").stdout
        check(f"clack 0.1.0, format {version}\n" in said, f"info of version {version}: {said[:200]}")


def check_commands():
    check_info()
    same("stats", "ensemble.h5")
    same("stats", "ensemble.h5", "--json")
    same("compare", "ensemble.h5", "../1/ensemble.h5", "--json")
    same("report", "ensemble.h5", "-q")
    for figure in ([], ["ecdf"], ["scatter"], ["trajectory", "solid"], ["path", "solid"], ["energy"], ["events"],
                   ["regions"], ["sensitivity"]):
        same("plot", "ensemble.h5", *figure, "-q")
    same("plot", "evaluation.h5", "-q")
    same("export", "ensemble.h5", "--csv", "-q")
    same("export", "ensemble.h5", "--csv", "--table", "events", "--scene", "5")
    same("export", "ensemble.h5", "--xdmf", "--scene", "3", "-q")
    same("export", "ensemble.h5", "--h5md", "--scene", "3", "-q")
    same("export", "evaluation.h5", "--xdmf", "-q")
    same("evaluate", "study.yaml", "ensemble.h5", "--scene", "3", "-d", "native", "-q", "-o", "poses.h5")
    same("run", "study.yaml", "--continue", "-d", "native", "-o", "ensemble.h5") # nothing to do, which is told


def check_merge():
    """Parts of version 1 are a file of version 1; nothing is mixed."""
    clack("merge", "1/first.h5", "1/second.h5", "-o", "merged.h5", "-q")
    check(differences(without_command(contents("1/ensemble.h5")), without_command(contents("merged.h5"))) == [],
          "parts of version 1 make another file than the whole")
    done = clack("merge", "1/first.h5", "2/ensemble.h5", "-o", "mixed.h5", "-q", code=7)
    check('ensemble_format_version: expected "1" as in 1/first.h5, found "2"' in done.stderr, f"mixed: {done.stderr}")
    check(not os.path.exists("mixed.h5"), "mixed: there is a file")


def check_resume():
    """A run that a program of version 1 has begun is refused, since its parts would not fit: that is what is told."""
    shutil.copytree("2", "run")
    clack("run", "study.yaml", "-d", "native", "-q", "-o", "run.h5", "--batch", "4", "--time-limit", "1e-9", cwd="run",
          code=130)
    manifest = "run/run.h5.parts/manifest.jsonl"
    with open(manifest) as file:
        head, *lines = [json.loads(line) for line in file]
    check(head["identity"].pop("ensemble_format_version") == "2", "manifest: version of the format")
    head.pop("sealed")
    with open(manifest, "w") as file: # as it was written then, without a checksum
        for line in [head, *[line for line in lines if "shard" in line]]:
            file.write(json.dumps(line) + "\n")
    done = clack("resume", "run.h5", cwd="run", code=7)
    check(done.stderr.count("expected") == 1
          and 'ensemble_format_version: expected "1" as in the shards, found "2"' in done.stderr,
          f"resume: {done.stderr}")


def check_other_version():
    shutil.copy("2/ensemble.h5", "later.h5")
    with h5py.File("later.h5", "r+") as file:
        file.attrs["ensemble_format_version"] = 3
    clack("info", "later.h5", code=7, says="ensemble_format_version: this program reads 1 to 2, found 3")


def check_package():
    sys.path.insert(0, os.path.join(SOURCE, "host", "python"))
    import clack as package
    with package.open("1/ensemble.h5") as first, package.open("2/ensemble.h5") as second:
        for name in "events", "contacts", "joints":
            check(getattr(first, name).equals(getattr(second, name)) and len(getattr(first, name)) > 5
                  and list(getattr(first, name))[0] == "scene", f"package: {name}")
        for name in "parameters", "trajectory", "statistics", "sensitivity":
            one, other = getattr(first, name), getattr(second, name)
            check(one.equals(other) and one.sizes == other.sizes, f"package: {name}")
        check(first.trajectory.position.dims == ("scene", "time", "body", "xyz"), "package: axes of a trajectory")
        heights = [file.trajectory.position.sel(scene=3, body="solid", xyz="z").values for file in (first, second)]
        check(np.array_equal(*heights) and heights[0][0] > 1, f"package: {heights}")
        new = [name for name in second.scenes if name not in first.scenes]
        check({"/" + name for name in new} < NEW and first.scenes.equals(second.scenes.drop_vars(new)),
              "package: scenes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unpack()
        check_commands()
        check_merge()
        check_resume()
        check_other_version()
        check_package()
        # Each comparison sees a difference: that of another number.
        with h5py.File("2/ensemble.h5", "r+") as file:
            for path in ("events/time", "contacts/area", "joints/force", "trajectory/position", "statistics/mean",
                         "deepest"):
                file[path][...] = file[path][...] + 1e-3
            file["events/scene_number"][0] += 1
        told = len(failures)
        with contextlib.redirect_stdout(None):
            check_commands()
            check_package()
        seen = {sentence.split(":")[0].split(" ")[0] for sentence in failures[told:]}
        print(f"{len(failures) - told} differences are told where numbers differ, which they should be")
        del failures[told:]
        check(seen >= {"info", "stats", "compare", "report", "plot", "export", "evaluate", "package"},
              f"differences are told by {seen}")
        os.chdir("/")
    if not failures:
        print("files of version 1 say the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
