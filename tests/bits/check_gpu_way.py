#!/usr/bin/env python3
"""Do scenes have native's bits on the way that GPUs take? A processor's driver says that it is a GPU.

usage: check_gpu_way.py PROGRAM SHIM (the module device_shim) SOURCE_FOLDER [--only WORD] [--jobs N] [--all]
                        [--runtime FOLDER]

Studies of all methods and kinds of shapes, a few scenes of each, by every executor of a GPU: a slot for each work-item
("own"), groups that serve scenes from queues ("queues"), work-items that share a scene ("lanes"). Every dataset but the
provenance is compared bit by bit. Before anything a control: gravity changed in its last bit has to be told.

PoCL 3.1's compiler does not end at several lanes, and takes minutes where functions that search pairs are by
themselves, as GPUs have them: there these are left out, but with --all. Intel's runtime for processors takes them
(PyPI's intel-opencl-rt, a file in the folder OCL_ICD_VENDORS that names its libintelocl.so).

Exit code 0: all is well; 1: a check failed; 77: no OpenCL device, or Python has no h5py.
"""
import argparse
import atexit
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import h5py
except ImportError:
    print("skipped: Python has no h5py")
    sys.exit(77)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program_checks import check, failures

EXECUTORS = {"own": ["--lanes", "1"], "queues": ["--queues", "32"], "lanes": ["--lanes", "8"]}
BUILT_WITH = {"own": "-DOWN_SLOTS=1", "queues": "-DQUEUE_ITEMS=32", "lanes": "-DSCENE_ITEMS=8"}
STUDIES = ( # file, what is set, executors; further ones where the compiler ends soon; the longest ones first
    ("data/crane.yaml", ["design.monte_carlo.samples=4", "solver.end=0.2"], "queues", "own"), # joints
    ("data/tumbling_box.yaml", ["design.monte_carlo.samples=8", "solver.end=0.6"], "own queues", ""),
    ("data/bouncing_sphere.yaml", ["design.monte_carlo.samples=8", "solver.end=0.6"], "own queues", "lanes"),
    ("data/three_models.yaml", ["design.monte_carlo.samples=4", "solver.method=rk4", "solver.end=0.7"], "own",
     "queues"),
    ("data/three_models.yaml", ["design.monte_carlo.samples=2", "solver.method=trapezoidal", "solver.end=0.42"], "own",
     "queues"), # meshes with contact regions
    ("data/three_models.yaml", ["design.monte_carlo.samples=4", "solver.method=quasi_rigid", "solver.end=0.7"],
     "queues", "own"),
    ("data/ten_spheres.yaml", ["design.monte_carlo.samples=4", "solver.end=0.25"], "own queues", "lanes"),
    ("data/packed_spheres.yaml", ["design.monte_carlo.samples=2", "solver.end=0.01"], "queues", "lanes"), # a hundred
    ("data/dropped_can.yaml", ["design.monte_carlo.samples=8", "solver.end=0.3"], "own", "lanes"), # net forces
    ("data/collisions.yaml", ["design.latin_hypercube.samples=2", "solver.end=0.2"], "", "own queues"), # all shapes
    ("tests/studies/quasi_given.yaml", ["solver.end=0.2"], "", "own lanes"), # bodies that are driven, springs
)


class Runs:
    """Files of runs in a folder."""

    def __init__(self, given, folder):
        self.program, self.shim, self.source = (os.path.abspath(path) for path in
                                                (given.program, given.shim, given.source))
        self.folder, self.takes_all = folder, given.all
        self.used_s = {} # processor time by name

    def run(self, path, name, settings, device, executor=""):
        """A file, or what was told."""
        out = os.path.join(self.folder, f"{name}.h5")
        words = [self.program, "run", os.path.join(self.source, path), "-o", out, "-q", "-d", device]
        environment = dict(os.environ, CLACK_DATA_DIR=os.path.join(self.source, "data"))
        if executor:
            words += EXECUTORS[executor]
            environment.update(LD_PRELOAD=self.shim, CLACK_TEST_GPU="1")
        for setting in settings:
            words += ["--set", setting]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as child:
            told = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0) # its own processor time
            child.returncode = os.waitstatus_to_exitcode(status)
        self.used_s[name] = used.ru_utime + used.ru_stime
        return (out, "") if child.returncode in (0, 6) else (None, f"{' '.join(words)}: {child.returncode}\n{told}")


