"""Pictures of the study anchor.yaml: draw_anchor.py KIND FILE.h5 [options]

  stowed FILE.h5 MESHES   how the anchor of a scene lies in the pipe's mouth, with the forces of its contacts: a PNG
                          file. MESHES: the folder that make_anchor.py wrote. The ship's side is cut open in the side
                          view and translucent in that from outboard.
  sweep FILE.h5           which scenes stow, over what was drawn for them: an SVG file
  tension FILE.h5         tension of the cable over time, of files with quantities `t_000: {value: cable.tension,
                          at: 0}`, `t_001`, ... : an SVG file

Forces are those on the anchor (green: normal, red: friction) and begin at the contact point of their region; the
printed line tells their scale. KIND --help lists the options of each.
"""
import argparse
import os
import re
import sys

try:
    import h5py
    import numpy
except ImportError as missing:
    sys.exit(f"{missing}\nInstall it with: python3 -m pip install h5py numpy")

import anchor_parts
import draw_chart as chart
import draw_surface as drawing

SIZE = 1200, 900
HULL, SHANK, FLUKES, CABLE = (150, 172, 190), (205, 170, 90), (196, 122, 74), (60, 60, 64)
GREEN, RED = (0, 150, 40), (215, 25, 30)
VIEWS = {  # where to, the point in the middle
    "side": ((-0.12, 1, 0.1), (0.3, 0, 1.0)),
    "front": ((-1, 0.45, 0.4), (0.2, 0, 0.1)),
    "below": ((-0.35, 0.3, 1), (0.1, 0, -0.4)),
}
METRES = 5.8  # from top to bottom, in all views, so that arrows can be compared
PARAMETERS = {  # title, factor, ticks
    "yaw": ("yaw of the anchor (deg)", 180 / numpy.pi, range(-180, 181, 60)),
    "swing": ("swing off the vertical (deg)", 180 / numpy.pi, None),
    "towards": ("direction of the swing's axis (deg)", 180 / numpy.pi, range(0, 361, 60)),
    "mu": ("friction coefficient", 1, None),
    "haul": ("winch's speed (m/s)", 1, None),
}
LONGEST = 1.3  # m, of an arrow, unless another scale is given
LIMIT = 300.0  # kN, that of the quantity overloaded


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    stowed, sweep, tension = (kinds.add_parser(kind) for kind in ("stowed", "sweep", "tension"))
    for part, ending in ((stowed, "png"), (sweep, "svg"), (tension, "svg")):
        part.add_argument("file", metavar="FILE.h5")
        part.add_argument("-o", "--output", default=f"anchor_{part.prog.split()[-1]}.{ending}")
    stowed.add_argument("meshes", metavar="MESHES")
    stowed.add_argument("--scene", type=int, default=0)
    stowed.add_argument("--time", type=float, help="s, of the frame that is drawn; default the last one")
    stowed.add_argument("--view", choices=["both", *VIEWS], default="both", help="both: side and front")
    stowed.add_argument("--scale", type=float, help="kN for each metre of an arrow; default: a round number")
    sweep.add_argument("--over", default="yaw", choices=PARAMETERS)
    sweep.add_argument("--against", nargs="+", default=["mu", "swing"], choices=PARAMETERS, help="a panel for each")
    tension.add_argument("--scenes", type=lambda words: [int(word) for word in words.split(",")], default=[0])
    tension.add_argument("--times", help="START,STEP in s of t_000, t_001, ...; default: what the file says of each")
    tension.add_argument("--linear", action="store_true", help="a linear axis; default: a logarithmic one")
    return parser.parse_args()


# --- the anchor in the pipe -----------------------------------------------------------------------------
def read_stl(path):
    """Points and faces of a binary STL file; equal corners stay several points."""
    with open(path, "rb") as file:
        data = file.read()
    row = numpy.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows = numpy.frombuffer(data, row, offset=84)
    return rows["corners"].reshape(-1, 3).astype(float), numpy.arange(3 * len(rows)).reshape(-1, 3)


