"""Pictures of closed surfaces for draw_anchor.py: a depth buffer, shading, cuts, arrows, short words, PNG files.

A surface is a pair (points, faces) as in closed_surface.py. Pictures are drawn at twice their size and then halved,
which smooths their edges. All projections are parallel, so that lengths can be compared.
"""
import struct
import zlib

import numpy

FINER = 2  # points drawn for a side of a pixel
FRAGMENTS = 1 << 20  # at once, so that memory stays small
LIGHTS = (((-0.45, 0.65, -0.6), 0.62), ((0.75, -0.1, -0.65), 0.26))  # from where (right, up, away), how strong
AMBIENT = 0.38
CUT = numpy.array([232, 222, 200.0])
GLYPHS = {  # seven rows of five points, the left one is 16
    "0": "0E11131519110E", "1": "040C040404040E", "2": "0E11010204081F", "3": "1F02040201110E", "4": "02060A121F0202",
    "5": "1F101E0101110E", "6": "0608101E11110E", "7": "1F010204080808", "8": "0E11110E11110E", "9": "0E11110F01020C",
    ".": "00000000000C0C", "a": "00000E010F110F", "c": "00000E1010110E", "f": "0609081C080808", "i": "04000C0404040E",
    "k": "10101214181412", "l": "0C04040404040E", "m": "00001A15151111", "n": "00001619111111", "o": "00000E1111110E",
    "r": "00001619101010", "t": "08081C08080906", "N": "11111915131111", " ": "00000000000000"}


class Camera:
    """Looks along forward at a point, which is in the middle of a picture that shows so many metres from top to
    bottom. Pixels of a view begin at its upper left corner."""

    def __init__(self, forward, middle, metres, width, height):
        self.forward = numpy.array(forward) / numpy.linalg.norm(forward)
        right = numpy.cross(self.forward, [0, 0, 1.0])
        self.right = right / numpy.linalg.norm(right)
        self.up = numpy.cross(self.right, self.forward)
        self.middle, self.width, self.height = numpy.array(middle), width * FINER, height * FINER
        self.scale = self.height / metres

    def project(self, points):
        """Right and down in points of the picture, away in m."""
        seen = (points - self.middle) @ numpy.stack([self.right, -self.up, self.forward], axis=1)
        return seen * [self.scale, self.scale, 1] + [self.width / 2, self.height / 2, 0]


# --- solids ---------------------------------------------------------------------------------------
def tube(start, end, radius, sides=12):
    """A straight rope or a roller as a closed surface."""
    along = (end - start) / numpy.linalg.norm(end - start)
    one = numpy.cross(along, numpy.eye(3)[numpy.abs(along).argmin()])
    one /= numpy.linalg.norm(one)
    angles = numpy.arange(sides) * 2 * numpy.pi / sides
    ring = radius * (numpy.outer(numpy.cos(angles), one) + numpy.outer(numpy.sin(angles), numpy.cross(along, one)))
    here, after = numpy.arange(sides), (numpy.arange(sides) + 1) % sides
    faces = numpy.concatenate([numpy.stack([here, after, here + sides], axis=1),
                               numpy.stack([after, after + sides, here + sides], axis=1),
                               numpy.stack([0 * here, after, here], axis=1),
                               numpy.stack([0 * here, here, after], axis=1) + sides])
    return numpy.concatenate([start + ring, end + ring]), faces


def together(surfaces, colours):
    """Surfaces as one, with the colour and the number of the part of each face."""
    firsts = numpy.cumsum([0] + [len(points) for points, _ in surfaces])
    counts = [len(faces) for _, faces in surfaces]
    return (numpy.concatenate([points for points, _ in surfaces]),
            numpy.concatenate([faces + first for (_, faces), first in zip(surfaces, firsts)]),
            numpy.repeat(numpy.array(colours, float), counts, axis=0), numpy.repeat(numpy.arange(len(counts)), counts))


