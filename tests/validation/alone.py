"""Scenes in one batch against the same scenes in batches of one (row T18 of the plan of quasi-rigid bodies)."""
import os
import subprocess
import tempfile

import numpy
from ensemble_contents import contents, differences  # validate.py has found where

HERE = os.path.dirname(os.path.abspath(__file__))


def run(clack, device, batch, settings=()):
    """The datasets of the file's root."""
    with tempfile.TemporaryDirectory(prefix="clack_alone_") as folder:
        output = os.path.join(folder, "out.h5")
        words = [word for each in settings for word in ("--set", each)]
        subprocess.run([clack, "run", os.path.join(HERE, "alone.yaml"), "-q", "-d", device, "--batch", str(batch), "-o",
                        output, *words], check=True)
        return {name: said for name, said in contents(output).items()
                if isinstance(said, tuple) and "/" not in name}


def page_rows(clack, device, is_spoiled):
    """A row of the validation page. Spoiled: scenes that are alone have another gravity."""
    together = run(clack, device, 16384)
    alone = run(clack, device, 1, ["scene.gravity=[0, 0, -9.82]"] if is_spoiled else [])
    different = differences(together, alone)
    forces = numpy.frombuffer(together["touched"][-1])
    touched = int((forces > 0).sum())
    return [{"case": f"{len(forces)} tossed boxes, of which {touched} touch the ground",
             "quantity": f"T18 datasets that differ, of {len(together)}", "expected": 0.0, "got": float(len(different)),
             "error": float(len(different)), "ok": not different and touched > 16000, "count": len(forces),
             "tolerance": "0 absolute", "source": "the same scenes in batches of one"}]
