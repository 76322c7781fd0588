"""The meshes of the anchor manoeuvre of a warship: make_anchor.py FOLDER [--pipe-tilt 6 ...]

Writes hull.stl (the bow round a hawse pipe), shank.stl and flukes.stl (a stockless anchor) into FOLDER: closed
surfaces in m, each one solid; the same numbers give the same files. Prints what a study of the manoeuvre needs: places,
masses, and how the anchor comes to lie when it is hauled in (--no-stow leaves that out, which takes a few seconds).

The scene: Dopico, Luaces, Lugris and Cuadrado, "A general contact algorithm for multibody system dynamics with complex
non-conforming 3D geometry", which gives the anchor's total mass, 6414 kg, and no dimension; those are ours. The pipe is
steep because the cable is one straight line: an anchor that hangs plumb below the cable's end has to meet the pipe's
mouth. Steep pipe and flared plating make an angle of about the flukes' swing, so that they lie against the ship's side.

All numbers, with units and defaults:
"""
import argparse
import dataclasses
import os
import sys

try:
    import numpy
except ImportError as missing:
    sys.exit(f"{missing}\nInstall it with: python3 -m pip install numpy")

import anchor_parts
import closed_surface as surface

STEEL = 7850.0  # kg/m^3


def option(part):
    return "--" + part.name.replace("_", "-")


