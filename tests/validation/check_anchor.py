"""The meshes of data/make_anchor.py: python3 check_anchor.py ROOT [--stow]

Read from the files that it wrote, by other means than its own: each surface is closed, oriented, of one piece, nowhere
crosses itself, and has the size, the mass and the edges that the manoeuvre needs; the same numbers give the same bytes,
coarser ones fewer triangles. --stow: the anchor also has a place in which it touches the hull in four. A surface that
is spoiled in each of these ways has to be found. Exit 77: there is no NumPy.
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

ROOT = sys.argv[1]
NAMES = "hull", "shank", "flukes"
MOST = {"hull": 60000, "shank": 6000, "flukes": 6000}
HOLES = {"hull": 1, "shank": 1, "flukes": 0}  # the pipe, the eye
MASSES_KG = {"shank": 2414.0, "flukes": 4000.0}
STEEL, STEEL_SHARE = 7850.0, 0.1
COARSE = ["--lip-edge", "0.1", "--pipe-edge", "0.2", "--flukes-cell", "0.08", "--shank-cell", "0.08"]
LIP_EDGE_M, LIP_RING_M, LIP_TUBE_M, TILT, FLARE = 0.025, 0.9, 0.35, numpy.radians(6), numpy.radians(35)
failures = 0


def expect(what, is_good, got=""):
    global failures
    failures += not is_good
    print(f"{'ok' if is_good else 'WRONG'}: {what} {got}")


def make(folder, *options):
    words = [sys.executable, os.path.join(ROOT, "data", "make_anchor.py"), folder, *options]
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")  # the tree stays as it is
    return subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout


def read(path):
    """Points and triangles of a binary STL, corners of equal bits made one."""
    data = open(path, "rb").read()
    row = numpy.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows = numpy.frombuffer(data, row, offset=84)
    assert len(rows) == int.from_bytes(data[80:84], "little")
    points, numbers = numpy.unique(rows["corners"].reshape(-1, 3), axis=0, return_inverse=True)
    return points.astype(float), numbers.reshape(-1, 3)


def volume(points, faces):
    return numpy.linalg.det(points[faces]).sum() / 6


def is_closed(faces):
    """Each edge is there once in each direction."""
    edges = numpy.concatenate([faces[:, :2], faces[:, 1:], faces[:, [2, 0]]])
    return len(numpy.unique(edges, axis=0)) == len(edges) and \
        numpy.array_equal(numpy.unique(edges, axis=0), numpy.unique(edges[:, ::-1], axis=0))


def components(faces, count):
    """How many pieces: each point takes the least number among its neighbours until nothing changes."""
    labels = numpy.arange(count)
    while True:
        least = labels[faces].min(axis=1)
        before = labels.copy()
        for corner in range(3):
            numpy.minimum.at(labels, faces[:, corner], least)
        labels = labels[labels]
        if numpy.array_equal(labels, before):
            return len(numpy.unique(labels))


def near_pairs(points, faces, cell):
    """Pairs of triangles whose boxes overlap, of those that share a cell of a grid."""
    low, high = points[faces].min(axis=1), points[faces].max(axis=1)
    first, last = numpy.floor(low / cell).astype(int), numpy.floor(high / cell).astype(int)
    spans = last - first + 1
    counts = spans.prod(axis=1)
    owner = numpy.repeat(numpy.arange(len(faces)), counts)
    place = numpy.arange(counts.sum()) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    x, rest = place % spans[owner, 0], place // spans[owner, 0]
    cells = first[owner] + numpy.stack([x, rest % spans[owner, 1], rest // spans[owner, 1]], axis=1)
    key = (cells[:, 0] << 42) + (cells[:, 1] << 21) + cells[:, 2]
    order = numpy.argsort(key, kind="stable")
    key, owner, pairs = key[order], owner[order], []
    for step in range(1, len(key)):
        same = numpy.flatnonzero(key[step:] == key[:-step])
        if len(same) == 0:
            break
        one, other = owner[same], owner[same + step]
        overlap = ((low[one] <= high[other]) & (low[other] <= high[one])).all(axis=1)
        pairs.append(numpy.stack([one[overlap], other[overlap]], axis=1))
    return numpy.unique(numpy.sort(numpy.concatenate(pairs), axis=1), axis=0)


def crossing_count(points, faces, cell=0.06):
    """How many pairs of triangles have an edge of one go through the other's inside."""
    def side(a, b, c, d):
        return numpy.einsum("ki,ki->k", numpy.cross(b - a, c - a), d - a)

    pairs, crossed = near_pairs(points, faces, cell), 0
    for start in range(0, len(pairs), 200000):
        part = pairs[start:start + 200000]
        is_crossed = numpy.zeros(len(part), bool)
        for one, other in ((0, 1), (1, 0)):
            a, b, c = points[faces[part[:, one]]].transpose(1, 0, 2)
            for corner in range(3):
                p, q = (points[faces[part[:, other], (corner + end) % 3]] for end in (0, 1))
                ends = side(a, b, c, p), side(a, b, c, q)
                sides = [side(p, q, *two) for two in ((a, b), (b, c), (c, a))]
                tiny = 1e-13  # m^3: rounding where corners are shared
                is_through = (ends[0] * ends[1] < 0) & (numpy.abs(ends).min(axis=0) > tiny)
                is_crossed |= is_through & ((numpy.min(sides, axis=0) > tiny) | (numpy.max(sides, axis=0) < -tiny))
        crossed += is_crossed.sum()
    return crossed


