"""Closed surfaces of triangles for make_anchor.py: made of rings or of fields, measured, written as STL.

A surface is a pair (points, faces): (n, 3) coordinates in m, (m, 3) numbers of points, counter-clockwise seen from
outside. A field is a function of points that is negative inside of a solid and about the distance near its surface.
"""
import numpy


# --- surfaces of rings ---------------------------------------------------------------------------
class Rings:
    """A stack of closed loops, each of as many points as it needs; neighbours are sewn together by their angles."""

    def __init__(self):
        self.angles, self.points = [], []

    def add(self, angles, points):
        self.angles.append(angles)
        self.points.append(points)

    def torus(self):
        """The surface with the last ring sewn to the first."""
        firsts = numpy.cumsum([0] + [len(ring) for ring in self.points])
        faces = []
        for ring in range(len(self.points)):
            after = (ring + 1) % len(self.points)
            faces += sew(self.angles[ring], firsts[ring], self.angles[after], firsts[after])
        return outward(numpy.concatenate(self.points), numpy.array(faces))


def sew(angles, first, others, other_first):
    """Triangles between two rings, whose angles rise within one turn: always the one whose new edge spans less."""
    turn, one, other, faces = 2 * numpy.pi, 0, 0, []
    a, b = numpy.append(angles, angles[0] + turn).tolist(), numpy.append(others, others[0] + turn).tolist()
    while one < len(angles) or other < len(others):
        corner = [first + one % len(angles), other_first + other % len(others)]
        is_one = one < len(angles) and (other == len(others) or
                                        abs(a[one + 1] - b[other]) <= abs(b[other + 1] - a[one]))
        one, other = one + is_one, other + (not is_one)
        faces.append(corner + [first + one % len(angles) if is_one else other_first + other % len(others)])
    return faces


def spread(loop, count, shift=0.0):
    """count angles, at equal distances along a loop, which is a function of angles; shift: in distances."""
    dense = numpy.linspace(0, 2 * numpy.pi, 4001)
    along = numpy.append(0, numpy.cumsum(numpy.linalg.norm(numpy.diff(loop(dense), axis=0), axis=1)))
    return numpy.interp((numpy.arange(count) + shift) * along[-1] / count, along, dense)


def girth(loop):
    """Length of a loop, which is a function of angles."""
    return numpy.linalg.norm(numpy.diff(loop(numpy.linspace(0, 2 * numpy.pi, 1001)), axis=0), axis=1).sum()


def grading(length, first, last, growth=1.3):
    """Shares of a length, from 0 to 1, whose gaps grow from first to at most last by a factor each."""
    gaps = [first]
    while sum(gaps) < length:
        gaps.append(min(last, growth * gaps[-1]))
    return numpy.append(0, numpy.cumsum(gaps)) / sum(gaps)


# --- fields ---------------------------------------------------------------------------------------
def smooth_union(one, other, radius):
    """The smaller one, with a fillet of about that radius."""
    share = numpy.maximum(radius - numpy.abs(one - other), 0) / radius
    return numpy.minimum(one, other) - share * share * radius / 4


def smooth_cut(one, other, radius):
    """What the other one leaves of the first, with an edge rounded by about that radius."""
    return -smooth_union(-one, other, radius)


def rounded_box(offsets, halves, radius):
    """A box with rounded edges; offsets from its centre and halves of its sides, a list of coordinates each."""
    beyond = [numpy.abs(offset) - half + radius for offset, half in zip(offsets, halves)]
    outside = numpy.sqrt(sum(numpy.maximum(value, 0) ** 2 for value in beyond))
    return outside + numpy.minimum(numpy.maximum.reduce(beyond), 0) - radius


def rounded_disc(across, along, radius, half, edge):
    """A cylinder with rounded rims; across: distance from its axis."""
    return rounded_box([across, along], [radius, half], edge)


# --- surfaces of fields ---------------------------------------------------------------------------
def slope(field, points, step=1e-4):
    """Gradient of a field by central differences."""
    columns = []
    for axis in range(3):
        ahead = numpy.zeros(3)
        ahead[axis] = step
        columns.append((field(points + ahead) - field(points - ahead)) / (2 * step))
    return numpy.stack(columns, axis=1)


def drop(field, points, reach, rounds=3):
    """Points moved onto the field's surface by Newton's method, by at most reach in a round."""
    for _ in range(rounds):
        down = slope(field, points)
        move = -field(points)[:, None] * down / numpy.maximum((down * down).sum(axis=1), 1e-6)[:, None]
        size = numpy.linalg.norm(move, axis=1)
        points = points + move * numpy.minimum(1, reach / numpy.maximum(size, 1e-12))[:, None]
    return points


def shifted(values, axis, ends):
    """A part of an array of cells: without its first (ends 1) or last (ends 0) layer along one axis."""
    part = [slice(None)] * values.ndim
    part[axis] = slice(1, None) if ends else slice(None, -1)
    return values[tuple(part)]


def crossings(values, lines):
    """Sum and count of the points in which the edges of each cell cross the surface: (cells, 3), (cells)."""
    cells = tuple(count - 1 for count in values.shape)
    total, count = numpy.zeros(cells + (3,)), numpy.zeros(cells)
    nodes = numpy.stack(numpy.meshgrid(*lines, indexing="ij"), axis=-1)
    for axis in range(3):
        low, high = shifted(values, axis, 0), shifted(values, axis, 1)
        is_crossed = (low < 0) != (high < 0)
        share = numpy.where(is_crossed, low / numpy.where(is_crossed, low - high, 1), 0)[..., None]
        points = shifted(nodes, axis, 0) * (1 - share) + shifted(nodes, axis, 1) * share
        one, two = [other for other in range(3) if other != axis]
        for ends in ((0, 0), (0, 1), (1, 0), (1, 1)):
            here = shifted(shifted(is_crossed, one, ends[0]), two, ends[1])
            count += here
            total += here[..., None] * shifted(shifted(points, one, ends[0]), two, ends[1])
    return total, count


