"""What ensemble files say, for comparing two of them bit by bit, and a small study that makes every kind of data.

Compared: every group, dataset (type, shape, chunks, fill value, filters, scales, bytes) and attribute (type, shape,
bytes, order). Not compared: the times `started` and `finished`, and the time before the command in `history`.
"""
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, {uniform: [0.1, 0.6]}]}
    cube: {material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}], position: [1, 0, {uniform: [0.2, 0.3]}]}
design: {sobol: {samples: 240, seed: 5}}
solver: {end: {uniform: [0.2, 0.4]}}
outputs:
  quantities: {impacts: {count: contact_begin, of: ball}, height: {max: ball.position.z, after: 0.1}}
  trajectory: {every: 0.01, scenes: 90}
  contacts: {every: 0.05, scenes: 120}
  events: true
"""
TIMES = {"started", "finished"}


def attribute(name, value, identifier):
    if name in TIMES:
        return "time"
    if name == "history":
        return value.split(b" ", 1)[1] if isinstance(value, bytes) else value.split(" ", 1)[1]
    if name in ("DIMENSION_LIST", "REFERENCE_LIST"):  # places within the file: the scales say the same by name
        return "references"
    array = np.asarray(value)
    return (array.dtype.str if array.dtype.kind != "O" else "text", array.shape, array.tobytes()
            if array.dtype.kind != "O" else str(value), identifier.get_type().get_size())


def contents(path):
    """Everything that a file says, by path; attributes in the order in which they were made."""
    said = {}

    def take(name, item):
        said[name + "@"] = [(key, attribute(key, item.attrs[key], h5py.h5a.open(item.id, key.encode())))
                            for key in item.attrs]
        if not isinstance(item, h5py.Dataset):
            said[name] = list(item)
            return
        scales = [[scale.name for scale in dimension.values()] for dimension in item.dims]
        values = item[...]
        said[name] = (str(item.dtype), item.shape, item.chunks, item.compression, item.shuffle, item.fletcher32,
                      scales, np.asarray(item.fillvalue).tobytes() if item.dtype.kind != "O" else "",
                      values.tobytes() if item.dtype.kind != "O" else [str(value) for value in values])

    with h5py.File(path, "r") as file:
        take("/", file)
        file.visititems(take)
    return said


def differences(first, second):
    names = sorted(set(first) | set(second))
    return [name for name in names if first.get(name) != second.get(name)]


def without_command(said):
    """The same without what tells the command line, which differs between ways to the same scenes."""
    kept = {name: what for name, what in said.items() if not name.startswith("provenance/parts")}
    kept["provenance"] = [name for name in kept["provenance"] if name != "parts"]
    for name, attributes in (("/@", {"history"}), ("provenance@", {"command_line"})):
        kept[name] = [(key, value) for key, value in kept[name] if key not in attributes]
    return kept
