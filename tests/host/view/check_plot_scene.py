#!/usr/bin/env python3
"""Figures of `clack plot` of one scene over time: what is drawn is what the file holds, read back
from the coordinates in the SVG.

usage: check_plot_scene.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: gnuplot or packages are missing.
"""
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_plot_scene.py: skipped: {missing}")
    sys.exit(77)
if shutil.which("gnuplot") is None:
    print("check_plot_scene.py: skipped: no gnuplot")
    sys.exit(77)

from program_checks import check, clack, failures
from figures import BALLS, NAMESPACE, PANEL, ROUNDING, axes, figure, labels, lines, numbers, run_study, symbols
from pushed_study import pushed_study


def check_lines(root, times, expected, what):
    x_of, y_scale = axes(root)
    drawn = [line for line in lines(root) if len(line) == len(times)]
    check(len(drawn) == len(expected), f"{what}: {len(drawn)} lines, expected {len(expected)}")
    size = max(np.ptp(values) for values in expected)
    for line, values in zip(drawn, expected):
        check(np.abs(x_of(line[:, 0]) - times).max() < ROUNDING * 10 * np.ptp(times), f"{what}: times")
        got = (line[:, 1] - line[0, 1]) * y_scale
        check(np.abs(got - (values - values[0])).max() < ROUNDING * 10 * size,
              f"{what}: {np.abs(got - values + values[0]).max()} off")


def check_scene(file):
    scene, body = 2, 1
    times = file["trajectory/time"][:]
    position, velocity, spin, orientation = (file["trajectory"][name][scene, :, body] for name in (
        "position", "velocity", "angular_velocity", "orientation"))
    check_lines(figure("trajectory", "ball", "--scene", "2"), times, list(position.T), "trajectory")
    # The ball's centre is 10 mm from its origin.
    w, axis = orientation[:, :1], orientation[:, 1:]
    arm = np.array([[0.01, 0, 0]])
    arm = arm + 2 * np.cross(axis, np.cross(axis, arm) + w * arm)
    centre, at = velocity + np.cross(spin, arm), position + arm
    density = 8000  # steel of the palette
    mass = density * np.pi / 6 * 0.1**3
    kinetic = 0.5 * mass * (centre**2).sum(axis=1) + 0.5 * 0.4 * mass * 0.05**2 * (spin**2).sum(axis=1)
    potential = mass * 9.81 * at[:, 2]
    check_lines(figure("energy", "--scene", "2"), times, [kinetic, potential, kinetic + potential], "energy")
    root = figure("events", "--scene", "2")
    kinds = file["events/kind"][:][file["events/scene_number"][:] == scene]
    drawn, expected = len(symbols(root)), len(kinds) + len(set(kinds))
    check(drawn == expected, f"events: {drawn} symbols, expected {expected} with those of the key")


def check_movers():
    """The only body that moves needs no name."""
    named, free = (xml.tostring(figure(kind, *words, "--scene", "2")) for kind in ["trajectory"]
                   for words in (["ball"], []))
    check(named == free, "trajectory: the only body that moves")
    check("ball" in "".join(figure("path").itertext()), "path: the only body that moves")
    with open("balls.yaml", "w") as out:
        out.write(BALLS)
    clack("run", "balls.yaml", "-q", "-d", "native", "-o", "balls.h5")
    for kind in "trajectory", "path":
        clack("plot", "balls.h5", kind, "-o", "no.svg", code=2, says="a body is missing: in scene 0 2 bodies move")


def check_interval(file):
    """Of trajectories, energy, paths, events what lies within --time, and no more."""
    times, way = file["trajectory/time"][:], file["trajectory/position"][2, :, 1]
    inside = (times >= 0.105) & (times <= 0.3)
    words = "--scene", "2", "--time", "0.105,0.3"
    check_lines(figure("trajectory", "ball", *words), times[inside], list(way[inside].T), "interval")
    root = figure("energy", *words)
    check({len(line) for line in lines(root)} == {inside.sum()}, "interval of energy")
    root = figure("path", "ball", *words)
    check(inside.sum() in {len(line) for line in lines(root)}, "interval of a path")
    rows = file["events/scene_number"][:] == 2
    at, kinds = file["events/time"][rows], file["events/kind"][rows]
    first = at[0]
    root = figure("events", "--scene", "2", "--time", f"{first - 1e-3},{first + 1e-3}")
    near = np.abs(at - first) < 1e-3
    expected = near.sum() + len(set(kinds))
    check(near.sum() < len(at) and len(symbols(root)) in (expected, near.sum() + len(set(kinds[near]))),
          f"interval of events: {len(symbols(root))} symbols, expected {expected}")
    for kind in ["trajectory", "ball"], ["path", "ball"], ["energy"]:
        clack("plot", "x.h5", *kind, "--time", "7,8", "-o", "no.svg", code=2, says="but from 0 to 0.5 s")
        clack("plot", "x.h5", *kind, "--time", "0.101,0.102", "-o", "no.svg", code=2, says="no state is recorded")
    clack("plot", "x.h5", "events", "--time", "7,8", "-o", "no.svg", code=2, says="in the interval of --time")
    for interval in "", "1", "1,1", "2,1", "-1,1", "0,nan", "0,1,2":
        clack("plot", "x.h5", "energy", f"--time={interval}", "-o", "no.svg", code=2, says="the first before")
    clack("plot", "x.h5", "ecdf", "--time", "0,1", "-o", "no.svg", code=2, says="trajectory, path, energy, force")