def placed(points, position, quaternion):
    """Points of a body frame in the world."""
    w, vector = quaternion[0], quaternion[1:]
    across = 2 * numpy.cross(vector, points)
    return points + w * across + numpy.cross(vector, across) + position


class Frame:
    """A scene at one time: the places of its bodies and the forces of contacts on the anchor."""

    def __init__(self, file, scene, time):
        if "trajectory" not in file:
            sys.exit("the file has no trajectory: set outputs.trajectory in the study")
        scenes = file["trajectory/recorded"][:].tolist()
        if scene not in scenes:
            sys.exit(f"the file has the trajectories of scenes {scenes[0]} to {scenes[-1]}")
        paths, times = file["trajectory/position"][scenes.index(scene)], file["trajectory/time"][:]
        known = numpy.flatnonzero(numpy.isfinite(paths[:, 1:3]).all(axis=(1, 2)))
        if len(known) == 0:
            sys.exit(f"scene {scene} has no frame")
        step = known[-1] if time is None else known[numpy.abs(times[known] - time).argmin()]
        self.scene, self.time, self.position = scene, times[step], paths[step]
        self.orientation = file["trajectory/orientation"][scenes.index(scene), step]
        self.points, self.normal, self.tangential = self.contacts(file["contacts"], numpy.diff(times).min())

    def contacts(self, table, step):
        """Contact points, normal forces and friction on the anchor, of the record that belongs to the frame."""
        is_mine = table["scene_number"][:] == self.scene
        near = numpy.flatnonzero(is_mine & (abs(table["time"][:] - self.time) < step / 2))
        # Forces act on body B; a contact between hull and anchor might have the hull as that.
        side = numpy.where(table["body_b"][:][near] == 0, -1.0, 1.0)[:, None]
        normal = table["normal"][:][near] * table["normal_force"][:][near][:, None]
        return table["point"][:][near], side * normal, side * table["tangential_force"][:][near]


def solids(frame, folder):
    """The hull, and the anchor with its cable."""
    size = anchor_parts.Parameters()
    hull, shank, flukes = (read_stl(os.path.join(folder, name + ".stl")) for name in ("hull", "shank", "flukes"))
    parts = [(placed(part[0], frame.position[body], frame.orientation[body]), part[1])
             for body, part in ((1, shank), (2, flukes))]
    eye = placed(numpy.array([[0, 0, size.shank_length]]), frame.position[1], frame.orientation[1])[0]
    end = size.cable_end * anchor_parts.Hull(size).axis
    parts.append(drawing.tube(eye, end, 0.035))
    parts.append(drawing.tube(end - [0, 0.2, 0], end + [0, 0.2, 0], 0.1))  # what holds the cable: a mark of its end
    return drawing.together([hull], [HULL]), drawing.together(parts, [SHANK, FLUKES, CABLE, CABLE])


def seen(camera, hull, anchor, is_section):
    """A picture of hull and anchor. Where the hull is in front of the anchor, this shines through."""
    backdrop = numpy.linspace(255, 226, camera.height)[:, None, None]
    picture = numpy.ones((camera.height, camera.width, 3)) * backdrop
    is_cut = -hull[0][:, 1] if is_section else None  # what is nearer than the plane y = 0 is taken away
    hull_depth, owner = drawing.nearest(camera, hull[0], hull[1], is_cut)
    is_hull = owner >= 0
    picture[is_hull] = drawing.shaded(camera, hull, hull_depth, owner, is_section)[is_hull]
    depth, owner = drawing.nearest(camera, anchor[0], anchor[1])
    colours = drawing.shaded(camera, anchor, depth, owner)
    is_free, is_behind = (owner >= 0) & (depth <= hull_depth), (owner >= 0) & (depth > hull_depth)
    picture[is_free] = colours[is_free]
    picture[is_behind] = 0.62 * picture[is_behind] + 0.38 * colours[is_behind]
    return picture


