"""Surfaces of triangles in thousands of poses (rows M6 to M8 of the plan of meshes), through `clack evaluate`.

* M8, random poses of balls, rings, blocks and bars: no contour stays open. What shows it besides the flag: the area
  vector of a contour's points, 1/2 sum p x q, is that of its region only if they run all around.
* M6, cubes on a lattice of half an edge, turned onto themselves: faces, edges and corners lie in each other. Volumes of
  the overlaps are those of boxes along the axes.
* M7, a ball that is turned by 1e-4 rad a step in another one: its normal and area^(1/2) depth, to which the force of
  Hertz's law is proportional, change little.
"""
import os
import subprocess
import tempfile

import h5py
import numpy
import surfaces

STUDY = """format: 1
title: Surfaces in many poses
scene:
  bodies:
    a: {{material: steel, shapes: [{{mesh: {{file: {0}.stl}}}}]}}
    b: {{material: steel, shapes: [{{mesh: {{file: {1}.stl, scale: {2}}}}}]}}
solver: {{end: 1}}
"""
KINDS = ("ball", "ring", "block", "bar")
OPEN, JITTERED = 1, 16


def block(lengths, parts):
    """The surface of a box about the origin, each face of parts x parts x 2 triangles; corners are shared."""
    points, triangles, known = [], [], {}

    def number(place):
        return known.setdefault(place, len(known))

    for axis in range(3):
        for side in (0, parts):
            for i in range(parts):
                for k in range(parts):
                    corners = []
                    for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)):
                        place = [u, v]
                        place.insert(axis, side)
                        corners.append(number(tuple(place)))
                    # Seen from outside counter-clockwise: (u, v) follow the axis for x and z, not for y.
                    if (side > 0) != (axis != 1):
                        corners.reverse()
                    triangles += [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    points = numpy.array(list(known), dtype=float) / parts - 0.5
    return points * numpy.array(lengths), numpy.array(triangles)


def write_all(folder):
    for name, surface in (("ball", surfaces.icosphere(2)), ("fine_ball", surfaces.icosphere(3)),
                          ("ring", surfaces.torus(1, 0.3, 32, 16)), ("block", block([1.2, 0.8, 1], 3)),
                          ("bar", block([2, 0.3, 0.3], 2)), ("cube", block([1, 1, 1], 1)),
                          ("small", block([0.5, 0.5, 0.5], 1)), ("fine", block([1, 1, 1], 4))):
        surfaces.write(os.path.join(folder, name + ".stl"), *surface)


class Evaluator:
    def __init__(self, clack, device, folder):
        self.clack, self.device, self.folder = clack, device, folder

    def run(self, kinds, places, turns, words=(), scale=1):
        """Regions of a surface and another one, [pose, which, xyz] and [pose, which, wxyz] of both; contour points."""
        study, poses, out = (os.path.join(self.folder, name) for name in ("study.yaml", "poses.h5", "out.h5"))
        with open(study, "w") as file:
            file.write(STUDY.format(*kinds, scale))
        with h5py.File(poses, "w") as file:
            file["position"], file["orientation"] = places, turns
        done = subprocess.run([self.clack, "evaluate", study, poses, "-o", out, "--overwrite", "-q", "-d",
                               self.device, *words],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        with h5py.File(out) as file:
            return ({name: data[()] for name, data in file["regions"].items()},
                    {name: data[()] for name, data in file["contours"].items()} if "contours" in file else {})


def unit(vectors):
    return vectors / numpy.linalg.norm(vectors, axis=-1, keepdims=True)


def random_poses(random, count):
    places = numpy.zeros((count, 2, 3))
    places[:, 1] = unit(random.normal(size=(count, 3))) * random.uniform(0.3, 2.2, size=(count, 1))
    return places, unit(random.normal(size=(count, 2, 4)))


def area_vectors(regions, contours):
    """1/2 sum p x q of the points p, q of each region's contours, about the region's centroid."""
    row, which = contours["region_row"].astype(int), contours["contour"]
    p = contours["point"] - regions["centroid"][row]
    begins = numpy.append(True, (row[1:] != row[:-1]) | (which[1:] != which[:-1]))
    first = numpy.flatnonzero(begins)
    follows = numpy.arange(1, len(p) + 1)
    follows[numpy.append(first[1:], len(p)) - 1] = first
    vectors = numpy.zeros((len(regions["area"]), 3))
    numpy.add.at(vectors, row, 0.5 * numpy.cross(p, p[follows]))
    return vectors


def closed_rows(evaluator, count, is_spoiled):
    """M8. Spoiled: areas are those of a surface that is 1e-9 larger than that of the points."""
    random, worst, open_ones, found, touching = numpy.random.default_rng(7), 0.0, 0, 0, 0
    pairs = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]]
    for kinds in pairs:
        places, turns = random_poses(random, count)
        regions, contours = evaluator.run(kinds, places, turns, ["--contours"])
        told = evaluator.run(kinds, places, turns, [], 1 + 1e-9)[0] if is_spoiled else regions
        vectors = area_vectors(regions, contours)
        has_contour = regions["loops"] > 0
        errors = vectors - told["area"][:, None] * told["normal"]
        worst = max(worst, numpy.abs(errors[has_contour]).max())
        open_ones += int((regions["flags"] & OPEN > 0).sum())
        found += int(has_contour.sum())
        touching += len(set(regions["configuration_number"]))
    return [{"case": f"{len(pairs) * count} random poses of balls, rings, blocks, bars; {touching} touch",
             "quantity": f"M8 area vectors of contour points less those told, m^2 ({open_ones} contours open)",
             "expected": 0.0, "got": float(worst), "error": float(worst), "ok": bool(worst <= 1e-13 and open_ones == 0),
             "count": found, "tolerance": "1e-13 absolute, none open", "source": "contours run all around"}]


