"""Contact regions of meshes by `clack evaluate`, in poses whose regions are known: two balls in each other, two feet in
the ground, a ring that stands in it up to its middle (one region with two contours), nothing, a ball below the
ground."""
import h5py
import numpy as np

from program_checks import clack

RADIUS, APART = 0.05, 0.08  # m: of the balls; of their centres
RING, TUBE = 0.2, 0.03      # m: radii of the ring
FOOT = (0.04, 0.02)         # m
STUDY = """
format: 1
title: Balls and a ring
scene:
  bodies:
    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{mesh: {file: ball.obj}}]}
    other: {material: steel, shapes: [{mesh: {file: ball.obj}}]}
    ring: {material: steel, shapes: [{mesh: {file: ring.obj}}]}
    feet: {material: steel, shapes: [{mesh: {file: feet.obj}}]}
solver: {end: 1}
"""


def write_mesh(name, points, faces):
    with open(name, "w") as out:
        out.write("".join("v %.17g %.17g %.17g\n" % tuple(point) for point in points))
        out.write("".join("f" + "".join(f" {k + 1}" for k in face) + "\n" for face in faces))


def ball(radius, rows=12, columns=24):
    """Of revolution, with its poles on x, so that no vertex is where two of them touch along z."""
    angles = np.pi * np.arange(1, rows) / rows
    turns = 2 * np.pi * np.arange(columns) / columns + 0.1
    points = [(np.cos(a), np.sin(a) * np.cos(t), np.sin(a) * np.sin(t)) for a in angles for t in turns]
    points += [(1, 0, 0), (-1, 0, 0)]
    triangles, last = [], (rows - 2) * columns
    for k in range(columns):
        n = (k + 1) % columns
        triangles += [(len(points) - 2, k, n), (len(points) - 1, last + n, last + k)]
        for r in range(rows - 2):
            a, b, c, d = r * columns + k, r * columns + n, (r + 1) * columns + n, (r + 1) * columns + k
            triangles += [(a, c, b), (a, d, c)]
    return radius * np.array(points), triangles


def ring(radius, tube, columns=36, rows=18):
    """About y."""
    points = [((radius + tube * np.cos(k)) * np.cos(i), tube * np.sin(k), (radius + tube * np.cos(k)) * np.sin(i))
              for i in 2 * np.pi * np.arange(columns) / columns for k in 2 * np.pi * np.arange(rows) / rows]
    triangles = []
    for i in range(columns):
        for k in range(rows):
            a, b = i * rows + k, (i + 1) % columns * rows + k
            c, d = (i + 1) % columns * rows + (k + 1) % rows, i * rows + (k + 1) % rows
            triangles += [(a, c, b), (a, d, c)]
    return np.array(points), triangles


def feet(apart=0.3, height=0.1):
    """Two blocks, which are two components of a mesh."""
    points = [(side * apart / 2 + x * FOOT[0], y * FOOT[1], z * height)
              for side in (-1, 1) for z in (0, 1) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (3, 2, 6, 7), (2, 0, 4, 6), (1, 3, 7, 5)]
    return points, [tuple(8 * side + k for k in face) for side in (0, 1) for face in faces]


def evaluate_regions(output, *options):
    """Files of the study, and what `clack evaluate` makes of it."""
    write_mesh("ball.obj", *ball(RADIUS))
    write_mesh("ring.obj", *ring(RING, TUBE))
    write_mesh("feet.obj", *feet())
    with open("regions.yaml", "w") as out:
        out.write(STUDY)
    position = np.tile([[0.0, 0, 0], [5, 0, 5], [6, 0, 5], [8, 0, 5], [9, 0, 5]], (5, 1, 1))
    position[0, 1], position[0, 2] = [0, 0, 1], [0, 0.6 * APART, 1 + 0.8 * APART]
    position[1, 4] = [0.3, 0.1, -0.001]
    position[2, 3] = [0.3, 0.1, 0.003]
    position[4, 1] = [0, 0, -1]
    with h5py.File("poses.h5", "w") as poses:
        poses["position"] = position
        poses["orientation"] = np.tile([1.0, 0, 0, 0], (5, 5, 1))
    clack("evaluate", "regions.yaml", "poses.h5", "-d", "native", "-q", "-o", output, *options)


def check_known(file, check):
    """The file's regions are those of the geometry, up to the flat triangles of what is round."""
    regions, of_row = file["regions"], file["contours/region_row"][:]
    configurations = list(regions["configuration_number"])
    check(configurations == [0, 1, 1, 2, 4], f"regions of configurations {configurations}")
    check(list(file["first_region"]) == [0, 1, 3, 4, 4], f"first regions {list(file['first_region'])}")
    check(list(regions["loops"]) == [1, 1, 1, 2, 0], f"contours of regions: {regions['loops'][:]}")
    foot = FOOT[0] * FOOT[1]
    circles = np.pi * np.array([RADIUS**2 - APART**2 / 4, 2 * TUBE**2])
    shares = regions["area"][:4] / [circles[0], foot, foot, circles[1]]
    check(np.abs(shares[1:3] - 1).max() < 1e-12, f"areas of feet: {shares[1:3]} of their own")
    check(0.94 < shares[[0, 3]].min() and shares[[0, 3]].max() < 1.01, f"areas: {shares} of those of circles")
    points = [(of_row == row).sum() for row in range(5)]
    check(list(regions["segments"]) == points, f"points of contours: {points}, segments {regions['segments'][:]}")


def enclosed(points, normal):
    """The area that a closed line encloses, seen against a direction."""
    arms = points - points[0]
    return 0.5 * np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0) @ normal
