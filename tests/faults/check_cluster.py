#!/usr/bin/env python3
"""Tasks of a cluster: parts by what launchers tell, jobs that are killed and put in the queue again.

usage: check_cluster.py PROGRAM

The same file in the end, bit by bit. Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
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

SHARDS = 64
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "PALS_", "MPI_")
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}


def array(task, first, last, count=None):
    return {**PLAIN, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_MIN": str(first),
            "SLURM_ARRAY_TASK_MAX": str(last), "SLURM_ARRAY_TASK_COUNT": str(count or last - first + 1)}


def words(*more):
    return ["run", "study.yaml", "-q", "-d", "native", "--threads", "1", "--shard", "auto", "--continue", *more]


def check_array():
    """Of 64 tasks some are killed, some reach their time limit; all are put in the queue again, finished ones too."""
    choice = random.Random(7)
    for task in range(1, SHARDS + 1):
        fate = choice.choice(["whole", "limit", "kill", "kill"])
        if fate == "whole":
            clack(*words(), env=array(task, 1, SHARDS))
        elif fate == "limit":
            clack(*words("--batch", "1", "--checkpoint", "0", "--time-limit", "0.001"), env=array(task, 1, SHARDS),
                  code=130)
        else:
            child = subprocess.Popen([PROGRAM, *words("--batch", "1", "--checkpoint", "0")],
                                     env=array(task, 1, SHARDS), stderr=subprocess.DEVNULL)
            time.sleep(choice.uniform(0, 0.3))
            child.send_signal(signal.SIGKILL)
            child.wait()
    left = [name for name in os.listdir(".") if name.endswith(".parts")]
    check(len(left) > 5, f"runs that were cut short: {left}")
    for task in range(1, SHARDS + 1):
        clack(*words(), env=array(task, 1, SHARDS))
    again = clack(*[word for word in words() if word != "-q"], env=array(3, 1, SHARDS), says="finished before")
    check(again.stdout == "", "stdout is for data")


def check_merged(whole):
    names = [f"study.{i}of{SHARDS}.h5" for i in range(1, SHARDS + 1)]
    clack("merge", *names, "-o", "merged.h5")
    different = differences(whole, without_command(contents("merged.h5")))
    check(different == [], f"{SHARDS} shards: merged.h5 differs in {different}")


def check_launchers():
    """Each launcher's words for the same part; an array of MPI jobs is cut twice."""
    tasks = {
        "array from 0": array(2, 0, 3), "OpenMPI": {**PLAIN, "OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"},
        "PMI": {**PLAIN, "PMI_RANK": "2", "PMI_SIZE": "4"}, "srun": {**PLAIN, "SLURM_PROCID": "2", "SLURM_NTASKS": "4"},
        "array of ranks": {**array(2, 1, 2), "SLURM_PROCID": "0", "SLURM_NTASKS": "2"}}
    for what, environment in tasks.items():
        clack(*words(), env=environment)
        check(os.path.exists("study.3of4.h5"), f"{what}: another part")
        os.path.exists("study.3of4.h5") and os.remove("study.3of4.h5")
    refused = {"nothing": PLAIN, "a part of an array": array(7, 3, 7, 2), "steps": array(4, 0, 8, 3),
               "no count": {**PLAIN, "SLURM_ARRAY_TASK_ID": "4"}, "rank too large": {**PLAIN, "PMI_RANK": "4",
                                                                                       "PMI_SIZE": "4"}}
    for environment in refused.values():
        clack(*words(), env=environment, code=2, says="or auto in a task of Slurm, OpenMPI or PMI")
    clack("run", "study.yaml", "-d", "local-rank", env=PLAIN, code=2, says="found none of SLURM_LOCALID")


def check_others():
    """What is there of another study, seed or part is not taken for this one's."""
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "x.h5")
    for more in (["--seed", "9"], ["--set", "solver.end=0.3"], ["--shard", "1/2"]):
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "x.h5", "--continue", *more, code=7, says="expected")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "y.h5", "--batch", "40", "--checkpoint", "0",
          "--time-limit", "0.001", code=130)
    for more in (["--seed", "9"], ["--shard", "1/2"]):
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "y.h5", "--continue", *more, code=7, says="expected")
    clack("run", "study.yaml", "-o", "y.h5", "--continue", "--overwrite", code=2, says="--continue keeps what is there")
    open("z.h5", "w").write("no HDF5\n")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "z.h5", "--continue", code=7)
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "y.h5", "--continue")
    check(not os.path.exists("y.h5.parts"), "y.h5.parts is left")


if __name__ == "__main__":
    scratch = tempfile.mkdtemp()
    try:
        os.chdir(scratch)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        clack("run", "study.yaml", "-q", "-d", "native", "-o", "whole.h5")
        expected = without_command(contents("whole.h5"))
        check_launchers()
        check_array()
        check_merged(expected)
        check_others()
    finally:
        os.chdir("/")
        shutil.rmtree(scratch)
    print(f"{len(failures)} wrong")
    sys.exit(1 if failures else 0)