def lip_edges(points, faces):
    """Edges of triangles on the lip's tube, about the line in which the plating meets a cylinder round the pipe's
    axis."""
    axis = numpy.array([-numpy.sin(TILT), 0, numpy.cos(TILT)])
    long = LIP_RING_M * (numpy.array([numpy.cos(TILT), 0, numpy.sin(TILT)]) + axis / numpy.tan(TILT + FLARE))
    wide = numpy.array([0, LIP_RING_M, 0])
    near = numpy.flatnonzero((numpy.abs(points) < 2).all(axis=1))
    angles = numpy.arctan2(points[near] @ wide / LIP_RING_M ** 2, points[near] @ long / (long @ long))
    for _ in range(20):  # Newton's method for the nearest point of the line, an ellipse
        cosine, sine = numpy.cos(angles)[:, None], numpy.sin(angles)[:, None]
        on, ahead = cosine * long + sine * wide, cosine * wide - sine * long
        apart = points[near] - on
        angles += (apart * ahead).sum(axis=1) / ((ahead * ahead).sum(axis=1) + (apart * on).sum(axis=1))
    is_lip = numpy.zeros(len(points), bool)
    is_lip[near[numpy.abs(numpy.linalg.norm(apart, axis=1) - LIP_TUBE_M) < 1e-5]] = True
    lip = faces[is_lip[faces].all(axis=1)]
    return numpy.linalg.norm(points[lip] - points[numpy.roll(lip, 1, axis=1)], axis=2)


def check_files(folder, most):
    found = {}
    for name in NAMES:
        points, faces = found[name] = read(os.path.join(folder, name + ".stl"))
        expect(f"{name}: triangles", 500 < len(faces) <= most[name], len(faces))
        expect(f"{name}: closed and oriented", is_closed(faces) and volume(points, faces) > 0)
        expect(f"{name}: one piece", components(faces, len(points)) == 1)
        holes = 1 - (len(points) - len(faces) // 2) / 2  # Euler
        expect(f"{name}: holes", holes == HOLES[name], holes)
        expect(f"{name}: nowhere through itself", crossing_count(points, faces) == 0)
        if name in MASSES_KG:
            density = MASSES_KG[name] / volume(points, faces)
            expect(f"{name}: density that of steel to {STEEL_SHARE:.0%}", abs(density / STEEL - 1) < STEEL_SHARE,
                   f"{density:.0f} kg/m3")
    return found


def check_sizes(found):
    low, high = (part(axis=0) for part in (found["hull"][0].min, found["hull"][0].max))
    expect("hull: as long and as high as the plating", abs(high[1] - 6) < 1e-6 and abs(low[1] + 6) < 1e-6 and
           -4.3 < low[2] < -3.9 and 4.7 < high[2] < 5, (low, high))
    shank, flukes = found["shank"][0], found["flukes"][0]
    expect("shank: from the crown's head to the eye's end", numpy.allclose(
        [shank[:, 2].min(), shank[:, 2].max()], [-0.21, 3.18], atol=0.02))
    expect("shank: goes through the lip's throat", numpy.linalg.norm(shank[:, :2], axis=1).max() < 0.5)
    expect("flukes: tips 2 m from the pin", abs(flukes[:, 2].max() - 2) < 0.04, flukes[:, 2].max())
    expect("flukes: mirrored", abs(flukes.max(axis=0) + flukes.min(axis=0))[:2].max() < 1e-3)
    lengths = lip_edges(*found["hull"])
    expect("lip: edges", len(lengths) > 20000 and lengths.max() <= LIP_EDGE_M, (len(lengths), lengths.max()))


def check_spoiled(points, faces):
    expect("spoiled: a hole", not is_closed(faces[1:]))
    turned = faces.copy()
    turned[0] = turned[0, ::-1]
    expect("spoiled: a turned triangle", not is_closed(turned))
    expect("spoiled: inside out", volume(points, faces[:, ::-1]) < 0)
    moved = points.copy()
    moved[points[:, 2].argmin()] += [0, 0, 1.5]
    expect("spoiled: a point through the other side", crossing_count(moved, faces) > 0)
    two = numpy.concatenate([faces, faces + len(points)])
    expect("spoiled: two pieces", components(two, 2 * len(points)) == 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        fine, coarse, again = (os.path.join(folder, name) for name in ("fine", "coarse", "again"))
        told = make(fine, *([] if "--stow" in sys.argv else ["--no-stow"]))
        check_sizes(check_files(fine, MOST))
        make(coarse, "--no-stow", *COARSE)
        found = check_files(coarse, {"hull": 15000, "shank": 3000, "flukes": 3000})
        check_spoiled(*found["flukes"])
        make(again, "--no-stow", *COARSE)
        for name in NAMES:
            one, other = (open(os.path.join(place, name + ".stl"), "rb").read() for place in (coarse, again))
            expect(f"{name}: twice the same", one == other)
        if "--stow" in sys.argv:
            line = re.search(r"hauled in at yaw 0 deg: crown pin ([\d.]+) m .* (\d+) contact regions", told)
            expect("stowed: four places", line is not None and line[2] == "4" and 0.8 < float(line[1]) < 1.4, told)
    sys.exit(1 if failures else 0)


main()
