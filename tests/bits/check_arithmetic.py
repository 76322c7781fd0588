#!/usr/bin/env python3
"""Devices whose arithmetic is not IEEE 754's: what `clack devices` tells of them, and who may use them.

usage: check_arithmetic.py PROGRAM SHIM (the module device_shim) SOURCE_FOLDER

The kernels are taken from folders (CLACK_KERNEL_DIR) in which fma rounds twice, as some drivers' does. Drivers that
abort or never answer when they compile are those of the shim. Exit code 0: all is well; 1: a check failed; 77: no
OpenCL device, or Python has no h5py.
"""
import glob
import json
import os
import shutil
import signal
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
from program_checks import PROGRAM, check, failures

SHIM, SOURCE = (os.path.abspath(word) for word in sys.argv[2:4])
STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.2]}
design: {monte_carlo: {samples: 2, seed: 1}}
solver: {end: 0.1}
outputs: {quantities: {impacts: {count: contact_begin}}}
"""
LISTED_WITHIN_S = 45 # the list, and 20 s for a device that does not answer


def clack(*words, **environment):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "CLACK_DATA_DIR": os.path.join(SOURCE, "data"), **environment})


def listed(**environment):
    """{device: its line} of `clack devices`, and how long that took."""
    start = time.monotonic()
    done = clack("devices", "--json", **environment)
    check(done.returncode == 0 and done.stderr == "", f"devices: {done.returncode}, {done.stderr}")
    devices = json.loads(done.stdout)["devices"] if done.stdout else []
    return {device["device"]: device for device in devices}, time.monotonic() - start


def provenance(path):
    with h5py.File(path) as file:
        text = file["provenance"].attrs["arithmetic"]
        return text.decode() if isinstance(text, bytes) else text


def run(device, *words, code=0, **environment):
    named = ["-d", device] if device is not None else []
    done = clack("run", "study.yaml", "--overwrite", "-o", "x.h5", *named, *words, **environment)
    check(done.returncode == code, f"run -d {device} {words}: {done.returncode}, {done.stderr}")
    return done.stderr


def check_exact(device):
    for name in "native", device:
        devices, _ = listed()
        check(devices[name]["arithmetic"] == "IEEE 754", f"{name}: {devices[name]['arithmetic']}")
        check("warning" not in run(name), f"{name}: something is told")
        check(provenance("x.h5") == "IEEE 754", f"{name}: {provenance('x.h5')}")
        check("warning" not in run(name, "--allow-inexact"), f"{name}: a warning of what is exact")
    row = [line for line in clack("devices").stdout.splitlines() if line.startswith(device + " ")]
    check(len(row) == 1 and "  IEEE 754  " in row[0], f"devices: {row}")


def inexact_kernels(folder):
    kernels = os.path.join(folder, "kernels")
    shutil.copytree(os.path.join(SOURCE, "kernels"), kernels)
    path = os.path.join(kernels, "base", "portable.h")
    text = open(path).read()
    right, wrong = "fma((real)(a), (real)(b), (real)(c))", "((real)(a) * (real)(b) + (real)(c))"
    assert text.count(right) == 1
    open(path, "w").write(text.replace(right, wrong))
    return kernels


def stop_after_a_shard(device, kernels):
    """A run on it that SIGINT ends once it has written a shard."""
    words = ["run", "study.yaml", "--overwrite", "-o", "x.h5", "-d", device, "--allow-inexact", "--batch", "100",
             "--checkpoint", "0", "--set", "design.monte_carlo.samples=100000"]
    with subprocess.Popen([PROGRAM, *words], stderr=subprocess.DEVNULL,
                          env={**os.environ, "CLACK_DATA_DIR": os.path.join(SOURCE, "data"),
                               "CLACK_KERNEL_DIR": kernels}) as process:
        while process.poll() is None and not glob.glob("x.h5.parts/b*.h5"):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
    check(process.returncode == 130, f"stopped run: {process.returncode}")


def check_inexact(device, kernels):
    """Refused with operands and results; allowed with one warning, which the file keeps; resumed as it began."""
    verdict = "not IEEE 754: fma, subnormal numbers"
    devices, _ = listed(CLACK_KERNEL_DIR=kernels)
    check(devices[device]["arithmetic"] == verdict, f"devices: {devices[device]['arithmetic']}")
    check(devices["native"]["arithmetic"] == "IEEE 754", "native has no kernels from there")
    told = run(device, code=5, CLACK_KERNEL_DIR=kernels)
    check(verdict in told and "--allow-inexact" in told, told)
    check("fma(a, b, c) of a = 0x" in told and "expected 0x" in told and "found 0x" in told, told)
    check(not os.path.exists("x.h5.parts"), "a folder is left")
    gpu = {"LD_PRELOAD": SHIM, "CLACK_TEST_GPU": "1", "CLACK_KERNEL_DIR": kernels}
    told = run(None, **gpu) # where none is named the native device takes the place of the GPU
    check(told.count("warning: ") == 1 and "native device" in told and verdict in told, told)
    check(provenance("x.h5") == "IEEE 754", provenance("x.h5"))
    run("gpu", code=5, **gpu)
    told = run(device, "--allow-inexact", CLACK_KERNEL_DIR=kernels)
    check(told.count("warning: ") == 1 and told.count(verdict) == 1, told)
    check(provenance("x.h5") == verdict, provenance("x.h5"))
    check(verdict in clack("info", "x.h5").stdout, "info does not tell")
    stop_after_a_shard(device, kernels)
    done = clack("resume", "x.h5", CLACK_KERNEL_DIR=kernels)
    check(done.returncode == 0 and done.stderr.count(verdict) == 1, f"resume: {done.returncode}, {done.stderr}")
    run(device, "--lanes", "4", code=5, CLACK_KERNEL_DIR=kernels)
    done = clack("selftest", "-d", device, CLACK_KERNEL_DIR=kernels)
    check(done.returncode == 5 and "fma" in done.stderr, f"selftest: {done.returncode}, {done.stderr}")


def check_broken(device):
    """The list is there whatever a device's compiler does."""
    for how, word in (("abort", "dies (Aborted)"), ("hang", "no answer")):
        devices, took_s = listed(LD_PRELOAD=SHIM, CLACK_TEST_BUILD=how)
        check(device in devices and word in str(devices[device]["arithmetic"]), f"{how}: {devices.get(device)}")
        check(devices["native"]["arithmetic"] == "IEEE 754", f"{how}: {devices['native']}")
        check(took_s < LISTED_WITHIN_S, f"{how}: {took_s:.1f} s")


def main():
    usable = [name for name, device in listed()[0].items() if name != "native" and device["is_usable"]]
    if not usable:
        print("skipped: no OpenCL device")
        return 77
    with tempfile.TemporaryDirectory(prefix="clack_arithmetic_") as folder:
        os.chdir(folder)
        open("study.yaml", "w").write(STUDY)
        check_exact(usable[0])
        check_inexact(usable[0], inexact_kernels(folder))
        check_broken(usable[0])
        print(f"clack devices: {1e3 * listed()[1]:.0f} ms")
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
