"""Scenes in one batch against the same scenes in batches of one (row T18 of the plan of quasi-rigid bodies)."""
import os
import subprocess
import tempfile

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


def run(clack, device, batch, settings=()):
    """All datasets with a value for each scene."""
    with tempfile.TemporaryDirectory(prefix="clack_alone_") as folder:
        output = os.path.join(folder, "out.h5")
        words = [word for each in settings for word in ("--set", each)]
        subprocess.run([clack, "run", os.path.join(HERE, "alone.yaml"), "-q", "-d", device, "--batch", str(batch), "-o",
                        output, *words], check=True)
        with h5py.File(output) as file:
            scenes = file["scene"].shape[0]
            return {name: data[:] for name, data in file.items()
                    if isinstance(data, h5py.Dataset) and data.shape[:1] == (scenes,) and data.dtype.kind in "fiu"}


def page_rows(clack, device, is_spoiled):
    """A row of the validation page. Spoiled: scenes that are alone have another gravity."""
    together = run(clack, device, 16384)
    alone = run(clack, device, 1, ["scene.gravity=[0, 0, -9.82]"] if is_spoiled else [])
    scenes = len(together["scene"])
    differ = numpy.zeros(scenes, dtype=bool)
    for name, values in together.items():
        same = values.view(numpy.uint8).reshape(scenes, -1) == alone[name].view(numpy.uint8).reshape(scenes, -1)
        differ |= ~same.all(axis=1)
    touched = int((together["touched"] > 0).sum())
    count = int(differ.sum())
    return [{"case": f"{scenes} tossed boxes, of which {touched} touch the ground; {len(together)} datasets",
             "quantity": "T18 scenes that differ", "expected": 0.0, "got": float(count), "error": float(count),
             "ok": count == 0 and touched > 16000, "count": scenes, "tolerance": "0 absolute",
             "source": "the same scenes in batches of one"}]


if __name__ == "__main__":
    import sys
    for row in page_rows(sys.argv[1], "native", False):
        print(row)
