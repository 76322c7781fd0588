#!/usr/bin/env python3
"""Scenes that get nowhere end by themselves and disturb no other;
long batches are left soon after a signal or a time limit.

usage: check_time.py PROGRAM. Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import contents, differences
from program_checks import PROGRAM, check, clack, failures

import h5py  # ensemble_contents has skipped without it

HEARD_S = 5.0  # 2 s by itself; tests share their processor
WHOLE_S = 9.0 # of a batch that is left: most of it is to be done then
BOX = "{material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}]"
GOOD = 100  # rad/s
HARD = ["1e6", "1e9", "1e12", "1e200", "1e300"]


def table(name, spins):
    with open(name, "w") as file:
        file.write("spin\n" + "".join(f"{spin}\n" for spin in spins))


def study(name, table_name, end, bodies, more=""):
    with open(name, "w") as file:
        file.write(f"""format: 1
variables: {{spin: {{column: spin}}}}
scene:
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{{half_space: {{normal: [0, 0, 1]}}}}]}}
{bodies}
design: {{table: {table_name}}}
solver: {{end: {end}{more}}}
outputs: {{quantities: {{impacts: {{count: contact_begin}}, height: {{final: one.position.z}}}}, events: true}}
""")


TWO = (f"    one: {BOX}, position: [0, 0, 0.2], angular_velocity: [0.1, $spin, 0.2]}}\n"
       f"    two: {BOX}, position: [0, 0.15, 0.25]}}")
ONE = f"    one: {BOX}, position: [0, 0, 0.2], angular_velocity: [0.1, $spin, 0.2]}}"


def rows(path):
    with h5py.File(path) as file:
        return {name: file[name][()] for name in ("status", "substeps", "evaluations", "impacts", "height")}


def check_hard(device):
    """One scene of so many turns a second among good ones: an end with a status, in a bounded time,
    and equal neighbours."""
    study("hard.yaml", "hard.csv", 0.2, TWO, ", work_limit: 500")
    table("hard.csv", [GOOD] * 16)
    clack("run", "hard.yaml", "-q", "-d", device, "-o", "good.h5", "--overwrite")
    good = rows("good.h5")
    check(not good["status"].any(), f"{device}: good scenes: {good['status']}")
    for hard in HARD:
        table("hard.csv", [GOOD] * 7 + [hard] + [GOOD] * 8)
        start = time.monotonic()
        clack("run", "hard.yaml", "-q", "-d", device, "-o", "hard.h5", "--overwrite", code=6, timeout=120)
        took_s = time.monotonic() - start
        found = rows("hard.h5")
        print(f"{device}: {hard} rad/s: status {found['status'][7]}, {found['substeps'][7]} substeps, "
              f"run {took_s:.1f} s")
        check(found["status"][7] in (3, 4), f"{device}: {hard} rad/s: status {found['status'][7]}")
        for name, values in found.items():
            same = [values[i] == good[name][i] for i in range(16) if i != 7]
            check(all(same), f"{device}: {hard} rad/s: {name} of its neighbours: {values}, not {good[name]}")


def check_limit():
    """The limit is the scene's own number, and enough of it changes nothing."""
    table("hard.csv", [2000])
    statuses = []
    for limit in ("1", "1e4", "1e9"):
        study("limit.yaml", "hard.csv", 0.2, ONE, f", work_limit: {limit}")
        clack("run", "limit.yaml", "-q", "-d", "native", "-o", f"limit{limit}.h5", "--overwrite", code=None)
        statuses.append(int(rows(f"limit{limit}.h5")["status"][0]))
    check(statuses == [3, 0, 0], f"statuses by work_limit: {statuses}")
    check(differences(contents("limit1e4.h5"), contents("limit1e9.h5"))
          in ([], ["provenance/study_text", "provenance/study_byte"])
          or (rows("limit1e4.h5")["height"] == rows("limit1e9.h5")["height"]).all(),
          "a limit that is not reached changes results")


def interrupted(words, number):
    """Start, wait until it is at work, send a signal; the seconds that it took to end."""
    process = subprocess.Popen([PROGRAM, *words], stderr=subprocess.PIPE, text=True)
    while not os.path.exists("long.h5.parts/manifest.jsonl") and process.poll() is None:
        time.sleep(0.01)
    time.sleep(3)
    start = time.monotonic()
    process.send_signal(number)
    errors = process.communicate()[1]
    check(process.returncode == 128 + number, f"{words}: exit code {process.returncode}\n{errors}")
    return time.monotonic() - start


def timed(*words, **more):
    start = time.monotonic()
    done = clack(*words, **more)
    return time.monotonic() - start, done


def check_left(device):
    # One command line for all, since the file tells it; one batch.
    words = ["run", "long.yaml", "-q", "-d", device, "-o", "long.h5", "--batch", "100000"]
    study("long.yaml", "long.csv", 0.1, ONE, ", work_limit: 1e6")
    count = 64
    for _ in range(3):  # the first one compiles, the last one is long
        table("long.csv", [3e4 + 10 * i for i in range(count)])
        took_s = timed(*words, "--overwrite")[0]
        count = max(64, int(count * min(8, WHOLE_S / took_s)))
    table("long.csv", [3e4 + 10 * i for i in range(count)])
    os.remove("long.h5")
    whole_s = timed(*words)[0]
    whole = contents("long.h5")
    os.remove("long.h5")
    heard_s = interrupted(words, signal.SIGINT)
    again = ["resume", "long.h5", "-q", "--json"]
    limit_s, done = timed(*again, "--time-limit", "1", code=None)
    kept = json.loads(done.stdout)
    if done.returncode == 130:
        done = clack(*again)
    print(f"{device}: a batch of {whole_s:.1f} s left {heard_s:.1f} s after SIGINT with {kept['scenes_kept']} of "
          f"{kept['scenes']} scenes, a time limit of 1 s after {limit_s:.1f} s")
    check(heard_s < HEARD_S, f"{device}: heard after {heard_s} s")
    check(limit_s < 1 + HEARD_S, f"{device}: a time limit of 1 s ended after {limit_s} s")
    check(kept["scenes_kept"] > 0, f"{device}: no scene was kept")
    different = differences(whole, contents("long.h5"))
    check(different == [], f"{device}: resumed: {different}")
    os.remove("long.h5")


def main():
    with tempfile.TemporaryDirectory(prefix="clack_time_") as folder:
        os.chdir(folder)
        os.environ["CLACK_CACHE_DIR"] = os.path.join(folder, "cache")
        devices = json.loads(clack("devices", "--json").stdout)["devices"]
        for device in [device["device"] for device in devices if device["is_usable"]]:
            check_hard(device)
            check_left(device)
        check_limit()
        os.chdir("/")
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
