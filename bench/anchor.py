#!/usr/bin/env python3
"""What the ensemble of data/anchor.yaml says: python3 anchor.py WHOLE.h5 MESHES [HALF.h5] [-o FOLDER]

WHOLE.h5: the study; MESHES: the folder of its meshes; HALF.h5: its first scenes at half of the step. Written to
FOLDER/anchor.txt: shares with 95 % intervals (Wilson), quantiles of the largest tension, what decides them (logistic
regression on the varied numbers, each over its standard deviation, with 95 % intervals), the balance of forces and of
work in the scenes whose frames are recorded, and what changes at half of the step. Needs NumPy and h5py.
"""
import argparse
import os

import h5py
import numpy

G, CABLE_END_M, SHACKLE_M = 9.81, numpy.array([-0.3658, 0, 3.481]), numpy.array([0, 0, 3.0])
MASSES_KG = numpy.array([2414.0, 4000.0])
WEIGHT_N = MASSES_KG.sum() * G
NORMAL = 1.959964  # of 95 %
OVERLOAD_N = 3e5
STILL_M_PER_S = 1e-6  # for balances of forces
NOT_RUN = 1  # status of scenes that a merged file lacks


def wilson(hits, count):
    """Share and 95 % interval."""
    share, square = hits / count, NORMAL ** 2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = NORMAL / (1 + square / count) * numpy.sqrt(share * (1 - share) / count + square / (4 * count ** 2))
    return share, middle - half, middle + half


def centroid(path):
    """Of what a binary STL encloses."""
    data = open(path, "rb").read()
    row = numpy.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    corners = numpy.frombuffer(data, row, offset=84)["corners"].astype(float)
    volumes = numpy.linalg.det(corners) / 6
    return (volumes[:, None] * corners.sum(axis=1) / 4).sum(axis=0) / volumes.sum()


def rotate(quat, v):
    w, u = quat[..., :1], quat[..., 1:]
    return v + 2 * numpy.cross(u, numpy.cross(u, v) + w * v)


def logistic(inputs, hits):
    """Coefficients of standardised inputs, and their standard errors; by iteratively reweighted least squares."""
    x = numpy.column_stack([numpy.ones(len(hits)), (inputs - inputs.mean(0)) / inputs.std(0)])
    beta = numpy.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + numpy.exp(-x @ beta))
        information = (x * (p * (1 - p))[:, None]).T @ x + 1e-9 * numpy.eye(x.shape[1])
        step = numpy.linalg.solve(information, x.T @ (hits - p))
        beta += step
        if abs(step).max() < 1e-10:
            break
    return beta[1:], numpy.sqrt(numpy.diag(numpy.linalg.inv(information)))[1:]


def values(file, name):
    """Of the scenes that were run."""
    return file[name][()][file["status"][()] != NOT_RUN]


def inputs_of(file):
    """The varied numbers: of angles their cosines and sines."""
    yaw, swing, towards = (values(file, f"parameters/{name}") for name in ("yaw", "swing", "towards"))
    return {"cos yaw": numpy.cos(yaw), "sin yaw": numpy.sin(yaw), "cos 2 yaw": numpy.cos(2 * yaw),
            "swing outboard": swing * numpy.sin(towards), "swing along the ship": swing * numpy.cos(towards),
            "mu": values(file, "parameters/mu"), "haul": values(file, "parameters/haul")}


def write_shares(file, out):
    statuses = values(file, "status")
    count = len(statuses)
    out(f"{count} scenes of {len(file['status'])}, {(statuses != 0).sum()} failed")
    regions = contacts_at_end(file)
    rest = (values(file, "shank_speed") < 1e-3) & (values(file, "flukes_speed") < 1e-3)
    tension, stowed = values(file, "tension"), values(file, "stowed") > 0
    shares = {"stowed": stowed, "at rest (below 1 mm/s)": rest,
              "tension above 300 kN at some time": tension > OVERLOAD_N,
              "stowed, never above 300 kN": stowed & (tension <= OVERLOAD_N)}
    for name, hits in shares.items():
        share, low, high = wilson(hits.sum(), count)
        out(f"{name}: {share:.3f} ({low:.3f} to {high:.3f})")
    out("largest tension, kN, quantiles 5, 25, 50, 75, 95 %: "
        + ", ".join(f"{q / 1e3:.0f}" for q in numpy.quantile(tension, [.05, .25, .5, .75, .95])))
    out(f"contact regions at the end of the recorded scenes: {regions}")
    return shares


