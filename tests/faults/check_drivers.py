#!/usr/bin/env python3
"""OpenCL drivers that abort, exit or crash: the program lives, names the driver and the way round it.

usage: check_drivers.py PROGRAM DRIVER (the module opencl_crash). Exit code 0: all is well; 1: a check failed.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

PROGRAM, DRIVER = (os.path.abspath(word) for word in sys.argv[1:3])
STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.2]}
design: {monte_carlo: {samples: 2, seed: 1}}
solver: {end: 0.01}
outputs: {quantities: {impacts: {count: contact_begin}}}
"""
failures = 0


def check(is_right, sentence):
    global failures
    if not is_right:
        failures += 1
        print("wrong:", sentence)


def clack(how, vendors, *words, loaded=None):
    environment = dict(os.environ, OCL_ICD_VENDORS=vendors, CLACK_TEST_DRIVER=how)
    if loaded:
        environment["CLACK_TEST_LOADED"] = loaded
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def run(*device):
    return ["run", "study.yaml", "-q", "--overwrite", "-o", "x.h5", *device]


def check_crash(how, vendors, driver):
    where = f"{how}, {vendors}"
    done = clack(how, vendors, "devices", "--json")
    check(done.returncode == 0 and done.stdout and done.stderr == "",
          f"{where}: devices: {done.returncode}, {done.stderr}")
    if done.returncode == 0 and done.stdout:
        devices = json.loads(done.stdout)["devices"]
        dead = [device for device in devices if driver in device["name"]]
        check(devices[0]["device"] == "native", f"{where}: native is not the first of {devices}")
        check(len(dead) == 1 and "-d native" in str(dead[0]["unusable_because"]), f"{where}: devices: {devices}")
        check(all(device["unusable_because"] for device in devices[1:]), f"{where}: usable: {devices}")
    done = clack(how, vendors, *run())
    check(done.returncode == 0, f"{where}: run: {done.returncode}, {done.stderr}")
    for choice in ("0", "gpu", "cpu"):
        done = clack(how, vendors, *run("-d", choice))
        check(done.returncode in (2, 5) and driver in done.stderr and "-d native" in done.stderr,
              f"{where}: run -d {choice}: {done.returncode}, {done.stderr}")
        check("crash:" not in done.stderr, f"{where}: the driver was heard: {done.stderr}")
    done = clack(how, vendors, "selftest", "-d", "0")
    check(done.returncode > 0 and driver in done.stderr, f"{where}: selftest: {done.returncode}, {done.stderr}")


def check_others(folder):
    """Native never loads a driver; one that has nothing to offer is no error;
    what the loader says is what is listed."""
    clack("load", folder, *run("-d", "native"), loaded="loaded")
    check(not os.path.exists("loaded"), "run -d native loads drivers")
    done = clack("hides", folder, "devices", "--json", loaded="loaded")
    check(done.returncode == 0 and os.path.exists("loaded"),
          f"a driver without platforms: {done.returncode}, {done.stderr}")
    check(done.stdout and len(json.loads(done.stdout)["devices"]) == 1, f"a driver without platforms: {done.stdout}")


def system_drivers():
    folder = "/etc/OpenCL/vendors"
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return {name: open(os.path.join(folder, name)).read() for name in names if name.endswith(".icd")}


def main():
    with tempfile.TemporaryDirectory(prefix="clack_drivers_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        vendors = os.path.join(folder, "vendors")
        os.mkdir(vendors)
        with open(os.path.join(vendors, "broken.icd"), "w") as icd:
            icd.write(DRIVER + "\n")
        for how in ("load", "call", "exit"):
            check_crash(how, vendors, os.path.join(vendors, "broken.icd"))
        check_crash("load", os.path.join(vendors, "broken.icd"), os.path.join(vendors, "broken.icd"))
        check_crash("load", DRIVER, DRIVER)
        check_others(vendors)
        for name, text in system_drivers().items():  # beside sound ones it is the one that is named
            with open(os.path.join(vendors, name), "w") as icd:
                icd.write(text)
        check_crash("call", vendors, os.path.join(vendors, "broken.icd"))
        start = time.monotonic()
        subprocess.run([PROGRAM, "devices"], check=True, stdout=subprocess.DEVNULL)
        print(f"clack devices with the system's drivers: {1e3 * (time.monotonic() - start):.0f} ms")
    print(f"{failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