def draw_forces(camera, picture, frame, scale):
    """scale: N for a metre."""
    for forces, colour in ((frame.normal, GREEN), (frame.tangential, RED)):
        for point, force in zip(frame.points, forces):
            ends = camera.project(numpy.array([point, point + force / scale]))[:, :2]
            drawing.arrow(picture, ends[0], ends[1], colour)
    for point in camera.project(frame.points)[:, :2]:
        for radius, shade in ((4.5, (255, 255, 255)), (3, (20, 20, 20))):
            turn = numpy.arange(12) * numpy.pi / 6
            ring = numpy.stack([numpy.cos(turn), numpy.sin(turn)], axis=1)
            drawing.polygon(picture, point + radius * drawing.FINER * ring, shade)


def draw_key(camera, picture, scale):
    """A metre, and how many kN an arrow of that length is."""
    pixel = drawing.FINER
    rows = [((20, 20, 20), "1 m"), (GREEN, f"normal {scale:g} kN"), (RED, f"friction {scale:g} kN")]
    left, top = 16 * pixel, camera.height - 66 * pixel
    right = int(left + camera.scale) + 12 * pixel
    picture[top - 14 * pixel:, :right + (12 * len(rows[-1][1]) + 8) * pixel] = 250
    for row, (colour, name) in enumerate(rows):
        start = numpy.array([left, top + row * 23 * pixel])
        end = start + [camera.scale, 0]
        if row == 0:
            for at in (start, end):
                drawing.polygon(picture, at + numpy.array([[-2, -12], [2, -12], [2, 12], [-2, 12]]), colour)
            drawing.polygon(picture, [start - [0, 2], end - [0, 2], end + [0, 2], start + [0, 2]], colour)
        else:
            drawing.arrow(picture, start, end, colour)
        drawing.words(picture, name, right, start[1] - 7 * pixel)


def round_up(value):
    """The next number of 1, 2, 5, 10, ..."""
    unit = 10.0 ** numpy.floor(numpy.log10(value))
    return next(float(factor * unit) for factor in (1, 2, 5, 10) if factor * unit >= value)