def contacts_at_end(file):
    rows = file["contacts"]
    times, scenes = rows["time"][()], rows["scene_number"][()]
    if len(times) == 0:
        return []
    last = times.max()
    return [int(((times == last) & (scenes == s)).sum()) for s in range(int(scenes.max()) + 1)]


def write_effects(file, shares, out):
    inputs = inputs_of(file)
    x = numpy.column_stack(list(inputs.values()))
    for name in ("stowed", "tension above 300 kN at some time"):
        hits = shares[name].astype(float)
        if hits.min() == hits.max():
            out(f"{name}: alike in all scenes")
            continue
        beta, error = logistic(x, hits)
        out(f"{name}, log odds for each standard deviation:")
        for key, b, e in zip(inputs, beta, error):
            out(f"  {key}: {b:+.2f} ({b - NORMAL * e:+.2f} to {b + NORMAL * e:+.2f})")


def write_balances(file, folder, out):
    """Of scenes with frames that lie still at the end."""
    middles = [centroid(os.path.join(folder, name)) for name in ("shank.stl", "flukes.stl")]
    frames = file["trajectory"]
    rows = file["contacts"]
    last = rows["time"][()].max()
    forces, works = [], []
    for at, scene in enumerate(frames["recorded"][()]):
        if file["shank_speed"][scene] > STILL_M_PER_S or file["tension"][scene] > 1e6:
            continue
        end = numpy.flatnonzero(numpy.isfinite(frames["position"][at, :, 1, 0]))[-1]
        place, quat = frames["position"][at][[0, end], 1:], frames["orientation"][at][[0, end], 1:]
        rises = [(place[1, b] + rotate(quat[1, b], middles[b]) - place[0, b] - rotate(quat[0, b], middles[b]))[2]
                 for b in range(2)]
        start_J = 0.5 * MASSES_KG.sum() * file["parameters"]["haul"][scene] ** 2
        gained_J = G * (MASSES_KG * rises).sum() - start_J
        lost_J = file["dissipated_energy"][scene] - file["given_work"][scene]
        works.append(abs(gained_J + lost_J) / abs(lost_J))
        mine = (rows["scene_number"][()] == scene) & (rows["time"][()] == last)
        sign = numpy.where(rows["body_b"][mine] > 0, 1.0, -1.0)[:, None]
        force = (sign * (rows["normal_force"][mine][:, None] * rows["normal"][mine] + rows["tangential_force"][mine]))
        cable = CABLE_END_M - place[1, 0] - rotate(quat[1, 0], SHACKLE_M)
        total = force.sum(axis=0) + file["tension_held"][scene] * cable / numpy.linalg.norm(cable) - [0, 0, WEIGHT_N]
        forces.append(numpy.linalg.norm(total) / WEIGHT_N)
    out(f"{len(works)} scenes with frames that are at rest and were never above 1 MN: forces at the end sum to "
        f"{max(forces):.1e} of the weight at most, work and energy differ by {max(works):.1e} of the work at most")


def write_half(file, half, out):
    count = len(half["status"])
    good = half["status"][()] == 0
    same = (file["stowed"][:count] > 0) == (half["stowed"][()] > 0)
    calm = (file["tension"][:count] < OVERLOAD_N) & (half["tension"][()] < OVERLOAD_N)
    out(f"{count} scenes at half of the step: {(~good).sum()} failed, {(same & good).sum()} alike in whether they are "
        "stowed")
    for name, unit in (("depth", "m"), ("lean", "rad"), ("tension", "N")):
        change = abs(file[name][:count] - half[name][()])[good]
        few = change[calm[good]]
        out(f"  {name}: changes by {numpy.median(change):.2g} (median), {change.max():.2g} {unit} at most; of the "
            f"{len(few)} that stay below 300 kN {few.max() if len(few) else float('nan'):.2g} at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("whole")
    parser.add_argument("meshes")
    parser.add_argument("half", nargs="?")
    parser.add_argument("-o", "--output", default=".")
    given = parser.parse_args()
    lines = []
    with h5py.File(given.whole) as file:
        shares = write_shares(file, lines.append)
        write_effects(file, shares, lines.append)
        write_balances(file, given.meshes, lines.append)
        if given.half:
            with h5py.File(given.half) as half:
                write_half(file, half, lines.append)
    os.makedirs(given.output, exist_ok=True)
    with open(os.path.join(given.output, "anchor.txt"), "w") as text:
        text.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
