#!/usr/bin/env python3
"""Shards, interruptions, full disks and mistakes: nothing is lost, and the file in the end is the same bit by bit.

usage: check_shards.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import glob
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import STUDY, contents, differences, without_command
from program_checks import PROGRAM, check, clack, failures

import h5py # after what skips where it is missing

OUTPUT, PARTS = "x.h5", "x.h5.parts"
NOBODY = 65534


def run(*words, output=OUTPUT, **expected):
    return clack("run", "study.yaml", "-q", "-d", "native", "-o", output, *words, **expected)


def check_rows(path):
    """Where rows stand, in a file without the scenes 80 to 159; frames are of the first 80: 80 to 89 are missing."""
    with h5py.File(path) as file:
        check(list(file["trajectory/recorded"]) == list(file["trajectory/scene_number"]) == list(range(80)),
              f"--partial: recorded scenes {file['trajectory/recorded'][:]}")
        for table, axis, least in ("events", "event", 100), ("contacts", "contact", 0):
            first, count, of_row = file[f"first_{axis}"][:], file[f"n_{axis}s"][:], file[f"{table}/scene_number"][:]
            check(count.sum() == len(of_row) >= least and not count[80:160].any(),
                  f"--partial: {count.sum()} rows of {table}, which has {len(of_row)}")
            check(all((of_row[at:at + rows] == scene).all() for scene, (at, rows) in enumerate(zip(first, count))),
                  f"--partial: rows of scenes in {table}")


def check_same(path, whole, what):
    different = differences(whole, without_command(contents(path))) if os.path.exists(path) else ["no file"]
    check(different == [], f"{what}: {path} differs in {different}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def clean():
    for name in os.listdir("."):
        if name in ("study.yaml", "whole.h5"):
            continue
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


def unfinished(*words):
    """A run that stopped with the first shard of several."""
    run("--batch", "40", "--checkpoint", "0", "--time-limit", "0.001", *words, code=130, says="clack resume x.h5")
    check(len(glob.glob(PARTS + "/b*.h5")) == 1 and not os.path.exists(OUTPUT), "one shard, no file")


# --- what becomes one file ------------------------------------------------------------------------


def check_merged(whole):
    for count, batch in ((3, 240), (3, 7), (5, 31)):
        names = [f"part{index}.h5" for index in range(1, count + 1)]
        for index, name in enumerate(names, 1):
            run("--shard", f"{index}/{count}", "--batch", str(batch), "--checkpoint", "0", output=name)
        clack("merge", *reversed(names), "-o", "merged.h5")
        check_same("merged.h5", whole, f"{count} shards in batches of {batch}")
        check_sources(names, "merged.h5")
        clean()
    clack("run", "study.yaml", "-q", "-d", "native", "--shard", "2/3")
    check(os.path.exists("study.2of3.h5"), "the default name of a shard")
    clean()


def check_sources(names, merged):
    """A row for each file that was merged, also where the merged file is merged again."""
    clack("merge", merged, "-o", "again.h5")
    expected = []
    for name in names:
        with h5py.File(name) as file:
            said = dict(file["provenance"].attrs)
            expected.append((int(file["scene"][0]), len(file["scene"]),
                             *(said[key].decode() for key in ("host", "started", "finished", "command_line"))))
    for name in (merged, "again.h5"):
        with h5py.File(name) as file:
            parts = file["provenance/parts"]
            columns = [parts[key][()] for key in ("first_scene", "scene_count", "host", "started", "finished",
                                                  "command_line")]
            got = [(int(row[0]), int(row[1]), *(text.decode() for text in row[2:])) for row in zip(*columns)]
        check(got == sorted(expected), f"{name}: parts: expected {expected}, found {got}")
    os.remove("again.h5")


def check_wrong_merges():
    for index in (1, 2, 3):
        run("--shard", f"{index}/3", output=f"{index}.h5")
    run("--shard", "2/3", "--seed", "9", output="seed.h5")
    run("--shard", "2/3", "--set", "solver.end=0.3", output="set.h5")
    with open("text.h5", "w") as text:
        text.write("no HDF5\n")
    gap = clack("merge", "1.h5", "3.h5", "-o", "m.h5", code=7, says="scenes 80 to 159 are in none of the files")
    check(gap.stdout == "", "stdout is for data")
    clack("merge", "1.h5", "2.h5", "2.h5", "3.h5", "-o", "m.h5", code=7, says="scene 80 is in 2.h5 too")
    clack("merge", "1.h5", "seed.h5", "3.h5", "-o", "m.h5", code=7,
          says='seed.h5: seed: expected "5" as in 1.h5, found "9"')
    clack("merge", "1.h5", "set.h5", "3.h5", "-o", "m.h5", code=7, says='overrides: expected "" as in 1.h5')
    clack("merge", "1.h5", "text.h5", "-o", "m.h5", code=7, says="text.h5")
    clack("merge", "1.h5", "none.h5", "-o", "m.h5", code=4, says="none.h5")
    clack("merge", "1.h5", code=2, says="-o")
    before = digest("1.h5")
    clack("merge", "1.h5", "2.h5", "3.h5", "-o", "1.h5", code=4, says="--overwrite")
    check(digest("1.h5") == before, "merge left the file alone")
    check(not glob.glob("m.h5*"), "no merged file after errors")
    clack("merge", "1.h5", "3.h5", "-o", "m.h5", "--partial")
    with open("1.h5", "r+b") as file:  # a byte of the data
        file.seek(os.path.getsize("1.h5") * 2 // 3)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0x55]))
    info = json.loads(clack("info", "m.h5", "--json").stdout)
    check(info["statuses"] == {"ok": 160, "not_run": 80} and not info["is_complete"], f"--partial: {info['statuses']}")
    check_rows("m.h5")
    clean()


# --- interruptions --------------------------------------------------------------------------------


def check_time_limit(whole):
    unfinished()
    codes = []
    while not codes or codes[-1] == 130 and len(codes) < 20:
        done = subprocess.run([PROGRAM, "resume", OUTPUT, "--checkpoint", "0", "--time-limit", "0.001", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        codes.append(done.returncode)
        said = json.loads(done.stdout)
        check(said["scenes_kept"] == 40 * len(codes), f"scenes kept: {said['scenes_kept']}")
        check((said["resume"], said["output"]) == ((OUTPUT, None) if codes[-1] == 130 else (None, OUTPUT)),
              f"resume, output: {said['resume']}, {said['output']}")
    check(codes == [130] * 4 + [0], f"one batch in each run: {codes}")
    check(said["statuses"] == {"ok": 240}, f"statuses of all scenes: {said['statuses']}")
    check_same(OUTPUT, whole, "resumed after time limits")
    check(not os.path.exists(PARTS), "the folder has gone")
    clack("resume", OUTPUT, code=4, says="nothing to resume; the ensemble is there")
    clean()
    clack("resume", OUTPUT, code=4, says="nothing to resume")


def check_signals(whole):
    for number in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen([PROGRAM, "run", "study.yaml", "-d", "native", "-o", OUTPUT, "--batch", "10",
                                    "--checkpoint", "0"], stderr=subprocess.PIPE, text=True)
        while not glob.glob(PARTS + "/b*.h5") and process.poll() is None:
            time.sleep(0.002)
        clack("run", "study.yaml", "-o", OUTPUT, code=4, says="x.h5.parts")  # while the other one is at work
        clack("resume", OUTPUT, code=4, says="another process is writing")
        process.send_signal(number)
        errors = process.communicate()[1]
        check(process.returncode == 128 + number, f"signal {number}: exit code {process.returncode}\n{errors}")
        check("clack: stopping; scenes that are done are kept" in errors, errors)
        check("to go on: clack resume x.h5\n" in errors, errors)
        clack("resume", OUTPUT, "-q")
        check_same(OUTPUT, whole, f"resumed after signal {number}")
        clean()


# --- disks ----------------------------------------------------------------------------------------


def check_full_disk(whole):
    """Files may not grow beyond a limit: of a shard, then of the merged file."""
    sizes, stopped, kept = [2 ** (k / 2) for k in range(14, 42)], 0, 0
    for size in sizes:
        def limit(size=int(size)):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        words = ["run", "study.yaml", "-q", "-d", "native", "-o", OUTPUT, "--batch", "80", "--checkpoint", "0"]
        done = subprocess.run([PROGRAM, *words], stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        check(done.returncode in (0, 4), f"limit {size:.0f}: exit code {done.returncode}\n{done.stderr}")
        if done.returncode == 4:
            stopped += 1
            check("x.h5" in done.stderr and "File too large" in done.stderr, f"limit {size:.0f}: {done.stderr}")
            check(not os.path.exists(OUTPUT), f"limit {size:.0f}: there is a file")
            is_kept = os.path.exists(PARTS)
            kept += is_kept
            check(("clack resume" in done.stderr) == is_kept, f"limit {size:.0f}: {done.stderr}")
            check(not glob.glob(PARTS + "/*.part") and not glob.glob(PARTS + "/merged*"), "scratch files are left")
            clack("resume", OUTPUT, "-q") if is_kept else run()
        check_same(OUTPUT, whole, f"limit {size:.0f}")
        clean()
    check(3 < stopped < len(sizes) and kept > 0, f"{stopped} of {len(sizes)} stopped, {kept} with shards")


def check_full_disk_when_interrupted():
    """The last shard of an interrupted run is closed by another thread than wrote it, which says no more than ours."""
    closed_short = 0
    for size in [2 ** (k / 2) for k in range(18, 42)] + [2 ** (k / 4) for k in range(65, 75, 2)]:
        def limit(size=int(size)):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        words = ["run", "study.yaml", "-q", "-d", "native", "-o", OUTPUT, "--batch", "40", "--time-limit", "0.001"]
        done = subprocess.run([PROGRAM, *words], stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        check(done.returncode in (4, 130), f"limit {size:.0f}: exit code {done.returncode}\n{done.stderr}")
        check(all(line.startswith(("clack: ", "to go on: ")) for line in done.stderr.splitlines()),
              f"limit {size:.0f}: {done.stderr}")
        closed_short += ".part: cannot write bytes " in done.stderr
        clean()
    check(closed_short > 0, "no limit was met by closing")


def check_small_tmpfs(whole):
    """A disk that is really full, where we may mount one."""
    script = ("mount -t tmpfs -o size=$2 none disk && cp study.yaml disk && cd disk && "
              "\"$1\" run study.yaml -q -d native -o x.h5 --batch 60 --checkpoint 0; code=$?; ls -R; "
              "[ $code = 4 ] || exit 1; [ ! -e x.h5 ] || exit 2; "
              "mount -o remount,size=20m . && cd ../disk && { [ -e x.h5.parts ] && \"$1\" resume x.h5 -q || "
              "\"$1\" run study.yaml -q -d native -o x.h5; } && cp x.h5 ..")
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
                                           stderr=subprocess.DEVNULL).returncode != 0:
        print("no tmpfs can be mounted here: left out")
        return
    for size in ("40k", "300k", "700k"):
        os.mkdir("disk")
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", PROGRAM, size], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        check(done.returncode == 0, f"tmpfs of {size}: {done.returncode}\n{done.stdout}{done.stderr}")
        check("No space left on device" in done.stderr, f"tmpfs of {size}: {done.stderr}")
        check_same(OUTPUT, whole, f"tmpfs of {size}")
        clean()


def check_closed_folder():
    os.mkdir("closed", 0o555)

    def become_nobody():
        if os.geteuid() == 0:
            os.setuid(NOBODY)
    os.chmod(".", 0o755)
    run(output="closed/x.h5", code=4, says="closed/x.h5.parts: cannot make this folder", preexec_fn=become_nobody)
    run(output="none/x.h5", code=4, says="none/x.h5.parts: cannot make this folder")
    clean()


# --- mistakes -------------------------------------------------------------------------------------


def check_existing(whole):
    with open(OUTPUT, "w") as file:
        file.write("former")
    before = digest(OUTPUT)
    run(code=4, says="x.h5: there is such a file already; --overwrite replaces it")
    check(digest(OUTPUT) == before and not os.path.exists(PARTS), "the former file is untouched")
    unfinished_code = run("--overwrite", "--batch", "40", "--checkpoint", "0", "--time-limit", "0.001", code=130)
    check(digest(OUTPUT) == before, f"untouched until the end\n{unfinished_code.stderr}")
    clack("resume", OUTPUT, "-q")
    check_same(OUTPUT, whole, "overwritten")
    clean()
    unfinished()
    shards = {name: digest(name) for name in glob.glob(PARTS + "/*")}
    run(code=4, says='"clack resume x.h5" goes on with it')
    with open(OUTPUT, "w") as file:
        file.write("another's")
    before = digest(OUTPUT)
    clack("resume", OUTPUT, code=4, says="not of this run")
    check(digest(OUTPUT) == before, "another's file is untouched")
    check({name: digest(name) for name in glob.glob(PARTS + "/*")} == shards, "the shards are untouched")
    os.remove(OUTPUT)
    run("--overwrite")
    check_same(OUTPUT, whole, "begun anew")
    check(not os.path.exists(PARTS), "the former shards have gone")
    clean()


def check_other_study(whole):
    unfinished()
    shards = {name: digest(name) for name in glob.glob(PARTS + "/*")}
    os.rename("study.yaml", "true.yaml")
    clack("resume", OUTPUT, code=4, says="study.yaml")
    with open("study.yaml", "w") as study:
        study.write(STUDY.replace("0.6", "0.7"))
    clack("resume", OUTPUT, code=7, says="study_sha256: expected")
    check({name: digest(name) for name in glob.glob(PARTS + "/*")} == shards, "the shards are untouched")
    clack("resume", OUTPUT, "-q", "--study", "true.yaml")
    check_same(OUTPUT, whole, "resumed with the study elsewhere")
    os.rename("true.yaml", "study.yaml")
    clean()
    # Overrides and seed are those that the run began with.
    run("--set", "solver.end=0.3", "--seed", "11", output="set.h5")
    unfinished("--set", "solver.end=0.3", "--seed", "11")
    clack("resume", OUTPUT, "-q")
    check_same(OUTPUT, without_command(contents("set.h5")), "resumed with overrides")
    clean()


def check_damage(whole):
    unfinished()
    name = glob.glob(PARTS + "/b*.h5")[0]
    with open(name, "r+b") as shard:
        shard.seek(os.path.getsize(name) // 2)
        byte = shard.read(1)
        shard.seek(-1, os.SEEK_CUR)
        shard.write(bytes([byte[0] ^ 1]))
    clack("resume", OUTPUT, says="1 damaged shard was dropped")
    check_same(OUTPUT, whole, "a shard was damaged")
    clean()
    unfinished()
    with open(PARTS + "/manifest.jsonl") as manifest:
        lines = manifest.readlines()
    wrong = ("", "{}\n", lines[0] + lines[1][:40], lines[0] + lines[1] + lines[1],
             lines[0] + lines[1].replace('40', '999'), lines[0].replace('"end":240', '"end":-1'),
             lines[0] + lines[1].replace('"shard":"', '"shard":"../'))
    for text in wrong:
        with open(PARTS + "/manifest.jsonl", "w") as manifest:
            manifest.write(text)
        clack("resume", OUTPUT, code=7, says="x.h5.parts/manifest.jsonl:")
        check(len(glob.glob(PARTS + "/b*.h5")) == 1, "the shard is still there")
    with open(PARTS + "/manifest.jsonl", "w") as manifest:
        # As of earlier programs; a shard that is not listed: its process ended before.
        manifest.write(lines[0].replace(',"sealed":true', ""))
    clack("resume", OUTPUT, "-q")
    check_same(OUTPUT, whole, "a shard was not in the manifest")
    clean()


def check_failed_scenes():
    with open("same.yaml", "w") as study:
        study.write("format: 1\nscene:\n  bodies:\n"
                    "    a: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\n"
                    "    b: {material: steel, shapes: [{sphere: {diameter: 0.1}}], "
                    "position: [{discrete: [0, 1]}, 0, 0]}\n"
                    "design: {grid: {}}\nsolver: {end: 0.01}\n")
    same = ["same.yaml", "-q", "-d", "native", "-o", OUTPUT, "--batch", "1", "--checkpoint", "0",
            "--time-limit", "0.0001"]
    clack("run", *same, code=130)
    clack("resume", OUTPUT, code=6, says="1 of 2 scenes failed; allowed: 0")
    check(os.path.exists(OUTPUT), "written all the same")
    os.remove(OUTPUT)
    clack("run", *same, "--max-failures", "1", code=130)
    clack("resume", OUTPUT)
    clean()


def check_device():
    devices = json.loads(clack("devices", "--json").stdout)["devices"]
    if not any(device["kind"] == "cpu" and device["device"] != "native" and device["is_usable"] for device in devices):
        print("no OpenCL device: left out")
        return
    unfinished()
    clack("resume", OUTPUT, "-d", "0", code=7, says='platform: expected "native" as in the shards')
    clack("resume", OUTPUT, "-q")
    clean()


def main():
    with tempfile.TemporaryDirectory(prefix="clack_shards_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        run("--batch", "240", output="whole.h5")
        whole = without_command(contents("whole.h5"))
        for part in (check_merged, check_time_limit, check_signals, check_full_disk, check_small_tmpfs, check_existing,
                     check_other_study, check_damage):
            part(whole)
        for part in (check_full_disk_when_interrupted, check_wrong_merges, check_closed_folder, check_failed_scenes,
                     check_device):
            part()
        os.chdir("/")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