def rows_of(file, scene):
    """Rows of /contacts of a scene; the name of the column of their scenes differs between versions."""
    name = "contacts/scene_number" if "contacts/scene_number" in file else "contacts/scene"
    return file[name][:] == scene


def check_forces_of(path, name, body, every):
    """Both lines of a body against sums of the rows of scene 1, at every time of recording."""
    clack("plot", path, "force", name, "--scene", "1", "-o", "x.svg", "--overwrite", "-q")
    root = xml.parse("x.svg").getroot()
    times = np.arange(round(0.2 / every) + 1) * every
    found = [line for line in lines(root) if len(line) > 10]
    check(len(found) == 2, f"force of {name}: {len(found)} lines, expected 2")
    with h5py.File(path) as file:
        rows = rows_of(file, 1) & (file["contacts/body_b"][:] == body)
        at = np.rint(file["contacts/time"][rows] / every).astype(int)
        normal, tangential = np.zeros(len(times)), np.zeros((len(times), 3))
        np.add.at(normal, at, file["contacts/normal_force"][rows])
        np.add.at(tangential, at, file["contacts/tangential_force"][rows])
    scale = abs(axes(root, PANEL)[1])  # of the left panel
    for line, expected in zip(found, (normal, np.linalg.norm(tangential, axis=1))):
        heights = line[:, 1].max() - line[:, 1]
        values = heights * (scale if expected is normal else expected.max() / max(heights.max(), 1e-9))
        # Between recordings the line is straight: its points stand for those that gnuplot left out, too.
        drawn = np.interp(times, (line[:, 0] - line[0, 0]) / np.ptp(line[:, 0]) * 0.2, values)
        off = np.abs(drawn - expected)
        check(expected.min() == 0 < expected.max() and off.max() < 2e-2 * expected.max(),
              f"force of {name}: {off.max()} off at {times[off.argmax()]}, of {expected.max()}")
    text = "".join(root.itertext())
    check(f"ground - {name}" in text and "normal force (N)" in text and "tangential force (N)" in text,
          f"force of {name}: {text}")
    return at


def check_force():
    """Forces of a pair are those of all its contacts, and 0 where it has none, also where nobody has any."""
    with open("pushed.yaml", "w") as out:
        out.write(pushed_study(0.2, 0.002))
    clack("run", "pushed.yaml", "-q", "-d", "native", "-o", "p.h5")
    at = check_forces_of("p.h5", "block", 1, 0.002)
    check(len(at) > 2 * len(set(at)) > 0, f"the block has {len(at)} contacts at {len(set(at))} times")
    clack("run", "pushed.yaml", "-q", "-d", "native", "-o", "b.h5", "--set", "scene.bodies.block.position=[0, 0, 9]",
          "--set", "outputs.contacts.every=0.0001")
    at = check_forces_of("b.h5", "ball", 2, 0.0001)
    check(max(np.diff(sorted(set(at)))) > 100, f"the ball is in the air between contacts: {sorted(set(at))}")
    refuse = ("plot", "p.h5", "force", "-o", "no.svg")
    clack(*refuse, "--time", "7,8", code=2, says="in the interval of --time")
    clack("plot", "p.h5", "force", "block", "--scene", "1", "--time", "0.05,0.07", "-o", "x.svg", "--overwrite", "-q")
    ticks = [float(text) for _, text in labels(xml.parse("x.svg").getroot(), "middle")
             if re.fullmatch(r"[\d.]+", text)]
    check(ticks and 0.05 <= min(ticks) < max(ticks) <= 0.07, f"force of an interval: ticks at {ticks}")
    clack(*refuse, "bal", code=2, says='did you mean "ball"')
    clack(*refuse, "block", "ball", code=2, says="has no contact of these bodies")
    clack(*refuse, "--scene", "2", code=2, says="has no contact of scene 2")
    clack("plot", "x.h5", "force", "-o", "no.svg", code=2, says='"outputs: {contacts: {every: 0.001}}"')


