#!/usr/bin/env python3
"""Devices with other warps and smaller groups than NVIDIA's, and drivers that fill less than they are asked for.

usage: check_odd_devices.py PROGRAM SHIM TEST_DEVICE (the module opencl_odd_shim, the program test_device).
Exit code 0: all is well; 1: a check failed; 77: no OpenCL device.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program_checks import PROGRAM, check, failures

SHIM, TEST_DEVICE = (os.path.abspath(word) for word in sys.argv[2:4])
STUDY = """format: 1
variables: {height: {uniform: [0.1, 0.2]}}
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, =height]}
design: {monte_carlo: {samples: 100, seed: 1}}
solver: {end: 0.2}
outputs: {quantities: {impacts: {count: contact_begin}}}
"""


def odd(words, **variables):
    environment = dict(os.environ, LD_PRELOAD=SHIM, CLACK_CACHE="0",
                       **{"CLACK_TEST_" + k: str(v) for k, v in variables.items()})
    return subprocess.run(words, capture_output=True, text=True, env=environment)


def run(*words, **variables):
    return odd([PROGRAM, "run", "study.yaml", "-q", "--overwrite", "-o", "x.h5", "-d", "0", *words], **variables)


def values(path):
    words = [PROGRAM, "export", path, "--csv", "--table", "scenes"]
    return subprocess.run(words, capture_output=True, check=True).stdout


def check_group_sizes():
    """Work-items in a group: of no kernel more than it takes, on GPUs whole warps of some 64; the same results."""
    for wanted, is_gpu, variables in ((96, True, dict(WARP=48)), (32, True, dict(WARP=16, KERNEL_MOST=40)),
                                      (7, True, dict(WARP=16, KERNEL_MOST=7)), (1, False, dict(WARP=48))):
        if os.path.exists("sizes"):
            os.remove("sizes")
        done = run(SIZES="sizes", **(dict(GPU=1) if is_gpu else {}), **variables)
        check(done.returncode == 0, f"{variables}: {done.returncode}, {done.stderr}")
        sizes = collections.defaultdict(set)
        for line in open("sizes"):
            kernel, size = line.split()
            sizes[kernel].add(int(size))
        check(sizes["advance"] == sizes["gather"] == sizes["layout"] == {wanted},
              f"{variables}: {wanted}, {dict(sizes)}")
        check(values("x.h5") == values("native.h5"), f"{variables}: other results than native's")


def check_items_most():
    """More work-items than a group holds: refused with the most, before compiling where the device knows."""
    for option in "--queues", "--lanes":
        done = run(option, "64", GROUP_MOST=16, BUILD_S=1000)
        check(done.returncode == 2 and f"{option[2:]}: expected at most 16 work-items" in done.stderr,
              f"{option}: {done.returncode}, {done.stderr}")
    done = run("--queues", "64", KERNEL_MOST=48)
    words = "queues: expected at most 48 work-items", "found 64"
    check(done.returncode == 2 and all(word in done.stderr for word in words),
          f"a kernel's: {done.returncode}, {done.stderr}")
    done = run("--queues", "16", KERNEL_MOST=16)
    with h5py.File("x.h5") as file:
        said = {name: int(file["provenance"].attrs[name]) for name in ("lanes", "queues")}
    check(said == {"lanes": 1, "queues": 16}, f"provenance: {said}")
    check(done.returncode == 0 and values("x.h5") == values("native.h5"), f"just: {done.returncode}, {done.stderr}")


def check_own_choice():
    """A warp that the device lets share a scene is too many for the kernel: one, as nobody asked for the warp."""
    with open("two.yaml", "w") as study: # kernels as for one ball, which have been compiled
        study.write(STUDY.replace("\ndesign", "\n    other: {material: steel, shapes: [{sphere: {diameter: 0.1}}], "
                                               "position: [1, 0, =height]}\n  ignore: [[ball, other]]\ndesign"))
    variables = dict(GPU=1, WARP=2, KERNEL_MOST=1, ITEM_ONE=1)
    words = [PROGRAM, "run", "two.yaml", "--set", "design.monte_carlo.samples=20", "--overwrite", "-o"]
    done = odd([*words, "two.h5", "-d", "0"], **variables)
    check(done.returncode == 0 and "warning: each scene has one work-item" in done.stderr,
          f"own choice: {done.returncode}, {done.stderr}")
    subprocess.run([*words, "two_native.h5", "-q", "-d", "native"], check=True)
    check(done.returncode != 0 or values("two.h5") == values("two_native.h5"), "own choice: other results")
    done = odd([*words, "two.h5", "-q", "-d", "0", "--lanes", "2"], **variables)
    check(done.returncode == 2 and "lanes: expected at most 1 work-items" in done.stderr,
          f"asked for: {done.returncode}, {done.stderr}")


def check_fills():
    """A large buffer whose second or third piece is not filled is an error that says so."""
    words = [TEST_DEVICE, "--gtest_filter=*LargeBuffers*opencl"]
    done = odd(words)
    check(done.returncode == 0, f"fills that are done: {done.stdout}")
    if "SKIPPED" in done.stdout:
        print("fills: skipped, the device's buffers are smaller")
        return
    for first in 1 << 30, 2 << 30:
        done = odd(words, DROP_FILL=first)
        check(done.returncode == 1 and "clEnqueueFillBuffer left byte" in done.stdout,
              f"from {first} on: {done.stdout}")


def main():
    devices = subprocess.run([PROGRAM, "devices", "--json"], capture_output=True, check=True).stdout
    if not any(device["device"] == "0" and device["is_usable"] for device in json.loads(devices)["devices"]):
        print("skipped: no OpenCL device")
        return 77
    with tempfile.TemporaryDirectory(prefix="clack_odd_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        subprocess.run([PROGRAM, "run", "study.yaml", "-q", "-d", "native", "-o", "native.h5"], check=True)
        check_group_sizes()
        check_items_most()
        check_own_choice()
        check_fills()
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