def net(field, lines, rounds=12):
    """The surface of a field over a grid of lines x, y, z: a point in each cell that it crosses, a quadrangle about
    each edge of the grid that crosses it. Points are evened out along the surface."""
    shape = [len(line) for line in lines]
    nodes = numpy.stack(numpy.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    values = field(nodes).reshape(shape)
    total, count = crossings(values, lines)
    is_cut = count > 0
    numbers = numpy.full(is_cut.shape, -1)
    numbers[is_cut] = numpy.arange(is_cut.sum())
    points = total[is_cut] / count[is_cut][:, None]
    quads = numpy.concatenate([quads_along(values, numbers, axis) for axis in range(3)])
    reach = min(numpy.diff(line).min() for line in lines) / 2
    points = drop(field, points, reach)
    edges = numpy.concatenate([quads[:, [side, (side + 1) % 4]] for side in range(4)])
    degree = numpy.bincount(edges[:, 0], minlength=len(points))[:, None]
    for _ in range(rounds):
        mean = numpy.zeros_like(points)
        numpy.add.at(mean, edges[:, 0], points[edges[:, 1]])
        numpy.add.at(mean, edges[:, 1], points[edges[:, 0]])
        move = mean / (2 * degree) - points
        normal = slope(field, points)
        normal /= numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-9)[:, None]
        move -= (move * normal).sum(axis=1)[:, None] * normal
        points = drop(field, points + move / 2, reach, 1)
    return outward(points, halves(points, quads))


def quads_along(values, numbers, axis):
    """Quadrangles about the grid's edges along one axis: the points of the four cells round each that is crossed."""
    is_inside = values < 0
    one, two = (axis + 1) % 3, (axis + 2) % 3
    inner = [slice(None)] * 3
    inner[one] = inner[two] = slice(1, -1)
    low, high = (shifted(is_inside, axis, end)[tuple(inner)] for end in (0, 1))
    round_it = [shifted(shifted(numbers, one, a), two, b) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    forth = numpy.stack([part[low & ~high] for part in round_it], axis=-1)
    back = numpy.stack([part[~low & high] for part in round_it], axis=-1)
    return numpy.concatenate([forth, back[:, ::-1]])


def halves(points, quads):
    """Two triangles of each quadrangle, cut where their normals differ least."""
    def bend(order):
        a, b, c, d = (points[quads[:, corner]] for corner in order)
        one, two = numpy.cross(b - a, c - a), numpy.cross(c - a, d - a)
        size = numpy.linalg.norm(one, axis=1) * numpy.linalg.norm(two, axis=1)
        return (one * two).sum(axis=1) / numpy.maximum(size, 1e-30)
    # Ties of flat ones go one way whatever the rounding, for the sake of mirrored halves.
    is_second = bend([1, 2, 3, 0]) > bend([0, 1, 2, 3]) + 1e-6
    turned = numpy.where(is_second[:, None], numpy.roll(quads, -1, axis=1), quads)
    return numpy.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])


# --- measures and files ---------------------------------------------------------------------------
def volume(points, faces):
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    return float((a * numpy.cross(b, c)).sum() / 6)


def outward(points, faces):
    return points, faces if volume(points, faces) > 0 else faces[:, ::-1]


def moments(points, faces):
    """Volume, centroid, and the inertia about it of unit density, by tetrahedra from the mean point."""
    centre = points.mean(axis=0)
    corners = [points[faces[:, corner]] - centre for corner in range(3)]
    sizes = (corners[0] * numpy.cross(corners[1], corners[2])).sum(axis=1) / 6
    centroid = (sizes[:, None] * sum(corners)).sum(axis=0) / (4 * sizes.sum())
    second = sum(numpy.einsum("k,ki,kj", sizes, one, other) * (2 if one is other else 1)
                 for one in corners for other in corners) / 20
    second -= sizes.sum() * numpy.outer(centroid, centroid)
    return float(sizes.sum()), centre + centroid, numpy.trace(second) * numpy.eye(3) - second


def flaw(points, faces):
    """Why a surface is not closed and oriented, or None."""
    edges = numpy.concatenate([faces[:, [side, (side + 1) % 3]] for side in range(3)])
    keys = edges[:, 0] * len(points) + edges[:, 1]
    if len(numpy.unique(keys)) != len(keys):
        return "an edge is used twice in one direction"
    if not numpy.array_equal(numpy.sort(keys), numpy.sort(edges[:, 1] * len(points) + edges[:, 0])):
        return "an edge has one triangle only"
    if len(numpy.unique(points.astype("<f4"), axis=0)) != len(points):
        return "two points are one in the file"
    return None if volume(points, faces) > 0 else "it is inside out"


def edge_lengths(points, faces):
    return numpy.linalg.norm(points[faces] - points[numpy.roll(faces, 1, axis=1)], axis=2)


def write_stl(path, points, faces):
    """Binary STL; the header has no date, so that equal surfaces are equal files."""
    row = numpy.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows = numpy.zeros(len(faces), row)
    rows["corners"] = points[faces]
    a, b, c = (rows["corners"][:, corner].astype(float) for corner in range(3))
    normal = numpy.cross(b - a, c - a)
    rows["normal"] = normal / numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-30)[:, None]
    with open(path, "wb") as file:
        file.write(b"metres, z up".ljust(80) + numpy.uint32(len(faces)).tobytes() + rows.tobytes())
