"""A surface cut by data/decompose.py and read by clack: python3 check_coacd.py CLACK ROOT [FOLDER]

The cup of data/: twice the same file; each part closed and as large as its hull; all parts together little larger than
the surface, which fails where the surface's own hull is taken instead. FOLDER: where pip put CoACD and trimesh
(--target). Exit 77: one of them is missing.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

CLACK, ROOT = sys.argv[1:3]
# The script with the folder after all else, so that Debian's numpy stays.
RUN = "import runpy, sys; sys.path += sys.argv[1:2]; path = sys.argv[2]; sys.argv[:3] = [path]; runpy.run_path(path)"
STUDY = """format: 1
scene:
  bodies:
    part: {{fixed: true, material: steel, shapes: [{{mesh: {{file: {name}, decompose: groups}}}}]}}
solver: {{end: 1}}
"""
SURFACE_M3 = 2.16431e-4  # of the cup
EXCESS = 1.02


def volume(folder, name):
    """Of all parts; None, told, where one of them is open or hollow."""
    path = os.path.join(folder, "study.yaml")
    open(path, "w").write(STUDY.format(name=name))
    done = subprocess.run([CLACK, "validate", "--json", path], capture_output=True, text=True,
                          env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
    told = json.loads(done.stdout)
    mesh = told["meshes"][0]
    print(f"{name}: {mesh['hulls']} hulls, {mesh['volume'] / SURFACE_M3:.4f} of the surface's volume")
    for warning in told["warnings"]:
        print(" ", warning["message"])
    is_good = mesh["is_closed"] and not any("times its volume" in line["message"] for line in told["warnings"])
    return mesh["volume"] if is_good else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for name in "one.obj", "two.obj":
            given = [ROOT + "/data/cup_surface.obj", os.path.join(folder, name), "--threshold", "0.03"]
            done = subprocess.run([sys.executable, "-c", RUN, (sys.argv[3:4] or [""])[0], ROOT + "/data/decompose.py"] +
                                  given, capture_output=True, text=True)
            if "Install it with" in done.stderr:
                print(done.stderr)
                sys.exit(77)
            if done.returncode != 0:
                sys.exit(done.stderr)
            texts.append(open(os.path.join(folder, name)).read())
        one = volume(folder, "one.obj")
        shutil.copy(ROOT + "/data/cup_surface.obj", folder)
        whole = volume(folder, "cup_surface.obj")
        checks = {"twice the same": texts[0] == texts[1], "parts": one is not None and one < EXCESS * SURFACE_M3,
                  "one hull is too large": whole is None}
    for name, is_good in checks.items():
        print(f"{name}: {'yes' if is_good else 'NO'}")
    sys.exit(0 if all(checks.values()) else 1)


main()
