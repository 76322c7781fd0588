#!/usr/bin/env python3
"""The commands of host/command/clusters.md in the hands of their launchers: check_clusters.py PROGRAM ROOT

OpenMPI's mpirun, GNU parallel, Snakemake: those that are there (or in the folder of this Python). Slurm's words for a
task are tried in check_cluster.py. Exit status 77: none is there, or Python has no h5py.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import STUDY, contents, differences, without_command
from program_checks import PROGRAM, SOURCE, check, clack, failures

PAGE = open(os.path.join(SOURCE, "host", "command", "clusters.md")).read()
HERE = os.path.dirname(sys.executable)
ENVIRONMENT = {**os.environ, "PATH": f"{os.getcwd()}:{os.path.dirname(PROGRAM)}:{os.environ['PATH']}:{HERE}",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "CLACK_DATA_DIR": os.path.join(SOURCE, "data")}


def block(heading):
    """The first block of code of a section of the page."""
    return re.search(rf"^## {heading}\n.*?```(?:sh)?\n(.*?)```", PAGE, re.S | re.M).group(1)


def run(command):
    done = subprocess.run(["sh", "-e", "-c", command], env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    check(done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}")


def mpirun():
    run(re.search(r"`(mpirun [^`]*)`", PAGE).group(1))
    run("clack merge study.*of64.h5 -o study.h5")


def parallel():
    open("nodes", "w").write(":\n") # this machine, without ssh
    run(block("GNU parallel"))


def snakemake():
    open("Snakefile", "w").write(block("Snakemake"))
    run("snakemake --cores 2 -q all")


if __name__ == "__main__":
    tried = 0
    for launcher in (mpirun, parallel, snakemake):
        if shutil.which(launcher.__name__, path=ENVIRONMENT["PATH"]) is None:
            print(f"{launcher.__name__}: skipped, it is not there")
            continue
        scratch = tempfile.mkdtemp()
        try:
            os.chdir(scratch)
            open("study.yaml", "w").write(STUDY)
            clack("run", "study.yaml", "-q", "-d", "native", "-o", "whole.h5")
            launcher()
            different = differences(without_command(contents("whole.h5")), without_command(contents("study.h5"))) \
                if os.path.exists("study.h5") else ["no file"]
            check(different == [], f"{launcher.__name__}: study.h5 differs in {different}")
        finally:
            os.chdir("/")
            shutil.rmtree(scratch)
        print(f"{launcher.__name__}: tried")
        tried += 1
    print(f"{len(failures)} wrong")
    sys.exit(1 if failures else 0 if tried else 77)
