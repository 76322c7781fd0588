"""Contact regions of clack against the overlap that manifold3d cuts out: python3 check_manifold.py CLACK ROOT [FOLDER]

Pairs of closed surfaces (balls, rings, blocks, bars, combs) in random poses, through `clack evaluate`. manifold3d (in
double precision) makes the solid that both have in common; what bounds it are pieces of both surfaces, and the edges
between these are the contours. Compared are the number of regions, contours, pierced and engulfed ones, and of each
region area vector, perimeter, centroid, depths, of each pair the volume of the overlap. Each pair is also compared
after one of its surfaces has been stretched by 1e-8, when it has to differ. FOLDER: where pip put manifold3d
(--target). Exit 77: it is missing (PyPI).
"""
import os
import subprocess
import sys
import tempfile

sys.path += sys.argv[3:4]
CLACK, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "validation"))
try:
    import h5py
    import manifold3d
    import numpy
    import surfaces
except ImportError as missing:
    print(missing)
    sys.exit(77)

# manifold3d collapses edges shorter than 1e-12 of a solid's largest coordinate, here up to 4: where there are such,
# its contours are off by as much. Else both are off by rounding, over the sine of the angle between two faces.
TOLERANCE = 1e-11  # m, m^2, m^3, all sizes being about 1 m; seen: 4e-14
STRETCHED = 1 + 1e-8
CONFIGURATIONS = 24
PIERCED, ENGULFED, OPEN = 8, 2, 1
ROWS = ("configuration_number", "flags", "loops", "area", "normal", "perimeter", "centroid", "depth_a", "depth_b",
        "volume")
STUDY = """format: 1
scene:
  bodies:
    a: {{material: steel, shapes: [{{mesh: {{file: {}.obj}}}}]}}
    b: {{material: steel, shapes: [{{mesh: {{file: {}.obj}}}}]}}
solver: {{end: 1}}
"""
random = numpy.random.default_rng(3)


# --- surfaces and poses ------------------------------------------------------------------------------------------

def block(x, y, z):
    points = numpy.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)]) / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return points, numpy.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def comb(teeth):
    """A profile with teeth downwards, drawn out: it meets a slab in as many places."""
    profile = [(-1.0, 0.4), (-1.0, -0.3)]
    for k in range(teeth):
        x, width = -1 + 2 * k / (teeth - 0.5), 1 / (teeth - 0.5)
        profile += [(x + 0.5 * width, -0.5 - 0.02 * k), (x + width, -0.3), (x + 2 * width, -0.3)]
    profile[-1] = (1.0, 0.4)
    cap = manifold3d.triangulate([numpy.array(profile)])
    n = len(profile)
    points = numpy.array([[x, y, z] for y in (-0.5, 0.5) for x, z in profile])
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((j, i, i + n), (j, i + n, j + n))]
    return points, numpy.concatenate([numpy.array(sides), cap, cap[:, ::-1] + n])


SURFACES = {"ball": surfaces.icosphere(3), "ring": surfaces.torus(1, 0.3, 48, 24), "block": block(1.2, 0.8, 1),
            "slab": block(4, 4, 0.25), "bar": block(3, 0.3, 0.3), "comb": comb(5)}
# Two surfaces, how far their middles are from each other, and whether the second turns any way.
PAIRS = [("ball", "ball", (0.2, 2), True), ("ball", "ring", (0.3, 2), True), ("ring", "ring", (0.2, 2.4), True),
         ("ball", "block", (0, 1.6), True), ("ring", "block", (0.2, 1.8), True), ("ring", "slab", (0, 1), True),
         ("bar", "bar", (0, 0.3), True), ("ring", "bar", (0, 1), True), ("slab", "bar", (0, 0.8), True),
         ("slab", "comb", (0.5, 0.62), False)]


def turn(quaternion, points):
    w, v = quaternion[0], quaternion[1:]
    once = 2 * numpy.cross(v, points)
    return points + w * once + numpy.cross(v, once)


def unit(vector):
    return vector / numpy.linalg.norm(vector)


def poses(away, turns):
    """Places and quaternions of both bodies in every configuration."""
    place, orientation = numpy.zeros((CONFIGURATIONS, 2, 3)), numpy.zeros((CONFIGURATIONS, 2, 4))
    for k in range(CONFIGURATIONS):
        first = unit(random.normal(size=4))
        if turns:
            second, shift = unit(random.normal(size=4)), unit(random.normal(size=3)) * random.uniform(*away)
        else:  # on top of the first, leaning a little
            lean = unit(numpy.append(1, random.uniform(-0.02, 0.02, 3)))
            w, v = first[0], first[1:]
            second = numpy.append(w * lean[0] - v @ lean[1:], w * lean[1:] + lean[0] * v + numpy.cross(v, lean[1:]))
            shift = turn(first, numpy.array([0.1, 0.2, random.uniform(*away)]))
        place[k, 0] = random.uniform(-1, 1, 3)
        place[k, 1] = place[k, 0] + shift
        orientation[k] = first, second
    return place, orientation


