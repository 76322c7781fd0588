#!/usr/bin/env python3
"""Finished files that get more scenes (`clack run --extend`): bit by bit what one run of all would have written, for
every design that can grow, also where it is stopped, killed, cut into shards; and what is refused, with the file as it
was.

usage: check_extend.py PROGRAM SOURCE_FOLDER FAIL_SHIM [--seed N]

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import glob
import hashlib
import json
import os
import random
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

SHIM = os.path.abspath(sys.argv[3])
SEED = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else int(time.time())
PARTS = "x.h5.parts"
# samples of the first run, of the second and the third; scenes of each sample; scenes with a trajectory, with contacts.
# Files of more than 2,048 scenes have larger chunks of events.
DESIGNS = {"monte_carlo: {samples: %d, seed: 5}": (30, 70, 2100, 1, 4, 50),
           "sobol: {samples: %d, seed: 5}": (32, 64, 100, 1, 50, 20),
           "sobol: {scramble: none, samples: %d}": (33, 40, 41, 1, 1000, 1000),
           "saltelli: {samples: %d, seed: 5}": (4, 9, 16, 5, 30, 40),
           "morris: {samples: %d, seed: 5}": (8, 12, 20, 4, 30, 40)}


def study_text(design, samples=30, trajectories=50, contacts=60):
    return (STUDY.replace("sobol: {samples: 240, seed: 5}", design.replace("%d", str(samples)))
            .replace("scenes: 90", f"scenes: {trajectories}").replace("scenes: 120", f"scenes: {contacts}"))


def write(*words, **more):
    with open("study.yaml", "w") as study:
        study.write(study_text(*words, **more))


def run(*words, output="x.h5", **expected):
    return clack("run", "study.yaml", "-q", "-d", "native", "-o", output, *words, **expected)


def said(path):
    return without_command(contents(path))


def check_same(path, whole, what):
    different = differences(whole, said(path)) if os.path.exists(path) else ["no file"]
    check(different == [], f"{what}: {path} differs in {different}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def clean(*kept):
    for name in os.listdir("."):
        if name not in ("study.yaml", *kept):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


def name_of(design):
    return design.split(":")[0]


def sources(path):
    """First scenes and counts of the parts that a file was made of."""
    with h5py.File(path) as file:
        parts = file["provenance/parts"]
        return list(zip(parts["first_scene"][:].tolist(), parts["scene_count"][:].tolist()))


# --- one run and several ---------------------------------------------------------------------------


def check_designs():
    for design, (first, second, third, each, trajectories, contacts) in DESIGNS.items():
        write(design, first, trajectories, contacts)
        path = f"design.{name_of(design)}.samples"
        rows = [clack("sample", "study.yaml", "--set", f"{path}={count}").stdout.splitlines()
                for count in (first, third)]
        check(len(rows[0]) == 1 + each * first and rows[0] == rows[1][:len(rows[0])],
              f"{design}: the first scenes depend on the number of samples")
        run()
        for count in second, third:
            run("--set", f"{path}={count}", output="whole.h5")
            whole = said("whole.h5")
            check(differences(whole, said("x.h5")) != [], f"{design}: the comparison sees no missing scenes")
            pieces = ["--batch", "16", "--checkpoint", "0"] if count == second else []
            clack("run", "study.yaml", "-d", "native", "-o", "x.h5", *pieces, "--extend", str(count),
                  says=f"{each * (first if count == second else second)} run before")
            check_same("x.h5", whole, f"{design}: {count} samples")
            check(not os.path.exists(PARTS), f"{design}: the folder is left")
            os.remove("whole.h5")
        check("statistics/mean" in said("x.h5"), f"{design}: no statistics")
        check(sources("x.h5") == [(0, each * first), (each * first, each * (second - first)),
                                  (each * second, each * (third - second))], f"{design}: parts {sources('x.h5')}")
        clean()


def check_written_samples():
    """The number of samples may stand in the study; one that --set gives is replaced."""
    design = "monte_carlo: {samples: %d, seed: 5}"
    write(design, 40)
    run("--set", "solver.end=0.25", output="whole.h5")
    write(design, 20)
    run("--set", "solver.end=0.25")
    write(design, 40)
    run("--set", "solver.end=0.25", "--extend", "40")
    with h5py.File("x.h5") as file, h5py.File("whole.h5") as whole:
        check(file["provenance/study_text"][:].tobytes() == whole["provenance/study_text"][:].tobytes(),
              "the study's text is that of the first run")
        check(file.attrs["study_sha256"] == whole.attrs["study_sha256"], "its checksum is that of the first run")
    told = run("--set", "design.monte_carlo.samples=41", "--set", "solver.end=0.25", "--extend", "50")
    check("changes nothing" not in told.stderr, told.stderr)
    run("--set", "solver.end=0.25", "--set", "design.monte_carlo.samples=50", output="whole50.h5")
    check_same("x.h5", said("whole50.h5"), "samples in the study and by --set")
    clean()


def check_shards():
    """Nodes run shares of the new scenes alone; merge has the whole."""
    for design, (first, second, _, each, trajectories, contacts) in list(DESIGNS.items())[1::2]:
        write(design, first, trajectories, contacts)
        run("--set", f"design.{name_of(design)}.samples={second}", output="whole.h5")
        run()
        for index in 1, 2:
            clack("run", "study.yaml", "-q", "-d", "native", "--extend", str(second), "--shard", f"{index}/2")
        with h5py.File("study.1of2.h5") as file:
            new = each * (second - first)
            check((int(file["scene"][0]), len(file["scene"])) == (each * first, (new + 1) // 2),
                  f"{design}: scenes of the first shard {file['scene'][:]}")
        clack("merge", "study.2of2.h5", "x.h5", "study.1of2.h5", "-o", "merged.h5")
        check_same("merged.h5", said("whole.h5"), f"{design}: shards")
        clack("merge", "study.2of2.h5", "x.h5", "-o", "gap.h5", code=7, says="are in none of the files")
        clack("merge", "study.2of2.h5", "study.1of2.h5", "x.h5", "-o", "x.h5", "--overwrite")
        check_same("x.h5", said("whole.h5"), f"{design}: merged in place")
        clean()
    write("monte_carlo: {samples: %d, seed: 5}", 20)
    run("--extend", "20", "--shard", "1/2", output="1.h5", code=2, says="has 20 scenes itself: expected more, found 20")
    run("--extend", "22", "--shard", "1/3", output="1.h5", code=2, says="only 2 scenes")
    # What fits together else: not another seed, nor a design whose scenes depend on their number.
    run()
    run("--extend", "30", "--shard", "1/1", "--seed", "6", output="seed.h5")
    clack("merge", "x.h5", "seed.h5", "-o", "m.h5", code=7, says='seed.h5: seed: expected "5" as in x.h5, found "6"')
    run("--extend", "30", "--shard", "1/1", "--set", "solver.end=0.2", output="set.h5")
    clack("merge", "x.h5", "set.h5", "-o", "m.h5", code=7, says="set.h5: overrides: expected")
    write("latin_hypercube: {samples: %d, seed: 5}", 20)
    run(output="20.h5", code=0)
    run("--set", "design.latin_hypercube.samples=40", "--shard", "2/2", output="40.h5")
    clack("merge", "20.h5", "40.h5", "-o", "m.h5", code=7, says='40.h5: design_scenes: expected "20" as in 20.h5')
    check(not os.path.exists("m.h5"), "a merged file")
    clean()


# --- stopped and killed ----------------------------------------------------------------------------


def stopped(samples="90"):
    """Stopped with some scenes more in a shard."""
    run("--extend", samples, "--batch", "20", "--checkpoint", "0", "--time-limit", "0.0001", code=130,
        says="clack resume x.h5")
    check(len(glob.glob(PARTS + "/b*.h5")) == 2, f"shards: {os.listdir(PARTS)}")


def check_stopped(whole):
    run()
    before = digest("x.h5")
    shutil.copy("x.h5", "first.h5")

    def start():
        clean("first.h5")
        shutil.copy("first.h5", "x.h5")
        stopped()
    start()
    check(digest("x.h5") == before, "stopped: the file is as it was")
    run("--extend", "90", code=4, says="holds 2 shards of an unfinished run")
    clack("merge", *glob.glob(PARTS + "/b*.h5"), "-o", "look.h5", "--partial")
    with h5py.File("look.h5") as file:
        check(len(file["scene"]) == 90 and (file["status"][:50] == 0).all(), "shards merged to be looked at")
    document = json.loads(clack("resume", "x.h5", "--json").stdout)
    check((document["scenes"], document["scenes_kept"], document["scenes_run"]) == (90, 50, 40), f"told: {document}")
    check_same("x.h5", whole, "resumed")
    start()
    run("--extend", "91", "--continue", code=7, says="expected the scenes 0 to 90, found those of another part")
    run("--extend", "90", "--continue", "--set", "solver.end=0.3", code=7, says="overrides: expected")
    check(digest("x.h5") == before, "not continued: the file is as it was")
    run("--extend", "90", "--continue")
    check_same("x.h5", whole, "continued")
    run("--extend", "90", "--continue")
    start()  # somebody puts another file in its place
    shutil.copy("first.h5", "another.h5")
    with h5py.File("another.h5", "a") as file:
        file.attrs["title"] = "another"
    os.replace("another.h5", "x.h5")
    other = digest("x.h5")
    clack("resume", "x.h5", code=4, says="is not as it was when its scenes were to be extended; move it")
    check(digest("x.h5") == other, "another's file is as it was")
    shutil.copy("first.h5", "x.h5")  # the same bytes in another file are the same
    clack("resume", "x.h5", "-q")
    check_same("x.h5", whole, "resumed with a copy in its place")
    start()  # it is gone: its second name has it
    os.remove("x.h5")
    clack("resume", "x.h5", "-q")
    check_same("x.h5", whole, "resumed without the file")
    start()  # the second name is gone
    os.remove(PARTS + "/b0000000000-0000000029.h5")
    clack("resume", "x.h5", "-q")
    check_same("x.h5", whole, "resumed without its second name")
    start()  # somebody changes it in place, and so under its second name
    with h5py.File("x.h5", "a") as file:
        file.attrs["note"] = "mine"
    other = digest("x.h5")
    clack("resume", "x.h5", code=4, says="move it away first")
    check(digest("x.h5") == other, "the changed file is as it was")
    os.rename("x.h5", "mine.h5")
    clack("resume", "x.h5", says="1 damaged shard was dropped")
    check_same("x.h5", whole, "resumed with a changed file moved away")
    check(digest("mine.h5") == other, "the changed file is as it was")
    start()  # it says that the whole file has been named, but the file is the old one
    with open(PARTS + "/manifest.jsonl") as manifest:
        lines = manifest.readlines()
    with open(PARTS + "/manifest.jsonl", "w") as manifest:  # without checksum, as of earlier programs
        manifest.writelines([lines[0].replace(',"sealed":true', ""), *lines[1:-1], '{"merged_from":"merged.h5"}\n'])
    clack("resume", "x.h5", "-q")
    check_same("x.h5", whole, "resumed where the whole file is missing")
    start()  # both are gone: its scenes are run again
    os.remove(PARTS + "/b0000000000-0000000029.h5")
    os.remove("x.h5")
    clack("resume", "x.h5", says="1 damaged shard was dropped")
    check_same("x.h5", whole, "resumed with nothing of the file")
    clean()


def check_signal(whole):
    run()
    before = digest("x.h5")
    process = subprocess.Popen([PROGRAM, "run", "study.yaml", "-d", "native", "-o", "x.h5", "--batch", "10",
                                "--checkpoint", "0", "--extend", "90"], stderr=subprocess.PIPE, text=True)
    while len(glob.glob(PARTS + "/b*.h5")) < 2 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    errors = process.communicate()[1]
    if process.returncode == 130:
        check(digest("x.h5") == before and "to go on: clack resume x.h5\n" in errors, f"Ctrl-C: {errors}")
        clack("resume", "x.h5", "-q")
    else:
        check(process.returncode == 0, f"Ctrl-C: exit code {process.returncode}\n{errors}")
    check_same("x.h5", whole, "after Ctrl-C")
    clean()


def check_kills(whole, kills=8):
    """At each moment the file is the old one or the whole. Killed before any of the calls that work on files."""
    print(f"seed {SEED}")
    moments = random.Random(SEED)
    run(output="first.h5")
    before = digest("first.h5")
    command = ["--batch", "12", "--checkpoint", "0", "--extend", "90", "--continue"]
    shim = {**os.environ, "LD_PRELOAD": SHIM, "CLACK_TEST_FAIL_FILE": "x.h5"}
    shutil.copy("first.h5", "x.h5")
    counted = run(*command, env={**shim, "CLACK_TEST_FAIL_NUMBER": "0"}).stderr
    calls, begun = sum(int(line.split()[2]) for line in counted.splitlines() if line.startswith("calls: ")), 0
    for number in range(kills):
        clean("first.h5")
        shutil.copy("first.h5", "x.h5")
        # What goes on makes fewer calls, and may end.
        for limit in calls, calls / 2:
            environment = {**shim, "CLACK_TEST_FAIL_CALL": "any", "CLACK_TEST_FAIL_ERROR": "kill",
                           "CLACK_TEST_FAIL_NUMBER": str(moments.randint(1, int(limit)))}
            done = subprocess.run([PROGRAM, "run", "study.yaml", "-q", "-d", "native", "-o", "x.h5", *command],
                                  env=environment, capture_output=True, text=True)
            if limit != calls and done.returncode == 0:
                continue
            check(done.returncode == -signal.SIGKILL, f"kill {number}: {done.returncode}: {done.stderr}")
            begun += os.path.exists(PARTS + "/manifest.jsonl")
            if digest("x.h5") != before:
                check_same("x.h5", whole, f"kill {number}: replaced too early")
        run(*command)
        check_same("x.h5", whole, f"kill {number}")
        check(not glob.glob(PARTS + "/b*"), f"kill {number}: {glob.glob(PARTS + '/*')} are left")
    check(begun > kills / 2, f"{begun} killed with a manifest: no test")
    print(f"{kills} killed among {calls} calls, then again; a manifest was there {begun} times")
    clean()


def check_no_links(whole):
    """File systems without second names for files: a copy."""
    run()
    shim = {**os.environ, "LD_PRELOAD": SHIM, "CLACK_TEST_FAIL_CALL": "link", "CLACK_TEST_FAIL_NUMBER": "1",
            "CLACK_TEST_FAIL_ALWAYS": "1", "CLACK_TEST_FAIL_FILE": PARTS}
    words = ["--extend", "90", "--batch", "20", "--checkpoint", "0"]
    done = run(*words, "--time-limit", "0.0001", code=130, env=shim)
    check("shim: link 1 fails" in done.stderr, f"the shim was not asked: {done.stderr}")
    check(os.stat("x.h5").st_nlink == 1 and len(glob.glob(PARTS + "/b*.h5")) == 2, "a copy in the folder")
    clack("resume", "x.h5", "-q", env=shim)
    check_same("x.h5", whole, "without links")
    clean()


# --- refused ---------------------------------------------------------------------------------------


def check_refused():
    write("monte_carlo: {samples: %d, seed: 5}", 30)
    run("--extend", "60", code=4, says="x.h5: there is no such file to extend")
    run()
    before = digest("x.h5")
    for words, code, says in (
            (("--extend", "20"), 2, "x.h5 is of 30 scenes: expected as many or more, found 20 scenes"),
            (("--extend", "0"), 2, "--extend: expected a whole number from 1 to"),
            (("--extend", "60", "--seed", "6"), 7, 'this run: seed: expected "5" as in x.h5, found "6"'),
            (("--extend", "60", "--set", "solver.end=0.3"), 7,
             'this run: overrides (--set): expected "" as of x.h5, found "solver.end=0.3"'),
            (("--extend", "30", "--set", "solver.end=0.3"), 7, "overrides (--set)"),
            (("--extend", "60", "--set", "design={sobol: {samples: 3}}"), 7, "overrides (--set)"),
            (("--extend", "60", "--overwrite"), 2, "not with --scene or --overwrite"),
            (("--extend", "60", "--scene", "3"), 2, "not with --scene or --overwrite"),
            (("--extend", "60", "--set", "design={latin_hypercube: {samples: 3}}"), 2,
             "design.latin_hypercube: cannot be extended: each parameter has one value in each of `samples` intervals"),
            (("--extend", "60", "--set", "design={grid: {levels: 3}}"), 2,
             "design.grid: cannot be extended: its scenes are counted by its levels")):
        run(*words, code=code, says=says)
        check(digest("x.h5") == before and not os.path.exists(PARTS), f"{words}: the file is as it was")
    with open("t.csv", "w") as table:
        table.write("a\n1\n")
    run("--extend", "60", "--set", "design={table: t.csv}", code=2, says="design.table: cannot be extended")
    left = clack("run", "study.yaml", "-d", "native", "-o", "x.h5", "--extend", "30",
                 says="warning: x.h5: is left as it is: it has all 30 scenes")
    check(digest("x.h5") == before and "finished before, 30 scenes" in left.stderr, f"equal: {left.stderr}")
    document = json.loads(run("--extend", "90", "--dry-run", "--json").stdout)
    check((document["scenes"], document["scenes_kept"]) == (60, 30), f"--dry-run: {document['scenes']}")
    plan = run("--extend", "90", "--dry-run").stdout
    check("scenes:  60 more in " in plan and "x.h5 (has 30 scenes, which are kept)" in plan, plan)
    check(digest("x.h5") == before and not os.path.exists(PARTS), "--dry-run: the file is as it was")
    with open("study.yaml", "w") as study:
        study.write(study_text("monte_carlo: {samples: %d, seed: 5}", 30).replace("0.6]", "0.7]"))
    run("--extend", "60", code=7, says='study.yaml:5: expected "0, 0, {uniform: [0.1, 0.6]}]}" as of x.h5, found')
    with open("study.yaml", "w") as study:  # a number that others share is no number of samples alone
        study.write(study_text("monte_carlo: {samples: %d, seed: 5}", 60).replace("every: 0.01", "every: 0.02"))
    run("--extend", "60", code=7, says="every: 0.02")
    check(digest("x.h5") == before, "the file is as it was")
    write("monte_carlo: {samples: %d, seed: 5}", 30)
    with open("damaged.h5", "wb") as file, open("x.h5", "rb") as source:
        data = bytearray(source.read())
        data[len(data) // 2] ^= 0x55
        file.write(data)
    damaged = digest("damaged.h5")
    run("--extend", "60", output="damaged.h5", code=7)
    check(digest("damaged.h5") == damaged and not os.path.exists("damaged.h5.parts"), "a damaged file is as it was")
    run("--shard", "1/2", output="part.h5")
    run("--extend", "60", output="part.h5", code=7, says="expected all 30 scenes of its study, found 0 to 14")
    clack("merge", "part.h5", "-o", "gap.h5", "--partial")
    run("--extend", "60", output="gap.h5", code=7, says="scenes of it were not run")
    run("--verify", "10%", output="verified.h5")
    run("--extend", "60", output="verified.h5", code=7, says="(--verify), which would no longer hold")
    check_other_program()
    clean()


def check_other_program():
    """Another device, another version: as resuming."""
    shutil.copy("x.h5", "other.h5")
    for name in "platform", "git_commit", "version", "build_options":
        with h5py.File("other.h5", "a") as file:
            kept = file["provenance"].attrs[name]
            value = kept.decode()[:-1] + "?" # of the same length: texts are stored so
            file["provenance"].attrs.modify(name, value.encode())
        run("--extend", "60", output="other.h5", code=7, says=f'this run: {name}: expected "{value}" as in other.h5')
        check(not os.path.exists("other.h5.parts"), f"another {name}: a folder is left")
        with h5py.File("other.h5", "a") as file:
            file["provenance"].attrs.modify(name, kept)
    run("--extend", "60", output="other.h5")


# --- scenes enough ---------------------------------------------------------------------------------


def check_stop():
    """A study that says when it has enough: more scenes until it has, none where it had."""
    with open("study.yaml", "w") as study:
        study.write(study_text("monte_carlo: {samples: %d, seed: 5}", 40) +
                    "  statistics: {stop: {width: {height: 0.06}, least: 10}}\n")
    run("--set", "design.monte_carlo.samples=400", "--batch", "20", "--checkpoint", "0", output="whole.h5") # as merged
    run()
    with h5py.File("whole.h5") as file:
        enough = len(file["scene"])
        check(40 < enough < 400, f"{enough} scenes are no test")
    for samples in "60", "400":
        document = json.loads(run("--extend", samples, "--json").stdout)
        check(document["scenes"] == min(enough, int(samples)), f"{samples}: {document['scenes']} scenes")
    check_same("x.h5", said("whole.h5"), "more scenes until they are enough")
    before = digest("x.h5")
    clack("run", "study.yaml", "-d", "native", "-o", "x.h5", "--extend", "500",
          says=f"the study has scenes enough: reached after {enough} scenes")
    check(digest("x.h5") == before and not os.path.exists(PARTS), "enough: the file is as it was")
    run("--extend", "500", "--shard", "1/2", output="1.h5", code=2, says="is run whole")
    clean()


def main():
    with tempfile.TemporaryDirectory(prefix="clack_extend_") as folder:
        os.chdir(folder)
        for part in check_designs, check_written_samples, check_shards, check_refused, check_stop:
            part()
        write("monte_carlo: {samples: %d, seed: 5}", 30)
        run("--set", "design.monte_carlo.samples=90", output="whole.h5")
        whole = said("whole.h5")
        clean()
        for part in check_stopped, check_signal, check_kills, check_no_links:
            part(whole)
        os.chdir("/")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
