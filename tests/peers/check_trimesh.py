"""Mass properties of meshes in trimesh and in clack: python3 check_trimesh.py CLACK ROOT [FOLDER]

Of random surfaces (rings with waves on them, blocks with a cavity, two bodies beside each other) of other sizes, places
and orders of triangles, as OBJ, as STL in bytes and as PLY. Volume, centroid and inertia are told relative to their
sizes; each is also compared with trimesh's of a surface that is stretched by 1e-6, when it has to differ. FOLDER: where
pip put it (--target). Exit 77: trimesh (PyPI) is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path += sys.argv[3:4]
try:
    import numpy
    import trimesh
except ImportError as missing:
    print(missing)
    sys.exit(77)

CLACK, ROOT = sys.argv[1:3]
KINDS = ("obj", "ply", "stl")
TOLERANCE = 1e-11  # of a size; seen: 1e-13
STUDY = """format: 1
scene:
  bodies:
    part: {{fixed: true, material: steel, shapes: [{{mesh: {{file: {name}, decompose: groups}}}}]}}
solver: {{end: 1}}
"""
random = numpy.random.default_rng(1)


def ring(sections):
    surface = trimesh.creation.torus(1.0, 0.3, sections, sections)
    points = surface.vertices
    angle = numpy.arctan2(points[:, 1], points[:, 0])
    waves = 1 + 0.2 * numpy.sin(3 * angle + random.uniform(0, 6)) * points[:, 2]
    return trimesh.Trimesh(points * waves[:, None], surface.faces, process=False)


def hollow():
    outer, inner = trimesh.creation.box((2, 3, 1)), trimesh.creation.icosphere(2, 0.3)
    inner.invert()
    return trimesh.util.concatenate([outer, inner])


def two():
    other = trimesh.creation.icosphere(1, 0.4)
    other.apply_translation((3, 0, 1))
    return trimesh.util.concatenate([trimesh.creation.box((1, 1, 2)), other])


def shuffled(surface):
    """Turned, moved and of another size, with its triangles in another order."""
    surface = trimesh.Trimesh(surface.vertices, random.permutation(surface.faces), process=False)
    surface.apply_transform(trimesh.transformations.random_rotation_matrix(random.random(3)))
    surface.apply_scale(float(random.choice([1e-3, 1.0, 50.0])))
    surface.apply_translation(random.uniform(-1, 1, 3) * surface.scale)
    return surface


def ours(folder, name):
    path = os.path.join(folder, "study.yaml")
    open(path, "w").write(STUDY.format(name=name))
    done = subprocess.run([CLACK, "validate", "--json", path], capture_output=True, text=True,
                          env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
    mesh = json.loads(done.stdout)["meshes"][0]
    return mesh if mesh["is_closed"] else None


def difference(mesh, surface):
    """The largest of volume, centroid and inertia, as shares of their sizes."""
    volume, size = surface.volume, surface.scale
    xx, yy, zz, xy, xz, yz = mesh["inertia"]
    inertia = numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return max(abs(mesh["volume"] - volume) / volume,
               numpy.abs(numpy.array(mesh["centroid"]) - surface.center_mass).max() / size,
               numpy.abs(inertia - surface.moment_inertia).max() / numpy.abs(surface.moment_inertia).max())


def main():
    worst, least_spoiled, wrong = {}, {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(30):
            surface = shuffled([lambda: ring(8 + number), hollow, two][number % 3]())
            for kind in KINDS:
                name = f"{number}.{kind}"
                path = os.path.join(folder, name)
                surface.export(path, **({"digits": 17} if kind == "obj" else {}))
                mesh = ours(folder, name)
                read = trimesh.load(path, force="mesh")  # as it stands there: PLY and STL have floats
                if mesh is None or mesh["triangles"] != len(surface.faces):
                    print(f"{name}: expected a closed surface of {len(surface.faces)} triangles, found {mesh}")
                    wrong += 1
                    continue
                off = difference(mesh, read)
                spoiled = read.copy()
                spoiled.apply_scale((1 + 1e-6, 1, 1))
                worst[kind] = max(worst.get(kind, 0), off)
                least_spoiled[kind] = min(least_spoiled.get(kind, 1), difference(mesh, spoiled))
    for kind in KINDS:
        is_good = worst.get(kind, 1) < TOLERANCE < least_spoiled.get(kind, 0)
        wrong += not is_good
        print(f"{kind}: {worst.get(kind):.2g} (at most {TOLERANCE:g}), stretched {least_spoiled.get(kind):.2g}"
              f"{'' if is_good else '  WRONG'}")
    sys.exit(1 if wrong else 0)


main()