# --- manifold3d: the overlap and its contours -----------------------------------------------------------------------

class Contours:
    """Of one region: their sides p to q, round the first surface's piece, and points of both surfaces inside."""

    def __init__(self, p, q, loops, inside, is_pierced=False):
        self.loops, self.is_pierced = loops, is_pierced
        origin = p[0]
        self.area = numpy.cross(p - origin, q - origin).sum(axis=0) / 2
        n = unit(self.area)
        length = numpy.linalg.norm(q - p, axis=1)
        self.perimeter = length.sum()
        height = ((p + q) @ n / 2 - origin @ n) @ length / self.perimeter
        weight = numpy.cross(p - origin, q - origin) @ n
        flat = ((p + q - 2 * origin) * weight[:, None]).sum(axis=0) / (3 * weight.sum())
        self.centroid = origin + flat + (height - flat @ n) * n
        self.depths = [max(0.0, ((numpy.concatenate([p, x]) - self.centroid) @ n * sign).max())
                       for x, sign in zip(inside, (1, -1))]


def are_apart(p, q):
    """Contours farther apart along their common normal than the rest of their areas is wide: one solid goes through the
    other (kernels/geometry/README.md)."""
    area = numpy.linalg.norm(numpy.cross(p - p[0], q - p[0]).sum(axis=0)) / 2
    if area == 0:
        return True
    n = unit(numpy.cross(p - p[0], q - p[0]).sum(axis=0))
    length = numpy.linalg.norm(q - p, axis=1)
    mean = (p + q) @ n @ length / 2 / length.sum()
    at, to = p @ n - mean, q @ n - mean
    return length @ (at**2 + at * to + to**2) / 3 / length.sum() > area


def solid(points, triangles):
    made = manifold3d.Manifold(manifold3d.Mesh64(numpy.ascontiguousarray(points, dtype="f8"),
                                                 numpy.ascontiguousarray(triangles, dtype="u8")))
    if made.status() != manifold3d.Error.NoError:
        sys.exit(f"manifold3d refuses a surface: {made.status()}")
    return made


def chains(start, end):
    """Which loop each side is of, where every vertex has one side that leaves it."""
    after = dict(zip(start, range(len(start))))
    loop, count = numpy.full(len(start), -1), 0
    for first in range(len(start)):
        if loop[first] >= 0:
            continue
        at = first
        while loop[at] < 0:
            loop[at] = count
            at = after[end[at]]
        count += 1
    return loop, count


def components(triangles, vertices):
    """A number for each vertex, the same for all that triangles join."""
    root = numpy.arange(vertices)
    while True:
        least = root.copy()
        numpy.minimum.at(least, triangles.ravel(), numpy.repeat(root[triangles].min(axis=1), 3))
        if (least == root).all():
            return root
        root = least[least]


def overlap(first, second):
    """Volume of the overlap, its regions, and how many of its surfaces have no contour."""
    both = solid(*first) ^ solid(*second)
    mesh = both.to_mesh64()
    points, triangles = mesh.vert_properties[:, :3], mesh.tri_verts.astype(int)
    same = numpy.arange(len(points))
    same[numpy.array(mesh.merge_from_vert, dtype=int)] = mesh.merge_to_vert
    triangles = same[triangles]
    if len(triangles) == 0:
        return 0.0, [], 0
    is_second = numpy.zeros(len(triangles), dtype=bool)
    ids, runs = mesh.run_original_id, numpy.array(mesh.run_index, dtype=int) // 3
    for k, name in enumerate(ids):
        is_second[runs[k]:runs[k + 1]] = name == max(ids) if len(ids) > 1 else False
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    names = sides[:, 0] * len(points) + sides[:, 1]
    owner = numpy.repeat(is_second, 3)
    order = numpy.argsort(names)
    facing = owner[order[numpy.searchsorted(names[order], sides[:, 1] * len(points) + sides[:, 0])]]
    contour = sides[~owner & facing]
    root = components(triangles, len(points))
    loop, count = chains(*contour.T)
    regions = []
    for part in numpy.unique(root[contour[:, 0]]):
        inside = [numpy.unique(triangles[(is_second == k) & (root[triangles[:, 0]] == part)]) for k in (0, 1)]
        inside = [points[numpy.setdiff1d(of, contour)] for of in inside]
        mine = root[contour[:, 0]] == part
        numbers = numpy.unique(loop[mine])
        p, q = points[contour].swapaxes(0, 1)
        if len(numbers) > 1 and are_apart(p[mine], q[mine]):
            regions += [Contours(p[loop == k], q[loop == k], 1, inside, True) for k in numbers]
        else:
            regions.append(Contours(p[mine], q[mine], len(numbers), inside))
    engulfed = len(numpy.unique(root[triangles])) - len(numpy.unique(root[contour[:, 0]]))
    return both.volume(), regions, engulfed


