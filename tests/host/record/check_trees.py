#!/usr/bin/env python3
"""Ensembles in the hands of today's packages: xarray's DataTree, its open_mfdataset, and MDAnalysis.

usage: check_trees.py PROGRAM SOURCE_FOLDER [PACKAGES]

What they read is what h5py reads; what the page about files shows is run as it stands there. Debian 12's xarray has no
DataTree: `python3 -m pip install --target PACKAGES -r tests/host/record/requirements.txt`, in ctest build/trees.
Exit code 0: all is well; 1: a check failed; 77: there is no xarray with a DataTree, or another package is missing.
"""
import lzma
import os
import re
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
if len(sys.argv) > 3:
    sys.path.insert(0, os.path.abspath(sys.argv[3]))
try:
    import dask  # noqa: F401
    import h5netcdf  # noqa: F401
    import h5py
    import MDAnalysis
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
    xr.open_datatree
except (AttributeError, ImportError) as missing:
    print(f"check_trees.py: skipped: {missing}")
    sys.exit(77)

from program_checks import SOURCE, check, clack, failures

os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
STUDY = os.path.join(SOURCE, "data", "bouncing_sphere.yaml")
SETTINGS = ["-q", "-d", "native", "--set", "design.monte_carlo.samples=24", "--set", "outputs.trajectory.scenes=5",
            "--set", "outputs.contacts={every: 5.0e-6, scenes: 4}"]
# Joints and contact regions; scenes of which some are not recorded.
JOINTS = os.path.join(SOURCE, "tests", "host", "record", "versions.yaml")


def same(got, expected):
    got, expected = np.asarray(got), np.asarray(expected)
    if expected.dtype.kind in "SO":
        return got.astype(str).tolist() == [text.decode() if isinstance(text, bytes) else text
                                            for text in expected.ravel().tolist()]
    return got.shape == expected.shape and np.array_equal(got, expected, equal_nan=expected.dtype.kind == "f")


def tree_differences(path, engine):
    """Datasets that a DataTree says otherwise than h5py, or not at all; what it raises."""
    with h5py.File(path) as file:
        wanted = {}
        file.visititems(lambda name, item: wanted.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    try:
        tree = xr.open_datatree(path, engine=engine, decode_timedelta=False)
    except ValueError as error:
        return [f"open_datatree: {str(error).splitlines()[0]}"]
    with tree:
        wrong = []
        for name, values in wanted.items():
            group, _, last = name.rpartition("/")
            # As a user asks for it: what the group has, or what it takes over from the root.
            variables = tree[f"/{group}"].dataset.variables
            if last not in variables or not same(variables[last].values, values):
                wrong.append(name)
        return wrong


def check_tree(path, engine):
    wrong = tree_differences(path, engine)
    check(wrong == [], f"{path}, {engine}: other values in {wrong}")


def check_rows(path, engine):
    """Rows of a scene as a slice, in every table."""
    with xr.open_datatree(path, engine=engine, decode_timedelta=False) as tree:
        for group, axis in ("events", "event"), ("contacts", "contact"), ("joints", "joint_row"):
            if group not in tree:
                continue
            table, first, count = tree[group].to_dataset(), tree[f"first_{axis}"], tree[f"n_{axis}s"]
            check(int(count.sum()) == table.sizes[axis] and (table.sizes[axis] > 0 or path == "2.h5"),
                  f"{path}, {engine}: {group}: {int(count.sum())} rows")
            for row, number in enumerate(tree.scene.values):
                mine = table.isel({axis: slice(int(first[row]), int(first[row] + count[row]))})
                check(np.array_equal(np.flatnonzero(table.scene_number.values == number), mine[axis].values),
                      f"{path}, {engine}: {group} of scene {number}")


def check_page(path):
    """The lines of the page, with each engine."""
    with open(os.path.join(SOURCE, "host", "record", "README.md")) as page:
        section = page.read().split("## In xarray\n")[1].split("\n## ")[0]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)
    with h5py.File(path) as file:
        numbers, bodies = file["events/scene_number"][:], list(file["body_name"].asstr()[:])
        heights = file["trajectory/position"][3, :, bodies.index("ball"), 2]
        seconds = [bodies[i] for i in file["events/body_b"][:]]
        speeds = file["events/speed"][:][numbers == 17]
    for engine in "netcdf4", "h5netcdf":
        said = {}
        exec(code.replace('.h5")', f'.h5", engine="{engine}")'), said) # pylint: disable=exec-used
        check(same(said["ball"].speed, speeds) and len(speeds) > 2, f"{engine}: events of scene 17")
        check(same(said["height"], heights) and heights.max() > 0.5, f"{engine}: .sel by label")
        check(said["counts"][17] == len(speeds), f"{engine}: events of scenes")
        check(list(said["names"]) == seconds, f"{engine}: second bodies of events")
        said["tree"].close()