def options_of(path):
    with h5py.File(path) as file:
        options = file["provenance"].attrs["build_options"]
        return options.decode() if isinstance(options, bytes) else options


def try_study(runs, number, device, differences):
    """Lines to print, whether each is right."""
    path, settings, executors, further = STUDIES[number]
    executors = executors.split() + (further.split() if runs.takes_all else [])
    if not executors:
        return []
    start = time.monotonic()
    native, told = runs.run(path, f"{number}_native", settings, "native")
    out = [(native is not None, f"{path}: {told}")]
    for executor in executors if native is not None else ():
        what = f"{path} {' '.join(settings[1:])}, {executor}"
        file, told = runs.run(path, f"{number}_{executor}", settings, device, executor)
        if file is None:
            out.append((False, f"{what}: {told}"))
            continue
        wrong, count = differences(native, file)
        out.append((not wrong and count > 10, f"{what}: of {count} datasets these differ: {', '.join(wrong)}"))
        out.append((BUILT_WITH[executor] in options_of(file), f"{what}: built with {options_of(file)}"))
    used = ", ".join(f"{executor} {runs.used_s[f'{number}_{executor}']:.1f}" for executor in ("native", *executors)
                     if f"{number}_{executor}" in runs.used_s)
    print(f"{path} {' '.join(settings[1:])}: {time.monotonic() - start:.1f} s; of processors: {used}", flush=True)
    return out


def check_control(runs, device, differences):
    """Gravity changed in its last bit differs, on the same way."""
    path, settings = next(study[:2] for study in STUDIES if "bouncing_sphere" in study[0])
    right, told = runs.run(path, "control", settings, "native")
    changed = [*settings, "scene.gravity=[0, 0, -9.810000000000002]"]
    wrong, told_wrong = runs.run(path, "control_changed", changed, device, "own")
    check(right is not None and wrong is not None, f"control: {told}{told_wrong}")
    if right is not None and wrong is not None:
        found, _ = differences(right, wrong)
        check(any("trajectory" in name for name in found), f"control: of gravity's last bit {found} tell")


def take_runtime(folder):
    """Let the OpenCL loader see the runtime in a folder alone. Returns whether there is one."""
    libraries = glob.glob(os.path.join(folder, "**", "libintelocl.so"), recursive=True)
    if not libraries:
        return False
    vendors = tempfile.mkdtemp(prefix="clack_vendors_")
    atexit.register(shutil.rmtree, vendors)
    with open(os.path.join(vendors, "intel.icd"), "w") as file:
        file.write(os.path.abspath(libraries[0]) + "\n")
    os.environ["OCL_ICD_VENDORS"] = vendors
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("source")
    parser.add_argument("--only", default="", help="studies in whose path this word is")
    parser.add_argument("--jobs", type=int, default=2, help="studies at once")
    parser.add_argument("--all", action="store_true", help="what takes PoCL's compiler too long, too")
    parser.add_argument("--runtime", metavar="FOLDER", help="of Intel's runtime, which is used alone")
    given = parser.parse_args()
    if given.runtime is not None and not take_runtime(given.runtime):
        print(f"skipped: no libintelocl.so in {given.runtime}")
        return 77
    sys.path.insert(0, os.path.join(os.path.abspath(given.source), "bench"))
    from same_bits import differences

    listed = json.loads(subprocess.run([os.path.abspath(given.program), "devices", "--json"], check=True,
                                       capture_output=True).stdout)
    usable = [device for device in listed["devices"] if device["device"] != "native" and device["is_usable"]]
    if not usable:
        print("skipped: no OpenCL device")
        return 77
    device = usable[0]["device"]
    given.all |= usable[0]["platform"] != "Portable Computing Language"
    print(f"{usable[0]['name']}{'' if given.all else ': without what takes its compiler too long'}", flush=True)
    with tempfile.TemporaryDirectory(prefix="clack_gpu_way_") as folder:
        runs = Runs(given, folder)
        check_control(runs, device, differences)
        numbers = [number for number, study in enumerate(STUDIES) if given.only in study[0]]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for lines in pool.map(lambda number: try_study(runs, number, device, differences), numbers):
                for is_right, sentence in lines:
                    check(is_right, sentence)
        print(f"{len(failures)} wrong; {sum(runs.used_s.values()):.0f} s of processors")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