# --- the depth buffer -----------------------------------------------------------------------------
def nearest(camera, points, faces, is_cut=None):
    """Depth of what is seen in each point of the picture (infinite: nothing) and the number of its face. is_cut: for
    each of points, positive where the solid is taken away."""
    depth = numpy.full(camera.width * camera.height, numpy.inf)
    owner = numpy.full(camera.width * camera.height, -1)
    corners = camera.project(points)[faces]
    size = numpy.array([camera.width, camera.height])
    low = numpy.clip(numpy.floor(corners[:, :, :2].min(axis=1)), 0, size).astype(int)
    high = numpy.clip(numpy.ceil(corners[:, :, :2].max(axis=1)), 0, size).astype(int)
    extent = (high - low).max(axis=1) * ((high - low).min(axis=1) > 0)
    order = numpy.argsort(-extent, kind="stable")[:numpy.count_nonzero(extent)]
    values = numpy.full(len(points), -1.0) if is_cut is None else is_cut
    while len(order):
        count = max(1, FRAGMENTS // extent[order[0]] ** 2)
        part, order = order[:count], order[count:]
        place, away, number = fragments(corners[part], low[part], high[part], values[faces[part]])
        place = place[:, 1] * camera.width + place[:, 0]
        numpy.minimum.at(depth, place, away)
        is_first = depth[place] == away
        owner[place[is_first]] = part[number[is_first]]
    shape = camera.height, camera.width
    return depth.reshape(shape), owner.reshape(shape)


def fragments(corners, low, high, values):
    """Points of the picture within each triangle: their places, depths, and the number of the triangle."""
    wide, tall = (high - low).max(axis=0)
    x = low[:, 0, None, None] + numpy.arange(wide)[None, None, :]
    y = low[:, 1, None, None] + numpy.arange(tall)[None, :, None]
    a, b, c = (corners[:, corner, :, None, None] for corner in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    area = numpy.where(numpy.abs(area) < 1e-9, numpy.nan, area)  # seen from its edge: no point is within it
    of_b = ((x + 0.5 - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (y + 0.5 - a[:, 1])) / area
    of_c = ((b[:, 0] - a[:, 0]) * (y + 0.5 - a[:, 1]) - (x + 0.5 - a[:, 0]) * (b[:, 1] - a[:, 1])) / area
    shares = 1 - of_b - of_c, of_b, of_c
    is_in = (of_b >= 0) & (of_c >= 0) & (shares[0] >= 0) & (x < high[:, 0, None, None]) & (y < high[:, 1, None, None])
    is_in &= sum(share * values[:, corner, None, None] for corner, share in enumerate(shares)) <= 0
    number, down, right = numpy.nonzero(is_in)
    away = sum(share[is_in] * corners[number, corner, 2] for corner, share in enumerate(shares))
    return numpy.stack([low[number, 0] + right, low[number, 1] + down], axis=1), away, number


def shaded(camera, solid, depth, owner, has_cut=False):
    """Colours of the picture; of what is not there any. Where a solid is cut, the first that is seen of it in a cut is
    the back of a face: it gets the colour of the cut, with hatches."""
    points, faces, colours, parts = solid
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    normal = numpy.cross(b - a, c - a)
    normal /= numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-30)[:, None]
    seen = normal @ numpy.stack([camera.right, camera.up, camera.forward], axis=1)
    light = numpy.full(len(faces), AMBIENT)
    for source, strength in LIGHTS:
        light += strength * numpy.maximum(seen @ (numpy.array(source) / numpy.linalg.norm(source)), 0)
    picture = (colours * light[:, None])[owner]
    if has_cut:
        down, right = numpy.indices(owner.shape)
        is_hatch = (down + right) % (8 * FINER) < FINER
        is_back = (seen[:, 2] > 0)[owner] & (owner >= 0)
        picture[is_back] = numpy.where(is_hatch[is_back][:, None], 0.72 * CUT, CUT)
    kind = numpy.where(owner < 0, -1, parts[owner] + (100 * (seen[:, 2] > 0)[owner] if has_cut else 0))
    picture[outlines(depth, kind)] *= 0.45
    return picture


def outlines(depth, kind, jump=0.04):
    """Where the kind of what is seen changes, or its depth in m jumps."""
    is_line = numpy.zeros(depth.shape, bool)
    flat = numpy.where(numpy.isfinite(depth), depth, 1e3)
    for axis in (0, 1):
        is_line |= (kind != numpy.roll(kind, 1, axis)) & (kind >= 0)
        is_line |= (numpy.roll(flat, 1, axis) + numpy.roll(flat, -1, axis) - 2 * flat > jump) & (kind >= 0)
    return is_line


# --- what is drawn over it ------------------------------------------------------------------------
def polygon(picture, corners, colour):
    """A convex polygon; corners in points of the picture, right and down."""
    corners = numpy.array(corners, float)
    tall, wide = picture.shape[:2]
    low = numpy.clip(numpy.floor(corners.min(axis=0)), 0, [wide, tall]).astype(int)
    high = numpy.clip(numpy.ceil(corners.max(axis=0)), 0, [wide, tall]).astype(int)
    y, x = numpy.mgrid[low[1]:high[1], low[0]:high[0]] + 0.5
    sides = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
             for a, b in zip(corners, numpy.roll(corners, -1, axis=0))]
    is_in = numpy.all([side >= 0 for side in sides], axis=0) | numpy.all([side <= 0 for side in sides], axis=0)
    picture[low[1]:high[1], low[0]:high[0]][is_in] = colour


def arrow(picture, start, end, colour, width=5.0):
    """From start to end, with a white rim; a short one has a small head."""
    width, length = width * FINER, numpy.hypot(*(end - start))
    if length < 1:
        return
    along = (end - start) / length
    across = numpy.array([-along[1], along[0]])
    head = min(3.6 * width, 0.7 * length)
    for rim, shade in ((1.2 * FINER, (255, 255, 255)), (0, colour)):
        neck, half = end - head * along, head / 3.6 * 1.5 + rim
        thick = min(width / 2, head / 3.6) + rim
        foot = start - rim * along
        polygon(picture, [foot + thick * across, neck + thick * across, neck - thick * across, foot - thick * across],
                shade)
        polygon(picture, [neck + half * across - rim * along, end + 2.5 * rim * along,
                          neck - half * across - rim * along], shade)


def words(picture, text, left, top, size=2):
    """Letters as far as GLYPHS has them; size: pixels for a point of a letter."""
    size *= FINER
    for letter in text:
        for row in range(7):
            bits = int(GLYPHS[letter][2 * row:2 * row + 2], 16)
            for column in range(5):
                if bits >> (4 - column) & 1:
                    y, x = top + row * size, left + column * size
                    picture[y:y + size, x:x + size] = 30
        left += 6 * size


# --- files ------------------------------------------------------------------------------------------
def write_png(path, picture):
    """Eight bits for red, green and blue; picture: at FINER times its size. Returns the bytes of the file."""
    tall, wide = (count // FINER for count in picture.shape[:2])
    picture = picture[:tall * FINER, :wide * FINER].reshape(tall, FINER, wide, FINER, 3).mean(axis=(1, 3))
    pixels = numpy.clip(numpy.round(picture), 0, 255).astype(numpy.uint8)
    rows = pixels.reshape(tall, 3 * wide)
    left = numpy.pad(rows, ((0, 0), (3, 0)))[:, :-3]
    above = numpy.pad(rows, ((1, 0), (0, 0)))[:-1]
    # The filter of PNG with the least sum of differences, row by row.
    filtered = numpy.stack([rows, rows - left, rows - above])
    best = numpy.abs(filtered.astype(numpy.int8).astype(int)).sum(axis=2).argmin(axis=0)
    lines = filtered[best, numpy.arange(tall)]
    packed = zlib.compress(numpy.concatenate([best[:, None].astype(numpy.uint8), lines], axis=1).tobytes(), 9)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, tall, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    with open(path, "wb") as file:
        file.write(data)
    return len(data)
