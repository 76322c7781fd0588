#!/usr/bin/env python3
"""Compilers that take long or do not end: what is told, the limit, Ctrl-C, what runs instead, a library that stays.

usage: check_slow_builds.py PROGRAM SHIM ROOT LIBRARY (the module opencl_odd_shim, the root of the tree, libclack.so).
Exit code 0: all is well; 1: a check failed; 77: no OpenCL device.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program_checks import PROGRAM, check, failures

SHIM, ROOT, LIBRARY = (os.path.abspath(word) for word in sys.argv[2:5])
STUDY = """format: 1
variables: {height: {uniform: [0.1, 0.2]}}
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, =height]}
design: {monte_carlo: {samples: 4, seed: 1}}
solver: {end: 0.2}
outputs: {quantities: {impacts: {count: contact_begin}}}
"""
NEVER = 1000 # s
LATE = 15 # s that a loaded machine may take beyond what is asked for


def start(words, build_s, **variables):
    environment = dict(os.environ, LD_PRELOAD=SHIM, CLACK_TEST_BUILD_S=str(build_s), **variables)
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def clack(build_s, *words, **variables):
    """Exit code, stdout, stderr, seconds."""
    begin = time.monotonic()
    process = start([PROGRAM, *words], build_s, **variables)
    out, err = process.communicate()
    return process.returncode, out, err, time.monotonic() - begin


def run(*words):
    return ["run", "study.yaml", "--overwrite", "-o", "x.h5", *words]


def values(path="x.h5"):
    words = [PROGRAM, "export", path, "--csv", "--table", "scenes"]
    return subprocess.run(words, capture_output=True, check=True).stdout


def check_told():
    code, out, err, _ = clack(6, *run("-d", "0", "-q"))
    check(code == 0 and out == err == "", f"--quiet: {code}, {out}, {err}")
    check(values() == values("native.h5"), "other results")
    code, _, err, _ = clack(6, *run("-d", "0"), CLACK_CACHE="1", CLACK_CACHE_DIR="cache")
    check(code == 0, f"6 s: {code}, {err}")
    first = err.splitlines()[0]
    check(first.startswith("compiling kernels for ") and first.endswith(", 5 s (once; kept in the cache cache)"), first)
    check(err.count("compiling kernels for") == 1 or "15 s" in err, f"more than a line in 10 s: {err}")
    check("kernels were compiled in" in err, f"no end: {err}")
    code, out, err, _ = clack(6, *run("-d", "0", "--json"), CLACK_CACHE="0")
    check(code == 0 and json.loads(out)["status"] == "ok" and "compiling kernels for" in err, f"--json: {out}, {err}")
    check("kept in" not in err, f"a cache is told of where there is none: {err}")
    code, _, err, _ = clack(0, *run("-d", "0"), CLACK_CACHE="1", CLACK_CACHE_DIR="cache")
    check(code == 0 and "compil" not in err, f"a fast build is told of: {err}")
    code, _, err, _ = clack(6, *run("-d", "0"), CLACK_CACHE="1", CLACK_CACHE_DIR="cache")
    check(code == 0 and "kept in the cache cache" in err, f"one from the cache: {err}")


def check_limit():
    # These wait at the same time.
    stopped = start([PROGRAM, *run("-d", "0", "--time-limit", "6", "-o", "stopped.h5")], NEVER)
    failed = start([PROGRAM, *run("-d", "0", "-o", "failed.h5")], 6, CLACK_TEST_BUILD_FAIL="1")
    code, _, err, took_s = clack(NEVER, *run("-d", "0"), CLACK_BUILD_LIMIT="6")
    for process, exit_code, how in (stopped, 130, "was stopped"), (failed, 5, "failed"):
        _, told = process.communicate()
        check(process.returncode == exit_code and f"compiling kernels {how} after 6 s" in told
              and "were compiled" not in told, f"{how}: {process.returncode}, {told}")
    check(code == 5 and 6 <= took_s < 6 + LATE, f"named: {code} after {took_s:.1f} s, {err}")
    check("CLACK_BUILD_LIMIT" in err and "-d native" in err and "was given up after 6 s" in err, f"named: {err}")
    check(os.listdir(".").count("x.h5.parts") == 0, "a folder of shards is left")
    code, out, err, took_s = clack(NEVER, *run("--json"), CLACK_BUILD_LIMIT="1", CLACK_TEST_GPU="1")
    check(code == 0 and 1 <= took_s < 1 + LATE, f"by default: {code} after {took_s:.1f} s, {err}")
    warnings = json.loads(out)["warnings"]
    check(len(warnings) == 1 and "within 1 s" in warnings[0]["message"] and "native" in warnings[0]["message"],
          f"by default: {out}")
    check(values() == values("native.h5"), "by default: other results than native's")
    code, _, err, _ = clack(NEVER, *run(), CLACK_BUILD_LIMIT="1", CLACK_TEST_GPU="1", CLACK_TEST_BUILD_TRIAL="1")
    check(code == 0 and "the native device takes the place" in err,
          f"the trial of its arithmetic does not end: {code}, {err}")
    code, _, err, took_s = clack(NEVER, *run("-q", "--verify", "50%"), CLACK_BUILD_LIMIT="10", CLACK_TEST_GPU="1")
    check(code == 0 and 10 <= took_s < 20, f"waited for twice: {code} after {took_s:.1f} s, {err}")
    code, _, err, _ = clack(NEVER, *run("--queues", "32", "-q"), CLACK_BUILD_LIMIT="1", CLACK_TEST_GPU="1")
    check(code == 0, f"by default with queues: {code}, {err}")
    code, _, err, _ = clack(2, *run("-d", "0", "-q"), CLACK_BUILD_LIMIT="0")
    check(code == 0, f"no limit: {code}, {err}")
    code, _, err, _ = clack(0, *run("-d", "0"), CLACK_BUILD_LIMIT="soon")
    check(code == 2 and "soon" in err, f"no number: {code}, {err}")
    code, _, err, _ = clack(0, *run("-d", "native", "-q"), CLACK_BUILD_LIMIT="soon")
    check(code == 0, f"native asks no compiler: {code}, {err}")


def check_resumed():
    """A run that native took over goes on natively, by `resume` and --continue, whatever the compiler does by then."""
    words = "--set", "design.monte_carlo.samples=1000000", "--batch", "1000", "--queues", "32"
    code, _, err, _ = clack(NEVER, *run(*words, "-o", "long.h5", "--time-limit", "2"), CLACK_BUILD_LIMIT="1",
                            CLACK_TEST_GPU="1")
    check(code == 130 and "to go on: clack resume long.h5" in err, f"taken over: {code}, {err}")
    again = ["run", "study.yaml", "-o", "long.h5", "--continue", *words]
    kept = 0
    for words in ["resume", "long.h5"], again:
        code, out, err, _ = clack(NEVER, *words, "--time-limit", "1", "--json", CLACK_BUILD_LIMIT="0",
                                  CLACK_TEST_GPU="1")
        told = json.loads(out)
        check(code == 130 and told["scenes_kept"] > 0 and told["scenes_kept"] >= kept and told["scenes_run"] > 0,
              f"{words[0]}: {code}, {out}, {err}")
        kept = told["scenes_kept"] + told["scenes_run"]
    # One that is stopped while it waits for its kernels has what it had.
    words = "resume", "long.h5", "-d", "0", "--time-limit", "1"
    code, out, err, _ = clack(NEVER, *words, "--json")
    told = json.loads(out)
    check(code == 130 and (told["scenes_kept"], told["scenes_run"], told["resume"]) == (kept, 0, "long.h5"),
          f"stopped with {kept} scenes: {code}, {out}")
    code, _, err, _ = clack(NEVER, *words)
    check(code == 130 and f"after {kept} of 1000000" in err and err.startswith("to go on: clack resume long.h5\n")
          and "finished" not in err, f"told when stopped with {kept} scenes: {code}, {err}")
    code, out, err, _ = clack(NEVER, *run("--queues", "32", "--dry-run", "--json"), CLACK_BUILD_LIMIT="1",
                              CLACK_TEST_GPU="1")
    check(code == 0 and json.loads(out)["device_bytes"].get("parked", 0) == 0, f"plan: {code}, {out}, {err}")


def check_signals():
    os.remove("x.h5")
    for words in run("-d", "0"), ["evaluate", "study.yaml", "poses.csv", "-d", "0", "-o", "x.h5"]:
        process = start([PROGRAM, *words], NEVER)
        time.sleep(3) # its handler is there, and its compiler at work
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        took_s = time.monotonic() - begin
        check(process.returncode == 130 and took_s < 3, f"{words[0]}: {process.returncode} after {took_s:.1f} s, {err}")
        check("interrupted" in err and "compil" not in err, f"{words[0]}: {err}")
        check(not os.path.exists("x.h5"), f"{words[0]}: a file is left")
    code, _, err, took_s = clack(NEVER, *run("-d", "0", "--time-limit", "1"))
    check(code == 130 and took_s < 1 + LATE and "stopped by the time limit after 0 of 4" in err,
          f"time limit: {code}, {err}")


# Native takes over; the library is unloaded while the compiler is at work, which then comes to its end.
UNLOADED = r"""
import _ctypes, os, sys, time, warnings
import clack
from clack._library import ffi, lib
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    result = clack.run("study.yaml")
assert len(told) == 1 and "CLACK_BUILD_LIMIT" in str(told[0].message), told
assert lib.clack_builds_left() == 1
again = clack.run("study.yaml") # the session keeps the native device: no other wait
assert lib.clack_builds_left() == 1
assert list(result["impacts"]) == list(again["impacts"])
path = os.environ["CLACK_LIBRARY"]
def is_loaded():
    return any(path in line for line in open("/proc/self/maps"))