def table():
    """A line for each number: option, default, unit, meaning."""
    return [f"  {option(part):20} {part.default:6g} {part.metadata['unit']:4} {part.metadata['meaning']}"
            for part in dataclasses.fields(anchor_parts.Parameters)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__ + "\n".join(table()), usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--no-stow", action="store_true", help="do not look for the place where the anchor ends")
    parser.add_argument("--write-parameters", action="store_true", help="print the table of numbers and end")
    for part in dataclasses.fields(anchor_parts.Parameters):
        parser.add_argument(option(part), type=float, default=part.default, metavar=part.metadata["unit"],
                            help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder is None and not given.write_parameters:
        parser.error("which folder?")
    return given


# --- the stowed place ---------------------------------------------------------------------------------
def turned(points, axis, angle):
    """About an axis through the origin, a unit vector."""
    return points * numpy.cos(angle) + numpy.cross(axis, points) * numpy.sin(angle) + \
        numpy.outer(points @ axis, axis) * (1 - numpy.cos(angle))


class Stowing:
    """The anchor with its shank on the pipe's axis, and how far it can be hauled up: yaw turns it about the axis
    (0: flukes at positive angles lean outboard), depth is how far the crown pin is below the mouth's centre."""

    def __init__(self, size, flukes):
        self.size, self.shape = size, anchor_parts.Hull(size)
        self.flukes, self.field = flukes[0], anchor_parts.flukes_field(size)
        dense = numpy.linspace(0, 2 * numpy.pi, 361)[:-1]
        tube = [self.shape.tube(dense, share) for share in numpy.linspace(0, 1, 31)]
        self.lip, self.centre_line = numpy.concatenate(tube), self.shape.centre_line(dense)
        self.corners = self.flukes.min(axis=0) - 0.1, self.flukes.max(axis=0) + 0.1
        # Columns: the anchor's axes at yaw 0, x outboard, y along the ship, z up the pipe.
        self.axes = numpy.stack([self.shape.across, [0, 1, 0], self.shape.axis], axis=1)

    def place(self, points, depth, angle, yaw):
        points = turned(turned(points, numpy.array([0, 1.0, 0]), angle), numpy.array([0, 0, 1.0]), yaw)
        return points @ self.axes.T - depth * self.shape.axis

    def back(self, points, depth, angle, yaw):
        points = (points + depth * self.shape.axis) @ self.axes
        return turned(turned(points, numpy.array([0, 0, 1.0]), -yaw), numpy.array([0, 1.0, 0]), -angle)

    def hull_gaps(self, points):
        """Distance of points from the hull as seen from outside; in the pipe's throat there is none."""
        shape, across = self.shape, points - numpy.outer(points @ self.shape.axis, self.shape.axis)
        plating = points @ shape.out - shape.bulge(points @ shape.up, points[:, 1])
        gaps = numpy.where(numpy.linalg.norm(across, axis=1) < shape.throat, 1.0, plating)
        near = numpy.flatnonzero(gaps < 2 * self.size.lip_tube)
        apart = points[near, None, :] - self.centre_line[None, ::2, :]
        tube = numpy.sqrt((apart * apart).sum(axis=2).min(axis=1)) - self.size.lip_tube
        gaps[near] = numpy.minimum(gaps[near], tube)
        return gaps

    def gaps(self, depth, angle, yaw):
        """Points of both bodies where they are near each other, and how far apart they are there."""
        flukes = self.place(self.flukes, depth, angle, yaw)
        lip = self.back(self.lip, depth, angle, yaw)
        near = numpy.flatnonzero(((lip > self.corners[0]) & (lip < self.corners[1])).all(axis=1))
        return (numpy.concatenate([flukes, self.lip[near]]),
                numpy.concatenate([self.hull_gaps(flukes), self.field(lip[near])]))

    def first_touch(self, angle, yaw):
        """The depth at which the flukes, hauled up along the axis at a fixed angle, touch first."""
        depth, step = self.size.shank_length, 0.1
        while depth > 0 and self.gaps(depth - step, angle, yaw)[1].min() > 0:
            depth -= step
        low, high = depth - step, depth
        for _ in range(12):
            middle = (low + high) / 2
            is_free = self.gaps(middle, angle, yaw)[1].min() > 0
            low, high = (low, middle) if is_free else (middle, high)
        return high

    def best(self, yaw):
        """The fluke angle at which the anchor goes in farthest, and the depth."""
        swing, depths = numpy.radians(self.size.swing), {}
        angles, width = numpy.linspace(-swing, swing, 11), swing / 5
        while width > 2e-4:
            for angle in angles:
                if angle not in depths:
                    depths[angle] = self.first_touch(angle, yaw)
            angle, width = min(angles, key=depths.get), width / 2
            angles = numpy.clip(angle + width * numpy.array([-1, 0, 1]), -swing, swing)
        return angle, depths[angle]

    def regions(self, depth, angle, yaw, within=0.005, apart=0.15):
        """Middles of the places where it touches: points less than `within` apart of the hull, those near to each
        other together."""
        points, gaps = self.gaps(depth, angle, yaw)
        left, found = points[gaps < within], []
        while len(left):
            group = numpy.zeros(len(left), bool)
            group[0] = True
            for _ in range(len(left)):
                reach = numpy.linalg.norm(left[:, None] - left[None, group], axis=2).min(axis=1) < apart
                if (reach == group).all():
                    break
                group = reach
            found.append(left[group].mean(axis=0))
            left = left[~group]
        return numpy.array(found)


# --- what is told ------------------------------------------------------------------------------------------
def vector(values):
    return "[" + ", ".join(f"{value if abs(value) > 5e-5 else 0:.4g}" for value in values) + "]"


def tell_mesh(name, mesh, mass):
    points, faces = mesh
    size, centroid, inertia = surface.moments(points, faces)
    lengths = surface.edge_lengths(points, faces)
    print(f"{name}.stl: {len(faces)} triangles, edges {lengths.min():.3f} to {lengths.max():.3f} m (median "
          f"{numpy.median(lengths):.3f}), volume {size:.4f} m3, centroid {vector(centroid)}")
    if mass is not None:
        print(f"  {mass:g} kg: {mass / size:.0f} kg/m3, {mass / size / STEEL:.3f} of steel; steel would be "
              f"{STEEL * size:.0f} kg; inertia about the centroid {vector(numpy.diag(inertia) * mass / size)} kg m2")


def tell_places(size):
    shape = anchor_parts.Hull(size)
    end = size.cable_end * shape.axis
    shackle = numpy.array([end[0], 0, -size.hang])
    print(f"pipe: axis {vector(shape.axis)} up from the mouth's centre [0, 0, 0], inner diameter "
          f"{size.pipe_diameter:g} m, {2 * shape.throat:g} m at the lip; {size.flare + size.pipe_tilt:g} deg from "
          f"the plating")
    print(f"cable: ends at {vector(end)}; at the start the shackle pin is plumb below, {vector(shackle)}: length "
          f"{numpy.linalg.norm(end - shackle):.4f} m")
    print(f"crown pin at the start: {vector(shackle - [0, 0, size.shank_length])}, axis [0, 1, 0]; the position of "
          f"both bodies, whose frames begin there")


def tell_stowing(size, flukes):
    stowing, shape = Stowing(size, flukes), anchor_parts.Hull(size)
    for degrees in (0, 45, 90):
        yaw = numpy.radians(degrees)
        angle, depth = stowing.best(yaw)
        regions = stowing.regions(depth, angle, yaw)
        length = size.cable_end - (size.shank_length - depth)
        places = ", ".join(vector(region) for region in regions)
        print(f"hauled in at yaw {degrees} deg: crown pin {depth:.3f} m below the mouth, "
              f"{vector(-depth * shape.axis)}, flukes at {numpy.degrees(angle):.1f} deg, cable {length:.3f} m, "
              f"{len(regions)} contact regions at {places}")


def main():
    given = arguments()
    if given.write_parameters:
        print("\n".join(table()))
        return
    size = anchor_parts.Parameters(**{part.name: getattr(given, part.name)
                                      for part in dataclasses.fields(anchor_parts.Parameters)})
    refusal = anchor_parts.refusal(size)
    if refusal:
        sys.exit(refusal)
    meshes = {"hull": anchor_parts.hull(size), "shank": anchor_parts.shank(size), "flukes": anchor_parts.flukes(size)}
    os.makedirs(given.folder, exist_ok=True)
    for name, mesh in meshes.items():
        flaw = surface.flaw(*mesh)
        if flaw:
            sys.exit(f"{name}: {flaw}; with smaller cells and edges, or other sizes, it may be closed")
        surface.write_stl(os.path.join(given.folder, name + ".stl"), *mesh)
        tell_mesh(name, mesh, None if name == "hull" else getattr(size, name + "_mass"))
    tell_places(size)
    if not given.no_stow:
        tell_stowing(size, meshes["flukes"])


if __name__ == "__main__":
    main()