def check_missed():
    """Peaks between recordings are told, with the shortest contact and the largest force that the file knows."""
    for every, is_missed in (0.01, True), (1e-5, False):
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "m.h5", "--overwrite", "--scene", "0",
              "--set", f"outputs.contacts={{every: {every}}}", "--set", f"solver.end={2 if is_missed else 0.25}",
              "--set", "outputs.quantities={load: {max: ball.contact_force}}",
              "--set", "scene.pairs[0].restitution=0.2")
        with h5py.File("m.h5") as file:
            kind, time = file["events/kind"][:], file["events/time"][:]
            load, drawn = file["load"][0], file["contacts/normal_force"][:].max()
        shortest = (time[kind == 1] - time[kind == 0][:(kind == 1).sum()]).min()
        check(0 < shortest < 0.001 < 0.01 * load, f"missed: contacts of {shortest} s, {load} N")
        check((drawn < 0.5 * load) == is_missed, f"missed: {drawn} N of {load} N are drawn")
        done = clack("plot", "m.h5", "force", "-o", "m.svg", "--overwrite")
        text = "".join("".join(xml.parse("m.svg").getroot().itertext()).split())
        check("".join(f"Recorded every {1e3 * every:.3g} ms.".split()) in text, f"missed: {text}")
        said = f"Contacts as short as {1e3 * shortest:.3g} ms", f"In this scene load is {load:.4g} N."
        check(all(("".join(part.split()) in text) == is_missed for part in said), f"missed, {every}: {said}: {text}")
        check(("warning" in done.stderr and said[1] in done.stderr) == is_missed, f"missed: {done.stderr}")
        check("warning" not in clack("plot", "m.h5", "force", "-o", "m.svg", "--overwrite", "-q").stderr, "missed: -q")


# A ball hits the ground between recordings, another one lies there.
IMPACT = """
format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.3]}
    lying: {material: steel, shapes: [{sphere: {diameter: 0.2}}], position: [1, 0, 0.1]}
solver: {end: 0.25}
outputs: {quantities: {load: {max: ball.net_force.z}}, contacts: {every: 0.01}}
"""


def check_unrecorded():
    """Contacts of pairs that have no row are told as well, also where there is nothing to draw."""
    with open("impact.yaml", "w") as out:
        out.write(IMPACT)
    clack("run", "impact.yaml", "-q", "-d", "native", "-o", "i.h5")
    with h5py.File("i.h5") as file:
        ball = file["events/body_b"][:] == 1
        time, load = file["events/time"][ball], file["load"][0]
        check(list(file["events/kind"][ball]) == [0, 1] and set(file["contacts/body_b"][:]) == {2}, "an impact, no row")
    length, known = f"{1e3 * (time[1] - time[0]):.3g} ms", f"In this scene load is {load:.4g} N."
    said = f"contacts as short as {length} were recorded every 10 ms"
    done = clack("plot", "i.h5", "force", "-o", "i.svg", says=said)
    check(known in done.stderr, f"unrecorded: {done.stderr}")
    text = "".join("".join(xml.parse("i.svg").getroot().itertext()).split())
    check("".join(f"Contacts as short as {length} fall between".split()) in text, f"unrecorded: {text}")
    check("short" not in clack("plot", "i.h5", "force", "lying", "-o", "i.svg", "--overwrite").stderr, "of others")
    refuse = ("plot", "i.h5", "force", "-o", "no.svg")
    between = f"scene 0: 1 contact was between recordings, every 10 ms, as short as {length}: "
    for words in ["ball"], ["ball", "--time", f"{time[0] + 1e-5},{time[0] + 2e-5}"]:
        done = clack(*refuse, *words, code=2, says="has no contact of this body when they were recorded")
        check(between in done.stderr and known in done.stderr, f"nothing recorded: {done.stderr}")
    check("between" not in clack(*refuse, "ball", "--time", "0,0.1", code=2).stderr, "before the impact")
    clack("run", "impact.yaml", "-q", "-d", "native", "-o", "j.h5", "--set", "scene.bodies.lying.position=[1, 0, 9]")
    for words in [], ["--scene", "0"]:
        clack("plot", "j.h5", "force", *words, "-o", "no.svg", code=2, says=between)


def check_ground():
    """Of a half-space the line is drawn from edge to edge of the panel of a path, of any shape; from above none."""
    for size in "300x900px", "1200x300px":
        root = figure("path", "ball", "--scene", "2", "--plane", "xz", "--size", size)
        parts = [np.array(numbers(part)).reshape(-1, 2) for path in root.iter(f"{NAMESPACE}path")
                 for part in path.get("d").split("M") if "L" in part]
        frame = max((part for part in parts if len(part) == 3), key=lambda part: np.ptp(part[:, 0])) # border 3
        level = [part for part in parts if len(part) == 2 and np.ptp(part[:, 1]) < 0.01 and np.ptp(part[:, 0]) > 50]
        widest = max(level, key=lambda part: np.ptp(part[:, 0]), default=np.zeros((2, 2)))
        check(np.ptp(widest[:, 0]) > np.ptp(frame[:, 0]) - 0.5, f"ground of {size}: {widest} of {frame}")
        check("fixed shapes" in "".join(root.itertext()), f"ground of {size}: no entry")
    text = "".join(figure("path", "ball", "--scene", "2", "--plane", "xy").itertext())
    check("fixed shapes" not in text, f"ground from above: {text}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_study()
        with h5py.File("x.h5") as file:
            check_scene(file)
            check_interval(file)
        check_movers()
        check_force()
        check_missed()
        check_unrecorded()
        check_ground()
        os.chdir("/")
    if not failures:
        print("figures of a scene show what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