clack.release()
clack._run._SESSION = None
assert is_loaded()
ffi.dlclose(lib)
assert is_loaded(), "the compiler's thread has lost its code"
until = time.monotonic() + 300
while not os.path.exists("done") and time.monotonic() < until:
    time.sleep(0.1)
assert os.path.exists("done")
time.sleep(1) # of what the thread does then
print("well", flush=True)
"""


# Ctrl-C while an evaluator, or a run, waits for its kernels.
STOPPED = r"""
import os, signal, threading, time
import clack
from clack._library import ffi, lib, sized
from clack._run import _Call
calls = (lambda: clack.Evaluator("study.yaml", device=0), lambda: clack.run("study.yaml", device=0),
         lambda: clack.resume("y.h5", device=0))
for call in calls:
    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        call()
    except KeyboardInterrupt as error:
        assert time.monotonic() - begin < 5, time.monotonic() - begin
        assert str(error) == ("to go on: clack.resume('y.h5')" if call is calls[-1] else ""), error
        print("well", flush=True)
# A caller that asks for its end itself, with no time limit.
ends = []
@ffi.callback("int(void *, const ClackBuild *)")
def leaves(_, build):
    ends.extend([(build.is_stopped, build.is_failed, build.is_given_up)] * build.is_ended)
    return 1
