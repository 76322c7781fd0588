"""A surface cut into convex parts by CoACD, as an OBJ file with a group for each: decompose.py IN OUT.obj [options]

What studies take as `mesh: {file: OUT.obj, decompose: groups}`. The same input, options and versions give the same
file. Prints how far the parts are from the surface, and the mass properties of the surface itself, for studies whose
parts overlap. IN: what trimesh reads (OBJ, STL, PLY, ...).
"""
import argparse
import importlib.metadata
import sys

try:
    import coacd
    import numpy
    import trimesh
except ImportError as missing:
    sys.exit(f"{missing}\nInstall it with: python3 -m pip install coacd trimesh")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--threshold", type=float, default=0.05,
                        help="concavity that a part may keep, 0.01 (many parts) to 1; default 0.05")
    parser.add_argument("--parts", type=int, default=-1, help="at most so many; default: as many as it takes")
    parser.add_argument("--vertices", type=int, default=64,
                        help="of a part, at most; up to 64 have several contacts, as boxes have; default 64")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on all lengths; 0.001 for files in mm")
    parser.add_argument("--density", type=float, default=7850.0, help="kg/m^3 of the mass printed; default 7850, steel")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def write(path, parts, title):
    with open(path, "w") as out:
        out.write(f"# {title}\n")
        first = 1
        for number, part in enumerate(parts):
            out.write(f"g part_{number + 1}\n")
            for point in part.vertices:
                out.write("v %.9g %.9g %.9g\n" % tuple(point))
            for face in part.faces + first:
                out.write("f %d %d %d\n" % tuple(face))
            first += len(part.vertices)


def mass_line(surface, density):
    """Mass properties as a key of a body: about the centre of mass, in the frame of the file."""
    inertia = density * surface.moment_inertia
    tensor = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]

    def texts(values, size):  # 0 for what is rounding
        return ", ".join(f"{value if abs(value) > 1e-12 * size else 0:.9g}" for value in values)

    return (f"mass: {{mass: {density * surface.volume:.9g}, com: [{texts(surface.center_mass, surface.scale)}], "
            f"inertia: [{texts(tensor, max(tensor))}]}}")


def main():
    given = arguments()
    surface = trimesh.load(given.input, force="mesh")
    surface.apply_scale(given.scale)
    coacd.set_log_level("error")
    found = coacd.run_coacd(coacd.Mesh(surface.vertices, surface.faces), threshold=given.threshold, seed=given.seed,
                            max_convex_hull=given.parts, max_ch_vertex=given.vertices, decimate=True)
    parts = [trimesh.Trimesh(numpy.asarray(points), numpy.asarray(faces)) for points, faces in found]
    maker = f"CoACD {importlib.metadata.version('coacd')}"
    write(given.output, parts, f"{len(parts)} parts, by {maker} (threshold {given.threshold:g}, seed {given.seed})")
    volume = sum(part.volume for part in parts)
    print(f"{given.output}: {len(parts)} parts of {min(len(p.vertices) for p in parts)} to "
          f"{max(len(p.vertices) for p in parts)} vertices")
    if not surface.is_watertight:
        print("the surface is not closed: it has no volume to compare with")
        return
    share = volume / surface.volume
    print(f"volume: {volume:.6g} m3 in parts, {surface.volume:.6g} m3 in the surface ({share:.4f} times as much)")
    print(mass_line(surface, given.density))


main()
