"""Surfaces for the cases of validation that need meshes, as binary STL files: written where they are used."""
import os

import numpy


def write(path, points, triangles):
    corners = points[triangles]
    normal = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    rows = numpy.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows["normal"] = normal / numpy.linalg.norm(normal, axis=1, keepdims=True)
    rows["corners"] = corners
    with open(path, "wb") as file:
        file.write(b"\0" * 80 + numpy.uint32(len(rows)).tobytes() + rows.tobytes())


def icosphere(level):
    """20 * 4^level triangles, corners on the unit sphere."""
    g = (1 + 5 ** 0.5) / 2
    points = numpy.array([[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g],
                          [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]])
    triangles = numpy.array([[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4],
                             [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8],
                             [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]])
    points /= numpy.linalg.norm(points, axis=1, keepdims=True)
    for _ in range(level):
        edges = numpy.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, where = numpy.unique(edges, axis=0, return_inverse=True)
        middle = points[unique].sum(axis=1)
        middle /= numpy.linalg.norm(middle, axis=1, keepdims=True)
        at = where.reshape(-1, 3) + len(points)
        a, b, c = triangles.T
        x, y, z = at.T
        points = numpy.concatenate([points, middle])
        triangles = numpy.concatenate([numpy.stack(t, axis=1) for t in ((a, x, z), (b, y, x), (c, z, y), (x, y, z))])
    return points, triangles


def torus(major, minor, n, m):
    u, v = numpy.meshgrid(2 * numpy.pi * numpy.arange(n) / n, 2 * numpy.pi * numpy.arange(m) / m, indexing="ij")
    r = major + minor * numpy.cos(v)
    points = numpy.stack([r * numpy.cos(u), r * numpy.sin(u), minor * numpy.sin(v)], axis=-1).reshape(-1, 3)
    i, k = numpy.meshgrid(numpy.arange(n), numpy.arange(m), indexing="ij")
    a, b = i * m + k, (i + 1) % n * m + k
    c, d = (i + 1) % n * m + (k + 1) % m, i * m + (k + 1) % m
    return points, numpy.concatenate([numpy.stack([a, b, c], axis=-1), numpy.stack([a, c, d], axis=-1)]).reshape(-1, 3)


def stairs(steps, pitch, rise, width):
    """Columns that share their walls: all edges are of two triangles."""
    points, triangles = [], []

    def quad(*corners):
        first = len(points)
        points.extend(corners)
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]])

    for k in range(steps):
        x, after, top = pitch * k, pitch * (k + 1), rise * (k + 1)
        quad((x, 0, top), (after, 0, top), (after, width, top), (x, width, top))
        quad((x, 0, 0), (x, width, 0), (after, width, 0), (after, 0, 0))
        quad((x, 0, top - rise), (x, 0, top), (x, width, top), (x, width, top - rise))
        for j in range(k + 1):
            low, high = rise * j, rise * (j + 1)
            quad((x, 0, low), (after, 0, low), (after, 0, high), (x, 0, high))
            quad((x, width, low), (x, width, high), (after, width, high), (after, width, low))
    for j in range(steps):
        low, high, x = rise * j, rise * (j + 1), pitch * steps
        quad((x, 0, low), (x, width, low), (x, width, high), (x, 0, high))
    return numpy.array(points), numpy.array(triangles)


def write_all(folder):
    for level in (4, 5, 6):
        write(os.path.join(folder, f"icosphere{level}.stl"), *icosphere(level))
    write(os.path.join(folder, "torus.stl"), *torus(1, 0.3, 96, 48))
    write(os.path.join(folder, "stairs.stl"), *stairs(4, 0.3, 0.2, 1))