def lattice_rows(evaluator, count, is_spoiled):
    """M6. Spoiled: one cube is 1e-6 larger."""
    random, sizes = numpy.random.default_rng(1), {"cube": 1.0, "small": 0.5, "fine": 1.0}
    worst, open_ones, jittered, compared = 0.0, 0, 0, 0
    for kinds in [(a, b) for a in sizes for b in sizes]:
        places, turns = numpy.zeros((count, 2, 3)), numpy.tile([1.0, 0, 0, 0], (count, 2, 1))
        places[:, 1] = 0.5 * random.integers(-2, 3, size=(count, 3))
        places[::3, 1, 2] = 1
        turns[1::3, 1] = 0.5 # onto itself
        regions = evaluator.run(kinds, places, turns, [], 1 + (1e-6 if is_spoiled else 0))[0]
        half = 0.5 * numpy.array([sizes[kind] for kind in kinds])
        inside = numpy.minimum(half[0], places[:, 1] + half[1]) - numpy.maximum(-half[0], places[:, 1] - half[1])
        exact = numpy.prod(numpy.maximum(inside, 0), axis=1)
        volume = numpy.zeros(count)
        numpy.add.at(volume, regions["configuration_number"], numpy.nan_to_num(regions["volume"], nan=numpy.inf))
        is_told = numpy.isfinite(volume) # of what lies wholly in another there is none
        worst = max(worst, numpy.abs(volume - exact)[is_told].max())
        open_ones += int((regions["flags"] & OPEN > 0).sum())
        jittered += len(set(regions["configuration_number"][regions["flags"] & JITTERED > 0]))
        compared += int(is_told.sum())
    return [{"case": f"{9 * count} cubes on a lattice of half an edge, {jittered} told as moved by 1e-10",
             "quantity": f"M6 volume of the overlap, m^3 ({open_ones} contours open)", "expected": 0.0,
             "got": float(worst), "error": float(worst), "ok": bool(worst <= 1e-9 and open_ones == 0),
             "count": compared, "tolerance": "1e-9 absolute, none open",
             "source": "less that of boxes along the axes"}]


def turned_rows(evaluator, count, is_spoiled):
    """M7. Spoiled: normals of planes fitted to the points; and steps of 0.02 rad."""
    axis, angles = unit(numpy.array([1.0, 2, 3])), 1e-4 * numpy.arange(count)

    def regions_of(angles, words):
        places, turns = numpy.zeros((len(angles), 2, 3)), numpy.zeros((len(angles), 2, 4))
        places[:, 1] = 1.9 * axis
        turns[:, 0, 0] = numpy.cos(angles / 2)
        turns[:, 0, 1:] = numpy.sin(angles / 2)[:, None] * unit(numpy.array([2.0, 1, -1]))
        turns[:, 1] = numpy.append(numpy.cos(0.55), numpy.sin(0.55) * unit(numpy.array([1.0, -1, 2])))
        return evaluator.run(("fine_ball", "fine_ball"), places, turns, words)[0]

    regions = regions_of(angles, ["--plane", "fitted"] if is_spoiled else [])
    normal = numpy.linalg.norm(numpy.diff(regions["normal"], axis=0), axis=1).max()
    regions = regions_of(200 * angles[:count // 200] if is_spoiled else angles, [])
    size = numpy.sqrt(regions["area"]) * regions["indentation"]
    force = numpy.abs(numpy.diff(size) / size[:-1]).max()
    case = f"a ball of 1,280 triangles turned in another one, {count} steps of 1e-4 rad"
    return [{"case": case, "quantity": name, "expected": 0.0, "got": float(got), "error": float(got),
             "ok": bool(got <= most), "count": count - 1, "tolerance": f"{most:g} absolute", "source": "continuous"}
            for name, got, most in (("M7 largest step of the normal", normal, 1e-5),
                                    ("M7 largest step of area^(1/2) depth, of itself", force, 1e-3))]


def page_rows(clack, device, is_spoiled):
    """Rows of the validation page."""
    with tempfile.TemporaryDirectory(prefix="clack_poses_") as folder:
        write_all(folder)
        evaluator = Evaluator(clack, device, folder)
        return (closed_rows(evaluator, 1000, is_spoiled) + lattice_rows(evaluator, 1200, is_spoiled) +
                turned_rows(evaluator, 10000, is_spoiled))
