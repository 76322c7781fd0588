#!/usr/bin/env python3
"""Open an ensemble file as a user would and check that it says the same to every reader.

usage: read_ensemble.py FILE

xarray with the engines h5netcdf and netcdf4 and with none named, and h5py, read the root and the groups parameters,
trajectory, events, contacts, joints and provenance.
Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import hashlib
import sys

try:
    import h5py
    import h5netcdf  # noqa: F401  (xarray loads it by name)
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"read_ensemble.py: skipped: {missing}")
    sys.exit(77)

ENGINES = ("h5netcdf", "netcdf4", None)
GROUPS = ("parameters", "trajectory", "events", "contacts", "joints", "provenance")
NOT_RUN = 1
# Scales and names that have no unit.
WITHOUT_UNIT = {"xyz", "quat", "body_name"}
FRAME_SHAPES = {"position": "xyz", "velocity": "xyz", "angular_velocity": "xyz", "orientation": "quat"}
EVENT_VECTORS = ("position", "normal", "impulse")
CONTACT_VECTORS = ("tangential_force", "torque", "point", "normal")
JOINT_VECTORS = ("force", "moment", "point")

failures = []


def check(is_right, sentence):
    if not is_right:
        failures.append(sentence)
    return is_right


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check_root_attributes(attrs, where):
    check(text(attrs["Conventions"]) == "CF-1.10", f"{where}: Conventions")
    check(text(attrs["ensemble_format"]) == "clack ensemble", f"{where}: ensemble_format")
    check(int(attrs["ensemble_format_version"]) == 2, f"{where}: ensemble_format_version")
    check(int(attrs["complete"]) in (0, 1), f"{where}: complete")
    check(text(attrs["source"]).startswith("clack "), f"{where}: source")
    check(len(text(attrs["study_sha256"])) == 64, f"{where}: study_sha256")


def check_root(data, where):
    check_root_attributes(data.attrs, where)
    scenes, bodies = data.sizes["scene"], data.sizes["body"]
    for name in ("status", "flags", "n_bodies", "status_time", "steps", "substeps", "rejects", "evaluations",
                 "n_events", "contacts_max", "energy_drift", "momentum_drift", "max_penetration", "dissipated_energy",
                 "error_sum"):
        check(data[name].dims == ("scene",), f"{where}: {name}: axes {data[name].dims}")
    status = data["status"].values
    check(status.shape == (scenes,) and status.dtype == np.uint8, f"{where}: status: {status.dtype}")
    meanings = data["status"].attrs["flag_meanings"].split()
    values = np.atleast_1d(data["status"].attrs["flag_values"])
    check(len(meanings) == len(values), f"{where}: status: as many meanings as values")
    check(set(status) <= set(values), f"{where}: status: a value without a meaning")
    check(meanings[:2] == ["ok", "not_run"], f"{where}: status: first meanings")
    masks = np.atleast_1d(data["flags"].attrs["flag_masks"])
    check(len(data["flags"].attrs["flag_meanings"].split()) == len(masks), f"{where}: flags: meanings")
    check(not np.any(data["flags"].values & ~np.bitwise_or.reduce(masks)), f"{where}: flags: unknown bit")
    run = status != NOT_RUN
    time = data["status_time"].values
    check(np.all(np.isnan(time[~run])), f"{where}: status_time: NaN where not run")
    check(not np.any(np.isnan(time[run])), f"{where}: status_time: a number where run")
    check(np.all(data["n_bodies"].values[run] > 0), f"{where}: n_bodies")
    check(np.all(data["n_bodies"].values <= bodies), f"{where}: n_bodies: more than there are")
    check(int(data.attrs["complete"]) == int(np.all(run)), f"{where}: complete")
    check("".join(text(c) for c in data["xyz"].values) == "xyz", f"{where}: xyz")
    check("".join(text(c) for c in data["quat"].values) == "wxyz", f"{where}: quat")
    names = [text(name) for name in data["body_name"].values]
    check(len(set(names)) == bodies and all(names), f"{where}: body_name: {names}")
    check(text(data["body"].attrs["flag_meanings"]).split() == names, f"{where}: body: names as flag_meanings")
    check(np.all(np.diff(data["scene"].values) == 1), f"{where}: scene: numbers without a gap")
    for name, variable in data.data_vars.items():
        if variable.attrs.get("role") == "quantity":
            check(variable.dims == ("scene",), f"{where}: {name}: axes")
            check(np.all(np.isnan(variable.values[~run])), f"{where}: {name}: NaN where not run")


def check_parameters(data, root, where):
    check(np.array_equal(data["scene"], root["scene"]), f"{where}: scene differs from the root's")
    run = root["status"].values != NOT_RUN
    for name, variable in data.data_vars.items():
        check(variable.dims == ("scene",), f"{where}: {name}: axes")
        check(np.array_equal(np.isnan(variable.values), ~run), f"{where}: {name}: a number exactly where run")
        check(text(variable.attrs["distribution"]) != "", f"{where}: {name}: distribution")


def check_trajectory(data, root, where):
    check(set(data["scene_number"].values) <= set(root["scene"].values), f"{where}: scene_number")
    check(np.array_equal(data["recorded"], data["scene_number"]), f"{where}: recorded")
    time = data["time"].values
    check(np.all(np.diff(time) > 0) and (len(time) == 0 or time[0] == 0), f"{where}: time ascends from 0")
    for name, last in FRAME_SHAPES.items():
        variable = data[name]
        check(variable.dims == ("recorded", "time", "body", last), f"{where}: {name}: axes {variable.dims}")
        if last == "quat":
            length = np.linalg.norm(variable.values, axis=-1)
            check(np.allclose(length[~np.isnan(length)], 1, atol=1e-9), f"{where}: {name}: unit quaternions")
    missing = {name: np.isnan(data[name].values).any(axis=-1) for name in FRAME_SHAPES}
    for name, gaps in missing.items():
        check(np.array_equal(gaps, missing["position"]), f"{where}: {name}: NaN where position is")
    there = ~missing["position"]
    check(not np.any(there[:, 1:] & ~there[:, :-1]), f"{where}: a frame after a missing one")
    run = root["status"].sel(scene=data["scene_number"].values).values != NOT_RUN
    check(not np.any(there[~run]), f"{where}: frames of a scene that was not run")


def check_rows(scene, root, row, where):
    """The root tells which rows of a table are each scene's."""
    numbers = root["scene"].values
    first, end = np.searchsorted(scene, numbers, "left"), np.searchsorted(scene, numbers, "right")
    wrong = numbers[end - first != root[f"n_{row}s"].values]
    check(len(wrong) == 0, f"{where}: n_{row}s of the root differs in scenes {wrong[:10]}")
    wrong = numbers[first != root[f"first_{row}"].values]
    check(len(wrong) == 0, f"{where}: first_{row} of the root differs in scenes {wrong[:10]}")