# --- comparison ------------------------------------------------------------------------------------------------

def evaluate(folder, name, place, orientation):
    """Rows of regions/ for each configuration."""
    at = os.path.join(folder, name)
    with h5py.File(at + "_poses.h5", "w") as file:
        file["position"], file["orientation"] = place, orientation
    with open(at + ".yaml", "w") as file:
        file.write(STUDY.format(*name.split("_")))
    done = subprocess.run([CLACK, "evaluate", at + ".yaml", at + "_poses.h5", "-o", at + ".h5", "--overwrite", "-q",
                           "-d", "native", "--threads", "1"], capture_output=True, text=True,
                          env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
    if done.returncode != 0:
        sys.exit(done.stderr)
    with h5py.File(at + ".h5") as file:
        rows = {key: file["regions"][key][:] for key in ROWS}
    return [{key: data[rows["configuration_number"] == k] for key, data in rows.items()} for k in range(len(place))]


def difference(rows, volume, regions, engulfed):
    """The largest, relative to sizes of 1; a text where there are other regions than expected."""
    contact = {key: data[(rows["flags"] & ENGULFED) == 0] for key, data in rows.items()}
    found = len(contact["flags"]), sum(contact["loops"]), sum((contact["flags"] & PIERCED) != 0), \
        len(rows["flags"]) - len(contact["flags"])
    expected = len(regions), sum(r.loops for r in regions), sum(r.is_pierced for r in regions), engulfed
    if found != expected:
        return f"regions, contours, pierced, engulfed {found}, expected {expected}"
    worst = abs(contact["volume"].sum() - volume) if engulfed == 0 else 0.0
    left = list(regions)
    for k in range(len(regions)):
        centroid, area = contact["centroid"][k], contact["area"][k] * contact["normal"][k]
        near = min(left, key=lambda r: numpy.linalg.norm(r.area - area) + numpy.linalg.norm(r.centroid - centroid))
        left.remove(near)
        # A centroid is a quotient by the area, and a normal one by it too.
        width = numpy.sqrt(contact["area"][k])
        off = [numpy.abs(near.area - area).max(), abs(near.perimeter - contact["perimeter"][k]),
               numpy.abs(near.centroid - centroid).max() * width]
        off += [abs(depth - contact[name][k]) * width for depth, name in zip(near.depths, ("depth_a", "depth_b"))]
        worst = max(worst, *off)
    return worst


def check_pair(folder, first, second, away, turns, totals):
    place, orientation = poses(away, turns)
    rows = evaluate(folder, f"{first}_{second}", place, orientation)
    worst, least, wrong, counts = 0.0, numpy.inf, 0, numpy.zeros(4, dtype=int)
    for k in range(CONFIGURATIONS):
        posed = [(turn(orientation[k, i], SURFACES[name][0]) + place[k, i], SURFACES[name][1])
                 for i, name in enumerate((first, second))]
        volume, regions, engulfed = overlap(*posed)
        off = difference(rows[k], volume, regions, engulfed)
        counts += [bool(regions), len(regions), sum(r.loops for r in regions), engulfed]
        if isinstance(off, str) or (rows[k]["flags"] & OPEN).any():
            print(f"{first}, {second}, configuration {k}: {off}")
            wrong += 1
            continue
        worst = max(worst, off)
        if regions:
            stretched = turn(orientation[k, 1], SURFACES[second][0] * STRETCHED) + place[k, 1]
            other = difference(rows[k], *overlap(posed[0], (stretched, posed[1][1])))
            least = min(least, numpy.inf if isinstance(other, str) else other)
    is_good = wrong == 0 and worst < TOLERANCE < least
    print(f"{first}, {second}: {counts[0]} touch, {counts[1]} regions, {counts[2]} contours, {counts[3]} engulfed:"
          f" off by {worst:.1e} (at most {TOLERANCE:g}), stretched {least:.1e}{'' if is_good else '  WRONG'}")
    totals += counts
    return is_good


def main():
    totals = numpy.zeros(4, dtype=int)
    with tempfile.TemporaryDirectory() as folder:
        for name, (points, triangles) in SURFACES.items():
            with open(os.path.join(folder, name + ".obj"), "w") as file:
                file.writelines("v %.17g %.17g %.17g\n" % tuple(p) for p in points)
                file.writelines("f %d %d %d\n" % tuple(t + 1) for t in triangles)
        good = [check_pair(folder, *pair, totals) for pair in PAIRS]
    print(f"{totals[0]} pairs that touch, {totals[1]} regions, {totals[2]} contours, {totals[3]} engulfed")
    sys.exit(0 if all(good) and totals[0] > 100 and totals[1] > 1.2 * totals[0] else 1)


if __name__ == "__main__":
    main()
