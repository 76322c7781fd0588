"""Contact regions in many poses (rows M2, M6, M7, M8 of the plan of meshes), by `clack evaluate`.

M2: two icospheres of 20,480 triangles, centres 1.9 of their radii apart. The centroid of the contour of these
polyhedra is computed here on its own, from the points in which edges go through triangles. How facets lie decides how
far it is from the mid-point: 5e-6 to 7e-5 m in 40 random poses, 26 of which keep the bar of 3e-5. The plan's own pose
does not, by its own program as well: 3.6e-5.

M6: cubes of 1 and 0.5 m on a lattice of 0.5 m, turned onto themselves, against boxes and against poses beside them
(1e-10 m, 1e-9 rad). Volumes are compared. Areas of contours between flush faces are not known to 1e-8 m^2 in double
precision: vertices rounded to 1e-16 m, planes 1e-9 rad apart; tests/kernels/regions/test_contours.cc has them.
"""
import os
import subprocess
import tempfile

import h5py
import numpy
import surfaces

STUDY = """format: 1
scene:
  bodies:
    first: {material: steel, shapes: [{mesh: {file: first.stl}}]}
    second: {material: steel, shapes: [{mesh: {file: second.stl}}], position: [50, 0, 0]}
solver: {end: 1}
"""
OPEN, ENGULFED = 1, 2


def quaternion(axis, angle):
    axis = numpy.array(axis, dtype=float)
    return numpy.array([numpy.cos(angle / 2), *(numpy.sin(angle / 2) * axis / numpy.linalg.norm(axis))])


def matrix(q):
    w, x, y, z = numpy.moveaxis(numpy.asarray(q), -1, 0)
    return numpy.moveaxis(numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]),
                          (0, 1), (-2, -1))


def product(p, q):
    p, q = numpy.broadcast_arrays(p, q)
    w = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True)
    return numpy.concatenate([w, p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] +
                              numpy.cross(p[..., 1:], q[..., 1:])], axis=-1)


def regions(clack, device, meshes, positions, orientations):
    """Rows of regions of two meshes in poses [pose, body, ...]."""
    with tempfile.TemporaryDirectory(prefix="clack_regions_") as folder:
        for name, mesh in zip(("first", "second"), meshes):
            surfaces.write(os.path.join(folder, name + ".stl"), *mesh)
        study, poses, output = (os.path.join(folder, name) for name in ("study.yaml", "poses.h5", "out.h5"))
        with open(study, "w") as file:
            file.write(STUDY)
        with h5py.File(poses, "w") as file:
            file["position"], file["orientation"] = positions, orientations
        subprocess.run([clack, "evaluate", study, poses, "-q", "-d", device, "-o", output], check=True)
        with h5py.File(output) as file:
            return {name: data[()] for name, data in file["regions"].items()}


def row(case, quantity, expected, got, source, count, absolute):
    error = abs(got - expected)
    return {"case": case, "quantity": quantity, "expected": float(expected), "got": float(got), "error": float(error),
            "ok": bool(error <= absolute), "count": count, "tolerance": f"{absolute:g} absolute", "source": source}


# --- M2
def hits(start, end, triangles):
    """Where edges go through triangles, and whether they do."""
    a, b, c = numpy.moveaxis(triangles, 1, 0)
    normal = numpy.cross(b - a, c - a)
    s, e = ((normal * (p - a)).sum(1) for p in (start, end))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        at = start + (s / (s - e))[:, None] * (end - start)
    inside = [(normal * numpy.cross(q - p, at - p)).sum(1) > 0 for p, q in ((a, b), (b, c), (c, a))]
    return at, (s > 0) != (e > 0) & numpy.isfinite(at).all(1), numpy.all(inside, axis=0)


def segments(first, second):
    """The contour of two surfaces, triangles of three points: its segments, along the product of the normals."""
    low = numpy.maximum(first.min((0, 1)), second.min((0, 1)))
    high = numpy.minimum(first.max((0, 1)), second.max((0, 1)))
    first, second = (of[((of.max(1) >= low) & (of.min(1) <= high)).all(1)] for of in (first, second))
    near = ((first.max(1)[:, None] >= second.min(1)) & (first.min(1)[:, None] <= second.max(1))).all(-1)
    one, other = (of[k] for of, k in zip((first, second), numpy.nonzero(near)))
    ends = numpy.full((len(one), 2, 3), numpy.nan)
    found = numpy.zeros(len(one), int)
    for mine, others in ((one, other), (other, one)):
        for k in range(3):
            at, crosses, inside = hits(mine[:, k], mine[:, (k + 1) % 3], others)
            hit = numpy.flatnonzero(crosses & inside)
            ends[hit, found[hit]] = at[hit]
            found[hit] += 1
    assert set(found) <= {0, 2}
    one, other, ends = one[found == 2], other[found == 2], ends[found == 2]
    normals = [numpy.cross(of[:, 1] - of[:, 0], of[:, 2] - of[:, 0]) for of in (one, other)]
    turned = ((ends[:, 1] - ends[:, 0]) * numpy.cross(*normals)).sum(1) < 0
    ends[turned] = ends[turned, ::-1]
    return ends