def draw_stowed(given):
    with h5py.File(given.file, "r") as file:
        frame = Frame(file, given.scene, given.time)
    hull, anchor = solids(frame, given.meshes)
    size = numpy.linalg.norm(numpy.concatenate([frame.normal, frame.tangential]), axis=1).max(initial=0)
    scale = given.scale or round_up(max(size, 1) / 1e3 / LONGEST)
    names = ["side", "front"] if given.view == "both" else [given.view]
    pictures = []
    for name in names:
        camera = drawing.Camera(*VIEWS[name], METRES, SIZE[0] // len(names), SIZE[1])
        pictures.append(seen(camera, hull, anchor, name == "side"))
        if name == names[-1] and len(frame.points):
            draw_key(camera, pictures[-1], scale)
        draw_forces(camera, pictures[-1], frame, 1e3 * scale)
    pictures[-1][:, :2 * drawing.FINER * (len(names) - 1)] = 40  # a line between the two
    count = drawing.write_png(given.output, numpy.concatenate(pictures, axis=1))
    forces = ", ".join(f"{numpy.linalg.norm(one) / 1e3:.2f} and {numpy.linalg.norm(other) / 1e3:.2f} kN"
                       for one, other in zip(frame.normal, frame.tangential)) or "none"
    print(f"{given.output}: {count} bytes, scene {frame.scene} at {frame.time:g} s ({', '.join(names)}); arrows: "
          f"{scale:g} kN for 1 m; normal force and friction of each contact: {forces}")


# --- charts ---------------------------------------------------------------------------------------------
def draw_sweep(given):
    with h5py.File(given.file, "r") as file:
        was_run = file["status"][:] != 1 # a merged file may lack scenes
        values = {name: file["parameters"][name][:][was_run] for name in [given.over, *given.against]}
        stowed, overloaded = file["stowed"][:][was_run], file["overloaded"][:][was_run]
    groups = [("stowed", (stowed == 1) & (overloaded == 0), "disc", chart.COLOURS[0]),
              ("stowed, overloaded", (stowed == 1) & (overloaded == 1), "ring", chart.COLOURS[4]),
              ("not stowed", (stowed == 0) & (overloaded == 0), "cross", chart.COLOURS[1]),
              ("not stowed, overloaded", (stowed == 0) & (overloaded == 1), "cross", "#000"),
              ("failed", ~numpy.isfinite(stowed), "cross", "#999")]
    groups = [group for group in groups if group[1].any()]
    panels, wide = [], 560
    for number, name in enumerate(given.against):
        axes = []
        for parameter in (given.over, name):
            title, factor, ticks = PARAMETERS[parameter]
            axes.append(chart.axis_round(title, values[parameter] * factor))
            if ticks is not None:
                axes[-1] = chart.axis_round(title, ticks, share=0.02).with_ticks(ticks)
        panel = chart.Panel((number * wide, 26, wide, 480), *axes)
        for title, chosen, kind, colour in groups:
            places = [values[parameter][chosen] * PARAMETERS[parameter][1] for parameter in (given.over, name)]
            panel.markers(*places, kind, colour, f"{title} ({chosen.sum()})")
        panels.append(panel)
    title = f"How {len(stowed)} anchors end that are hauled in (overloaded: cable above {LIMIT:g} kN at some time)"
    count = chart.write(given.output, title, panels, (wide * len(panels), 506))
    print(f"{given.output}: {count} bytes, {len(stowed)} scenes: " +
          ", ".join(f"{chosen.sum()} {name}" for name, chosen, _, _ in groups))


def tensions(file, times):
    """Times in s and the tension in kN, (time, scene), of the quantities t_000, t_001, ..."""
    names = sorted((name for name in file if re.fullmatch(r"t_\d+", name)), key=lambda name: int(name[2:]))
    if len(names) < 2:
        sys.exit("the file has no quantities t_000, t_001, ...")
    if times is not None:
        start, step = (float(word) for word in times.split(","))
        at = [start + step * int(name[2:]) for name in names]
    else:
        told = [re.search(r" at ([0-9.eE+-]+) s", file[name].attrs["long_name"].decode()) for name in names]
        if None in told:
            sys.exit("the file does not say the times of its quantities: --times START,STEP")
        at = [float(found.group(1)) for found in told]
    return numpy.array(at), numpy.stack([file[name][:] for name in names]) / 1e3


def draw_tension(given):
    with h5py.File(given.file, "r") as file:
        at, tension = tensions(file, given.times)
    if not 0 <= min(given.scenes) <= max(given.scenes) < tension.shape[1]:
        sys.exit(f"the file has scenes 0 to {tension.shape[1] - 1}")
    shown = tension[:, given.scenes]
    is_slack = not given.linear and (shown <= 0).any()
    title = "tension of the cable (kN)" + (", slack: lower edge" if is_slack else "")
    y = chart.axis_round(title, numpy.append(shown, LIMIT), not given.linear)
    x = chart.Axis("time (s)", at[0], at[-1])
    panel = chart.Panel((0, 26, 900, 470), x, y)
    panel.line([at[0], at[-1]], [LIMIT, LIMIT], "#888", f"{LIMIT:g} kN", True)
    for number, scene in enumerate(given.scenes):
        panel.line(at, shown[:, number], chart.COLOURS[number % len(chart.COLOURS)], f"scene {scene}")
    title = "Tension of the cable while the anchor is hauled in and held"
    count = chart.write(given.output, title, [panel], (900, 496))
    print(f"{given.output}: {count} bytes, {len(at)} times from {at[0]:g} to {at[-1]:g} s, largest "
          f"{numpy.nanmax(shown):.4g} kN")


def main():
    given = arguments()
    try:
        {"stowed": draw_stowed, "sweep": draw_sweep, "tension": draw_tension}[given.kind](given)
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
