"""The anchor manoeuvre of data/anchor.yaml (row W), of its first two scenes at h and h/2.

Forces on the anchor at the last recording (contacts, cable, weight), and the work of the winch against what contacts
and hinge have taken and the gain of energy, from recorded rows and states, with masses and gravity of its own.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
SCENES, G = 2, 9.81
MASSES_KG = numpy.array([2414.0, 4000.0])
WEIGHT_N = MASSES_KG.sum() * G
CABLE_END_M = numpy.array([-0.3658, 0, 3.481])
OPEN_OR_ENGULFED = 1024 | 2048


def run(clack, device, folder, *settings):
    words = [word for each in settings for word in ("--set", each)]
    path = os.path.join(folder, "out.h5")
    subprocess.run([clack, "run", os.path.join(folder, "anchor.yaml"), "-q", "-d", device, "-o", path, "--overwrite",
                    "--set", f"design.sobol.samples={SCENES}", *words], capture_output=True, check=True,
                   env=dict(os.environ, CLACK_DATA_DIR=DATA))
    with h5py.File(path) as file:
        return [of_scene(file, scene) for scene in range(SCENES)]


def of_scene(file, scene):
    """Numbers of a scene that has ended."""
    rows, frames = file["contacts"], file["trajectory"]
    last = rows["time"][()].max() if len(rows["time"]) else 0
    mine = numpy.flatnonzero((rows["scene_number"][()] == scene) & (rows["time"][()] == last))
    at = int(numpy.flatnonzero(frames["recorded"][()] == scene)[0])
    place, velocity, q = frames["position"][at], frames["velocity"][at], frames["orientation"][at, -1, 1]
    force = -WEIGHT_N * numpy.array([0, 0, 1])
    for k in mine:
        on_b = rows["normal_force"][k] * rows["normal"][k] + rows["tangential_force"][k]
        force += on_b if rows["body_b"][k] > 0 else -on_b
    arm = numpy.array([0, 0, 3.0])
    arm += 2 * numpy.cross(q[1:], numpy.cross(q[1:], arm) + q[0] * arm)
    cable = CABLE_END_M - (place[-1, 1] + arm)
    force += file["tension_held"][scene] * cable / numpy.linalg.norm(cable)
    # Spins at both ends are small: 0.4 kJ at 1 rad/s of 750.
    energy = (MASSES_KG * (G * place[:, 1:, 2] + (velocity[:, 1:] ** 2).sum(2) / 2)).sum(1)
    work = file["given_work"][scene]
    is_closed = file["status"][scene] == 0 and not file["flags"][scene] & OPEN_OR_ENGULFED
    return {"stowed": file["stowed"][scene], "regions": len(mine) if is_closed else -1,
            "force": numpy.linalg.norm(force) / WEIGHT_N, "depth": file["depth"][scene],
            "lean": file["lean"][scene], "speed": max(file["shank_speed"][scene], file["flukes_speed"][scene]),
            "work": abs(work - file["dissipated_energy"][scene] - (energy[-1] - energy[0])) / work}


def row(quantity, expected, values, source, absolute):
    errors = [abs(value - expected) for value in values]
    worst = errors.index(max(errors))
    return {"case": f"{SCENES} scenes of data/anchor.yaml", "quantity": quantity, "expected": float(expected),
            "got": float(values[worst]), "error": float(errors[worst]), "ok": bool(errors[worst] <= absolute),
            "count": len(values), "tolerance": f"{absolute:g} absolute", "source": source}


def rows_of(coarse, fine):
    both = coarse + fine
    of = lambda name: [scene[name] for scene in both]
    still = [each for each in both if each["speed"] < 1e-6] or both # others still swing, by 1 % of the weight
    return [row("W stowed, at h and h/2", 1, of("stowed"), "depth, aside, lean, speed of the study", 0),
            row("W regions at the end, as far as two; no contour ever open", 2, [min(n, 2) for n in of("regions")],
                "at least two", 0),
            row("W sum of the forces at rest, over the weight", 0, [each["force"] for each in still], "balance", 1e-3),
            row("W work of the winch less losses and gain of energy, over it", 0, of("work"), "balance", 1e-2),
            row("W depth at h/2, less that at h, m", 0, [b["depth"] - a["depth"] for a, b in zip(coarse, fine)],
                "0.3 mm of 64 scenes (data/anchor.md)", 3e-4),
            row("W lean of the flukes at h/2, less that at h, rad", 0,
                [b["lean"] - a["lean"] for a, b in zip(coarse, fine)], "7 mrad of 64 scenes", 7e-3)]


def page_rows(clack, device, is_spoiled):
    """Spoiled: under a gravity of 10 m/s^2, hauled in until 4 m of the cable are left, 4.01 m at h/2; the flukes'
    angle at h/2 that of others that lean less."""
    with tempfile.TemporaryDirectory(prefix="clack_stowing_") as folder:
        shutil.copy(os.path.join(DATA, "anchor.yaml"), folder)
        subprocess.run([sys.executable, os.path.join(DATA, "make_anchor.py"), os.path.join(folder, "anchor"),
                        "--no-stow"], capture_output=True, check=True,
                       env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        spoils = [["scene.gravity=[0, 0, -10]", "variables.cable_stowed=4"],
                  ["scene.gravity=[0, 0, -10]", "variables.cable_stowed=4.01", "variables.limit=0.678",
                   "variables.tilt=0.65"]] if is_spoiled else [[], ["solver.step=5.0e-4"]]
        coarse, fine = (run(clack, device, folder, *each) for each in spoils)
    return rows_of(coarse, fine)