def centroid(ends):
    """Of the contour across its area vector; its height is the mean over the length."""
    origin = ends[0, 0]
    p, q = ends[:, 0] - origin, ends[:, 1] - origin
    across = numpy.cross(p, q) / 2
    normal = across.sum(0) / numpy.linalg.norm(across.sum(0))
    shares, lengths = across @ normal, numpy.linalg.norm(q - p, axis=1)
    flat = ((p + q) / 3 * shares[:, None]).sum(0) / shares.sum()
    height = ((p + q) @ normal / 2 * lengths).sum() / lengths.sum()
    return origin + flat + (height - flat @ normal) * normal


def lens_rows(clack, device, is_spoiled):
    points, triangles = surfaces.icosphere(5)
    points = points.astype("f4").astype(float) # as in the files
    axis = numpy.array([1, 2, 3]) / 14 ** 0.5
    turns = numpy.array([quaternion([3, 1, 2], 0.5), quaternion([1, -1, 2], 1.1)])
    first, second = ((points @ matrix(q).T)[triangles] for q in turns)
    exact = centroid(segments(first, second + 1.9 * axis))
    aside = numpy.cross(axis, [1, 0, 0]) * (1e-2 if is_spoiled else 0)
    apart = (1.89 if is_spoiled else 1.9) * axis + aside
    random = numpy.random.default_rng(1).normal(size=(40, 2, 4))
    random /= numpy.linalg.norm(random, axis=2, keepdims=True)
    of = regions(clack, device, [(points, triangles)] * 2, numpy.tile([[0, 0, 0], apart], (41, 1, 1)),
                 numpy.concatenate([turns[None], random]))
    offs = numpy.linalg.norm(of["centroid"] - 0.95 * axis, axis=1)
    off = numpy.linalg.norm(of["centroid"][0] - 0.95 * axis)
    case = "M2 two spheres of 20,480 triangles"
    radius = (1 - 0.95 ** 2) ** 0.5
    return [row(case, "radius, over that of spheres", 1, (of["area"][0] / numpy.pi) ** 0.5 / radius,
                "sqrt(R^2 - D^2/4)", 1, 2e-3),
            row(case, "normal off the axis, rad", 0, numpy.linalg.norm(numpy.cross(of["normal"][0], axis)), "symmetry",
                1, 2e-4),
            row(case, "depth, over that of spheres", 1, of["indentation"][0] / 0.1, "2 R - D", 1, 3e-3),
            row(case, "centroid off that of the polyhedra, m", 0, numpy.linalg.norm(of["centroid"][0] - exact),
                "computed apart (many_regions.py)", 1, 1e-9),
            row(case, "centroid off the mid-point, m", numpy.linalg.norm(exact - 0.95 * axis), off,
                "that of the polyhedra; above the bar of 3e-5, by how facets lie", 1, 1e-9),
            row(case, "centroid off the mid-point, m, median of 40 random poses", 0, numpy.median(offs[1:]),
                "symmetry; the bar", len(offs) - 1, 3e-5)]


# --- M6
def box(length):
    signs = numpy.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return (signs - 0.5) * length, numpy.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


def sums_by_pose(of, values, count):
    return numpy.bincount(of["configuration_number"], values, count)