device, call = sized("ClackDeviceOptions"), _Call(clack.Study("study.yaml"), None)
device.choice = name = ffi.new("char[]", b"0")
device.on_build = leaves
call.options.device, call.options.no_file = device, 1
report = ffi.new("ClackReport *")
assert lib.clack_run(clack.Study("study.yaml")._pointer, call.options, call.summary, report) == lib.CLACK_INTERRUPTED
assert ffi.string(report.lines[0]) == b"interrupted after 0 of 4 scenes", ffi.string(report.lines[0])
assert ends[-1] == (1, 0, 0), ends # the first may be that of the trial of arithmetic
print("well", flush=True)
os._exit(0) # compilers are at work
"""


def check_library():
    python = dict(PYTHONPATH=os.path.join(ROOT, "host", "python"), CLACK_LIBRARY=LIBRARY, CLACK_TEST_GPU="1",
                  CLACK_BUILD_LIMIT="1", CLACK_TEST_BUILD_DONE="done")
    process = start([sys.executable, "-c", UNLOADED], 5, **python)
    out, err = process.communicate()
    check(process.returncode == 0 and out == "well\n", f"library: {process.returncode}, {out}, {err}")
    words = "--time-limit", "0.2", "--checkpoint", "0", "--set", "design.monte_carlo.samples=1000000", "--batch", "1000"
    words = [PROGRAM, "run", "study.yaml", "-q", "-d", "native", "-o", "y.h5", *words]
    check(subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 130, "a run of a million scenes ended")
    process = start([sys.executable, "-c", STOPPED], NEVER, **dict(python, CLACK_BUILD_LIMIT="0"))
    out, err = process.communicate()
    check(process.returncode == 0 and out == 4 * "well\n", f"stopped: {process.returncode}, {out}, {err}")


def main():
    devices = subprocess.run([PROGRAM, "devices", "--json"], capture_output=True, check=True).stdout
    if not any(device["device"] == "0" and device["is_usable"] for device in json.loads(devices)["devices"]):
        print("skipped: no OpenCL device")
        return 77
    os.environ["CLACK_DATA_DIR"] = os.path.join(ROOT, "data")
    with tempfile.TemporaryDirectory(prefix="clack_slow_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        with open("poses.csv", "w") as poses:
            poses.write("body,position_x,position_y,position_z\nball,0,0,0.05\n")
        subprocess.run([PROGRAM, "run", "study.yaml", "-q", "-d", "native", "-o", "native.h5"], check=True)
        for part in check_told, check_limit, check_resumed, check_signals, check_library:
            begin = time.monotonic()
            part()
            print(f"{part.__name__}: {time.monotonic() - begin:.0f} s")
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
