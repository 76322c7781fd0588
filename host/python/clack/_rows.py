"""Rows of C structs as NumPy's structured arrays, and as the tables that an ensemble file has of the same."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from ._library import ffi, lib, text

_KINDS = {"double": "f8", "int32_t": "i4", "int": "i4", "uint32_t": "u4", "unsigned int": "u4", "uint64_t": "u8",
          "size_t": "u8"}


def dtype(struct: str) -> numpy.dtype:
    """A C struct's rows as NumPy sees them; reserved fields are left out."""
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof(struct).fields:
        if name == "reserved":
            continue
        kind, shape = field.type, ()
        if kind.kind == "array":
            kind, shape = kind.item, (kind.length,)
        names.append(name)
        formats.append((_KINDS[kind.cname], shape))
        offsets.append(field.offset)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(struct)})


def rows_of(pointer, count: int, kind: numpy.dtype) -> numpy.ndarray:
    """A copy of `count` rows."""
    if count == 0:
        return numpy.empty(0, kind)
    return numpy.frombuffer(ffi.buffer(pointer, count * kind.itemsize), kind).copy()


# What clack.run(rows=...) takes: rows of a batch, where each scene's begin, the struct, the bit that asks for them, and
# its members with the names that the file's columns have, in the file's order.
TABLES: dict[str, tuple[str, str, int, dict[str, str]]] = {
    "events": ("first_event", "ClackEvent", lib.CLACK_BATCH_EVENTS, {
        "scene_number": "scene", "time_s": "time", "kind": "kind", "body_a": "body_a", "body_b": "body_b",
        "shape_a": "shape_a", "shape_b": "shape_b", "feature": "feature", "speed_m_per_s": "speed",
        "energy_lost_J": "energy_lost", "distance_m": "distance", "stiffness": "stiffness", "damping": "damping",
        "impulse_N_s": "impulse", "position_m": "position", "normal": "normal"}),
    "contacts": ("first_contact", "ClackRecordedContact", lib.CLACK_BATCH_CONTACTS, {
        "scene_number": "scene", "time_s": "time", "body_a": "body_a", "body_b": "body_b", "shape_a": "shape_a",
        "shape_b": "shape_b", "feature": "feature", "penetration_m": "penetration", "normal_N": "normal_force",
        "tangential_N": "tangential_force", "torque_N_m": "torque", "point_m": "point", "normal": "normal",
        "area_m2": "area"}),
    "joints": ("first_joint", "ClackRecordedJoint", lib.CLACK_BATCH_JOINTS, {
        "scene_number": "scene", "time_s": "time", "joint": "joint", "force_N": "force", "moment_N_m": "moment",
        "point_m": "point", "coordinate": "coordinate", "violation": "violation"})}
STATES, TRAJECTORY = lib.CLACK_BATCH_STATES, lib.CLACK_BATCH_TRAJECTORY
_STATE = {"position_m": ("position", "xyz"), "orientation": ("orientation", "quat"),
          "velocity_m_per_s": ("velocity", "xyz"), "angular_velocity_rad_per_s": ("angular_velocity", "xyz")}


def batch_rows(batch, table: str) -> numpy.ndarray:
    """A copy of a batch's rows of a table."""
    first, struct, _, _ = TABLES[table]
    return rows_of(getattr(batch, table), getattr(batch, first)[batch.scene_count], dtype(struct))


def to_table(rows: numpy.ndarray, table: str, bodies: Sequence[str], joints: Sequence[str]):
    """Rows as a DataFrame like that of clack.open: bodies, kinds and joints as words, vectors as _x, _y, _z."""
    import pandas
    words: dict[str, Sequence[str]] = {"body_a": [*bodies, ""], "body_b": [*bodies, ""], "joint": joints,
                                       "kind": [text(lib.clack_event_kind_name(kind)) for kind in range(4)]}
    columns: dict[str, Any] = {}
    for member, name in TABLES[table][3].items():
        values = rows[member]
        if name in words:
            values = numpy.array(words[name], dtype=object)[values]
        elif name == "scene":
            values = values.astype(numpy.int64)
        if values.ndim == 2:
            columns.update({f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")})
        else:
            columns[name] = values
    return pandas.DataFrame(columns)


def batch_states(batch) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Copies of a batch's times (scenes,) and states (scenes, bodies)."""
    states = rows_of(batch.states, batch.scene_count * batch.body_count, dtype("ClackBodyState"))
    return (rows_of(batch.times_s, batch.scene_count, numpy.dtype(float)),
            states.reshape(batch.scene_count, batch.body_count))


def to_dataset(scenes: numpy.ndarray, times: numpy.ndarray, states: numpy.ndarray, bodies: Sequence[str]):
    """States as an xarray Dataset, by scene and body as those of a trajectory."""
    import xarray
    data = {name: (("scene", "body", axis), states[member]) for member, (name, axis) in _STATE.items()}
    return xarray.Dataset({"time": ("scene", times), **data},
                          coords={"scene": scenes, "body": list(bodies), "xyz": list("xyz"), "quat": list("wxyz")})


def batch_frames(batch) -> list[tuple[int, numpy.ndarray, numpy.ndarray]]:
    """Of each scene of a batch that has frames: its number, copies of their times (frames,) and states (frames,
    bodies)."""
    first = list(batch.first_frame[0:batch.scene_count + 1])
    times = rows_of(batch.frame_times_s, first[-1], numpy.dtype(float))
    states = rows_of(batch.frames, first[-1] * batch.body_count, dtype("ClackBodyState")).reshape(-1, batch.body_count)
    return [(int(batch.scene_numbers[i]), times[begin:end], states[begin:end])
            for i, (begin, end) in enumerate(zip(first, first[1:])) if end > begin]


def to_trajectory(frames: Sequence[tuple[int, numpy.ndarray, numpy.ndarray]], bodies: Sequence[str]):
    """Frames of scenes as an xarray Dataset like that of clack.open; NaN after the last frame of a scene."""
    import xarray
    longest = max((times for _, times, _ in frames), key=len, default=numpy.empty(0))
    data = {}
    for member, (name, axis) in _STATE.items():
        values = numpy.full((len(frames), len(longest), len(bodies), 3 if axis == "xyz" else 4), numpy.nan)
        for i, (_, times, states) in enumerate(frames):
            values[i, :len(times)] = states[member]
        data[name] = ("scene", "time", "body", axis), values
    return xarray.Dataset(data, coords={"scene": [scene for scene, _, _ in frames], "time": longest,
                                        "body": list(bodies), "xyz": list("xyz"), "quat": list("wxyz")})