def lattice_rows(clack, device, is_spoiled, count=1000):
    random = numpy.random.default_rng(6)
    wrong = weighed = 0
    most_beside = 0.0
    for length in (1, 0.5):
        places = numpy.zeros((count, 2, 3))
        places[:, 1] = 0.5 * random.integers(-2, 3, (count, 3))
        places[::3, 1, 2] = 1
        turns = numpy.tile([1.0, 0, 0, 0], (count, 2, 1))
        turns[1::3, 1] = 0.5 # onto itself
        meshes = [box(1), box(length * (0.999 if is_spoiled else 1))]
        of = regions(clack, device, meshes, places, turns)
        wrong += ((of["flags"] & OPEN) != 0).sum()
        volume = sums_by_pose(of, of["volume"], count) # NaN where one is within the other
        overlap = (numpy.minimum(0.5, places[:, 1] + length / 2) - numpy.maximum(-0.5, places[:, 1] - length / 2))
        exact = numpy.maximum(overlap, 0).prod(1)
        is_told = (sums_by_pose(of, numpy.ones(len(of["flags"])), count) > 0) & numpy.isfinite(volume)
        off = numpy.abs(volume - exact)[is_told]
        wrong += (off > 1e-9).sum()
        places[:, 1] += [1e-10, 0.7e-10, 0.31e-10]
        turns[:, 1] = product(turns[:, 1], quaternion([0.48, 0.64, 0.6], 1e-9))
        beside = regions(clack, device, [box(1), box(length)], places, turns)
        apart = numpy.abs(volume - sums_by_pose(beside, beside["volume"], count))[is_told]
        weighed += is_told.sum()
        most_beside = max(most_beside, numpy.nanmax(apart))
    case = f"M6 {2 * count} placements of cubes on a lattice"
    return [row(case, "open, or of another volume", 0, wrong, "boxes, to 1e-9 m^3", int(weighed), 0),
            row(case, "volume off that of a pose beside it, m^3", 0, most_beside, "the same", int(weighed), 1e-8)]


# --- M7
def turned_rows(clack, device, is_spoiled, count=10000):
    step, axis = 1e-2 if is_spoiled else 1e-4, numpy.array([1, 2, 3]) / 14 ** 0.5
    mesh = surfaces.icosphere(3)
    half, turns = 0.5 * step * numpy.arange(count)[:, None], numpy.zeros((count, 2, 4))
    about = numpy.concatenate([numpy.cos(half), numpy.sin(half) * numpy.array([2, 1, -1]) / 6 ** 0.5], axis=1)
    turns[:, 0] = product(about, quaternion([3, 1, 2], 0.5))
    turns[:, 1] = quaternion([1, -1, 2], 1.1)
    of = regions(clack, device, [mesh] * 2, numpy.tile([[0, 0, 0], 1.9 * axis], (count, 1, 1)), turns)
    assert len(of["area"]) == count
    force = of["area"] ** 0.5 * of["indentation"] # Hertz' with R* = area/(2 pi depth), over a constant
    case = "M7 a sphere turned by 1e-4 rad a step"
    return [row(case, "largest step of the normal, rad", 0,
                numpy.linalg.norm(numpy.diff(of["normal"], axis=0), axis=1).max(), "continuous", count, 1e-5),
            row(case, "largest step of the force, over it", 0, numpy.abs(numpy.diff(force) / force[1:]).max(),
                "continuous", count, 1e-3)]


# --- M8
def random_rows(clack, device, is_spoiled, count=2000):
    random = numpy.random.default_rng(8)
    turns = random.normal(size=(count, 2, 4))
    turns /= numpy.linalg.norm(turns, axis=2, keepdims=True)
    away = random.normal(size=(count, 3))
    places = numpy.zeros((count, 2, 3))
    places[:, 1] = random.uniform(0.5, 1.9, (count, 1)) * away / numpy.linalg.norm(away, axis=1, keepdims=True)
    world = quaternion([1, -2, 0.5], 2.2)
    ring, ball = surfaces.torus(1, 0.3, 48, 24), surfaces.icosphere(3)
    one = regions(clack, device, [ring, ball], places, turns)
    moved = [ring, (ball[0] * (1.0001 if is_spoiled else 1), ball[1])]
    other = regions(clack, device, moved, places @ matrix(world).T + [3, -5, 4], product(world, turns))
    areas, flags = ([sums_by_pose(of, values(of), count) for of in (one, other)] for values in
                    (lambda of: of["area"], lambda of: (of["flags"] & OPEN) != 0))
    wrong = (flags[0] + flags[1] > 0) | (numpy.abs(areas[0] - areas[1]) > 1e-10)
    return [row(f"M8 {count} random poses of a torus and a sphere", "open, or of another area when both are moved", 0,
                wrong.sum(), "closed; areas to 1e-10 m^2", int((areas[0] > 0).sum()), 0)]


def page_rows(clack, device, is_spoiled):
    return [each for rows in (lens_rows, lattice_rows, turned_rows, random_rows)
            for each in rows(clack, device, is_spoiled)]