def check_shards(path):
    """open_mfdataset with the options that the page tells; numbers of rows are those of each file."""
    names = [f"{i}.h5" for i in range(1, 4)]
    for i, name in enumerate(names):
        clack("run", STUDY, *SETTINGS, "--shard", f"{i + 1}/3", "-o", name)
    framed = [name for name in names if has_frames(name)]
    check(framed == names[:1], f"shards with frames: {framed}")
    by_coordinates = {"data_vars": "minimal", "coords": "minimal", "compat": "override"}
    nested = dict(by_coordinates, combine="nested", concat_dim="event")
    for engine in "netcdf4", "h5netcdf":
        for group, files, options in ((None, names, by_coordinates), ("parameters", names, by_coordinates),
                                      ("trajectory", framed, by_coordinates), ("events", names, nested)):
            with (xr.open_dataset(path, engine=engine, group=group) as whole,
                  xr.open_mfdataset(files, engine=engine, group=group, **options) as joined):
                for name in set(whole.variables) - {"event", "first_event", "first_contact"}:
                    check(same(joined[name].values, whole[name].values), f"{engine}: shards: {group}: {name}")
                check(group is not None or joined.chunks["scene"] == (8, 8, 8), f"{engine}: shards: {joined.chunks}")


def has_frames(name):
    with h5py.File(name) as file:
        return "trajectory" in file


def check_mdanalysis(path):
    """The lines of the page about --h5md."""
    clack("export", path, "--h5md", "--scene", "0", "-q", "-o", "bouncing_sphere.h5md")
    with open(os.path.join(SOURCE, "host", "record", "README.md")) as page:
        section = page.read().split("**`--h5md`**")[1].split("\n## ")[0]
    said = {}
    exec(re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1), said) # pylint: disable=exec-used
    with h5py.File(path) as file:
        ball = list(file["body_name"].asstr()[:]).index("ball")
        expected, times = file["trajectory/position"][0, :, ball, 2], file["trajectory/time"][:]
        speeds = file["trajectory/velocity"][0, :, ball, 2]
    check(np.abs(np.array(said["heights"]) - expected).max() < 1e-6 and len(expected) > 10,
          "MDAnalysis: heights, which it keeps as 32-bit numbers")
    found = [(now.time, now.velocities[ball, 2], now.dimensions) for now in said["universe"].trajectory]
    check(np.array_equal([row[0] for row in found], times) and all(row[2] is None for row in found),
          "MDAnalysis: times, and no box")
    check(np.abs(np.array([row[1] for row in found]) - speeds).max() < 1e-6, "MDAnalysis: velocities")


def check_that_trees_can_fail():
    """Files of version 1 are what xarray could not read; and another number is another number."""
    old = os.path.join(os.path.dirname(JOINTS), "version_1_ensemble.h5.xz")
    with lzma.open(old) as packed, open("old.h5", "wb") as file:
        file.write(packed.read())
    for engine in "netcdf4", "h5netcdf":
        check("open_datatree" in str(tree_differences("old.h5", engine)), f"{engine}: version 1 opens as a tree")
    with h5py.File("old.h5", "r+") as file: # all scenes recorded: it opens, and events have the root's scenes
        del file["trajectory"]
    for engine in "netcdf4", "h5netcdf":
        wrong = tree_differences("old.h5", engine)
        check({"events/scene", "contacts/scene", "joints/scene"} <= set(wrong), f"{engine}: version 1: {wrong}")


def main():
    print(f"xarray {xr.__version__}, MDAnalysis {MDAnalysis.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        path = "bouncing_sphere.h5"
        clack("run", STUDY, *SETTINGS, "-o", path)
        check_shards(path)
        check_page(path)
        check_mdanalysis(path)
        clack("run", STUDY, *SETTINGS, "--verify", "20%", "-o", "verified.h5")
        os.symlink(os.path.join(SOURCE, "data", "icosahedron.obj"), "icosahedron.obj")
        with open(JOINTS) as study, open("joints.yaml", "w") as copy:
            copy.write(study.read())
        clack("run", "joints.yaml", "-q", "-d", "native", "-o", "joints.h5")
        clack("evaluate", "joints.yaml", "joints.h5", "--scene", "3", "--contours", "-d", "native", "-q", "-o",
              "poses.h5")
        for engine in "netcdf4", "h5netcdf":
            for name in path, "verified.h5", "joints.h5", "poses.h5", "2.h5":
                check_tree(name, engine)
            for name in path, "joints.h5", "2.h5":
                check_rows(name, engine)
        check_that_trees_can_fail()
        os.chdir("/")
    if not failures:
        print("trees say what h5py says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