def check_events(data, root, where):
    events = data.sizes["event"]
    for name, variable in data.data_vars.items():
        expected = ("event", "xyz") if name in EVENT_VECTORS else ("event",)
        check(variable.dims == expected, f"{where}: {name}: axes {variable.dims}")
    check(np.array_equal(data["event"], np.arange(events)), f"{where}: event")
    meanings = data["kind"].attrs["flag_meanings"].split()
    check(meanings == ["begin", "end", "rest", "wake"], f"{where}: kind: {meanings}")
    kind, scene, time = data["kind"].values, data["scene_number"].values, data["time"].values
    check(np.all(kind < len(meanings)), f"{where}: kind: a value without a meaning")
    check(np.all(np.diff(scene) >= 0), f"{where}: by scene")
    check(np.all(np.diff(time)[np.diff(scene) == 0] >= 0), f"{where}: by time within a scene")
    check_rows(scene, root, "event", where)
    check(np.all(data["body_b"].values < root.sizes["body"]), f"{where}: body_b")
    begins = kind == 0
    if "distance" in data: # files of earlier versions have none
        check(np.array_equal(np.isfinite(data["distance"]), begins), f"{where}: distance: of contacts that begin")
        acts = np.isfinite(data["stiffness"].values)
        check(not np.any(acts & ~begins) and np.array_equal(np.isfinite(data["damping"]), acts),
              f"{where}: stiffness and damping")
    touching = kind < 2
    check(np.array_equal(data["shape_a"].values >= 0, touching), f"{where}: shape_a: -1 for rest and wake only")


def check_contacts(data, root, where):
    for name, variable in data.data_vars.items():
        expected = ("contact", "xyz") if name in CONTACT_VECTORS else ("contact",)
        check(variable.dims == expected, f"{where}: {name}: axes {variable.dims}")
    check(np.array_equal(data["contact"], np.arange(data.sizes["contact"])), f"{where}: contact")
    scene, time = data["scene_number"].values, data["time"].values
    check_rows(scene, root, "contact", where)
    same = np.diff(scene) == 0
    check(np.all(np.diff(scene) >= 0), f"{where}: by scene")
    check(np.all(np.diff(time)[same] >= 0), f"{where}: by time within a scene")
    key = np.stack([data[name].values for name in ("shape_a", "shape_b", "feature")], axis=-1).tolist()
    ordered = [a < b for a, b in zip(key, key[1:])]
    check(np.all(np.array(ordered, dtype=bool)[same & (np.diff(time) == 0)]), f"{where}: by pair at a time")
    check(set(scene) <= set(root["scene"].values[root["status"].values != NOT_RUN]), f"{where}: scene")
    check(np.all(data["body_a"].values < data["body_b"].values), f"{where}: body_a < body_b")
    check(np.all(data["body_b"].values < root.sizes["body"]), f"{where}: body_b")
    check(np.allclose(np.linalg.norm(data["normal"].values, axis=-1), 1, atol=1e-12), f"{where}: unit normals")


def check_joints(data, root, where):
    for name, variable in data.data_vars.items():
        expected = ("joint_row", "xyz") if name in JOINT_VECTORS else ("joint_row",)
        check(variable.dims == expected, f"{where}: {name}: axes {variable.dims}")
    key = np.stack([data[name].values for name in ("scene_number", "time", "joint")], axis=-1).tolist()
    check(all(a < b for a, b in zip(key, key[1:])), f"{where}: by scene, time, joint")
    check_rows(data["scene_number"].values, root, "joint_row", where)
    names = text(data["joint"].attrs["flag_meanings"]).split()
    check(set(data["joint"].values) <= set(range(len(names))), f"{where}: names of joints")


def check_provenance(data, root, where):
    for name in ("program", "version", "git_commit", "host", "started", "finished", "command_line", "platform",
                 "device", "driver", "build_options", "seed", "design"):
        check(name in data.attrs, f"{where}: {name} is missing")
    check(int(data.attrs["seed"]) >= 0, f"{where}: seed")
    if "input" not in data.sizes:
        return
    names, hashes = data["input_name"].values, [text(value) for value in data["input_sha256"].values]
    check(all(text(name) for name in names), f"{where}: input_name")
    check(all(len(value) == 64 for value in hashes), f"{where}: input_sha256")
    if "study_text" in data:
        study = data["study_text"].values.astype(np.uint8).tobytes()
        check(hashlib.sha256(study).hexdigest() == hashes[0], f"{where}: study_text does not have its SHA-256")


CHECKS = {"parameters": check_parameters, "trajectory": check_trajectory, "events": check_events,
          "contacts": check_contacts, "joints": check_joints,
          "provenance": check_provenance}


def check_with_xarray(path, engine, groups):
    """Returns what was read, by group, so that readers can be compared."""
    label = f"xarray, engine {engine or 'not named'}"
    chosen = {} if engine is None else {"engine": engine}
    with xr.open_dataset(path, **chosen) as root:
        root.load()
    check_root(root, label)
    read = {"": root}
    for group in groups:
        with xr.open_dataset(path, group=group, **chosen) as data:
            data.load()
        CHECKS[group](data, root, f"{label}, /{group}")
        read[group] = data
    return read


def check_datasets_with_h5py(group, where):
    for name, dataset in group.items():
        if not isinstance(dataset, h5py.Dataset):
            continue
        check(dataset.dtype.names is None and dataset.dtype != bool, f"{where}{name}: type {dataset.dtype}")
        if name in WITHOUT_UNIT or name.startswith("input_"):
            continue
        check("units" in dataset.attrs, f"{where}{name}: units are missing")
        check(text(dataset.attrs.get("long_name", "")) != "", f"{where}{name}: long_name is missing")
        for axis, dimension in enumerate(dataset.dims):
            is_scale = dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"
            check(is_scale or len(dimension) == 1, f"{where}{name}: axis {axis} has no scale")


def check_with_h5py(path, groups, read):
    with h5py.File(path, "r") as file:
        check_root_attributes(file.attrs, "h5py")
        check_datasets_with_h5py(file, "h5py: /")
        for group in groups:
            check_datasets_with_h5py(file[group], f"h5py: /{group}/")
        for group, data in read.items():
            for name, variable in data.variables.items():
                raw = file[f"{group}/{name}"][...]
                if raw.dtype.kind in "SO":
                    continue
                check(np.array_equal(raw, variable.values, equal_nan=raw.dtype.kind == "f"),
                      f"h5py: {group}/{name} differs from xarray's")


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    path = sys.argv[1]
    with h5py.File(path, "r") as file:
        groups = [group for group in GROUPS if group in file]
    for group in ("parameters", "provenance"):
        check(group in groups, f"group /{group} is missing")
    reads = [check_with_xarray(path, engine, groups) for engine in ENGINES]
    for other in reads[1:]:
        for group, data in reads[0].items():
            same = set(data.variables) == set(other[group].variables)
            check(same and all(data[name].equals(other[group][name]) for name in data.variables
                               if data[name].dtype.kind not in "SO"), f"engines differ in /{group}")
    check_with_h5py(path, groups, reads[0])
    for failure in failures:
        print(f"{path}: {failure}")
    if not failures:
        print(f"{path}: {reads[0][''].sizes['scene']} scenes, root and {', '.join(groups)} read alike by all")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
